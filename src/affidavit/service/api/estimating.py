"""What a review would cost: a request in, tokens and money out; no model is asked."""

import asyncio
from typing import Any

from affidavit.records.change import Change
from affidavit.records.iteration import StoredIteration
from affidavit.records.service.review import WantedReview
from affidavit.service.access.caller import Caller
from affidavit.service.api.asked import ReviewRequest
from affidavit.service.api.shapes import Estimated
from affidavit.service.api.submission import new_review, wanted_review
from affidavit.service.api.visits import LONG, cell_for
from affidavit.service.parts import Parts
from affidavit.service.work.attempt.series import Series
from affidavit.service.work.attempt.source import locate_source
from affidavit.service.work.attempt.terms import models_for, options_for, prompts_for

NO_MODEL = "No model is named: nothing would leave this machine, and nothing would be paid.\n"
ANSWERED = (
    "This change has a review already: whoever asks for it gets that one, and nothing is paid for it again."
    " `again` asks for a new one.\n"
)


async def estimate_review(parts: Parts, caller: Caller, body: ReviewRequest) -> Estimated:
    """What the review that this request asks for would pay."""
    wanted = await wanted_review(parts, caller, body)
    if not parts.settings.models:
        return _nothing(NO_MODEL)
    new = await asyncio.to_thread(new_review, parts, caller, wanted)
    if not body.again and await asyncio.to_thread(parts.reviews.has_answer, new):
        return _nothing(ANSWERED)
    async with LONG.of(caller.tenant):
        with parts.caches.used(caller.tenant) as cache:
            located = await locate_source(parts.settings, wanted, cache)
            done = await _estimated(parts, caller.tenant, located)
    costs = [role["usd_without_cache"] for role in done["roles"]]
    return Estimated(
        **done,
        input_tokens=sum(role["input_tokens"] for role in done["roles"]),
        output_tokens=sum(role["output_tokens"] for role in done["roles"]),
        cost_usd=None if None in costs else sum(costs),
    )


async def _estimated(parts: Parts, tenant: str, wanted: WantedReview) -> dict[str, Any]:
    """As the review would be held: after the same review of its series, with the same prompts."""
    settings = parts.settings
    async with cell_for(parts, tenant) as cell:
        opened = await cell.call("open", wanted=wanted.model_dump(mode="json"))
        change = Change.model_validate(opened["change"])

        async def is_merged(before: StoredIteration) -> bool:
            return bool(await cell.call("merged", iteration=before.model_dump(mode="json")))

        earlier = await Series(parts.store, tenant, opened["repository"], wanted).before(is_merged, change)
        drawn = await asyncio.to_thread(prompts_for, settings, parts.store, change)
        done: dict[str, Any] = await cell.call(
            "estimate",
            options=options_for(settings, wanted, tenant),
            environment=settings.cell_settings,
            models=models_for(settings),
            prompts=drawn["prompts"],
            earlier=earlier,
        )
        return done


def _nothing(text: str) -> Estimated:
    return Estimated(roles=[], input_tokens=0, output_tokens=0, cost_usd=0.0, text=text)
