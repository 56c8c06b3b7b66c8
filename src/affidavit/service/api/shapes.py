"""The shapes of answers, as the OpenAPI document has them."""

from typing import Any, Literal

from pydantic import BaseModel, Field

from affidavit.recheck.findings import Proof
from affidavit.records.diagnostics import SetAside
from affidavit.records.finding import Severity
from affidavit.reviewing.cost import RoleEstimate
from affidavit.service.kept.records import FindingCounts, KeptReview, ReviewState, ReviewStatus


class Submitted(BaseModel):
    """A review that was asked for."""

    review_id: str
    status: ReviewStatus
    created_at: str
    stream_url: str
    is_new: bool = Field(description="False: the same change was asked for before, and this is that review.")


class ReviewSummary(ReviewState):
    """One review in a list."""

    review_id: str
    summary: str | None
    duration_ms: int | None
    findings: FindingCounts | None
    is_incomplete: bool | None
    models: dict[str, str]
    prompt_version: str | None
    stream_url: str


class ReviewPage(BaseModel):
    """Some reviews, the newest first."""

    reviews: list[ReviewSummary]
    next_cursor: str | None = Field(description="Send it as `cursor` for the next page; null at the end.")


class FindingSoFar(BaseModel):
    """A finding of a review that is not done."""

    finding_id: str
    title: str
    severity: str
    specialist: str | None = None
    status: str | None = None
    confidence: float | None = None


class ReviewProgress(BaseModel):
    """A review that has no verdict: not yet, or never."""

    review_id: str
    status: ReviewStatus
    stage: str | None
    reason: str | None
    created_at: str
    started_at: str | None
    stream_url: str
    events: int
    findings_so_far: list[FindingSoFar]


class EventRecord(BaseModel):
    """One event of a review."""

    id: int
    name: str
    data: dict[str, Any]


class EventPage(BaseModel):
    """Events in their order."""

    events: list[EventRecord]
    is_finished: bool


class WithheldFinding(BaseModel):
    """A finding that is not shown, and why."""

    finding_id: str
    title: str
    file: str
    line: int
    severity: Severity | None
    category: str | None
    specialist: str
    status: str
    reason: str
    detail: str


class SetAsideResult(SetAside):
    """What an analyser reported and its own part dropped before it was a finding, and why."""

    specialist: str


class WithheldFindings(BaseModel):
    """Everything that is not shown."""

    withheld: list[WithheldFinding]
    by_reason: dict[str, int]
    set_aside: list[SetAsideResult]
    """No findings, so no part of the others."""
    set_aside_count: int
    """How many there are, with those that are too many to be listed."""


class FindingLabel(BaseModel):
    """A label."""

    finding_id: str
    fingerprint: str
    label: Literal["valid", "wrong", "nit"] | None
    why: str = ""
    by: str = ""
    at: str = ""
    elsewhere: Literal["valid", "wrong", "nit"] | None = Field(
        default=None, description="What the same problem is labelled in another review of the repository."
    )


class FindingLabels(BaseModel):
    """The labels of a review's findings."""

    labels: list[FindingLabel]


class QuestionAnswer(BaseModel):
    """What a model answers, from the finding's evidence and the repository."""

    answer: str
    model: str
    cost_usd: float | None


class Rechecked(BaseModel):
    """A report, derived again and compared."""

    holds: bool | None
    proofs: list[Proof]
    on_its_word: list[str]
    notices: list[str]


class MeasuredReview(BaseModel):
    """One review, in numbers."""

    review_id: str
    at: str
    prompt_version: str
    duration_ms: int
    cost_usd: float | None
    tokens: int
    candidates: int
    shown: int
    dropped: int
    relocated: int
    refuted: int


class History(BaseModel):
    """Reviews in numbers, the newest first."""

    reviews: list[MeasuredReview]


class Estimated(BaseModel):
    """What a review would cost; no model was asked."""

    roles: list[RoleEstimate]
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    text: str


class SampleChange(BaseModel):
    """A change to try the service with."""

    title: str
    description: str
    diff_text: str


class SampleRepository(BaseModel):
    """The sample change by the name of its repository and two revisions: a request can name them."""

    title: str
    description: str
    repository: str
    base: str
    head: str


class RepositoryEntry(BaseModel):
    """A repository that the server knows."""

    name: str
    location: str
    added_at: str


class RepositoryList(BaseModel):
    """All of them."""

    repositories: list[RepositoryEntry]


class Me(BaseModel):
    """Who asks, and what this server has."""

    tenant: str
    name: str
    roles: list[str]
    needs_token: bool
    version: str
    models: dict[str, str]
    formats: list[str]
    repositories: list[str]
    can_ask: bool
    can_run: bool
    forges: list[str] = Field(description="Hosts whose pull and merge requests can be named.")
    limits: dict[str, float]
    is_empty: bool = Field(description="Whether the caller has no review yet.")


class Health(BaseModel):
    """Whether the server can work."""

    status: Literal["ok", "degraded"]
    version: str
    detail: str = ""


def summary_of(review: KeptReview) -> ReviewSummary:
    """A review as a list has it."""
    outcome = review.outcome
    return ReviewSummary(
        **review.model_dump(exclude={"id", "tenant", "outcome", "owner"}),
        review_id=review.id,
        stream_url=stream_url(review.id),
        summary=outcome.summary if outcome else None,
        duration_ms=outcome.duration_ms if outcome else None,
        findings=outcome.findings if outcome else None,
        is_incomplete=outcome.is_incomplete if outcome else None,
        models=outcome.models if outcome else {},
        prompt_version=outcome.prompt_version if outcome else None,
    )


def stream_url(review_id: str) -> str:
    """Where the events of a review are."""
    return f"/api/review/{review_id}/stream"
