"""What is noticed of a run beside its output: the altered files of its copy in, what it lacked and read out.

Notes come through pipes in a folder that lies read-only in the sandbox: from Python, while the program runs
(`noting`), and from the command that started it, at its end. What the change itself writes there can only
take away its own proof, or let something count against it.
"""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from affidavit.records.runs.run import AlteredFile
from affidavit.sandbox.inside import noting
from affidavit.sandbox.job import ALTERED, AT_THE_END, DONE, FULL, UNTOUCHED
from affidavit.system.temporary import temporary_folder

MAX_NAMES = 50
MAX_BYTES = 65536
"""What the kernel keeps of a pipe that nobody reads."""
MAX_LISTED = MAX_BYTES // 2
"""Bytes of the names of altered files that are looked after."""
NAME = re.compile(r"[^\W\d]\w{0,99}")
HOST = re.compile(r"[\w.:/@%-]{1,200}")


@dataclass(frozen=True)
class Noticed:
    """What was noticed of one run."""

    missing: tuple[str, ...] = ()
    unreached: tuple[str, ...] = ()
    altered: tuple[AlteredFile, ...] = ()
    """Files of the copy that are not those of the commit, and that it read or may have read."""
    is_full: bool = False
    """One of its disks had no room left when it ended."""


@dataclass(frozen=True)
class Watched:
    """A folder for the sandbox, and what was noted there."""

    folder: Path
    altered: Sequence[AlteredFile]
    while_running: int
    at_the_end: int

    def noticed(self) -> Noticed:
        """All that was noted, each thing once, in the order of the alphabet."""
        lines = _lines(self.while_running)
        missing = _named(lines, noting.MISSING, NAME)
        unreached = _named(lines, noting.UNREACHED, HOST) - _named(lines, noting.REACHED, HOST)
        ended = _lines(self.at_the_end)
        return Noticed(
            tuple(sorted(missing)[:MAX_NAMES]),
            tuple(sorted(unreached)[:MAX_NAMES]),
            _read(self.altered, ended),
            FULL in ended,
        )


def _lines(pipe: int) -> list[str]:
    try:
        return os.read(pipe, MAX_BYTES).decode("utf-8", "replace").split("\n")
    except BlockingIOError:
        return []


def _named(lines: Sequence[str], kind: str, form: re.Pattern[str]) -> set[str]:
    names = (line.removeprefix(f"{kind} ") for line in lines if line.startswith(f"{kind} "))
    return {name for name in names if form.fullmatch(name)}


def _read(altered: Sequence[AlteredFile], ended: Sequence[str]) -> tuple[AlteredFile, ...]:
    """Those that were not seen to be left alone; of a run that was ended, only those of the change."""
    alone = {line.removeprefix(f"{UNTOUCHED} ") for line in ended if line.startswith(f"{UNTOUCHED} ")}
    looked_after = {one.path for one in _looked_after(altered)} if DONE in ended else set()
    read = [one for one in altered if one.is_changed or one.path in looked_after]
    return tuple(one for one in read if one.path not in alone)[:MAX_NAMES]


def _looked_after(altered: Sequence[AlteredFile]) -> Iterator[AlteredFile]:
    """As many as fit into a pipe; those of the change come first."""
    room = MAX_LISTED
    for one in altered:
        room -= len(one.path.encode()) + len(UNTOUCHED) + 2
        if room > 0:
            yield one


@contextmanager
def watching(altered: Sequence[AlteredFile]) -> Iterator[Watched]:
    """Something to mount into a sandbox at `WATCH`, with its folder on Python's path."""
    with temporary_folder("watch-") as folder:
        folder.chmod(0o755)
        (folder / "sitecustomize.py").write_text(noting.NOTING, "utf-8")
        listed = b"".join(one.path.encode() + b"\0" for one in _looked_after(altered))
        if listed:
            (folder / ALTERED).write_bytes(listed)
        running = _pipe(folder / noting.PIPE)
        try:
            ended = _pipe(folder / AT_THE_END)
            try:
                yield Watched(folder, altered, running, ended)
            finally:
                os.close(ended)
        finally:
            os.close(running)


def _pipe(place: Path) -> int:
    os.mkfifo(place)
    # A container's user is another one.
    place.chmod(0o622)
    return os.open(place, os.O_RDONLY | os.O_NONBLOCK)
