"""Routes: what GitHub and GitLab report by themselves; nothing is read before it is known who sent it."""

import asyncio
import hashlib
import hmac
import json
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request
from pydantic import BaseModel

from affidavit.errors import InputError
from affidavit.events import now_iso
from affidavit.forges.events import RequestEvent, read_github_event, read_gitlab_event
from affidavit.service.access.caller import DEFAULT_TENANT, Caller
from affidavit.service.api.door import ThisServer, documented
from affidavit.service.api.ending import cancel_review
from affidavit.service.api.shapes import ReviewRequest
from affidavit.service.api.submission import submit
from affidavit.service.parts import Parts
from affidavit.service.problems import Refusal

ROUTES = APIRouter(prefix="/api/webhook", tags=["webhooks"])
GITHUB_SECRET = "AFFIDAVIT_GITHUB_WEBHOOK_SECRET"  # noqa: S105 - the name of a variable
GITLAB_TOKEN = "AFFIDAVIT_GITLAB_WEBHOOK_TOKEN"  # noqa: S105 - the name of a variable
TENANT = "AFFIDAVIT_WEBHOOK_TENANT"


class Delivered(BaseModel):
    """What came of a delivery."""

    state: str
    review_id: str | None = None
    cancelled: list[str] = []


@ROUTES.post("/github", status_code=202, responses=documented(502))
async def github(
    request: Request,
    parts: ThisServer,
    x_github_event: Annotated[str, Header(max_length=100)] = "",
    x_github_delivery: Annotated[str, Header(max_length=100)] = "",
    x_hub_signature_256: Annotated[str, Header(max_length=200)] = "",
) -> Delivered:
    """A delivery of GitHub; its signature is checked before a byte of it is read."""
    secret = _configured(parts, GITHUB_SECRET)
    body = await request.body()
    expected = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(expected.encode(), x_hub_signature_256.encode()):
        raise Refusal(401, "the signature is not that of this webhook", f"Compare it with {GITHUB_SECRET}.")
    found = _read(read_github_event, x_github_event, body, parts)
    return await _act(parts, found, "github", x_github_delivery or hashlib.sha256(body).hexdigest())


@ROUTES.post("/gitlab", status_code=202, responses=documented(502))
async def gitlab(
    request: Request,
    parts: ThisServer,
    x_gitlab_event: Annotated[str, Header(max_length=100)] = "",
    x_gitlab_event_uuid: Annotated[str, Header(max_length=100)] = "",
    x_gitlab_token: Annotated[str, Header(max_length=400)] = "",
) -> Delivered:
    """A delivery of GitLab; its token is checked before a byte of it is read."""
    token = _configured(parts, GITLAB_TOKEN)
    if not hmac.compare_digest(token.encode(), x_gitlab_token.encode()):
        raise Refusal(401, "the token is not that of this webhook", f"Compare it with {GITLAB_TOKEN}.")
    body = await request.body()
    found = _read(read_gitlab_event, x_gitlab_event, body, parts)
    return await _act(parts, found, "gitlab", x_gitlab_event_uuid or hashlib.sha256(body).hexdigest())


def _configured(parts: Parts, variable: str) -> str:
    secret = parts.settings.environment.get(variable, "")
    if not secret:
        raise Refusal(401, "this server takes no such deliveries", f"The operator sets {variable}.")
    return secret


def _read(read: Any, name: str, body: bytes, parts: Parts) -> RequestEvent | None:
    try:
        found: RequestEvent | None = read(name, json.loads(body), parts.settings.forges)
    except ValueError as error:
        raise Refusal(400, "the delivery is no JSON") from error
    except InputError as error:
        raise Refusal(422, str(error)) from error
    return found


async def _act(parts: Parts, event: RequestEvent | None, forge: str, delivery: str) -> Delivered:
    if event is None or event.wish == "answer" or (event.is_draft and event.wish == "review"):
        return Delivered(state="nothing to do")
    if await asyncio.to_thread(parts.access.is_delivered, forge, delivery, now_iso()):
        return Delivered(state="delivered before")
    tenant = parts.settings.environment.get(TENANT, DEFAULT_TENANT)
    caller = Caller(tenant, f"{forge} webhook", frozenset({"submit"}))
    cancelled = []
    for review in await asyncio.to_thread(parts.reviews.open_of, tenant, event.address.url):
        # What is reviewed already as it is now goes on.
        if event.wish == "cancel" or review.head != event.head:
            await cancel_review(parts, caller, review)
            cancelled.append(review.id)
    if event.wish == "cancel":
        return Delivered(state="cancelled", cancelled=cancelled)
    asked = ReviewRequest.model_validate({f"{forge}_url": event.address.url})
    review, _ = await submit(parts, caller, asked, None)
    return Delivered(state="queued", review_id=review.id, cancelled=cancelled)
