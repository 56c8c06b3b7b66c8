"""Routes: request, follow, cancel, retry, delete and post reviews."""

import asyncio
import base64
import binascii
import re
from typing import Annotated

from fastapi import APIRouter, Header, Query, Response
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel, Field

from affidavit.records.iteration import FeedbackVerdict, StoredIteration
from affidavit.render.exchange.verdict import ReviewVerdict, to_verdict
from affidavit.service.api.door import (
    MayStay,
    OwnReview,
    Poster,
    Reader,
    RightsFirst,
    Submitter,
    ThisServer,
    Watching,
    documented,
)
from affidavit.service.api.ending import ask_for_posting, cancel_review, delete_reviews, retry_review
from affidavit.service.api.shapes import (
    ReviewPage,
    ReviewRequest,
    ReviewSummary,
    Submitted,
    stream_url,
    summary_of,
)
from affidavit.service.api.submission import submit, submit_again
from affidavit.service.kept.records import KeptReview, Posting, ReviewStatus
from affidavit.service.kept.reviews import Filter
from affidavit.service.parts import Parts
from affidavit.service.problems import Refusal
from affidavit.service.streaming import DOCUMENTED, HEADERS, MEDIA_TYPE, while_allowed, with_heartbeats


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
    """Return the series of a review; an unfinished one has that of the review it follows."""
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


ROUTES = APIRouter(prefix="/api/review", tags=["reviews"], route_class=RightsFirst)
MAX_PAGE = 100


@ROUTES.post(
    "",
    status_code=202,
    response_model=Submitted,
    responses={
        200: {"model": Submitted, "description": "The same change was asked for before: this is its review."},
        **documented(502),
    },
)
async def ask_for_review(
    body: ReviewRequest,
    parts: ThisServer,
    caller: Submitter,
    response: Response,
) -> Submitted:
    """Request a review of a change."""
    review, is_new = await submit(parts, caller, body)
    response.status_code = 202 if is_new else 200
    response.headers["Location"] = f"/api/review/{review.id}"
    return _submitted(review, is_new=is_new)


def _submitted(review: KeptReview, *, is_new: bool) -> Submitted:
    return Submitted(
        review_id=review.id,
        status=review.status,
        created_at=review.created_at,
        stream_url=stream_url(review.id),
        is_new=is_new,
    )


@ROUTES.get("", responses=documented())
async def list_reviews(
    parts: ThisServer,
    caller: Reader,
    status: ReviewStatus | None = None,
    repository: Annotated[str | None, Query(max_length=200)] = None,
    verdict: Annotated[str | None, Query(max_length=40)] = None,
    search: Annotated[str | None, Query(max_length=200)] = None,
    limit: Annotated[int, Query(ge=1, le=MAX_PAGE)] = 20,
    cursor: Annotated[str | None, Query(max_length=400)] = None,
) -> ReviewPage:
    """The caller's reviews, the newest first."""
    chosen = Filter(status=status, repository=repository, verdict=verdict, search=search)
    before = _read_cursor(cursor) if cursor else None
    await asyncio.to_thread(parts.adoption.adopt, caller.tenant)
    found = await asyncio.to_thread(parts.reviews.page, caller.tenant, chosen, limit + 1, before)
    shown = found[:limit]
    return ReviewPage(
        reviews=[summary_of(one) for one in shown],
        next_cursor=_cursor(shown[-1]) if len(found) > limit else None,
    )


def _cursor(review: KeptReview) -> str:
    return base64.urlsafe_b64encode(f"{review.created_at} {review.id}".encode()).decode()


def _read_cursor(text: str) -> tuple[str, str]:
    try:
        at, _, review_id = base64.urlsafe_b64decode(text.encode()).decode().partition(" ")
    except (binascii.Error, ValueError) as error:
        raise Refusal(
            422, "cursor is not one that this list gave", "Leave it out for the first page."
        ) from error
    return at, review_id


