"""Wrap a runner: count and report every run, or keep what each run did."""

import asyncio
import threading
from dataclasses import dataclass, field, replace

from affidavit.events import Emit, program_run
from affidavit.ports import Runner
from affidavit.records.program_runs import KeptRun, Program, ProgramRun
from affidavit.records.record import Side


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


class KeptRuns:
    """The same runner, with a memory; calls may come from any thread."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._kept: dict[str, KeptRun] = {}
        self._keeping = threading.Lock()

    @property
    def name(self) -> str:
        """What stands between a program and this machine."""
        return self._runner.name

    @property
    def languages(self) -> tuple[str, ...]:
        """What programs can be written in here."""
        return self._runner.languages

    def run(self, program: Program, side: Side, seconds: float | None = None) -> ProgramRun:
        """Run a program, and keep what it did."""
        run = self._runner.run(program, side, seconds)
        with self._keeping:
            before = self._kept.get(program.run_id, KeptRun(program=program))
            self._kept[program.run_id] = before.model_copy(update={side: run})
        return run

    def recall(self, run_id: str) -> KeptRun | None:
        """What a program did, by the name that its run was given; None where nothing was run so."""
        return self._kept.get(run_id)

    def stop(self) -> None:
        """End what is running, and run nothing more."""
        self._runner.stop()
