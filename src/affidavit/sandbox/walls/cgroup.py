"""A control group for one run, where one is delegated to us: the kernel itself keeps it to its limits."""

import os
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from affidavit.records.runs.run import RunLimits, RunState
from affidavit.sandbox.job import MEGABYTE
from affidavit.sandbox.walls.supervision import Grip

VARIABLE = "AFFIDAVIT_CGROUP"
CONTROLLERS = ("memory", "pids")
OWN_TASKS = 4
"""Of the sandbox itself: its processes are in the group, too."""
JOIN = 'echo $$ > "$1/cgroup.procs" || exit 125; shift; exec "$@"'


def delegated_group(environment: Mapping[str, str] = os.environ) -> Path | None:
    """The group that the user names as ours: of the second version, empty, with memory and processes."""
    named = environment.get(VARIABLE)
    folder = Path(named) if named else None
    if folder is None or not (folder / "cgroup.procs").is_file():
        return None
    with suppress(OSError):
        # It works in a group without processes of its own; where it is done already, nothing changes.
        (folder / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in CONTROLLERS))
    with suppress(OSError):
        active = (folder / "cgroup.subtree_control").read_text().replace("+", "").split()
        return folder if set(CONTROLLERS) <= set(active) else None
    return None


class Group:
    """The group of one run."""

    def __init__(self, parent: Path, limits: RunLimits) -> None:
        self.folder = parent / f"run-{secrets.token_hex(8)}"
        self.folder.mkdir()
        values = {
            "memory.max": limits.memory_mb * MEGABYTE,
            "memory.swap.max": 0,
            "memory.oom.group": 1,
            "pids.max": limits.tasks + OWN_TASKS,
        }
        for name, value in values.items():
            with suppress(OSError):
                (self.folder / name).write_text(str(value))

    def __enter__(self) -> "Group":
        """The group is there already."""
        return self

    def __exit__(self, *_: object) -> None:
        """Also where nothing was started, it is removed."""
        self.end()

    def joined_by(self, command: Sequence[str]) -> list[str]:
        """The same command, in this group before it begins."""
        return ["/bin/sh", "-c", JOIN, "sh", str(self.folder), *command]

    def passed(self) -> RunState | None:
        """Which limit the kernel enforced, if any."""
        if self._count("memory.events", "oom_kill"):
            return "out_of_memory"
        return "too_many_processes" if self._count("pids.events", "max") else None

    def end(self) -> None:
        """Kill what is left, and remove the group."""
        with suppress(OSError):
            (self.folder / "cgroup.kill").write_text("1")
        with suppress(OSError):
            self.folder.rmdir()

    def _count(self, file: str, name: str) -> int:
        with suppress(OSError, ValueError):
            for line in (self.folder / file).read_text().splitlines():
                key, _, value = line.partition(" ")
                if key == name:
                    return int(value)
        return 0


class Grouped:
    """A hold on a run that has a group: what it passes is seen by the kernel first, then from outside."""

    def __init__(self, inner: Grip, group: Group) -> None:
        self._inner = inner
        self._group = group

    def excess(self, limits: RunLimits) -> RunState | None:
        """Which limit is passed, if any."""
        return self._group.passed() or self._inner.excess(limits)

    def passed(self) -> RunState | None:
        """Which limit ended it."""
        return self._group.passed()

    def end(self) -> None:
        """End everything inside, and return when nothing of it is left."""
        try:
            self._inner.end()
        finally:
            self._group.end()
