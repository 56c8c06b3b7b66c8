"""A runner that remembers what it ran, so that a program can be named by its run afterwards."""

import threading

from affidavit.ports import Runner
from affidavit.records.record import Side
from affidavit.records.runs.run import KeptRun, Program, ProgramRun


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
