"""Retry and wait: pauses, retries of stages, shutdown deadlines, readiness."""

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

Result = TypeVar("Result")
LOG = structlog.get_logger("affidavit.worker")
FIRST_PAUSE_SECONDS = 0.25
LONGEST_PAUSE_SECONDS = 15.0


def pauses() -> Iterator[float]:
    """Yield growing pauses with jitter."""
    for number in count():
        longest = min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** min(number, 10))
        yield longest * random.uniform(0.5, 1.0)  # noqa: S311


async def until_it_answers(work: Callable[[], Result]) -> Result:
    """Run store work in a thread; retry until the store can be used."""
    return await until_it_is_done(lambda: asyncio.to_thread(work))


async def until_it_is_done(work: Callable[[], Awaitable[Result]]) -> Result:
    """Retry async work until the store can be used."""
    for pause in pauses():
        try:
            return await work()
        except StoreError as error:
            LOG.warning("waiting for the store", seconds=round(pause, 1), reason=str(error))
        await asyncio.sleep(pause)
    raise AssertionError("there is always another pause")


async def until_it_can_be_reached(work: Callable[[], Result]) -> Result:
    """Retry at the start, but raise errors that waiting cannot change, such as a newer store version."""

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
    """Run work unless this process is told to end first; return whether it was done."""
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
"""Per stage."""
RETRY_PAUSE_SECONDS = 1.0
LONGEST_WISH_SECONDS = 600.0
"""The longest Retry-After that is respected; beyond it the review fails and can be retried."""


@dataclass
class StageRetries:
    """Counts the failures of each stage of one review."""

    failures: Counter[str] = field(default_factory=Counter)

    def pause_after(self, error: Exception, stage: str) -> float | None:
        """Return the seconds to wait before a retry; None: no retry."""
        self.failures[stage] += 1
        is_retryable = isinstance(error, ChannelClosed) or (
            isinstance(error, OutsideError) and error.retryable
        )
        if not is_retryable or self.failures[stage] >= ATTEMPTS:
            return None
        # Jitter, so that reviews do not come back together.
        pause = RETRY_PAUSE_SECONDS * 2 ** (self.failures[stage] - 1) * random.uniform(0.5, 1.5)  # noqa: S311
        asked_for = getattr(error, "retry_after_seconds", None) or 0.0
        return max(pause, asked_for) if asked_for <= LONGEST_WISH_SECONDS else None


UNOPENED_SECONDS = 3.0
"""For a process that still waits for its database."""
GRACE_SECONDS = 10.0
"""After the drain time."""


class Deadline:
    """Ends this process by force if the shutdown hangs; its reviews go on elsewhere."""

    def __init__(self) -> None:
        self._is_begun = False

    def begin(self, seconds: float) -> None:
        """Start the countdown; later calls have no effect."""
        if self._is_begun:
            return
        self._is_begun = True
        # A daemon thread runs even while the interpreter waits for threads that hang.
        timer = threading.Timer(seconds, _end_hard, args=(seconds,))
        timer.daemon = True
        timer.start()


def _end_hard(seconds: float) -> None:
    log = structlog.get_logger("affidavit")
    log.warning("ended hard: something did not end in time, as a database that is silent", seconds=seconds)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


ANSWER_SECONDS = 3.0
"""Health checks take a server that does not answer for dead."""

ROOM_BYTES = 10_000_000
"""The free disk space that a review needs."""


class Readiness:
    """Runs one readiness check at a time, in its own thread, since all others may hang."""

    def __init__(self, ask: Callable[[], object], answer_seconds: float = ANSWER_SECONDS) -> None:
        self._ask, self._answer_seconds = ask, answer_seconds
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="readiness")
        self._looking: asyncio.Future[object] | None = None

    async def look(self) -> None:
        """Raise the reason why the server is not ready; a check that times out goes on."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.get_running_loop().run_in_executor(self._thread, self._ask)
            # Retrieve the exception even if nobody waits any more.
            self._looking.add_done_callback(asyncio.Future.exception)
        await asyncio.wait_for(asyncio.shield(self._looking), self._answer_seconds)


def check_room(folder: Path) -> None:
    """Raise OSError if the disk of a folder is full."""
    with tempfile.TemporaryFile(dir=folder) as file:
        os.posix_fallocate(file.fileno(), 0, ROOM_BYTES)
