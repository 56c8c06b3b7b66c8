"""Wrap a runner: report, count and remember every run."""

import asyncio
import threading
from dataclasses import dataclass, field, replace

from affidavit.events import Emit, ignore_events, program_run
from affidavit.ports import Runner
from affidavit.records.program_runs import KeptRun, Program, ProgramRun
from affidavit.records.record import Side


@dataclass
class Tally:
    """How many programs were run, how long they took, and what each did."""

    runs: int = 0
    duration_ms: int = 0
    kept: dict[str, KeptRun] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, program: Program, side: Side, run: ProgramRun) -> None:
        """Add a run; one that did not start is kept but not counted."""
        with self.lock:
            before = self.kept.get(program.run_id, KeptRun(program=program))
            self.kept[program.run_id] = before.model_copy(update={side: run})
            if run.state != "not_started":
                self.runs += 1
                self.duration_ms += run.duration_ms


@dataclass(frozen=True)
class WatchedRunner:
    """A runner that reports and remembers its runs; safe for several threads."""

    runner: Runner
    emit: Emit = ignore_events
    loop: asyncio.AbstractEventLoop | None = None
    tally: Tally = field(default_factory=Tally)
    finding: str = ""
    """The candidate whose proof is run; empty when a model tries something."""

    @classmethod
    def of(cls, runner: Runner | None, emit: Emit) -> "WatchedRunner | None":
        """Watch a runner, if there is one, and emit on the current event loop."""
        return cls(runner, emit, asyncio.get_running_loop()) if runner else None

    @property
    def name(self) -> str:
        """Name the sandbox."""
        return self.runner.name

    @property
    def languages(self) -> tuple[str, ...]:
        """Return the languages that programs can be written in."""
        return self.runner.languages

    def about(self, finding: str) -> "WatchedRunner":
        """Return the same runner for the proof of one finding."""
        return replace(self, finding=finding)

    def run(self, program: Program, side: Side, seconds: float | None = None) -> ProgramRun:
        """Run a program, remember the run and report it."""
        run = self.runner.run(program, side, seconds)
        self.tally.add(program, side, run)
        if self.loop is not None:
            self.loop.call_soon_threadsafe(self.emit, program_run(program, run, self.finding))
        return run

    def recall(self, run_id: str) -> KeptRun | None:
        """Return what the program of a run id did; None if it was not run here."""
        return self.tally.kept.get(run_id)

    def stop(self) -> None:
        """End the running programs and start no more."""
        self.runner.stop()
