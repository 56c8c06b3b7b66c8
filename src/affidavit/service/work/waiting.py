"""Wait for what may come back: when to try again, how long to wait, when to give up."""

import asyncio
import os
import random
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import structlog

from affidavit.errors import OutsideError, StoreError
from affidavit.service.child.channel import ChannelClosed
from affidavit.service.logs import SeldomLog

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


ATTEMPTS = 3
"""Of each stage: one that went well begins to count anew."""
RETRY_PAUSE_SECONDS = 1.0
LONGEST_WISH_SECONDS = 600.0
"""Who asks to be left alone for longer is not waited for: the review fails, and can be retried then."""


@dataclass
class Patience:
    """How often each stage of one review has failed so far."""

    failures: Counter[str] = field(default_factory=Counter)

    def pause_after(self, error: Exception, stage: str) -> float | None:
        """Seconds to wait before the stage is tried again; None: it is not."""
        self.failures[stage] += 1
        is_retryable = isinstance(error, ChannelClosed) or (
            isinstance(error, OutsideError) and error.retryable
        )
        if not is_retryable or self.failures[stage] >= ATTEMPTS:
            return None
        # Spread: reviews that were refused together should not come back together.
        pause = RETRY_PAUSE_SECONDS * 2 ** (self.failures[stage] - 1) * random.uniform(0.5, 1.5)  # noqa: S311
        asked_for = getattr(error, "retry_after_seconds", None) or 0.0
        return max(pause, asked_for) if asked_for <= LONGEST_WISH_SECONDS else None


LOG = structlog.get_logger("affidavit")
UNOPENED_SECONDS = 3.0
"""Of a process that still waits for its database: nothing is under way there."""
GRACE_SECONDS = 10.0
"""After what is under way had its time."""


class Deadline:
    """Once begun, it ends this process where something hangs; reviews go on elsewhere from a step."""

    def __init__(self) -> None:
        self._is_begun = False

    def begin(self, seconds: float) -> None:
        """Let this process have so long from now, however often it is told to end."""
        if self._is_begun:
            return
        self._is_begun = True
        # Also where the interpreter waits for threads that hang, this one goes on and keeps nobody.
        timer = threading.Timer(seconds, _end_hard, args=(seconds,))
        timer.daemon = True
        timer.start()


def _end_hard(seconds: float) -> None:
    LOG.warning("ended hard: something did not end in time, as a database that is silent", seconds=seconds)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


ANSWER_SECONDS = 3.0
"""Whoever watches a server asks every few seconds, and takes one that says nothing for dead."""

ROOM_BYTES = 10_000_000
"""So much must fit on the disk: with less, the next review cannot be kept."""


class Readiness:
    """One look for all who ask in the meantime, in a thread of its own: those of the others may all hang."""

    def __init__(self, ask: Callable[[], object], answer_seconds: float = ANSWER_SECONDS) -> None:
        self._ask, self._answer_seconds = ask, answer_seconds
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="readiness")
        self._looking: asyncio.Future[object] | None = None

    async def look(self) -> None:
        """Raise what keeps the server from working; a look that is left without an answer goes on."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.get_running_loop().run_in_executor(self._thread, self._ask)
            # Where it comes after everybody has gone, nobody else takes note of it.
            self._looking.add_done_callback(asyncio.Future.exception)
        await asyncio.wait_for(asyncio.shield(self._looking), self._answer_seconds)


def check_room(folder: Path) -> None:
    """Raise OSError where no more can be written to a folder's disk."""
    with tempfile.TemporaryFile(dir=folder) as file:
        os.posix_fallocate(file.fileno(), 0, ROOM_BYTES)
