"""Define the jobs and results of a sandbox, and the paths inside it."""

import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from affidavit.records.program_runs import RunLimits, RunState

SIDE = "/side"
"""The folder of the program: its own copy, deleted afterwards."""
SOURCE = "/affidavit/source"
ADDED = "/affidavit/added"
WATCH = "/affidavit/watch"
LISTED = "listed"
"""A file in `WATCH` with the names of files whose reading is noted."""
AT_THE_END = "ended"
"""A pipe in `WATCH` for notes at the end of the program."""
NODE_HOOK = "noting.cjs"
"""A file in `WATCH` that Node loads before a program."""
UNTOUCHED = "946684800"
"""The access time, in seconds, of listed files that nobody read."""
FULL, DONE = "full", "done"
MEGABYTE = 1024 * 1024
USUAL = RunLimits()


@dataclass(frozen=True)
class Job:
    """One command to run in the sandbox."""

    command: tuple[str, ...]
    source: Path
    """The files of one side; the program works in a copy of them."""
    added: Path | None = None
    """Files that go into the copy beside them."""
    mounts: tuple[Path, ...] = ()
    """Other readable folders, at their own paths."""
    variables: Mapping[str, str] = field(default_factory=dict)
    limits: RunLimits = USUAL
    stopped: threading.Event | None = None
    """Set to stop the job early."""
    watch: Path | None = None
    """A folder, read-only at `WATCH`, for notes about missing packages and files read."""
    kept: Path | None = None
    """A folder, writable at its own path, that outlives the job."""

    @property
    def disk_bytes(self) -> int:
        """Return the size limit of the copy with everything written into it."""
        folders = [self.source, *([self.added] if self.added else [])]
        return self.limits.disk_mb * MEGABYTE + sum(size_of(folder) for folder in folders)


@dataclass(frozen=True)
class Ended:
    """How a job ended."""

    state: RunState
    exit_code: int | None = None
    output: bytes = b""
    duration_ms: int = 0
    detail: str = ""


class Sandbox(Protocol):
    """Run jobs isolated from this machine."""

    @property
    def name(self) -> str:
        """Name the sandbox."""

    def run(self, job: Job) -> Ended:
        """Run a job to its end or its first limit; nothing of it is left afterwards."""


def size_of(folder: Path) -> int:
    """Return the disk space of a folder in whole pages."""
    total = 0
    for place, folders, files in os.walk(folder):
        total += 4096 * (len(folders) + 1)
        total += sum(-(-os.lstat(Path(place) / name).st_size // 4096) * 4096 for name in files)
    return total
