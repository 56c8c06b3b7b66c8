"""A runner that is watched: every run is counted and said, whoever asked for it."""

import asyncio
import threading
from dataclasses import dataclass, field, replace

from affidavit.events import Emit, program_run
from affidavit.ports import Runner
from affidavit.records.record import Side
from affidavit.records.runs.run import Program, ProgramRun


@dataclass
class Tally:
    """How many programs were run, and how long they took."""

    runs: int = 0
    duration_ms: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self, run: ProgramRun) -> None:
        """Add a run; what was not started took nothing."""
        if run.state != "not_started":
            with self.lock:
                self.runs += 1
                self.duration_ms += run.duration_ms


@dataclass(frozen=True)
class WatchedRunner:
    """The same runner; calls may come from any thread."""

    runner: Runner
    emit: Emit
    loop: asyncio.AbstractEventLoop
    tally: Tally = field(default_factory=Tally)
    finding: str = ""
    """The candidate whose proof is run; empty where a model tries something."""

    @classmethod
    def of(cls, runner: Runner | None, emit: Emit) -> "WatchedRunner | None":
        """A runner, watched from here on; None where there is none."""
        return cls(runner, emit, asyncio.get_running_loop()) if runner else None

    @property
    def name(self) -> str:
        """What stands between a program and this machine."""
        return self.runner.name

    @property
    def languages(self) -> tuple[str, ...]:
        """What programs can be written in here."""
        return self.runner.languages

    def about(self, finding: str) -> "WatchedRunner":
        """The same, for the proof of one finding."""
        return replace(self, finding=finding)

    def run(self, program: Program, side: Side, seconds: float | None = None) -> ProgramRun:
        """Run, count and say so."""
        run = self.runner.run(program, side, seconds)
        self.tally.count(run)
        self.loop.call_soon_threadsafe(self.emit, program_run(program, run, self.finding))
        return run

    def stop(self) -> None:
        """End what is running, and run nothing more."""
        self.runner.stop()
