"""Retry and wait: pauses, retries of stages, shutdown deadlines, readiness."""

import asyncio
import os
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import structlog
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_base,
    retry_if_exception,
    retry_if_exception_type,
    wait_exponential,
    wait_random,
)

from affidavit.errors import OutsideError, StoreError
from affidavit.service.child.channel import ChannelClosed

Result = TypeVar("Result")
LOG = structlog.get_logger("affidavit.worker")
ATTEMPTS = 3
"""Per stage."""
LONGEST_WISH_SECONDS = 600.0
"""The longest Retry-After that is respected; beyond it the review fails and can be retried."""
# They grow, and the random part keeps reviews from coming back together.
_PAUSES = wait_exponential(0.5, max=15.0) + wait_random(0.0, 0.5)


def pause_before_retry(state: RetryCallState) -> float:
    """Return the pause after a failure: a growing one, or the longer one that a server asks for."""
    return max(_PAUSES(state), _wished_seconds(error_of(state)))


def error_of(state: RetryCallState) -> BaseException | None:
    """Return the error of the last attempt."""
    return state.outcome.exception() if state.outcome else None


def _wished_seconds(error: BaseException | None) -> float:
    return getattr(error, "retry_after_seconds", None) or 0.0


async def until_it_answers(work: Callable[[], Result]) -> Result:
    """Run store work in a thread; retry until the store can be used."""
    done: Result = await _store_retries(retry_if_exception_type(StoreError))(asyncio.to_thread, work)
    return done


async def until_it_is_done(work: Callable[[], Awaitable[None]]) -> None:
    """Retry async work until the store can be used."""
    await _store_retries(retry_if_exception_type(StoreError))(work)


async def until_it_can_be_reached(work: Callable[[], None]) -> None:
    """Retry at the start, but raise errors that waiting cannot change, such as a newer store version."""
    may_pass = retry_if_exception(lambda error: isinstance(error, StoreError) and error.retryable)
    await _store_retries(may_pass)(asyncio.to_thread, work)


def _store_retries(retry: retry_base) -> AsyncRetrying:
    return AsyncRetrying(retry=retry, wait=pause_before_retry, before_sleep=_log_store)


def _log_store(state: RetryCallState) -> None:
    LOG.warning("waiting for the store", seconds=round(state.upcoming_sleep, 1), reason=str(error_of(state)))


@dataclass
class StageRetries:
    """Decides whether a failed stage of one review runs again."""

    failures: Counter[str] = field(default_factory=Counter)

    def allow(self, error: BaseException | None, stage: str) -> bool:
        """Count a failure of a stage; the store may fail without end, anything else `ATTEMPTS` times."""
        if isinstance(error, StoreError):
            # A review never fails because of the database: the failure could not be stored either.
            return True
        self.failures[stage] += 1
        is_retryable = isinstance(error, ChannelClosed) or (
            isinstance(error, OutsideError) and error.retryable
        )
        is_soon = _wished_seconds(error) <= LONGEST_WISH_SECONDS
        return is_retryable and is_soon and self.failures[stage] < ATTEMPTS


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
