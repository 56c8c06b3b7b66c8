"""Have a review posted on its pull or merge request, now or as soon as it is done."""

import asyncio

from affidavit.events import now_iso
from affidavit.records.service.posting import Posting
from affidavit.records.service.review import KeptReview
from affidavit.service.access.caller import Caller
from affidavit.service.api.ending import note
from affidavit.service.parts import Parts
from affidavit.service.problems import Refusal


async def ask_for_posting(parts: Parts, caller: Caller, review: KeptReview) -> Posting:
    """Note the wish, and put it into the queue where the review is done; a worker does so otherwise."""
    refuse_unpostable(parts, review)
    posting = await asyncio.to_thread(parts.postings.ask, review.id, caller.name, now_iso())
    await note(parts, caller, "review.post", review.id)
    # Read again: it may have been completed since, by a worker that saw no wish.
    now = await asyncio.to_thread(parts.reviews.find, review.id, review.tenant)
    if now is not None and now.status == "completed":
        await parts.work.enqueue_posting(posting)
    return posting


def refuse_unpostable(parts: Parts, review: KeptReview) -> None:
    """Refuse what nobody may post, what is no pull or merge request, and what has nothing to post."""
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
