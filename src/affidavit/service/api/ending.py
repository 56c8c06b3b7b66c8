"""Cancel, retry, delete and post reviews in the store and the queue."""

import asyncio
from collections.abc import Sequence

import structlog

from affidavit.events import now_iso
from affidavit.service import metrics
from affidavit.service.api.access import Caller, with_room
from affidavit.service.kept.progress import NewEvent
from affidavit.service.kept.records import KeptReview, Posting
from affidavit.service.parts import Parts
from affidavit.service.problems import Refusal

LOG = structlog.get_logger("affidavit.api")


async def cancel_review(parts: Parts, caller: Caller, review: KeptReview) -> KeptReview:
    """Cancel a review; its worker stops within two seconds."""
    reason = f"cancelled by {caller.name}"
    if not await asyncio.to_thread(
        parts.reviews.finish, review.id, "cancelled", now_iso(), reason=reason, is_current=0
    ):
        raise Refusal(
            409, f"the review is {review.status} already", "Only what is not over can be cancelled."
        )
    metrics.REVIEWS.labels("cancelled", "").inc()
    await parts.work.cancel(review.id)
    data = {"review_id": review.id, "by": caller.name, "timestamp": now_iso()}
    last = NewEvent("pipeline.cancelled", data, f"cancelled {review.attempt} {data['timestamp']}")
    await asyncio.to_thread(parts.progress.add_events, review.id, [last], None)
    LOG.info("cancelled", review=review.id, by=caller.name)
    return await _again(parts, review)


async def retry_review(parts: Parts, caller: Caller, review: KeptReview) -> KeptReview:
    """Requeue a review; nothing is paid twice."""
    if not await with_room(
        parts, caller, lambda most: parts.reviews.reopen(review.id, review.tenant, most=most)
    ):
        raise Refusal(
            409,
            f"the review is {review.status}",
            "Only what failed or was cancelled can be retried; ask for a new one with `again`.",
        )
    await parts.work.retry(review.id, review.tenant)
    LOG.info("retried", review=review.id, by=caller.name)
    return await _again(parts, review)


async def delete_reviews(parts: Parts, caller: Caller, reviews: Sequence[KeptReview]) -> None:
    """Delete reviews; cancel running ones first."""
    for review in reviews:
        if not review.is_finished:
            if await asyncio.to_thread(
                parts.reviews.finish, review.id, "cancelled", now_iso(), reason="deleted", is_current=0
            ):
                metrics.REVIEWS.labels("cancelled", "").inc()
            await parts.work.cancel(review.id)
        if parts.worker:
            await parts.worker.release(review.id)
    await parts.forgetting.forget(reviews)
    LOG.info("deleted", reviews=[one.id for one in reviews], by=caller.name)


async def _again(parts: Parts, review: KeptReview) -> KeptReview:
    return await asyncio.to_thread(parts.reviews.find, review.id, review.tenant) or review


async def ask_for_posting(parts: Parts, caller: Caller, review: KeptReview) -> Posting:
    """Store the request, and queue it if the review is completed; otherwise a worker does later."""
    refuse_unpostable(parts, review)
    posting = await asyncio.to_thread(parts.postings.ask, review.id, caller.name, now_iso())
    LOG.info("posting requested", review=review.id, by=caller.name)
    # Read again: a worker may have completed it without seeing the request.
    now = await asyncio.to_thread(parts.reviews.find, review.id, review.tenant)
    if now is not None and now.status == "completed":
        await parts.work.enqueue_posting(posting)
    return posting


def refuse_unpostable(parts: Parts, review: KeptReview) -> None:
    """Refuse a review that may not or cannot be posted."""
    if not parts.settings.posts_for(review.tenant):
        raise Refusal(
            403, f"this server does not post for {review.tenant}", "The operator allows it with --post-for."
        )
    if review.url is None:
        raise Refusal(
            409, "the review is not of a pull or merge request", "Ask for it with github_url or gitlab_url."
        )
    if review.status in ("failed", "cancelled"):
        raise Refusal(
            409,
            f"the review is {review.status}, so there is nothing to post",
            "POST /api/review/{id}/retry lets it go on.",
        )
