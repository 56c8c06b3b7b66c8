"""A finding about a case whose truth is known, and what a verifier should say of it."""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from affidavit.records.candidate import Worth
from affidavit.records.finding import Finding
from affidavit.records.record import Record


class ClaimKind(StrEnum):
    """What is known of a claim."""

    WRONG = "wrong"
    TRUE = "true"
    TRIVIAL = "trivial"
    """True, and not worth anybody's time."""


class Trap(StrEnum):
    """What makes a wrong claim look right."""

    HANDLED_ELSEWHERE = "handled_elsewhere"
    GUARDED = "guarded"
    """Code beside the quoted lines prevents the outcome."""
    SAME_AT_BASE = "same_at_base"
    """The change did not bring it: base behaves alike."""
    OTHER_BRANCH = "other_branch"
    """The quoted code is real, and not on the path that the claim speaks of."""
    MISREAD_CODE = "misread_code"
    """An operator, an order or a bound says something else."""
    LIBRARY_FACT = "library_fact"
    """The language or a library does not behave as the claim says."""
    FALSE_ABSENCE = "false_absence"
    """What is said to be missing stands in another place."""
    NEVER_PROMISED = "never_promised"
    """The author did not set out to do it, and base does not do it either."""
    LOCKED = "locked"
    """A race that a lock rules out."""
    CAUGHT = "caught"
    """An exception that is caught on its way."""
    OWN_DOING = "own_doing"
    """Its program does itself what it blames the change for, or does it where nobody would."""


class PlantedClaim(Record):
    """One claim. `worth` lists what may be answered; for a wrong claim it means nothing and is empty."""

    kind: ClaimKind
    trap: Trap | None = None
    judgement: Literal["CONFIRMED", "REFUTED"]
    worth: tuple[Worth, ...] = ()
    why: str = Field(min_length=1)
    """The deciding fact, with its places as `file:line`, or `file:line at base`."""
    finding: Finding

    @property
    def id(self) -> str:
        """The finding's own id, unique in the set."""
        return self.finding.id
