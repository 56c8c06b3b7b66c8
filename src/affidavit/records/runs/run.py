"""A program that is run in a side of the change, and what it did there."""

import hashlib
from typing import Literal

from affidavit.records.record import Record, Side

RunState = Literal[
    "exited", "timed_out", "out_of_memory", "out_of_disk", "too_many_processes", "flooded", "not_started"
]
"""How a run ended: by itself, at one of its limits, or before it began."""


class AddedFile(Record):
    """A file that a program needs beside it; it may not stand in the place of one of the change."""

    path: str
    content: str


class Program(Record):
    """A small program in one of the languages that can be run."""

    language: str
    text: str
    files: tuple[AddedFile, ...] = ()

    @property
    def run_id(self) -> str:
        """A short name for its runs: the same for the same program."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:10]


class RunLimits(Record):
    """How much one run may take."""

    seconds: float = 30.0
    cpu_seconds: int = 60
    memory_mb: int = 2048
    tasks: int = 256
    """Processes and threads at one time."""
    disk_mb: int = 512
    """What it may write, beside the copy that it works in."""
    output_kb: int = 256


class AlteredFile(Record):
    """A file that the copy of a side has otherwise than the commit."""

    path: str
    is_left_out: bool = False
    """It is too large to be looked through for secrets; otherwise it is there without them."""
    is_changed: bool = False
    """Base and head do not have the same file at this path."""


class ProgramRun(Record):
    """What a program did on one side."""

    side: Side
    state: RunState
    exit_code: int | None = None
    """None where it did not end by itself."""
    output: str = ""
    """What it printed to both of its outputs, in order and without secrets."""
    duration_ms: int = 0
    detail: str = ""
    """Why it was not started or was ended."""
    missing: tuple[str, ...] = ()
    """Packages that Python code of the repository looked for in vain, also where it caught that."""
    unreached: tuple[str, ...] = ()
    """Hosts that Python code tried to reach in vain, also where it caught that."""
    altered: tuple[AlteredFile, ...] = ()
    """What it read of files that its copy has otherwise than the commit."""

    @property
    def summary(self) -> str:
        """How it ended, in a few words."""
        if self.state == "exited":
            return f"exit code {self.exit_code}"
        return {
            "timed_out": "ended: it took too long",
            "out_of_memory": "ended: it took too much memory",
            "out_of_disk": "ended: its disk was full",
            "too_many_processes": "ended: it started too many processes",
            "flooded": "ended: it printed too much",
            "not_started": "not started",
        }[self.state]


class KeptRun(Record):
    """A program that decided something, with what it did."""

    program: Program
    base: ProgramRun | None = None
    """None where it was not run there."""
    head: ProgramRun | None = None


class ProbeRun(Record):
    """A program that asks how the code behaves, with what it did on both sides: twice where they differ."""

    name: str
    program: Program
    base: tuple[ProgramRun, ...] = ()
    head: tuple[ProgramRun, ...] = ()
