"""Walls for a program that reads files by any path: from its command to one that sees a few folders only."""

import subprocess
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

from affidavit.analysers.engine.execution import Limits, limits_of
from affidavit.system.bubblewrap import find_bubblewrap, show_system

Walls = Callable[[Sequence[str], Path, Path, Limits], list[str] | None]
"""From a command, its checkout and scratch folder and its limits to the command behind walls; None: there are
none."""
PROBE_SECONDS = 20


def walled(
    command: Sequence[str],
    checkout: Path,
    scratch: Path,
    limits: Limits,
    shown: Sequence[Path] = (),
    writable: Sequence[Path] = (),
) -> list[str] | None:
    """Return the command behind walls, without network and with its limits; None: the system has no walls.

    It sees its own parts, or what is `shown` instead, and writes only to its checkout and scratch folder and
    to what is `writable`.
    """
    bubblewrap = find_bubblewrap()
    if bubblewrap is None or not has_walls():
        return None
    program = Path(command[0]).resolve()
    # An outer folder comes first, so that it does not hide an inner one.
    seen = sorted(set(shown or parts_of(program)))
    return [
        *_builder(bubblewrap),
        *(part for place in seen for part in ("--ro-bind", str(place), str(place))),
        *(part for place in (checkout, scratch, *writable) for part in ("--bind", str(place), str(place))),
        *("--chdir", str(checkout), "--"),
        *limits_of([str(program), *command[1:]], limits),
    ]


def parts_of(program: Path) -> list[Path]:
    """What a program needs of its own: its package with those that bring its parts, else its folder."""
    if (program.parent.parent / "go.env").is_file():
        return [program.parent.parent]
    # A home folder can have a package.json, too: it is not a package that somebody installed.
    installed = [folder for folder in program.parents if "node_modules" in folder.parts]
    package = next((folder for folder in installed if (folder / "package.json").is_file()), None)
    if package is None:
        return [program.parent]
    scope = package.parent / f"@{package.name}"
    parts = sorted(part.resolve() for part in scope.iterdir()) if scope.is_dir() else []
    # The folder has links to the parts where they lie elsewhere.
    return [package, *([scope] if parts else []), *(part for part in parts if part.parent != scope)]


def _builder(bubblewrap: Path) -> list[str]:
    # Its own processes only: the others' entries in /proc lead to the files that they see.
    apart = ("--unshare-all", "--cap-drop", "ALL", "--die-with-parent", "--new-session")
    return [str(bubblewrap), *apart, *show_system(), "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]  # noqa: S108 - its own


@lru_cache(maxsize=1)
def has_walls() -> bool:
    """Whether the system lets us build them: many containers do not."""
    bubblewrap = find_bubblewrap()
    if bubblewrap is None:
        return False
    try:
        done = subprocess.run(
            [*_builder(bubblewrap), "/bin/true"], capture_output=True, check=False, timeout=PROBE_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
