"""Routes: post a review on its pull or merge request, and what became of that."""

import asyncio

from fastapi import APIRouter

from affidavit.service.api.door import OwnReview, Poster, Reader, ThisServer, documented
from affidavit.service.api.ending import ask_for_posting
from affidavit.service.kept.records import Posting
from affidavit.service.problems import Refusal

ROUTES = APIRouter(prefix="/api/review/{review_id}/post", tags=["posting"])


@ROUTES.post("", status_code=202, responses=documented(404, 409))
async def post_review(review: OwnReview, parts: ThisServer, caller: Poster) -> Posting:
    """Post a review, or have it posted as soon as it is done; posting again changes what stands there."""
    return await ask_for_posting(parts, caller, review)


@ROUTES.get("", responses=documented(404))
async def get_posting(review: OwnReview, parts: ThisServer, _caller: Reader) -> Posting:
    """What became of posting a review."""
    posting = await asyncio.to_thread(parts.postings.find, review.id)
    if posting is None:
        raise Refusal(404, "nobody has asked to post this review", "POST to this address does.")
    return posting
