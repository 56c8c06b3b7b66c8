"""Run a program on hostile files, isolated and limited; return its failures as data."""

import asyncio
import os
import re
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Literal
from weakref import WeakKeyDictionary

from affidavit.system.bubblewrap import bind, find_bubblewrap, isolate
from affidavit.system.child_process import EndState, run_child
from affidavit.system.concurrency import usable_cores

MEGABYTE = 1024 * 1024
FILES_A_SHARE = 5_000
"""The timeout is granted again for each further group of this many files."""
NO_WALLS = "this system has no sandbox for programs that read files by any path"
NODE_SCRIPT = re.compile(rb"#!\s*\S+[/ ]node\b")
VERSION = re.compile(r"\d+(?:\.\d+)+\S*")
# The shell sets the limits and then becomes the program: unlike a function run between fork and exec, this is
# safe in a process with threads. A system that lacks a limit goes on without it.
LIMIT_SCRIPT = (
    'ulimit -c 0 2>/dev/null; ulimit -v "$1" 2>/dev/null; ulimit -f "$2" 2>/dev/null; shift 2; exec "$@"'
)


@dataclass(frozen=True)
class Limits:
    """Limits of one run."""

    timeout_seconds: float = 120.0
    memory_mb: int = 16384
    output_mb: int = 96

    def for_files(self, count: int) -> "Limits":
        """Return the limits with a timeout for this many files."""
        return replace(self, timeout_seconds=self.timeout_seconds * (1 + count // FILES_A_SHARE))


OutcomeState = EndState | Literal["not_started"]


@dataclass(frozen=True)
class Outcome:
    """How a run of a program ended."""

    state: OutcomeState
    exit_code: int = 0
    output: bytes = b""
    errors: bytes = b""

    @property
    def last_words(self) -> str:
        """Return the last line of standard error."""
        text = self.errors.decode("utf-8", errors="replace")
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return lines[-1][:300] if lines else ""


def find_executable(
    name: str, *, reviewed_folder: Path | None, search_path: str | None = None
) -> Path | None:
    """Find a program beside the interpreter or on PATH, but never inside the reviewed repository.

    A path must be absolute: a relative one would be searched in the reviewed repository.
    """
    if os.sep in name:
        found = iter([shutil.which(name)] if Path(name).is_absolute() else ())
    else:
        beside = shutil.which(name, path=str(Path(sys.executable).parent))
        if beside is not None:
            return Path(beside)
        given = os.environ.get("PATH", os.defpath) if search_path is None else search_path
        folders = (folder for folder in given.split(os.pathsep) if Path(folder).is_absolute())
        found = (shutil.which(name, path=folder) for folder in folders)
    places = (Path(one) for one in found if one is not None)
    return next((one for one in places if not _is_inside(one, reviewed_folder)), None)


def find_launcher(program: Path, *, reviewed_folder: Path | None) -> tuple[str, ...]:
    """Return the launcher of a Node script: its shebang would be looked up inside the sandbox."""
    with program.open("rb") as file:
        is_script = NODE_SCRIPT.match(file.readline(200))
    node = find_executable("node", reviewed_folder=reviewed_folder) if is_script else None
    return (str(node.resolve()),) if node else ()


def _is_inside(program: Path, folder: Path | None) -> bool:
    if folder is None:
        return False
    inside = folder.resolve()
    return program.absolute().is_relative_to(inside) or program.resolve().is_relative_to(inside)


@lru_cache(maxsize=1)
def network_guard() -> tuple[str, ...]:
    """Return the command that removes the network, if the system allows it; it takes 4 ms a run."""
    program = shutil.which("unshare", path="/usr/bin:/bin")
    if program is None:
        return ()
    command = (program, "--map-root-user", "--net", "--")
    return command if _runs([*command, "/bin/true"]) else ()


def _runs(command: Sequence[str]) -> bool:
    """Return whether the system lets a command run."""
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=PROBE_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def isolated_environment(scratch: Path, program: Path | None = None) -> dict[str, str]:
    """Return an environment that leads only to the scratch folder and to the program's own folder."""
    folders = {"HOME": "home", "XDG_CACHE_HOME": "cache", "XDG_CONFIG_HOME": "config", "TMPDIR": "tmp"}
    for folder in folders.values():
        (scratch / folder).mkdir(parents=True, exist_ok=True)
    return {
        # A script needs its interpreter, which is usually installed beside it.
        "PATH": "/usr/bin:/bin" if program is None else f"{program.parent}:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "NO_COLOR": "1",
        **{name: str(scratch / folder) for name, folder in folders.items()},
    }


async def run_program(
    command: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    limits: Limits,
    walls: Callable[[Sequence[str]], Sequence[str] | None] | None = None,
) -> Outcome:
    """Run a program in a process group of its own and end the whole group when it is over."""
    limited = limited_command(command, limits) if walls is None else walls(command)
    if limited is None:
        return Outcome("not_started", errors=NO_WALLS.encode())
    try:
        ended = await run_child(
            limited,
            folder=folder,
            environment=environment,
            seconds=limits.timeout_seconds,
            max_bytes=limits.output_mb * MEGABYTE,
        )
    except OSError as error:
        return Outcome("not_started", errors=str(error).encode(errors="replace"))
    return Outcome(ended.state, ended.exit_code, ended.output, ended.errors)


def limited_command(command: Sequence[str], limits: Limits) -> list[str]:
    """Return the command with its limits, and without network."""
    return [*network_guard(), *limits_of(command, limits)]


def limits_of(command: Sequence[str], limits: Limits) -> list[str]:
    """Return the command with its limits."""
    kilobytes = str(limits.memory_mb * 1024)
    blocks = str(limits.output_mb * 4 * 2048)
    return ["/bin/sh", "-c", LIMIT_SCRIPT, "sh", kilobytes, blocks, *command]


async def ask_program(command: Sequence[str], scratch: Path) -> str:
    """Return what a program prints about itself; nothing where it fails."""
    outcome = await run_program(
        command,
        folder=scratch,
        environment=isolated_environment(scratch, Path(command[0])),
        limits=Limits(timeout_seconds=20, output_mb=1),
    )
    return outcome.output.decode("utf-8", errors="replace") if outcome.state == "exited" else ""


async def read_version(program: Path, arguments: Sequence[str], scratch: Path) -> str:
    """Return the version that a program prints, or nothing."""
    launcher = find_launcher(program, reviewed_folder=None)
    found = VERSION.search(await ask_program([*launcher, str(program), *arguments], scratch))
    return found.group() if found else ""


Walls = Callable[[Sequence[str], Path, Path, Limits], list[str] | None]
"""Wraps a command into the sandbox; None if there is no sandbox."""
PROBE_SECONDS = 20


def walled(
    command: Sequence[str],
    checkout: Path,
    scratch: Path,
    limits: Limits,
    shown: Sequence[Path] = (),
    writable: Sequence[Path] = (),
) -> list[str] | None:
    """Return the command in a sandbox without network; None if the system allows none.

    It sees its own parts, or what is `shown`, and writes only to its checkout, its scratch folder and to what
    is `writable`.
    """
    bubblewrap = find_bubblewrap()
    if bubblewrap is None or not has_walls():
        return None
    program = Path(command[0]).resolve()
    # An outer folder comes first, so that it does not hide an inner one.
    seen = sorted(set(shown or parts_of(program)))
    return [
        *_builder(bubblewrap),
        *bind(seen),
        *bind((checkout, scratch, *writable), writable=True),
        *("--chdir", str(checkout), "--"),
        *limits_of([str(program), *command[1:]], limits),
    ]


SHOWN = tuple(map(Path, ("/etc", "/opt", "/home/linuxbrew/.linuxbrew", "/var/lib/gems")))
"""Where systems and package managers keep programs' parts, beside the folders of the system itself."""


def seen_by(program: Path) -> list[Path]:
    """Return the folders that a program needs: its parts, its environment, and those of package managers.

    No home and no other folder: a file can have its program read another one, and quote it.
    """
    own = [program, *parts_of(program)]
    if program.is_relative_to(sys.prefix):
        prefixes = (Path(sys.prefix), Path(sys.base_prefix))
        return [*own, *prefixes, *(one.resolve() for one in prefixes)]
    packages = (one for one in program.parents if one.name == "node_modules")
    places = (*own, *SHOWN, *packages, *_environment_of(program))
    return [one for one in places if one.exists() and not Path.home().is_relative_to(one)]


def _environment_of(program: Path) -> list[Path]:
    """Return the virtual environment of Python that a program is in, and the installation under it."""
    described = program.parent.parent / "pyvenv.cfg"
    if not described.is_file():
        return []
    lines = (line.partition("=") for line in described.read_text("utf-8", errors="replace").splitlines())
    under = [Path(value.strip()).parent for name, _, value in lines if name.strip() == "home"]
    return [described.parent, *under, *(one.resolve() for one in under)]


def parts_of(program: Path) -> list[Path]:
    """Return the folders that a program needs: its packages, or else its own folder."""
    if (program.parent.parent / "go.env").is_file():
        return [program.parent.parent]
    # A home folder may also have a package.json, but is not an installed package.
    installed = [folder for folder in program.parents if "node_modules" in folder.parts]
    package = next((folder for folder in installed if (folder / "package.json").is_file()), None)
    if package is None:
        return [program.parent]
    scope = package.parent / f"@{package.name}"
    parts = sorted(part.resolve() for part in scope.iterdir()) if scope.is_dir() else []
    # The folder may link to parts elsewhere.
    return [package, *([scope] if parts else []), *(part for part in parts if part.parent != scope)]


def _builder(bubblewrap: Path) -> list[str]:
    return [str(bubblewrap), *isolate(), "--tmpfs", "/tmp"]  # noqa: S108 - its own


@lru_cache(maxsize=1)
def has_walls() -> bool:
    """Return whether the system allows the sandbox: many containers do not."""
    bubblewrap = find_bubblewrap()
    return bubblewrap is not None and _runs([*_builder(bubblewrap), "/bin/true"])


class Slots:
    """Limits how many programs run at once."""

    def __init__(self, count: int | None = None) -> None:
        self._count = count or usable_cores()
        # A semaphore belongs to one event loop; a specialist may be asked from several, one after another.
        self._by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()

    @asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        """Wait for a slot and hold it."""
        loop = asyncio.get_running_loop()
        async with self._by_loop.setdefault(loop, asyncio.Semaphore(self._count)):
            yield
