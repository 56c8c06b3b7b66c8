"""A review and those of the same series: what each came to, and what became of the findings before it."""

from pydantic import BaseModel, Field

from affidavit.records.iteration import FeedbackVerdict, StoredIteration
from affidavit.records.service.review import KeptReview
from affidavit.service.api.shapes import ReviewSummary, summary_of
from affidavit.service.parts import Parts


class Iteration(BaseModel):
    """One completed review of a series."""

    iteration: int = Field(description="Its place; two reviews may share one that were done side by side.")
    review: ReviewSummary | None = Field(description="null: it was not done by this service.")
    report_id: str
    created_at: str
    head: str = Field(description="The commit, or the tree where there is none.")
    score: float
    incomplete: list[str] = Field(description="What was not completed: the score is not of a whole review.")
    feedback: FeedbackVerdict
    fixed: int
    partly_fixed: int
    still_open: int
    cannot_tell: int
    dismissed: int = Field(description="What people have decided need not be fixed.")
    new: int


class IterationList(BaseModel):
    """The series of a review, the oldest first."""

    series: str | None = Field(description="null: the review belongs to no series.")
    iterations: list[Iteration]


def series_of(parts: Parts, review: KeptReview) -> IterationList:
    """The series that a review belongs to; of one that is not completed, that of what it follows."""
    known = review.id if review.status == "completed" else review.follows
    found = parts.store.iterations.with_report(known) if known else []
    if not found:
        return IterationList(series=review.series, iterations=[])
    each = parts.store.iterations.of(found[0].repository, found[0].series, review.tenant)
    own = parts.reviews.each_of(review.tenant, [one.report_id for one in each])
    return IterationList(
        series=found[0].series, iterations=[_iteration(one, own.get(one.report_id)) for one in each]
    )


def _iteration(one: StoredIteration, review: KeptReview | None) -> Iteration:
    said = one.summary
    return Iteration(
        iteration=one.iteration,
        review=summary_of(review) if review else None,
        report_id=one.report_id,
        created_at=said.created_at,
        head=said.head,
        score=said.score,
        incomplete=list(said.incomplete),
        feedback=said.verdict,
        fixed=said.fates.get("fixed", 0),
        partly_fixed=said.fates.get("partly_fixed", 0),
        still_open=said.fates.get("still_open", 0),
        cannot_tell=said.fates.get("cannot_tell", 0),
        dismissed=said.fates.get("dismissed", 0),
        new=said.new,
    )
