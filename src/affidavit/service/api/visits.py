"""Ask something of a cell that is made for it: a question, an estimate or a recheck, and then it is gone."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from shlex import quote
from typing import Any

from affidavit.errors import OutsideError
from affidavit.records.report import Report
from affidavit.service.api.access import FairTurns
from affidavit.service.cell.channel import Channel, ChannelClosed, Refused
from affidavit.service.kept.records import KeptReview, WantedReview
from affidavit.service.parts import Parts
from affidavit.service.problems import Refusal
from affidavit.service.work.attempt import cost_of
from affidavit.service.work.terms import locate_source

SECONDS = 600.0
QUICK, LONG = FairTurns(4, each=2), FairTurns(4, each=2)
"""Turns of tenants at what takes a process: a look at a repository, and what may take minutes."""
LOOKS = ("lines", "revisions")


async def visit(parts: Parts, review: KeptReview, report: Report, call: str, **fields: Any) -> Any:
    """What a cell says of a finished review, whose repository it is shown."""
    wanted = await asyncio.to_thread(wanted_of, parts, review)
    async with LONG.of(review.tenant):
        with parts.caches.used(review.tenant) as cache:
            folder = (await locate_source(parts.settings, wanted, cache)).location if wanted else None
            async with cell_for(parts, review.tenant) as cell:
                return await cell.call(call, report=report.model_dump(mode="json"), folder=folder, **fields)


def wanted_of(parts: Parts, review: KeptReview) -> WantedReview | None:
    """Return what was to be reviewed; the command line's repositories are found by their names."""
    wanted = parts.reviews.request(review.id)
    if wanted is None or not review.is_adopted or wanted.source == "diff" or wanted.url:
        return wanted
    known = {one.name: one.location for one in parts.access.repositories(review.tenant)}
    name = wanted.repository or ""
    if name not in known:
        command = parts.settings.on_this_store(f"affidavit repository add {quote(name)} FOLDER")
        raise Refusal(409, f"this server does not know where {name} is", f"The operator says it: {command}.")
    return wanted.model_copy(update={"location": known[name]})


async def in_a_cell(parts: Parts, tenant: str, call: str, **fields: Any) -> Any:
    """Return what a new cell says, when it is the tenant's turn."""
    async with (QUICK if call in LOOKS else LONG).of(tenant), cell_for(parts, tenant) as cell:
        return await cell.call(call, **fields)


@asynccontextmanager
async def cell_for(parts: Parts, tenant: str) -> AsyncIterator[Channel]:
    """A new cell; what it pays is counted when it is gone."""
    paid: list[dict[str, Any]] = []
    try:
        with parts.caches.used(tenant) as cache:
            async with _cell(parts, cache, paid) as cell:
                yield cell
    finally:
        if paid:
            await asyncio.to_thread(parts.progress.spend, cost_of(tenant, paid))


@asynccontextmanager
async def _cell(parts: Parts, cache: Path, paid: list[dict[str, Any]]) -> AsyncIterator[Channel]:
    connection, number = await parts.nursery.bear()
    reader, writer = await asyncio.open_connection(sock=connection)
    channel = Channel(reader, writer)

    async def ask(number: int, role: Any, messages: list[Any], question: dict[str, Any]) -> Any:
        async def pay(reply: Any) -> bool:
            return bool(await channel.call("pay", number=number, reply=reply))

        return await parts.calls.ask(role, messages, question, pay)

    async def ignore(**_: Any) -> None:
        pass

    async def count(body: dict[str, Any], **_: Any) -> None:
        paid.append(body)

    serving = asyncio.create_task(channel.serve({"ask": ask}, {"event": ignore, "exchange": count}))
    try:
        async with asyncio.timeout(SECONDS):
            await channel.call("use", cache=str(cache))
            yield channel
    except TimeoutError as error:
        raise OutsideError(f"it was not done after {SECONDS:g} seconds", retryable=True) from error
    except (ChannelClosed, Refused) as error:
        raise OutsideError(f"the process that worked on it failed: {error}".rstrip(": ")) from error
    finally:
        parts.nursery.kill(number)
        await channel.close()
        serving.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await serving
