"""Routes for webhooks of GitHub and GitLab; the sender is checked before the body is read."""

import asyncio
import hashlib
import hmac
import json
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, Literal

from fastapi import APIRouter, Header, Request
from pydantic import BaseModel

from affidavit.errors import ForgeError, InputError
from affidavit.events import now_iso
from affidavit.forges.pull_request import PullRequest
from affidavit.records.iteration import DEFAULT_TENANT
from affidavit.service.api.access import Caller
from affidavit.service.api.door import ThisServer, documented
from affidavit.service.api.ending import ask_for_posting, cancel_review
from affidavit.service.api.shapes import ReviewRequest
from affidavit.service.api.submission import WHILE_SOMEBODY_WAITS, queue_review, review_of
from affidavit.service.api.webhook_events import RequestEvent, read_github_event, read_gitlab_event
from affidavit.service.kept.records import KeptReview
from affidavit.service.kept.reviews import Filter
from affidavit.service.parts import Parts
from affidavit.service.problems import Refusal
from affidavit.service.work.terms import read_pull

ROUTES = APIRouter(prefix="/api/webhook", tags=["webhooks"])
GITHUB_SECRET = "AFFIDAVIT_GITHUB_WEBHOOK_SECRET"  # noqa: S105 - the name of a variable
GITLAB_TOKEN = "AFFIDAVIT_GITLAB_WEBHOOK_TOKEN"  # noqa: S105 - the name of a variable
TENANT = "AFFIDAVIT_WEBHOOK_TENANT"
SIGNATURE = re.compile("sha256=[0-9a-f]{64}")
Forge = Literal["github", "gitlab"]
READERS = {"github": read_github_event, "gitlab": read_gitlab_event}


class Delivered(BaseModel):
    """The effect of a delivery."""

    state: str
    review_id: str | None = None
    cancelled: list[str] = []


NOTHING = Delivered(state="nothing to do")


@ROUTES.post("/github", status_code=202, responses=documented(502))
async def github(
    request: Request,
    parts: ThisServer,
    x_github_event: Annotated[str, Header(max_length=100)] = "",
    x_hub_signature_256: Annotated[str, Header(max_length=200)] = "",
) -> Delivered:
    """A delivery of GitHub, with its signature."""
    secret = _configured(parts, GITHUB_SECRET)
    if not SIGNATURE.fullmatch(x_hub_signature_256):
        raise _forged("signature", GITHUB_SECRET)
    body = await request.body()
    expected = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    _refuse_unless_same(expected, x_hub_signature_256, "signature", GITHUB_SECRET)
    return await _taken(parts, "github", x_github_event, body)


@ROUTES.post("/gitlab", status_code=202, responses=documented(502))
async def gitlab(
    request: Request,
    parts: ThisServer,
    x_gitlab_event: Annotated[str, Header(max_length=100)] = "",
    x_gitlab_token: Annotated[str, Header(max_length=400)] = "",
) -> Delivered:
    """A delivery of GitLab, with its token."""
    token = _configured(parts, GITLAB_TOKEN)
    _refuse_unless_same(token, x_gitlab_token, "token", GITLAB_TOKEN)
    return await _taken(parts, "gitlab", x_gitlab_event, await request.body())


def _configured(parts: Parts, variable: str) -> str:
    secret = parts.settings.environment.get(variable, "")
    if not secret:
        raise Refusal(401, "this server takes no such deliveries", f"The operator sets {variable}.")
    return secret


def _refuse_unless_same(expected: str, given: str, what: str, variable: str) -> None:
    if not hmac.compare_digest(expected.encode(), given.encode()):
        raise _forged(what, variable)


def _forged(what: str, variable: str) -> Refusal:
    return Refusal(401, f"the {what} is not that of this webhook", f"Compare it with {variable}.")


