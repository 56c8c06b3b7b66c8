"""Define a finding, as in schemas 1.0 to 1.2 of the contract."""

from enum import StrEnum
from functools import cache
from typing import Any, Literal

from affidavit.records.program_runs import AddedFile, Program
from affidavit.records.record import Record, Side

NEAR_LINES = 3
"""Two places in a file count as one if they are no further apart."""


class Severity(StrEnum):
    """The severity, worst first."""

    CRITICAL = "critical"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    INFO = "info"

    @property
    def rank(self) -> int:
        """Return 0 for critical, more for milder ones."""
        return list(Severity).index(self)

    @property
    def is_grave(self) -> bool:
        """Check for critical or high: enough to block the change alone."""
        return self in (Severity.CRITICAL, Severity.HIGH)


class Category(StrEnum):
    CORRECTNESS = "correctness"
    SECURITY = "security"
    PERFORMANCE = "performance"
    RELIABILITY = "reliability"
    MAINTAINABILITY = "maintainability"
    STYLE = "style"
    TEST = "test"


Confidence = Literal["high", "medium", "low"]


class Search(Record):
    """A search that must find nothing, declared by a finding that says something is missing."""

    pattern: str
    paths: tuple[str, ...] = ()
    side: Side = "head"


class Cause(Record):
    """The part of the change that an impact finding depends on."""

    file: str
    symbol: str = ""


class Expected(Record):
    """The exit code and output that a program must have on one side."""

    exit_code: int
    """124: it timed out."""
    output: str = ""
    """A regular expression, run in linear time; empty: any output."""


class Reproduction(Record):
    """A program that shows a finding: it behaves differently at base and head."""

    language: str
    program: str
    files: tuple[AddedFile, ...] = ()
    expected_at_head: Expected
    expected_at_base: Expected | None = None
    expected_when_fixed: Expected | None = None
    """What a fixed head does, where it cannot do what base does."""
    promised: str | None = None
    """Words of the title or description that promise what head does not do: base may then do the same."""
    seconds: int | None = None
    """Time for one run; None: the usual time."""

    @property
    def as_program(self) -> Program:
        return Program(language=self.language, text=self.program, files=self.files)


class DependencyQuote(Record):
    """Code of a package that a finding cites beside its own place: it supports, and proves nothing alone."""

    package: str
    version: str
    file: str
    sha256: str
    code_examined: str
    line_range_examined: tuple[int, int] | None = None

    @property
    def name(self) -> str:
        return f"{self.package} {self.version} {self.file}"


class Verification(Record):
    """The evidence of a finding of schema 1.1; `reproduction` and what follows came later."""

    code_examined: str
    line_range_examined: tuple[int, int]
    verification_method: str
    checked_for_handling_elsewhere: bool
    where_checked: str | None = None
    is_impact_finding: bool = False
    side: Side = "head"
    failing_input: str | None = None
    wrong_outcome: str | None = None
    is_absence_finding: bool = False
    searches: tuple[Search, ...] = ()
    caused_by: Cause | None = None
    reproduction: Reproduction | None = None
    patch: str | None = None
    """A unified diff against head that settles it."""
    dependency_quotes: tuple[DependencyQuote, ...] = ()
    appears_after: str | None = None
    """The id of a finding of the same reply that hides this one until it is fixed."""
    is_pre_existing: bool = False
    """The problem was there before the change."""


@cache
def no_evidence() -> Verification:
    """Return empty evidence, for a finding that has none."""
    return Verification(
        code_examined="",
        line_range_examined=(1, 1),
        verification_method="",
        checked_for_handling_elsewhere=False,
    )


class Finding(Record):
    """One claim. `verification` is None for a finding of schema 1.0."""

    id: str
    severity: Severity
    category: Category
    title: str
    file: str
    line: int
    message: str
    end_line: int | None = None
    suggestion: str | None = None
    confidence: Confidence | None = None
    rule_id: str | None = None
    verification: Verification | None = None

    @property
    def evidence(self) -> Verification:
        """Return its evidence; an empty one for a finding of schema 1.0."""
        return self.verification or no_evidence()

    @property
    def side(self) -> Side:
        return self.evidence.side

    @property
    def is_impact(self) -> bool:
        """Check whether it is about code outside the change that the change breaks."""
        return self.evidence.is_impact_finding

    @property
    def lines(self) -> tuple[int, int]:
        return self.line, self.end_line or self.line


class ReviewResult(Record):
    """A specialist's result as the parser accepted it."""

    schema_version: str
    prompt_version: str
    summary: str | None = None
    findings: tuple[Finding, ...]
    meta: dict[str, Any] | None = None
