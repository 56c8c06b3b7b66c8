"""Define a finding on its way through the stages, and the place where it is shown."""

from enum import StrEnum
from typing import Any, Literal

from pydantic import ConfigDict, Field

from affidavit.records.diagnostics import HIDDEN_BY_CHOICE, Diagnostic, Reason
from affidavit.records.evidence import DependencyCheck, QuoteCheck, ReproductionCheck, SearchRun
from affidavit.records.finding import Category, Finding, Severity, Verification, no_evidence
from affidavit.records.program_runs import KeptRun, PatchTrial
from affidavit.records.record import Record

PlaceKind = Literal["line", "range", "function", "section", "element", "path"]
"""function: a definition; section: of a document; element: of markup; path: keys of configuration."""


class Place(Record):
    """The place of a finding on its side, and the lines around it without secrets."""

    kind: PlaceKind
    start: int
    end: int
    name: str = ""
    """The definition, heading, element or path of keys that contains the lines."""
    name_start: int | None = None
    name_end: int | None = None
    before: str = ""
    after: str = ""


SpecialistKind = Literal["mechanical", "model", "outside"]


class Status(StrEnum):
    """The result of verification."""

    VERIFIED = "verified"
    LIKELY = "likely"
    UNVERIFIED = "unverified"
    FALSE_POSITIVE = "false_positive"


class Worth(StrEnum):
    """Whether a maintainer of this repository would act on it in this change."""

    ACT = "act"
    MAYBE = "maybe"
    NIT = "nit"


Scenario = Literal["differs", "promised", "sibling", "unchanged"]
"""How a finding relates to the change: base and head differ in outcome, the change promises to fix it, or a
sweeping fix skipped the place; `unchanged`: none of these."""


class Judgement(Record):
    """One answer about a finding, or the reason why there is none."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True, serialize_by_alias=True)

    by: Literal["machine", "verifier", "ruling", "earlier"]
    """`ruling`: the result of several judgements; `earlier`: still valid from the earlier review."""
    outcome: Literal["answered", "cut_off", "failed", "refused", "skipped"] = "answered"
    answer: Literal["CONFIRMED", "REFUTED"] | None = Field(default=None, alias="judgment")
    """Written as `judgment`, which is what verifiers are asked for."""
    qualified: bool = False
    scenario: Scenario | None = None
    worth: Worth | None = None
    severity: Severity | None = None
    reason: str = ""
    model: str | None = None
    role: Literal["verifier", "second_verifier"] = "verifier"
    request: str = ""
    run: KeptRun | None = None
    """The program that decided it, where the verifier ran one: the machine's own runs of it."""


class Wording(Record):
    title: str
    message: str


class Withheld(Record):
    code: Reason
    detail: str = ""


class Step(Record):
    """One thing that happened to a candidate."""

    stage: str
    what: str


TraceOutcome = Literal["stands", "moved", "changed", "gone"]
"""Quoted code is where it was, moved, edited, or gone."""


class Carried(Record):
    """A finding of the previous review, and where its code is now."""

    earlier: str
    key: str
    """The fingerprint under which it was first reported."""
    trace: TraceOutcome
    detail: str = ""
    is_repeated: bool = False
    """A specialist of this review reports it again; the finding has its words."""
    judgement: Judgement | None = None
    asks: bool = False
    """Whether to ask the verifier again, because something that it rests on was touched."""

    @property
    def is_first_judged(self) -> bool:
        """Check that its code is unchanged and nobody had verified it before."""
        is_as_it_was = self.trace in ("stands", "moved")
        return is_as_it_was and self.judgement is not None and self.judgement.outcome == "skipped"


