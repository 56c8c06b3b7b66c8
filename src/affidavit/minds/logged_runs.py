"""Keep runs of programs in the log of a review, so that a replay runs nothing."""

from affidavit.minds.conversation_log import ConversationLog, LogMode, exchange_key
from affidavit.ports import Repository, Runner
from affidavit.records.program_runs import Program, ProgramRun
from affidavit.records.record import Side

NOT_RECORDED = "the recorded review has no such run"
SANDBOX_KEY = exchange_key({"kind": "sandbox"})


class LoggedRunner:
    """A runner over a pair of trees whose runs are kept in a log, or come from it.

    The tools of models answer with what programs did: only the same answer leads to the same next request.
    """

    def __init__(
        self,
        runner: Runner | None,
        log: ConversationLog,
        repository: Repository,
        name: str,
        languages: tuple[str, ...],
    ) -> None:
        self._runner = runner
        self._log = log
        self._trees: dict[Side, str] = {
            "base": repository.base.revision,
            "head": repository.head.revision,
        }
        self.name = name
        self.languages = languages

    def run(self, program: Program, side: Side, seconds: float | None = None) -> ProgramRun:
        """Return the logged run, or run the program and log it; recording ignores the log."""
        key = exchange_key(
            {
                "kind": "program",
                "program": program.model_dump(mode="json"),
                "tree": self._trees[side],
                "side": side,
                "seconds": seconds,
            }
        )
        kept = None if self._log.mode is LogMode.RECORD else self._log.find(key)
        if kept is not None:
            return ProgramRun.model_validate(kept["run"])
        if self._runner is None:
            return ProgramRun(side=side, state="not_started", detail=NOT_RECORDED)
        run = self._runner.run(program, side, seconds)
        self._log.append(key, {"run": run.model_dump(mode="json")})
        return run

    def stop(self) -> None:
        """End the running programs and start no more."""
        if self._runner is not None:
            self._runner.stop()


def logged(runner: Runner, log: ConversationLog, repository: Repository) -> LoggedRunner:
    """Return a runner that logs its runs and its sandbox; a replay needs neither."""
    log.append(SANDBOX_KEY, {"sandbox": runner.name, "languages": list(runner.languages)})
    return LoggedRunner(runner, log, repository, runner.name, runner.languages)


def recorded(log: ConversationLog, repository: Repository) -> LoggedRunner | None:
    """Return the runner of a recorded review, which runs nothing; None if that review had none."""
    kept = log.find(SANDBOX_KEY)
    if kept is None:
        return None
    return LoggedRunner(None, log, repository, str(kept["sandbox"]), tuple(map(str, kept["languages"])))
