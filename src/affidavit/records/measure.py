"""What was measured, with the interval that says how well it is known."""

from typing import Literal

from pydantic import Field

from affidavit.records.evidence import QuoteOutcome
from affidavit.records.record import Record

Dimension = Literal["specialist", "category", "severity", "model", "prompt_version", "month"]


class Interval(Record):
    """An estimate and the range that its 95% interval spans."""

    estimate: float
    low: float
    high: float

    @property
    def excludes_zero(self) -> bool:
        """For a difference: chance alone hardly makes one this large."""
        return self.low > 0 or self.high < 0


class Rate(Record):
    """`count` of `n`, with the 95% interval of the share (Wilson)."""

    count: int
    n: int
    share: float
    low: float
    high: float


class Group(Record):
    """The error rate of a part of the findings: one specialist, one month."""

    value: str
    shown: int
    wrong: Rate | None = None
    """None: nobody labelled any of them."""
    nit: Rate | None = None


class Spread(Record):
    """A quantity over reviews."""

    n: int
    total: float
    median: float


class Fates(Record):
    """What became of everything that specialists handed in, over all reviews, repetitions included."""

    candidates: int = 0
    shown: int = 0
    dropped: int = 0
    """By the contract: no finding could be read out of it."""
    refuted: int = 0
    """By the verifier."""
    unverified: int = 0
    """Shown, and nobody could be asked whether it is true."""
    withheld: dict[str, int] = Field(default_factory=dict)
    """By reason code, the dropped and the refuted ones among them."""


class Absences(Record):
    """Findings that say something is missing."""

    shown: int = 0
    searched: Rate | None = None
    """Of the shown ones: must be all of them. None where there are none."""
    unsearched: tuple[str, ...] = ()
    """The shown ones without a search, as REPORT FINDING."""
    withheld: int = 0
    """Withheld because no search was declared, or one could not be run."""


class Mistake(Record):
    """A shown finding that somebody labelled wrong: what to learn from."""

    report_id: str
    candidate_id: str
    specialist: str
    title: str
    place: str
    why: str = ""


class ReviewPoint(Record):
    """One review as a point of a curve over time."""

    report_id: str
    created_at: str
    prompt_version: str
    duration_ms: int
    cost_usd: float | None = None
    """None: no model was asked, or a price is not known."""
    candidates: int = 0
    shown: int = 0
    dropped: int = 0
    set_aside: int = 0
    """Of the dropped, those that were never handed in: they are not among the candidates."""
    relocated: int = 0
    refuted: int = 0


class Followed(Record):
    """What became of what one specialist, or one version of the prompts, had asked for."""

    value: str
    asked: int
    followed: Rate | None = None
    """Done by changing the code, among what was asked and decided in the next review."""


class Quality(Record):
    """What an installation knows about its reviews."""

    since: str | None = None
    reports: int = 0
    unreadable: int = 0
    """Kept by another version, and left out."""
    first: str | None = None
    last: str | None = None
    shown: int = 0
    """Findings shown; the same one in several reports counts once."""
    labelled: int = 0
    wrong: Rate | None = None
    """Wrong among shown and labelled. None: not measured yet."""
    nit: Rate | None = None
    unheard: int = 0
    """Findings that somebody on a forge labelled whose word counts in no rate: the author of the change, or
    who may not write there."""
    unheard_from: dict[str, int] = Field(default_factory=dict)
    """How many of them by whom."""
    withheld_labelled: int = 0
    withheld_valid: int = 0
    """Labelled valid, and yet withheld."""
    mistakes: tuple[Mistake, ...] = ()
    """The newest label first."""
    by: dict[Dimension, tuple[Group, ...]] = Field(default_factory=dict)
    followed: Rate | None = None
    """Feedback that was followed in the next review of a change. None: no review followed another one."""
    improved: Rate | None = None
    """Next reviews with a better score."""
    improvement: Spread | None = None
    """By how much the score changed from one review to the next."""
    clarity: Spread | None = None
    """`feedback_clarity_score` of what was asked."""
    followed_by: dict[Dimension, tuple[Followed, ...]] = Field(default_factory=dict)
    quotes: dict[QuoteOutcome, Rate] = Field(default_factory=dict)
    """Of all quotes that were checked, also those of findings that were then withheld."""
    quotes_found: Rate | None = None
    """Quotes that stand in the named file, wherever in it."""
    absences: Absences = Absences()
    fates: Fates = Fates()
    duration_ms: Spread | None = None
    cost_usd: Spread | None = None
    """Of reviews with models whose price is known."""
    tokens: Spread | None = None
    unpriced: int = 0
    """Reviews with models whose price is not known."""
    over_time: tuple[ReviewPoint, ...] = ()
    """The newest reviews, the oldest of them first."""
