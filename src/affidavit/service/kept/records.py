"""Define the records of the service: requests, reviews, events and postings."""

from typing import Any, Literal

from pydantic import Field

from affidavit.records.change import Comment, Dismissed
from affidavit.records.finding import Severity
from affidavit.records.record import Record

ReviewStatus = Literal["queued", "running", "completed", "failed", "cancelled"]
ReviewSource = Literal["diff", "repository", "github", "gitlab"]
COMMAND_LINE = "command line"
"""The requester of reviews made without a service."""
FINISHED: tuple[ReviewStatus, ...] = ("completed", "failed", "cancelled")


class FindingCounts(Record):
    """The findings of a finished review, counted."""

    shown: int = 0
    withheld: int = 0
    blocking: int = 0
    by_severity: dict[Severity, int] = Field(default_factory=dict)


class ReviewOutcome(Record):
    """A finished review in short, for lists."""

    summary: str = ""
    duration_ms: int = 0
    findings: FindingCounts = Field(default_factory=FindingCounts)
    is_incomplete: bool = False
    models: dict[str, str] = Field(default_factory=dict)
    prompt_version: str = ""


class WantedReview(Record):
    """What to review, and how: all that a worker needs."""

    source: ReviewSource
    diff_text: str | None = None
    repository: str | None = None
    """The name under which the server knows it."""
    location: str | None = None
    """Where that is: a folder, or an address."""
    base: str | None = None
    head: str | None = None
    base_name: str = ""
    """The user's name of the base, such as a branch, which stays when the branch moves."""
    head_name: str = ""
    url: str | None = None
    """The address of a pull or merge request."""
    title: str = ""
    description: str = ""
    discussion: tuple[Comment, ...] = ()
    dismissals: tuple[Dismissed, ...] = ()
    """People's decisions, as the forge reports them."""
    series: str | None = None
    """The series that this review continues; None: no series."""
    looks_at_all: bool = False
    """Models examine everything again, not only new parts."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Options of the review by name; the server's own come from the worker."""


class ReviewState(Record):
    """The public state of a review."""

    status: ReviewStatus
    created_at: str
    started_at: str | None = None
    finished_at: str | None = None
    source: ReviewSource
    repository: str | None = None
    base: str | None = None
    head: str | None = None
    title: str = ""
    url: str | None = None
    submitted_by: str
    stage: str | None = None
    reason: str | None = None
    """Why it failed, or who cancelled it."""
    verdict: str | None = None
    cost_usd: float | None = None
    tokens: int = 0
    attempt: int = 0
    events: int = 0
    series: str | None = Field(default=None, description="The series of reviews that it belongs to.")
    iteration: int | None = Field(
        default=None, description="Its place in the series; null before it was opened."
    )
    follows: str | None = Field(
        default=None, description="The review before it, which may be deleted by now."
    )


class KeptReview(ReviewState):
    """A stored review."""

    id: str
    tenant: str
    outcome: ReviewOutcome | None = None
    owner: str | None = None
    """The worker that runs it."""

    @property
    def is_finished(self) -> bool:
        """Check whether the review is over."""
        return self.status in FINISHED

    @property
    def is_adopted(self) -> bool:
        """Check whether the command line made the review."""
        return self.status == "completed" and self.attempt == 0


class KeptEvent(Record):
    """One event of a review; numbers have no gap."""

    number: int
    name: str
    data: dict[str, Any]


PostingState = Literal["waiting", "posted", "failed"]


class Posting(Record):
    """The last posting of a review."""

    review_id: str
    number: int
    """Counts the requests to post it; each is one durable task."""
    state: PostingState
    asked_by: str
    asked_at: str
    finished_at: str | None = None
    reason: str | None = None
    """Why it failed, or, while it waits, why the last attempt failed."""
    actions: int = 0
    """How much was written or changed on the forge."""
    notes: tuple[str, ...] = ()
    """Actions that the forge refused, and what was done instead."""
