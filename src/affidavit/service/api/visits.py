"""Run one request about a review in a child process of its own."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from shlex import quote
from typing import Any

from affidavit.errors import OutsideError
from affidavit.records.report import Report
from affidavit.service.api.access import FairTurns
from affidavit.service.child.channel import Channel, ChannelClosed, Refused
from affidavit.service.kept.records import KeptReview, WantedReview
from affidavit.service.parts import Parts
from affidavit.service.problems import Refusal
from affidavit.service.work.terms import locate_source

SECONDS = 600.0
QUICK, LONG = FairTurns(4, each=2), FairTurns(4, each=2)
"""Separate turns for quick reads of a repository and for requests that may take minutes."""
LOOKS = ("lines", "revisions")


async def visit(parts: Parts, review: KeptReview, report: Report, call: str, **fields: Any) -> Any:
    """Answer a request about a finished review in a child that reads its repository."""
    wanted = await asyncio.to_thread(wanted_of, parts, review)
    async with LONG.of(review.tenant):
        with parts.caches.used(review.tenant) as cache:
            folder = (await locate_source(parts.settings, wanted, cache)).location if wanted else None
            async with child_for(parts, review.tenant) as child:
                return await child.call(call, report=report.model_dump(mode="json"), folder=folder, **fields)


def wanted_of(parts: Parts, review: KeptReview) -> WantedReview | None:
    """Return the request of a review; find the repository of a command-line review by its name."""
    wanted = parts.reviews.request(review.id)
    if wanted is None or not review.is_adopted or wanted.source == "diff" or wanted.url:
        return wanted
    known = {one.name: one.location for one in parts.access.repositories(review.tenant)}
    name = wanted.repository or ""
    if name not in known:
        command = f"affidavit repository add {quote(name)} FOLDER"
        raise Refusal(409, f"this server does not know where {name} is", f"The operator runs `{command}`.")
    return wanted.model_copy(update={"location": known[name]})


async def in_child(parts: Parts, tenant: str, call: str, **fields: Any) -> Any:
    """Answer a request in a new child, when it is the tenant's turn."""
    async with (QUICK if call in LOOKS else LONG).of(tenant), child_for(parts, tenant) as child:
        return await child.call(call, **fields)


@asynccontextmanager
async def child_for(parts: Parts, tenant: str) -> AsyncIterator[Channel]:
    """Start a child process that asks no model."""

    async def ignore(**_: Any) -> None:
        pass

    try:
        async with asyncio.timeout(SECONDS):
            with parts.caches.used(tenant) as cache:
                async with parts.spawner.child(cache, {}, {"event": ignore, "exchange": ignore}) as child:
                    yield child
    except TimeoutError as error:
        raise OutsideError(f"the request timed out after {SECONDS:g} seconds", retryable=True) from error
    except (ChannelClosed, Refused) as error:
        raise OutsideError(f"the child process failed: {error}".rstrip(": ")) from error
