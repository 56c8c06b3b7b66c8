"""Run the programs of a review: report, count and remember every run, and keep it in the log."""

import asyncio
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from affidavit.events import Emit, ignore_events, program_run
from affidavit.minds.conversation_log import ConversationLog, LogMode, exchange_key
from affidavit.ports import Repository, Runner
from affidavit.records.program_runs import KeptRun, Program, ProgramRun
from affidavit.records.record import Side

NOT_RECORDED = "the recorded review has no such run"
SANDBOX_KEY = exchange_key({"kind": "sandbox"})


@dataclass
class Tally:
    """The number, duration and results of the programs that were run."""

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
class ProgramRunner:
    """Runs programs, or answers from the log of an earlier review; safe for several threads.

    A replay must answer tool calls as before, or the model's next request would differ.
    """

    name: str
    """The sandbox."""
    languages: tuple[str, ...]
    runner: Runner | None = None
    """None in a replay, which needs no sandbox."""
    log: ConversationLog = field(default_factory=ConversationLog)
    trees: Mapping[str, str] = field(default_factory=dict)
    emit: Emit = ignore_events
    loop: asyncio.AbstractEventLoop | None = None
    tally: Tally = field(default_factory=Tally)
    notes: Mapping[str, str] = field(default_factory=dict)
    """What to say of the packages of a language."""
    finding: str = ""
    """The candidate whose program runs; empty if a model runs one itself."""

    @classmethod
    def of(cls, runner: Runner, emit: Emit | None = None) -> "ProgramRunner":
        """Watch a runner; events are emitted on the current event loop."""
        own = runner if isinstance(runner, cls) else cls(runner.name, runner.languages, runner)
        return replace(own, emit=emit, loop=asyncio.get_running_loop()) if emit else own

    @classmethod
    def replaying(cls, log: ConversationLog, repository: Repository) -> "ProgramRunner | None":
        """Return the runner of a recorded review, which runs nothing; None if that review had none."""
        kept = log.find(SANDBOX_KEY)
        if kept is None:
            return None
        own = cls(str(kept["sandbox"]), tuple(map(str, kept["languages"])), notes=kept["notes"])
        return own.over(repository, None, log)

    def over(self, repository: Repository, runner: Runner | None, log: ConversationLog) -> "ProgramRunner":
        """Return a runner over another pair of trees that keeps its runs in a log."""
        trees = {"base": repository.base.revision, "head": repository.head.revision}
        return replace(self, runner=runner, log=log, trees=trees)

    def run(self, program: Program, side: Side, seconds: float | None = None) -> ProgramRun:
        """Run a program or find its run in the log; remember and report it."""
        run = self._run(program, side, seconds)
        self.tally.add(program, side, run)
        if self.loop is not None:
            self.loop.call_soon_threadsafe(self.emit, program_run(program, run, self.finding))
        return run

    def _run(self, program: Program, side: Side, seconds: float | None) -> ProgramRun:
        key = exchange_key(
            {
                "kind": "program",
                "program": program.model_dump(mode="json"),
                "tree": self.trees.get(side),
                "side": side,
                "seconds": seconds,
            }
        )
        kept = None if self.log.mode is LogMode.RECORD else self.log.find(key)
        if kept is not None:
            return ProgramRun.model_validate(kept["run"])
        if self.runner is None:
            return ProgramRun(side=side, state="not_started", detail=NOT_RECORDED)
        run = self.runner.run(program, side, seconds)
        self.log.append(key, {"run": run.model_dump(mode="json")})
        return run

    def stop(self) -> None:
        """End the running programs and start no more."""
        if self.runner is not None:
            self.runner.stop()
