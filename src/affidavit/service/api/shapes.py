"""Define the bodies of requests and answers, as in the OpenAPI document."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from affidavit.rechecking.findings import Proof
from affidavit.reviewing.cost import RoleEstimate
from affidavit.service.kept.records import FindingCounts, KeptReview, ReviewState, ReviewStatus


class Body(BaseModel):
    """A request body; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _is_text(cls, data: Any) -> Any:
        """Refuse lone surrogates, which no file or database can store."""
        if not _can_be_written(data):
            raise ValueError("there is half a character (a lone surrogate such as \\ud800): send whole ones")
        return data


def _can_be_written(data: Any) -> bool:
    # Not by recursion: the depth is the caller's choice.
    waiting = [data]
    while waiting:
        match waiting.pop():
            case str() as text if text.encode(errors="replace") != text.encode(errors="surrogatepass"):
                return False
            case dict() as pairs:
                waiting += [*pairs, *pairs.values()]
            case list() as several:
                waiting += several
    return True


class RequestedOptions(Body):
    """Which findings are shown; the verdict does not depend on it."""

    focus_areas: list[str] | None = Field(
        default=None, max_length=20, description="Show only these areas.", examples=[["security", "bugs"]]
    )
    severity_threshold: str | None = Field(
        default=None, max_length=20, description="Hide what is less severe.", examples=["info"]
    )
    include_style: bool | None = Field(default=None, description="Show findings about style.")
    nits: bool | None = Field(default=None, description="Show what is true and not worth acting on.")


class ReviewRequest(Body):
    """What to review: a diff, a pull or merge request, or a known repository."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "diff_text": "--- a/app.py\n+++ b/app.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n",
                    "options": {"focus_areas": ["security", "bugs"], "severity_threshold": "info"},
                },
                {"github_url": "https://github.com/owner/repo/pull/123"},
                {"repository": "shop", "base": "main", "head": "topic"},
            ]
        },
    )
    diff_text: str | None = Field(default=None, description="A unified diff.")
    github_url: str | None = Field(default=None, max_length=2_000, description="A pull request.")
    gitlab_url: str | None = Field(default=None, max_length=2_000, description="A merge request.")
    repository: str | None = Field(default=None, max_length=200, description="A repository by its name.")
    base: str | None = Field(default=None, max_length=500, description="A revision of the repository.")
    head: str | None = Field(default=None, max_length=500, description="A revision of the repository.")
    title: str = Field(default="", max_length=2_000)
    description: str = Field(default="", max_length=100_000)
    options: RequestedOptions = Field(default_factory=RequestedOptions)
    again: bool = Field(default=False, description="A new review, also where there is one of this change.")
    series: str | None = Field(
        default=None,
        min_length=1,
        max_length=500,
        pattern=r"\S",
        description="The series of reviews that this is the next of; without it, that of the pull or merge "
        "request, or of the repository and the branch that `head` names. A diff has one only by name.",
    )
    all: bool = Field(
        default=False, description="Models look at everything again, not only at what is new since."
    )

    @model_validator(mode="after")
    def _has_one_source(self) -> "ReviewRequest":
        given = [
            name
            for name in ("diff_text", "github_url", "gitlab_url", "repository")
            if getattr(self, name) is not None
        ]
        if len(given) != 1:
            said = f"{' and '.join(given)} exclude each other" if given else "there is nothing to review"
            raise ValueError(f"{said}: give one of diff_text, github_url, gitlab_url, repository")
        if (self.repository is None) != (self.base is None and self.head is None) or (
            self.repository is not None and (self.base is None or self.head is None)
        ):
            raise ValueError("repository, base and head go together")
        return self


class LabelRequest(Body):
    """A label for a finding."""

    label: Literal["valid", "wrong", "nit"] = Field(examples=["wrong"])
    why: str = Field(default="", max_length=2_000, examples=["callers check this before"])


class Submitted(BaseModel):
    """A requested review."""

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
    """A page of reviews, newest first."""

    reviews: list[ReviewSummary]
    next_cursor: str | None = Field(description="Send it as `cursor` for the next page; null at the end.")


class FindingLabel(BaseModel):
    """A label."""

    finding_id: str
    fingerprint: str
    label: Literal["valid", "wrong", "nit"] | None
    why: str = ""
    by: str = ""
    at: str = ""


class FindingLabels(BaseModel):
    """The labels of a review's findings."""

    labels: list[FindingLabel]


class RecheckResult(BaseModel):
    """The result of a recheck."""

    holds: bool | None
    proofs: list[Proof]
    on_its_word: list[str]
    notices: list[str]


class Estimated(BaseModel):
    """The estimated cost of a review."""

    roles: list[RoleEstimate]
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    text: str


class SampleRepository(BaseModel):
    """The sample change: its repository and two revisions."""

    title: str
    description: str
    repository: str
    base: str
    head: str


class Me(BaseModel):
    """The caller, and what this server offers."""

    tenant: str
    name: str
    roles: list[str]
    needs_token: bool
    version: str
    models: dict[str, str]
    formats: list[str]
    repositories: list[str]
    forges: list[str] = Field(description="Hosts whose pull and merge requests can be named.")


class Health(BaseModel):
    """The health of the server."""

    status: Literal["ok", "degraded"]
    version: str
    detail: str = ""


def summary_of(review: KeptReview) -> ReviewSummary:
    """Return a review as it appears in a list."""
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
    """Return the address of a review's events."""
    return f"/api/review/{review_id}/stream"