async def _taken(parts: Parts, forge: Forge, name: str, body: bytes) -> Delivered:
    """Read a delivery whose sender is known, and act on it.

    A repeated delivery has no further effect. It is named by the digest of its body, since no forge signs
    the headers.
    """
    try:
        found = READERS[forge](name, json.loads(body), parts.settings.forges)
    except (ValueError, RecursionError) as error:
        raise Refusal(400, "the delivery is no JSON") from error
    except InputError as error:
        raise Refusal(422, str(error)) from error
    if found is None or (found.is_draft and found.wish == "review"):
        return NOTHING
    digest = hashlib.sha256(body).hexdigest()
    if await asyncio.to_thread(parts.access.is_delivered, digest):
        return Delivered(state="delivered before")
    tenant = parts.settings.environment.get(TENANT, DEFAULT_TENANT)
    caller = Caller(tenant, f"{forge} webhook", frozenset({"submit", "post"}))
    done = await _DOING[found.wish](parts, caller, found)
    # Not before: what failed is delivered again, and the same request with the same dismissals is one review.
    await asyncio.to_thread(parts.access.note_delivery, digest, now_iso())
    return done


async def _review(parts: Parts, caller: Caller, event: RequestEvent) -> Delivered:
    """Review the request as the forge shows it now, since deliveries overtake each other."""
    pull = await read_pull(parts.settings, event.address, WHILE_SOMEBODY_WAITS)
    if event.head and pull.head == event.before:
        # A delivery may be here before the forge's own answers know of the push.
        pull = pull.model_copy(update={"head": event.head})
    return await _queued(parts, caller, pull) if pull.is_awaiting_review else NOTHING


async def _cancel(parts: Parts, caller: Caller, event: RequestEvent) -> Delivered:
    """Cancel its reviews, unless it was reopened or made ready since."""
    # What a forge that cannot be asked says by itself is believed.
    with suppress(ForgeError):
        pull = await read_pull(parts.settings, event.address, WHILE_SOMEBODY_WAITS)
        if pull.is_awaiting_review:
            return NOTHING
    return Delivered(state="cancelled", cancelled=await _cancel_those(parts, caller, event.address.url))


async def _dismiss(parts: Parts, caller: Caller, event: RequestEvent) -> Delivered:
    """Start a new review if the person may dismiss; it follows the last one, which was paid."""
    pull = await read_pull(parts.settings, event.address, WHILE_SOMEBODY_WAITS)
    if pull.is_awaiting_review and any(one.by == event.by for one in pull.dismissals):
        return await _queued(parts, caller, pull)
    return await _answer(parts, caller, event)


async def _answer(parts: Parts, caller: Caller, event: RequestEvent) -> Delivered:
    """Have the poster answer what people wrote; that asks no model."""
    done = Filter(url=event.address.url, status="completed")
    found = await asyncio.to_thread(parts.reviews.page, caller.tenant, done, 1, None)
    if not found or not parts.settings.posts_for(caller.tenant):
        return NOTHING
    await ask_for_posting(parts, caller, found[0])
    return Delivered(state="answered", review_id=found[0].id)


_DOING = {"review": _review, "cancel": _cancel, "dismiss": _dismiss, "answer": _answer}


async def _queued(parts: Parts, caller: Caller, pull: PullRequest) -> Delivered:
    """Queue the review of a request as it is, and cancel those that it replaces."""
    request = ReviewRequest.model_validate({f"{pull.address.host.kind}_url": pull.address.url})
    url = pull.address.url
    cancelled = await _cancel_those(parts, caller, url, lambda one: one.head != pull.head)
    review, is_new = await queue_review(parts, caller, review_of(pull, request))
    if is_new:
        cancelled += await _cancel_those(parts, caller, url, lambda one: one.id != review.id)
    if parts.settings.posts_for(caller.tenant):
        await ask_for_posting(parts, caller, review)
    return Delivered(state="queued", review_id=review.id, cancelled=cancelled)


async def _cancel_those(
    parts: Parts, caller: Caller, url: str, is_over: Callable[[KeptReview], bool] = lambda _: True
) -> list[str]:
    """Cancel those reviews of a request that are outdated."""
    cancelled = []
    for review in await asyncio.to_thread(parts.reviews.open_of, caller.tenant, url):
        if is_over(review):
            # One that was done in this very moment stays as it is.
            with suppress(Refusal):
                await cancel_review(parts, caller, review)
                cancelled.append(review.id)
    return cancelled
