"""Wait for a database that is away: what was to be read or written goes in, and is done when it is back."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import suppress
from itertools import count
from typing import Any, TypeVar

from affidavit.errors import StoreError
from affidavit.service.telemetry.seldom import SeldomLog

Result = TypeVar("Result")
LOG = SeldomLog("affidavit.worker")
FIRST_PAUSE_SECONDS = 0.25
LONGEST_PAUSE_SECONDS = 15.0


def pauses() -> Iterator[float]:
    """Longer and longer, and never two workers at the same moment."""
    for number in count():
        longest = min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** min(number, 10))
        yield longest * random.uniform(0.5, 1.0)  # noqa: S311


async def until_it_answers(work: Callable[[], Result]) -> Result:
    """Do something with the store, in a thread; while it cannot be used, nothing can be told either."""
    return await until_it_is_done(lambda: asyncio.to_thread(work))


async def until_it_is_done(work: Callable[[], Awaitable[Result]]) -> Result:
    """The same for what does not block."""
    for pause in pauses():
        try:
            return await work()
        except StoreError as error:
            LOG.warning("the store is waited for", pause=pause, reason=str(error))
        await asyncio.sleep(pause)
    raise AssertionError("there is always another pause")


async def until_it_can_be_reached(work: Callable[[], Result]) -> Result:
    """The same at the start, which ends where waiting changes nothing, as with a store of a newer version."""

    async def attempt() -> Result | StoreError:
        try:
            return await asyncio.to_thread(work)
        except StoreError as error:
            if error.retryable:
                raise
            return error

    done = await until_it_is_done(attempt)
    if isinstance(done, StoreError):
        raise done
    return done


async def unless_ended(work: Coroutine[Any, Any, None], ended: asyncio.Event) -> bool:
    """Do something that may wait for long; False where this process was asked to end meanwhile."""
    doing, ending = asyncio.create_task(work), asyncio.create_task(ended.wait())
    await asyncio.wait((doing, ending), return_when=asyncio.FIRST_COMPLETED)
    ending.cancel()
    if doing.done():
        await doing
        return True
    doing.cancel()
    with suppress(asyncio.CancelledError):
        await doing
    return False