class Candidate(Record):
    """A finding with everything that is known about it; `finding` is None if the contract dropped it."""

    id: str
    """Unique in the review: specialist and position."""
    specialist: str
    kind: SpecialistKind
    index: int
    raw: Any = None
    """The finding as submitted, kept if the contract dropped it."""
    finding: Finding | None = None
    fingerprint: str = ""
    quote: QuoteCheck | None = None
    searches: tuple[SearchRun, ...] = ()
    dependency_quotes: tuple[DependencyCheck, ...] = ()
    """Its quotes from packages: they support it, and never withhold it."""
    reproduction: ReproductionCheck | None = None
    patch_trial: PatchTrial | None = None
    proof_from: tuple[tuple[str, str], ...] = ()
    """The kinds of proof that it has from other findings of its group, each with the id of that finding."""
    judgements: tuple[Judgement, ...] = ()
    agreed_by: tuple[str, ...] = ()
    said_by: tuple[str, ...] = ()
    """Authors of earlier comments on this place, which need not be repeated."""
    carries: tuple[str, ...] = ()
    """Fingerprints of the findings with the same cause that it represents."""
    claimed_severity: Severity | None = None
    status: Status = Status.UNVERIFIED
    worth: Worth = Worth.ACT
    """Proven by machine: a nit at severity info, a maybe from a user's linter that does not block."""
    folded: bool = False
    """Shown in one line, opened on demand; it still counts for verdict and gate."""
    confidence: Literal["high", "medium", "low"] = "low"
    first_wording: Wording | None = None
    """The original text, if the reporter shortened it."""
    carried: Carried | None = None
    place: Place | None = None
    withheld: Withheld | None = None
    steps: tuple[Step, ...] = ()

    @property
    def claim(self) -> Finding:
        """Return the finding of a candidate that the contract did not drop."""
        if self.finding is None:
            raise AssertionError(f"{self.id} was dropped by the contract")
        return self.finding

    @property
    def evidence(self) -> Verification:
        """Return the evidence of the finding; an empty one if there is none."""
        return self.finding.evidence if self.finding else no_evidence()

    @property
    def rank(self) -> int:
        """Return the rank of the severity; a dropped finding ranks last."""
        return self.finding.severity.rank if self.finding else len(Severity)

    @property
    def proof_rank(self) -> int:
        """Rank what the machine saw, strongest first: a program that ran, a search or a package, a quote."""
        if self.reproduction and self.reproduction.is_shown_by_running:
            return 0 if self.reproduction.outcome == "reproduced" else 1
        has_searched = any(run.state == "nothing_found" for run in self.searches)
        return 2 if has_searched or any(one.is_found for one in self.dependency_quotes) else 3

    @property
    def is_shown(self) -> bool:
        return self.withheld is None and self.finding is not None

    @property
    def duplicate_of(self) -> str:
        """Return the id of the finding that represents this one; empty if it is no duplicate."""
        is_duplicate = self.withheld is not None and self.withheld.code is Reason.DUPLICATE_OF
        return self.withheld.detail if self.withheld and is_duplicate else ""

    def lender(self, kind: str) -> str:
        """Return the id of the finding that a kind of proof comes from; empty if it is its own."""
        return dict(self.proof_from).get(kind, "")

    @property
    def is_open(self) -> bool:
        """Check whether it counts: it is not withheld, or hidden only by the user's choice."""
        is_standing = self.withheld is None or self.withheld.code in HIDDEN_BY_CHOICE
        return is_standing and self.finding is not None

    @property
    def why_not_counted(self) -> str:
        """Say why it counts neither for the verdict nor for the gate, however severe; empty if it counts."""
        if self.finding is not None and self.finding.category is Category.STYLE:
            return "style"
        if self.status is not Status.VERIFIED:
            return "the verifier has a reservation" if self.status is Status.LIKELY else "not verified"
        if self.kind == "mechanical":
            return "its linter does not block" if self.worth is Worth.MAYBE else ""
        return "" if self.worth is Worth.ACT else "perhaps not worth acting on"

    @property
    def is_proven_by_machine(self) -> bool:
        """Check whether an analyser or a rule reports it now; no model decides whether it counts."""
        is_seen_now = self.carried is None or self.carried.is_repeated
        return self.kind == "mechanical" and is_seen_now

    @property
    def is_open_by_machine(self) -> bool:
        """Check whether it is proven now, or was proven before and is still open."""
        is_still_open = self.kind == "mechanical" and self.status is Status.VERIFIED
        return self.is_proven_by_machine or is_still_open

    def withhold(self, stage: str, code: Reason, detail: str = "", **update: Any) -> "Candidate":
        """Withhold this candidate; one that is already withheld keeps its first reason."""
        if self.withheld is not None:
            return self
        return self.then(stage, f"withheld: {code}", withheld=Withheld(code=code, detail=detail), **update)

    def note(self, code: Reason, detail: str = "", field: str | None = None) -> Diagnostic:
        return Diagnostic(
            code=code,
            detail=detail,
            specialist=self.specialist,
            index=self.index,
            id=self.finding.id if self.finding else None,
            field=field,
        )

    def then(self, stage: str, what: str, **update: Any) -> "Candidate":
        return self.model_copy(update={"steps": (*self.steps, Step(stage=stage, what=what)), **update})
