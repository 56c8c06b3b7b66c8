"""Labels, rollouts and measured rates with their intervals."""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from affidavit.records.record import Record

Arm = Literal["old", "new"]
RolloutState = Literal["running", "promoted", "rolled_back"]


class Versions(Record):
    """A prompt version, the schema version that it asks for, and the folder of its templates."""

    prompt: str
    schema_version: str
    folder: str | None = None
    digest: str = ""
    """Digest of the templates; empty for built-in prompts that no rollout measured."""

    @property
    def name(self) -> str:
        return f"{self.prompt} (schema {self.schema_version})"

    def is_same(self, other: "Versions") -> bool:
        """Compare the versions, not the folders."""
        return (self.prompt, self.schema_version) == (other.prompt, other.schema_version)


class RolloutDecision(Record):
    state: RolloutState
    at: str
    by: str
    why: str = ""


class RolloutPlan(Record):
    """The versions on trial, and the conditions of a promotion."""

    old: Versions
    new: Versions
    share: float = Field(gt=0, le=1)
    """Share of the changes that get the new versions."""
    slo_dropped: float = Field(ge=0, lt=1)
    """Share of findings that the contract may drop, and of replies that it may reject."""
    min_reviews: int = Field(ge=1)
    decisions: tuple[RolloutDecision, ...]


class Rollout(RolloutPlan):
    number: int
    state: RolloutState


class ReviewCounts(Record):
    """The contract's diagnostics of one review; only replies of models count."""

    asked: int = 0
    replies: int = 0
    coerced: int = 0
    incompatible: int = 0
    rejected: int = 0
    findings: int = 0
    dropped: int = 0


class RolloutReview(Record):
    change_key: str
    arm: Arm
    at: str
    counts: ReviewCounts


class Label(StrEnum):
    VALID = "valid"
    WRONG = "wrong"
    NIT = "nit"


FORGE = "forge"
"""On a forge, by somebody who may write there and is not the author of the change."""
UNHEARD = {
    "author": "forge: by the author of the change",
    "no_rights": "forge: without write access",
    "unknown": "forge: rights not known",
}
"""On a forge, by anybody else: stored but counted in no rate, which authors could otherwise influence."""


class LabelEntry(Record):
    """One act of labelling; `label` is None if it was removed.

    The newest entry of a finding counts, of those by people whose labels count.
    """

    report_id: str
    candidate_id: str
    label: Label | None
    why: str = ""
    by: str = ""
    source: str = "command line"
    at: str
    report_digest: str = ""
    """SHA-256 of the labelled report, byte for byte as it was kept; the store fills it in."""

    @property
    def counts(self) -> bool:
        """Check whether the person who labelled it may influence the error rate."""
        return self.source not in UNHEARD.values()


class LabelledFinding(Record):
    """A label with the problem it is about, by `repository` and `fingerprint`."""

    entry: LabelEntry
    repository: str
    fingerprint: str
    is_shown: bool


MIN_LABELS = 20
"""Fewer labels say nothing about the next report."""
TooFew = Literal["too few labels"]
Dimension = Literal["specialist", "category", "severity", "model", "prompt_version", "month"]


class Rate(Record):
    """`count` of `n`, with the 95% interval of the share (Wilson)."""

    count: int
    n: int
    share: float
    low: float
    high: float


class RateGroup(Record):
    """The error rate of one group of findings, such as one specialist."""

    value: str
    shown: int
    wrong: Rate | None = None
    nit: Rate | None = None


class Spread(Record):
    n: int
    total: float
    median: float


class Fates(Record):
    """Counts of all candidates by what became of them, over all reviews."""

    candidates: int = 0
    shown: int = 0
    dropped: int = 0
    refuted: int = 0
    unverified: int = 0
    """Shown, without an answer from a verifier."""
    withheld: dict[str, int] = Field(default_factory=dict)


class Absences(Record):
    """Findings that claim something is missing."""

    shown: int = 0
    searched: Rate | None = None
    """Of the shown ones: must be all of them. None if there are none."""
    unsearched: tuple[str, ...] = ()
    """The shown ones without a search, as REPORT FINDING."""
    withheld: int = 0
    """Withheld because no search was declared, or one could not be run."""


class Mistake(Record):
    """A shown finding that was labelled wrong."""

    report_id: str
    candidate_id: str
    specialist: str
    title: str
    place: str
    why: str = ""


class ReviewPoint(Record):
    """One review in the chart over time."""

    report_id: str
    created_at: str
    prompt_version: str
    duration_ms: int
    cost_usd: float | None = None
    candidates: int = 0
    shown: int = 0
    dropped: int = 0
    set_aside: int = 0
    """Of the dropped, those that are not among the candidates."""
    relocated: int = 0
    refuted: int = 0


class Quality(Record):
    """The measured quality of an installation's reviews."""

    since: str | None = None
    reports: int = 0
    unreadable: int = 0
    first: str | None = None
    last: str | None = None
    shown: int = 0
    """Findings shown; the same one in several reports counts once."""
    labelled: int = 0
    wrong: Rate | None = None
    """Wrong among shown and labelled. None: not measured yet."""
    nit: Rate | None = None
    unheard: int = 0
    """Findings with labels that count in no rate: by the author of the change, or without write access."""
    unheard_from: dict[str, int] = Field(default_factory=dict)
    withheld_labelled: int = 0
    withheld_valid: int = 0
    mistakes: tuple[Mistake, ...] = ()
    by: dict[Dimension, tuple[RateGroup, ...]] = Field(default_factory=dict)
    followed: Rate | None = None
    """Feedback that was followed in the next review of a change. None: no review followed another one."""
    improved: Rate | None = None
    improvement: Spread | None = None
    quotes_found: Rate | None = None
    absences: Absences = Absences()
    fates: Fates = Fates()
    duration_ms: Spread | None = None
    cost_usd: Spread | None = None
    """Of reviews with models whose price is known."""
    tokens: Spread | None = None
    unpriced: int = 0
    over_time: tuple[ReviewPoint, ...] = ()
    """The newest reviews, the oldest of them first."""
