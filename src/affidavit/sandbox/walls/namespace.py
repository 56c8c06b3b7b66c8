"""A hold on the processes of a sandbox through its first one: what they take is seen, and all end with it."""

import json
import os
import select
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

from affidavit.errors import OutsideError
from affidavit.records.runs.run import RunLimits, RunState
from affidavit.sandbox.walls.start import is_over_memory

ANSWER_SECONDS = 20.0
END_SECONDS = 30.0
OWN_MEMORY = ("RssAnon:", "RssShmem:", "VmSwap:", "VmPTE:", "HugetlbPages:")
"""Memory that is there because of a process; pages of files can be taken back at any time.

What is swapped out, the tables of its pages and large pages of their own kind count nowhere else.
"""


class Namespace:
    """Everything inside: it is gone when its first process is gone, as the kernel waits for the others."""

    def __init__(self, pid: int, handle: int) -> None:
        self._inside = Path(f"/proc/{pid}/root/proc")
        self._handle = handle

    def excess(self, limits: RunLimits) -> RunState | None:
        """Which limit is passed, if any."""
        tasks, memory = self._taken()
        if tasks > limits.tasks:
            return "too_many_processes"
        return "out_of_memory" if is_over_memory(memory, limits) else None

    def _taken(self) -> tuple[int, int]:
        tasks = memory = 0
        with suppress(OSError):
            for place in self._inside.iterdir():
                if place.name.isdigit():
                    of_one = taken_by(place / "status")
                    tasks, memory = tasks + of_one[0], memory + of_one[1]
        return tasks, memory

    def passed(self) -> RunState | None:
        """Nothing here ends a run by itself."""
        return None

    def end(self) -> None:
        """End the first process, and with it all; return when the last one is gone."""
        try:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)
            if not _is_gone(self._handle, END_SECONDS):
                raise OutsideError("a program that was run in the sandbox could not be ended")
        finally:
            os.close(self._handle)


class Nobody:
    """There is nothing to hold: the sandbox ended before it began."""

    def excess(self, _limits: RunLimits) -> RunState | None:
        """Nothing is taken."""
        return None

    def passed(self) -> RunState | None:
        """Nothing here ends a run by itself."""
        return None

    def end(self) -> None:
        """Nothing is left."""


def hold_namespace(process: subprocess.Popen[bytes], report: int) -> Namespace | Nobody:
    """Take hold of what bubblewrap started; `report` is where it names the first process."""
    pid = _first_process(report)
    if pid is None:
        return Nobody()
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return Nobody()
    # Between the report and the handle the number may have gone to somebody else.
    if _parent_of(pid) != process.pid:
        os.close(handle)
        return Nobody()
    return Namespace(pid, handle)


def _first_process(report: int) -> int | None:
    said = b""
    while select.select([report], [], [], ANSWER_SECONDS)[0]:
        data = os.read(report, 4096)
        if not data:
            break
        said += data
    try:
        return int(json.loads(said)["child-pid"])
    except (ValueError, KeyError, TypeError):
        return None


def _parent_of(pid: int) -> int | None:
    try:
        after_name = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2]
        return int(after_name.split()[1])
    except (OSError, ValueError, IndexError):
        return None


def taken_by(status: Path) -> tuple[int, int]:
    """Threads and bytes of one process."""
    tasks = memory = 0
    with suppress(OSError):
        for line in status.read_bytes().decode("ascii", "replace").splitlines():
            name, _, value = line.partition("\t")
            if name in OWN_MEMORY:
                memory += int(value.split()[0]) * 1024
            elif name == "Threads:":
                tasks = int(value)
    return tasks, memory


def _is_gone(handle: int, seconds: float) -> bool:
    return bool(select.select([handle], [], [], seconds)[0])
