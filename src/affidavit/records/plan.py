"""How a change is reviewed by models: what it is for, who looks at what, in which chunks."""

from typing import Literal

from pydantic import Field

from affidavit.records.record import Record


class Chunk(Record):
    """A part of the change that fits into one conversation."""

    number: int
    paths: tuple[str, ...]
    tokens: int


class Plan(Record):
    """What the planner understood, and who is asked what."""

    goal: str = ""
    approach: str = ""
    impact: str = ""
    questions: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Specialist to its questions; who is not named is not asked."""
    chunks: tuple[Chunk, ...] = ()
    not_shown: tuple[str, ...] = ()
    """Parts of the change that no conversation shows, in sentences."""
    made_by: Literal["model", "code"] = "code"
