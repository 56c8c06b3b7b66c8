"""Stream the events of reviews: one query notices news for all listeners."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

from fastapi.sse import format_sse_event

from affidavit.errors import StoreError
from affidavit.service.kept.progress import ReviewProgress
from affidavit.service.kept.records import FINISHED, KeptEvent, ReviewStatus
from affidavit.service.kept.reviews import Reviews
from affidavit.service.problems import AWAY, LOG

HEARTBEAT_SECONDS = 15.0
HEARTBEAT = b": ping\n\n"
RETRY_MILLISECONDS = 1_000
MEDIA_TYPE = "text/event-stream"
HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
"""No proxy may keep back what was said."""
FIELDS: dict[str, Any] = {
    "data": {"type": "string"},
    "event": {"type": "string"},
    "id": {"type": "string"},
    "retry": {"type": "integer", "minimum": 0},
}
DOCUMENTED = {"content": {MEDIA_TYPE: {"itemSchema": {"type": "object", "properties": FIELDS}}}}


def written(event: KeptEvent) -> bytes:
    """Return an event as it is sent."""
    return format_sse_event(
        data_str=json.dumps(event.data), event=event.name, id=str(event.number), retry=RETRY_MILLISECONDS
    )


async def with_heartbeats(
    chunks: AsyncIterator[bytes], seconds: float = HEARTBEAT_SECONDS
) -> AsyncIterator[bytes]:
    """Add a heartbeat whenever nothing was sent for a while."""
    while True:
        coming = asyncio.ensure_future(anext(chunks, None))
        try:
            while not (await asyncio.wait((coming,), timeout=seconds))[0]:
                yield HEARTBEAT
        finally:
            # Does nothing to one that is there; who hangs up waits for none.
            coming.cancel()
        chunk = coming.result()
        if chunk is None:
            return
        yield chunk


async def while_allowed(
    chunks: AsyncIterator[bytes], may_stay: Callable[[], Awaitable[bool]]
) -> AsyncIterator[bytes]:
    """End a stream whose token is not valid any more, or cannot be checked: its client resumes."""
    async for chunk in chunks:
        try:
            if not await may_stay():
                return
        except StoreError as error:
            LOG.warning(AWAY, reason=str(error))
            return
        yield chunk


LOOK_SECONDS = 0.2
PAGE = 500
LAST_WORD_SECONDS = 5.0
"""How long a finished review may take to say its last word."""
LAST = ("pipeline.completed", "pipeline.failed", "pipeline.cancelled")
State = tuple[ReviewStatus, int]
Read = tuple[KeptEvent | None, bytes]
"""The newest event that was read, and all of them as they are sent."""


class Watch:
    """Polls the reviews that somebody listens to."""

    def __init__(self, reviews: Reviews, progress: ReviewProgress) -> None:
        self._reviews, self._progress = reviews, progress
        self._listening: dict[str, int] = {}
        self._states: Mapping[str, State] = {}
        self._reading: dict[tuple[str, int], asyncio.Task[Read]] = {}
        self._news = asyncio.Condition()
        self._is_expected = False
        """Whether somebody waits for the next look, whatever it shows."""
        self._is_listened_to = asyncio.Event()
        self.is_ending = False
        """Set where the server ends: every stream closes within a look, and clients go on elsewhere."""

    def end(self) -> None:
        """Close all streams, even if the database does not answer."""
        self.is_ending = True
        self._ending = asyncio.create_task(self._tell())

    async def _tell(self) -> None:
        async with self._news:
            self._news.notify_all()

    async def keep_looking(self) -> None:
        """Poll until cancelled."""
        while True:
            await self._is_listened_to.wait()
            await asyncio.sleep(LOOK_SECONDS)
            before, is_expected, self._is_expected = self._states, self._is_expected, False
            with suppress(StoreError):
                self._states = await asyncio.to_thread(self._reviews.statuses, list(self._listening))
            # Hundreds who listen are not woken for nothing.
            if is_expected or self._states != before:
                await self._tell()

    @asynccontextmanager
    async def _listened_to(self, review_id: str) -> AsyncIterator[None]:
        self._listening[review_id] = self._listening.get(review_id, 0) + 1
        self._is_listened_to.set()
        try:
            yield
        finally:
            self._listening[review_id] -= 1
            if not self._listening[review_id]:
                del self._listening[review_id]
            if not self._listening:
                self._is_listened_to.clear()

    async def follow(self, review_id: str, after: int) -> AsyncIterator[bytes]:
        """Yield every event after a number, past and future, until the review is over."""
        loop, quiet_since = asyncio.get_running_loop(), 0.0
        async with self._listened_to(review_id):
            last = ""
            while True:
                newest, sent = await self._read_once(review_id, after)
                if newest:
                    after, last, quiet_since = newest.number, newest.name, loop.time()
                    yield sent
                state = await self._wait_for(review_id, after)
                if state is None or self.is_ending:
                    return
                if state[1] > after:
                    continue
                if last in LAST or loop.time() - quiet_since > LAST_WORD_SECONDS:
                    return

    async def _read_once(self, review_id: str, after: int) -> Read:
        """Read the next events once for all listeners that have the same ones before."""
        wanted = (review_id, after)
        if wanted not in self._reading:
            self._reading[wanted] = asyncio.create_task(self._read(*wanted))
            self._reading[wanted].add_done_callback(lambda _: self._reading.pop(wanted))
        # A listener that hangs up cancels its own wait alone.
        return await asyncio.shield(self._reading[wanted])

    async def _read(self, review_id: str, after: int) -> Read:
        """Read the next events; while the database is away there are none."""
        with suppress(StoreError):
            events = await asyncio.to_thread(self._progress.events, review_id, after, PAGE)
            return (events[-1] if events else None), b"".join(map(written, events))
        return None, b""

    async def _wait_for(self, review_id: str, after: int) -> State | None:
        async with self._news:
            # What was seen before this one began to listen may be old.
            self._is_expected = True
            await self._news.wait()
            while self._is_quiet(review_id, after):
                await self._news.wait()
            return self._states.get(review_id)

    def _is_quiet(self, review_id: str, after: int) -> bool:
        state = self._states.get(review_id)
        return state is not None and not self.is_ending and not _is_news(state, after)


def _is_news(state: State, after: int) -> bool:
    return state[1] > after or state[0] in FINISHED
