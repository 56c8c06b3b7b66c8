"""Define the data of an evaluation: labelled cases, scored reviews and their sums."""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from affidavit.records.candidate import Worth
from affidavit.records.diagnostics import Reason
from affidavit.records.evidence import ReproductionOutcome
from affidavit.records.finding import Category, Finding, Reproduction, Severity
from affidavit.records.measure import Rate
from affidavit.records.record import Record


class ClaimKind(StrEnum):
    """The known truth of a claim."""

    WRONG = "wrong"
    TRUE = "true"
    TRIVIAL = "trivial"
    """True, but not worth acting on."""


class Trap(StrEnum):
    """The reason why a wrong claim looks right."""

    HANDLED_ELSEWHERE = "handled_elsewhere"
    GUARDED = "guarded"
    """Code beside the quoted lines prevents the outcome."""
    SAME_AT_BASE = "same_at_base"
    """The change did not introduce it: base behaves alike."""
    OTHER_BRANCH = "other_branch"
    """The quoted code is real, but not on the path of the claim."""
    MISREAD_CODE = "misread_code"
    """An operator, an order or a bound was misread."""
    LIBRARY_FACT = "library_fact"
    """The language or a library does not behave as the claim says."""
    FALSE_ABSENCE = "false_absence"
    """The missing code is in another place."""
    NEVER_PROMISED = "never_promised"
    """The author did not intend to do it, and base does not do it either."""
    LOCKED = "locked"
    """A race that a lock rules out."""
    CAUGHT = "caught"
    """An exception that is caught on its way."""
    OWN_DOING = "own_doing"
    """Its program itself causes the failure that it blames on the change."""


class PlantedClaim(Record):
    """One claim. `worth` lists the accepted answers; it is empty for a wrong claim."""

    kind: ClaimKind
    trap: Trap | None = None
    judgement: Literal["CONFIRMED", "REFUTED"]
    worth: tuple[Worth, ...] = ()
    why: str = Field(min_length=1)
    """The deciding fact, with its places as `file:line`, or `file:line at base`."""
    finding: Finding

    @property
    def id(self) -> str:
        """Return the finding's own id, unique in the set."""
        return self.finding.id


EVALUATION_VERSION = "1.0"
REVISION = r"^[^-.\s:][^.\s:]*(\.[^.\s:]+)*$"
"""One commit: no option, no range, no path in it."""


class KnownPlace(Record):
    """Lines of a file at head."""

    file: str = Field(min_length=1)
    line: int = Field(ge=1, strict=True)
    end_line: int | None = Field(default=None, ge=1, strict=True)

    @property
    def lines(self) -> tuple[int, int]:
        """Return first and last line."""
        return self.line, max(self.line, self.end_line or self.line)


class KnownClaim(KnownPlace):
    """A claim about a case whose truth is known; without a category it may have any."""

    category: Category | None = None
    description: str = ""
    reproduction: Reproduction | None = None
    """A program about it, in the contract's form."""
    outcome: ReproductionOutcome | None = None
    """The outcome of the program; None without one."""

    @property
    def places(self) -> tuple[KnownPlace, ...]:
        """Return the places where a finding may make this claim."""
        return (self,)


class ExpectedProblem(KnownClaim):
    """A problem that a review of the case should show."""

    also: tuple[KnownPlace, ...] = ()
    """Further places where the same problem may be reported."""

    @property
    def places(self) -> tuple[KnownPlace, ...]:
        """Return all places, its own first."""
        return (self, *self.also)


class LabelledCase(Record):
    """A change whose problems are known."""

    id: str = Field(min_length=1)
    repository: str = Field(min_length=1)
    base: str = Field(pattern=REVISION)
    head: str = Field(pattern=REVISION)
    title: str = ""
    description: str = ""
    language: str = ""
    clean: bool = Field(default=False, strict=True)
    """Nothing is wrong with the change, so every shown finding is wrong."""
    expected: tuple[ExpectedProblem, ...] = ()
    known_wrong: tuple[KnownClaim, ...] = ()


Basis = Literal["judged", "place_and_category", "place"]
"""Why a finding matches a known claim: a judge compared both, or they share lines and category, or lines."""


class CaseMatch(Record):
    """One expected problem and the one finding that shows it."""

    expected: int
    """Its position in the case's list."""
    candidate: str
    basis: Basis
    distance: int
    """Lines between the two; 0 where they overlap."""
    reason: str = ""


Outcome = Literal["true", "wrong", "nit", "repeat", "unlabelled"]


class ScoredFinding(Record):
    """How a shown finding counts, and why."""

    candidate: str
    fingerprint: str
    title: str
    file: str
    line: int
    severity: Severity
    category: Category
    specialist: str
    outcome: Outcome
    why: str
    expected: int | None = None
    """The expected problem that it shows, or repeats."""


class NearMiss(Record):
    """A candidate near a missed problem, and why it does not count."""

    candidate: str
    title: str
    withheld: Reason | None = None
    """None: it is shown, but says something else."""
    why: str


class Miss(Record):
    """An expected problem that no shown finding names."""

    expected: int
    near: tuple[NearMiss, ...] = ()


class CaseRun(Record):
    """The review of a case, scored."""

    report_id: str
    matches: tuple[CaseMatch, ...] = ()
    findings: tuple[ScoredFinding, ...] = ()
    misses: tuple[Miss, ...] = ()
    withheld: int = 0
    incomplete: tuple[str, ...] = ()
    duration_ms: int = 0
    tokens: int = 0
    cost_usd: float | None = 0.0
    """None if a model's price is unknown."""
    judge_tokens: int = 0
    judge_cost_usd: float | None = 0.0
    """The cost of comparing meanings, not of the review."""


class CaseResult(Record):
    """A case with its review, or the reason why there is none."""

    case: LabelledCase
    run: CaseRun | None = None
    failure: str = ""


class Scores(Record):
    """Counts over cases, and their rates; a rate over nothing is None."""

    cases: int = 0
    clean_cases: int = 0
    expected: int = 0
    found: int = 0
    shown: int = 0
    true: int = 0
    """Findings that show an expected problem, or that somebody labelled valid."""
    wrong: int = 0
    nits: int = 0
    repeats: int = 0
    unlabelled: int = 0
    wrong_on_clean: int = 0
    clean_cases_with_wrong: int = 0
    found_but_withheld: int = 0
    """Missed problems with a withheld finding."""
    recall: Rate | None = None
    precision: Rate | None = None
    """True findings among those known to be true, wrong or nits."""
    wrong_rate: Rate | None = None
    """Wrong findings among the same."""


class Evaluation(Scores):
    """Everything about one run over a set of cases."""

    evaluation_version: str = EVALUATION_VERSION
    affidavit_version: str
    created_at: str
    prompt_version: str
    models: dict[str, str] = Field(default_factory=dict)
    """Role to model; empty without models."""
    judge: str = ""
    """The model that compared meanings; empty if place and category did."""
    not_run: int = 0
    """Cases that could not be reviewed; they do not count in the scores."""
    incomplete: int = 0
    """Partly failed reviews; what they did not find counts as missed."""
    by_language: dict[str, Scores] = Field(default_factory=dict)
    duration_ms: int = 0
    """Of all reviews together."""
    tokens: int = 0
    cost_usd: float | None = 0.0
    judge_tokens: int = 0
    judge_cost_usd: float | None = 0.0
    results: tuple[CaseResult, ...] = ()
