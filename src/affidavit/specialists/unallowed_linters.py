"""Says in the report which linters the settings name and nobody allowed to run."""

from collections.abc import Sequence

from affidavit.analysers.analyser import Analyser
from affidavit.ports import Case
from affidavit.records.candidate import SpecialistKind
from affidavit.records.change import FileChange
from affidavit.records.report import Gap, Reply

ADVICE = "A command from a settings file is code: look at it, then pass --allow-linters."


class UnallowedLinters:
    """Runs nothing."""

    name = "linters"
    kind: SpecialistKind = "mechanical"

    def __init__(self, linters: Sequence[Analyser]) -> None:
        self._linters = linters

    def examines(self, _file: FileChange) -> bool:
        """No file is looked at."""
        return False

    async def examine(self, case: Case) -> Reply:
        """Name the linters that would have had something to read."""
        paths = [file.path for file in case.change.reviewed_files()]
        parts = tuple(
            Gap(
                name=linter.name,
                reason=f"the settings name the linter {linter.name}, and running it was not allowed",
                advice=ADVICE,
            )
            for linter in self._linters
            if any(linter.covers(path) for path in paths)
        )
        return Reply(specialist=self.name, kind=self.kind, text=None, not_run=parts)
