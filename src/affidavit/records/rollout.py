"""A rollout of a prompt or schema version: what is tried, on which changes, and what was counted."""

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
    """The user's folder of prompts; None for built-in prompts."""
    digest: str = ""
    """Digest of the templates; empty for built-in prompts that no rollout measured."""

    @property
    def name(self) -> str:
        """The name in messages."""
        return f"{self.prompt} (schema {self.schema_version})"

    def is_same(self, other: "Versions") -> bool:
        """Compare the versions, not the folders."""
        return (self.prompt, self.schema_version) == (other.prompt, other.schema_version)


class RolloutDecision(Record):
    """Who started, promoted or rolled back a rollout, when and why."""

    state: RolloutState
    """The state since then."""
    at: str
    by: str
    why: str = ""


class RolloutPlan(Record):
    """What is tried, and when it may be promoted."""

    old: Versions
    new: Versions
    share: float = Field(gt=0, le=1)
    """Share of the changes that get the new versions."""
    slo_dropped: float = Field(ge=0, lt=1)
    """Share of findings that the contract may drop, and of replies that it may reject."""
    min_reviews: int = Field(ge=1)
    """Reviews with the new versions that a promotion needs."""
    decisions: tuple[RolloutDecision, ...]
    """Oldest first; the first one started the rollout."""


class Rollout(RolloutPlan):
    """A rollout in the store."""

    number: int
    state: RolloutState


class ReviewCounts(Record):
    """The contract's diagnostics of one review; only replies of models count."""

    asked: int = 0
    """Specialists that were asked."""
    replies: int = 0
    coerced: int = 0
    """Replies in which a value was coerced."""
    incompatible: int = 0
    """Replies rejected for their versions."""
    rejected: int = 0
    """Replies rejected for any reason, including their versions."""
    findings: int = 0
    """Findings before the contract read them."""
    dropped: int = 0
    """Findings that the contract dropped."""


class RolloutReview(Record):
    """One review that counts for a rollout."""

    change_key: str
    arm: Arm
    at: str
    counts: ReviewCounts