@ROUTES.get(
    "/{review_id}",
    response_model=ReviewVerdict,
    responses={202: {"model": ReviewSummary, "description": "There is no verdict."}, **documented(404)},
)
async def get_review(review: OwnReview, parts: ThisServer) -> Response:
    """Return the `ReviewVerdict`; without one, 202 with the state of the review."""
    if review.status == "completed":
        report = await asyncio.to_thread(parts.store.reports.load, review.id)
        if report is not None:
            return JSONResponse(await asyncio.to_thread(lambda: to_verdict(report).model_dump(mode="json")))
    return JSONResponse(summary_of(review).model_dump(mode="json"), 202)


@ROUTES.get("/{review_id}/summary", responses=documented(404))
async def get_summary(review: OwnReview) -> ReviewSummary:
    """The state of a review."""
    return summary_of(review)


@ROUTES.get("/{review_id}/iterations", responses=documented(404))
async def list_iterations(review: OwnReview, parts: ThisServer) -> IterationList:
    """The completed reviews of the same pull request, branch or series, the oldest first."""
    return await asyncio.to_thread(series_of, parts, review)


@ROUTES.get(
    "/{review_id}/stream",
    response_class=StreamingResponse,
    responses={200: DOCUMENTED, **documented(404)},
)
async def stream_events(
    review: OwnReview,
    watch: Watching,
    may_stay: MayStay,
    last_event_id: Annotated[str | None, Header()] = None,
) -> StreamingResponse:
    """Every event of a review, those of before and those to come; it closes when the review is over.

    It resumes after `Last-Event-ID`. An id that the review never gave (negative, no number, beyond its end)
    replays all events. When the token is revoked, the stream closes within seconds.
    """
    said = watch.follow(review.id, _begin(last_event_id, review.events))
    told = with_heartbeats(while_allowed(said, may_stay))
    return StreamingResponse(told, headers=HEADERS, media_type=MEDIA_TYPE)


def _begin(named: str | None, last: int) -> int:
    """Return the number of the last event that a client has; 0 if this review never gave it."""
    # No review has more digits; Python refuses to read thousands.
    is_number = named is not None and re.fullmatch("[0-9]{1,10}", named)
    return int(named) if named and is_number and int(named) <= last else 0


@ROUTES.post("/{review_id}/cancel", status_code=202, responses=documented(404, 409))
async def cancel(review: OwnReview, parts: ThisServer, caller: Submitter) -> ReviewSummary:
    """Cancel a review."""
    return summary_of(await cancel_review(parts, caller, review))


@ROUTES.post("/{review_id}/retry", status_code=202, responses=documented(404, 409))
async def retry(review: OwnReview, parts: ThisServer, caller: Submitter) -> ReviewSummary:
    """Continue a review that failed or was cancelled; nothing is paid twice."""
    return summary_of(await retry_review(parts, caller, review))


@ROUTES.post("/{review_id}/again", status_code=202, responses=documented(404, 409, 502))
async def ask_again(review: OwnReview, parts: ThisServer, caller: Submitter, response: Response) -> Submitted:
    """Request a new review of the same change with the same options.

    Of a pull or merge request, what it is now is reviewed.
    """
    fresh = await submit_again(parts, caller, review)
    response.headers["Location"] = f"/api/review/{fresh.id}"
    return _submitted(fresh, is_new=True)


@ROUTES.delete("/{review_id}", status_code=204, responses=documented(404))
async def delete(review: OwnReview, parts: ThisServer, caller: Submitter) -> None:
    """Delete a review with its events, exchanges, report and labels."""
    await delete_reviews(parts, caller, [review])


@ROUTES.post("/{review_id}/post", status_code=202, tags=["posting"], responses=documented(404, 409))
async def post_review(review: OwnReview, parts: ThisServer, caller: Poster) -> Posting:
    """Post a review, now or as soon as it is done; posting again updates the comments."""
    return await ask_for_posting(parts, caller, review)


@ROUTES.get("/{review_id}/post", tags=["posting"], responses=documented(404))
async def get_posting(review: OwnReview, parts: ThisServer, _caller: Reader) -> Posting:
    """The state of a posting."""
    posting = await asyncio.to_thread(parts.postings.find, review.id)
    if posting is None:
        raise Refusal(404, "nobody has asked to post this review", "POST to this address does.")
    return posting
