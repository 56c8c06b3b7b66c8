"""Make analysers of the linters in the settings: any tool that prints SARIF."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from affidavit.analysers.engine.analyser import (
    Analyser,
    Invocation,
    read_every_named_file,
    read_nothing_for_certain,
)
from affidavit.analysers.engine.readers import read_problems
from affidavit.analysers.engine.rule import REACHED, Rule
from affidavit.analysers.registry import LISTED
from affidavit.errors import SettingsError
from affidavit.ports import Case, Tree
from affidavit.records.candidate import SpecialistKind
from affidavit.records.change import FileChange
from affidavit.records.finding import Category, Severity
from affidavit.records.report import Gap, Reply
from affidavit.records.settings_entries import FILES, Linter

# Linters say with their exit code that they found something, each in its own way; only the output counts.
# From 126 on, the exit code means that the program could not run or was killed.
EXIT_CODES = frozenset(range(126))


class OpenRules(Mapping[str, Rule]):
    """The rules of an unknown linter: any id under its name."""

    def __init__(self, linter: str, severity: Severity) -> None:
        self._prefix = f"{linter}/"
        self._severity = severity

    def __getitem__(self, rule_id: str) -> Rule:
        if not rule_id.startswith(self._prefix):
            raise KeyError(rule_id)
        return Rule(
            id=rule_id,
            severity=self._severity,
            category=Category.CORRECTNESS,
            title="{message}",
            meaning="{message}.",
            failing_input=REACHED,
            wrong_outcome="{message}.",
            suggestion="Follow the linter's own advice on this rule.",
        )

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def user_linters(descriptions: Iterable[Linter]) -> list[Analyser]:
    """Return one analyser for each linter; reject names of built-in analysers."""
    linters = list(descriptions)
    taken = [linter.name for linter in linters if linter.name in {known.name for known in LISTED}]
    if taken:
        raise SettingsError(f"linters: {taken[0]} is an analyser of Affidavit's own; choose another name")
    return [_analyser(linter) for linter in linters]


def _analyser(linter: Linter) -> Analyser:
    return Analyser(
        name=linter.name,
        executable=linter.command[0],
        patterns=linter.patterns,
        reads_any_case=False,
        scope=linter.scope,
        invoke=partial(_invoke, linter),
        read_output=partial(read_problems, analyser=linter.name),
        rules=OpenRules(linter.name, linter.severity),
        elsewhere=f"put {linter.command[0]} on PATH, outside the repository",
        subject=f"what {linter.name} reports",
        accepted_exit_codes=EXIT_CODES,
        read_files=read_every_named_file if FILES in linter.command else read_nothing_for_certain,
    )


def _invoke(linter: Linter, base: Tree, paths: Sequence[str]) -> Invocation:
    """Run the given command; its configuration files come from the base commit."""
    arguments: list[str] = []
    for argument in linter.command[1:]:
        # The leading dot keeps a file whose name begins with a dash from being an option.
        arguments += [f"./{path}" for path in paths] if argument == FILES else [argument]
    laid = {path: content for path in linter.configuration if (content := base.read(path)) is not None}
    return Invocation(tuple(arguments), files=laid)


ADVICE = "A command from a settings file is code: look at it, then pass --allow-linters."


class UnallowedLinters:
    """Reports linters that may not run."""

    name = "linters"
    kind: SpecialistKind = "mechanical"

    def __init__(self, linters: Sequence[Analyser]) -> None:
        self._linters = linters

    def examines(self, _file: FileChange) -> bool:
        """Examine no file."""
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
