"""The rollout of a prompt or schema version: what is tried, on whom, what was seen and what was decided."""

from typing import Literal

from pydantic import Field

from affidavit.records.record import Record

Arm = Literal["old", "new"]
RolloutState = Literal["running", "promoted", "rolled_back"]
Action = Literal["start", "slice", "promote", "roll_back", "retire"]
AUTOMATICALLY = "automatically"


class Versions(Record):
    """A prompt version with the schema version that it asks for, and where its words come from."""

    prompt: str
    schema_version: str
    folder: str | None = None
    """The user's folder of prompts; None where the version comes with Affidavit."""
    digest: str = ""
    """Of the words; empty where they come with Affidavit and nothing was decided about them."""

    @property
    def name(self) -> str:
        """As people write it."""
        return f"{self.prompt} (schema {self.schema_version})"

    def is_same(self, other: "Versions") -> bool:
        """The same versions, wherever their words come from."""
        return (self.prompt, self.schema_version) == (other.prompt, other.schema_version)


class RolloutPlan(Record):
    """What a rollout is asked to do."""

    old: Versions
    new: Versions
    share: float = Field(gt=0, le=1)
    """Of the changes, those that get the new versions."""
    slo_dropped: float = Field(ge=0, lt=1)
    """The share of findings that the contract may drop."""
    min_reviews: int = Field(ge=1)
    """Before so many reviews of the slice nothing is decided."""
    auto_promote: bool = False
    started_at: str


class Rollout(RolloutPlan):
    """A rollout as it is kept."""

    number: int
    state: RolloutState


class Decision(Record):
    """What was decided, when, by whom and why."""

    action: Action
    versions: str
    """What it is about, as people write it."""
    at: str
    by: str
    why: str
    rollout: int | None = None

    @property
    def is_automatic(self) -> bool:
        """No person made it."""
        return self.by == AUTOMATICALLY


class ReviewCounts(Record):
    """What one review says about its prompts; only what models handed in counts."""

    asked: int = 0
    """Specialists that were asked."""
    unanswered: int = 0
    """Of them, those that gave no reply: cut off, refused, failed."""
    replies: int = 0
    coerced: int = 0
    """Replies in which something had to be coerced."""
    incompatible: int = 0
    """Replies rejected for their versions."""
    rejected: int = 0
    """Replies rejected for any reason, these included."""
    findings: int = 0
    """As they were handed in."""
    dropped: int = 0
    """Of them, those that the contract dropped."""
    not_quoted: int = 0
    """Of those that stand, those whose quote is not in the commit."""
    judged: int = 0
    """Those that the verifier was asked about."""
    refuted: int = 0
    unverified: int = 0
    confirmed: int = 0
    nits: int = 0
    """Of the confirmed ones, those that are true and not worth acting on."""
    shown: tuple[str, ...] = ()
    """Ids of the findings that people saw, to be found among the labels."""
    cost_usd: float | None = None
    """None where the price of a model is not known."""
    duration_ms: int = 0


class RolloutReview(Record):
    """One review that counts for a rollout."""

    change_key: str
    report_id: str
    arm: Arm
    at: str
    counts: ReviewCounts
