"""Ask something of a cell that is made for it: a question, an estimate or a recheck, and then it is gone."""

import asyncio
from contextlib import suppress
from typing import Any

from affidavit.errors import OutsideError
from affidavit.records.report import Report
from affidavit.records.review import KeptReview
from affidavit.service.parts import Parts
from affidavit.service.work.channel import Channel, ChannelClosed, Refused
from affidavit.service.work.source import locate_source

SECONDS = 600.0
AT_ONCE = asyncio.Semaphore(2)
"""Each takes a processor for a while; whoever asks next waits."""


async def visit(parts: Parts, review: KeptReview, report: Report, call: str, **fields: Any) -> Any:
    """What a cell says of a finished review, whose repository it is shown."""
    wanted = await asyncio.to_thread(parts.reviews.request, review.id)
    folder = (await locate_source(parts.settings, wanted)).location if wanted else None
    return await in_a_cell(parts, call, report=report.model_dump(mode="json"), folder=folder, **fields)


async def in_a_cell(parts: Parts, call: str, *, first: dict[str, Any] | None = None, **fields: Any) -> Any:
    """What a new cell returns; `first` is the change that it opens before."""
    async with AT_ONCE:
        connection, number = await parts.nursery.bear()
        reader, writer = await asyncio.open_connection(sock=connection)
        channel = Channel(reader, writer)

        async def ask(number: int, role: Any, messages: list[Any], question: dict[str, Any]) -> Any:
            async def pay(reply: Any) -> bool:
                return bool(await channel.call("pay", number=number, reply=reply))

            return await parts.calls.ask(role, messages, question, pay)

        async def ignore(**_: Any) -> None:
            pass

        serving = asyncio.create_task(channel.serve({"ask": ask}, {"event": ignore, "exchange": ignore}))
        try:
            async with asyncio.timeout(SECONDS):
                if first is not None:
                    await channel.call("open", wanted=first)
                return await channel.call(call, **fields)
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
