"""What a verifier said of planted claims, and how often it was right: the data of `eval --verifier`."""

from typing import Literal

from pydantic import Field

from affidavit.records.candidate import Judgement, Scenario, Worth
from affidavit.records.finding import Severity
from affidavit.records.lab.planted_claim import ClaimKind, Trap
from affidavit.records.measure import Rate
from affidavit.records.record import Record

TRIAL_VERSION = "1.0"
SMALL = (Worth.NIT, Worth.MAYBE)
"""What a trivial claim may be called for its finding not to be shown in full."""


class JudgedClaim(Record):
    """One planted claim with what is known of it, and what the verifier made of it."""

    id: str
    case: str
    kind: ClaimKind
    trap: Trap | None = None
    title: str
    file: str
    line: int
    claimed_severity: Severity
    known_worth: tuple[Worth, ...] = ()
    why: str
    """The deciding fact."""
    answer: Literal["CONFIRMED", "REFUTED"] | None = None
    """None: there is no judgement, and `failure` says why."""
    qualified: bool = False
    scenario: Scenario | None = None
    worth: Worth | None = None
    severity: Severity | None = None
    reason: str = ""
    failure: str = ""
    judgements: tuple[Judgement, ...] = ()
    """Everything that was said; where there were several votes or verifiers, the last one counts."""

    @property
    def is_judged(self) -> bool:
        """Only what was judged counts in a rate."""
        return self.answer is not None

    @property
    def is_truth_right(self) -> bool:
        """A wrong claim is refuted, any other confirmed."""
        return self.answer == ("REFUTED" if self.kind is ClaimKind.WRONG else "CONFIRMED")

    @property
    def is_small(self) -> bool:
        """Confirmed, and called a nit or a maybe."""
        return self.answer == "CONFIRMED" and self.worth in SMALL

    @property
    def is_worth_right(self) -> bool:
        """Confirmed with a worth that the set allows; a wrong claim has none."""
        return self.answer == "CONFIRMED" and self.worth in self.known_worth

    @property
    def is_mistaken(self) -> bool:
        """Judged otherwise than is known."""
        return self.is_judged and not (
            self.is_truth_right and (self.kind is ClaimKind.WRONG or self.is_worth_right)
        )


class VerifierTrial(Record):
    """A verifier on the set of planted claims. A rate of nothing is None."""

    trial_version: str = TRIAL_VERSION
    affidavit_version: str
    created_at: str
    models: dict[str, str]
    """Role to model."""
    votes: int = 1
    prompt_version: str
    prompt_digest: str = ""
    claims: int
    not_judged: int = 0
    refuted: Rate | None = None
    """Of the wrong claims that were judged."""
    refuted_by_trap: dict[Trap, Rate] = Field(default_factory=dict)
    confirmed: Rate | None = None
    """Of the true claims that were judged."""
    called_small: Rate | None = None
    """Of the trivial claims that were judged, those confirmed as nit or maybe."""
    worth_as_known: Rate | None = None
    """Of the true and trivial claims that were confirmed."""
    requests: int = 0
    tokens: int = 0
    cached_tokens: int = 0
    cost_usd: float | None = None
    duration_ms: int = 0
    results: tuple[JudgedClaim, ...] = ()

    @property
    def mistakes(self) -> list[JudgedClaim]:
        """What was judged otherwise than is known."""
        return [one for one in self.results if one.is_mistaken]
