"""Notice that reviews go on: one look at the database for all who listen, however many they are."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress

from affidavit.errors import StoreError
from affidavit.records.review import FINISHED, KeptEvent, ReviewStatus
from affidavit.store.progress import Progress
from affidavit.store.reviews import Reviews

LOOK_SECONDS = 0.2
PAGE = 500
LAST_WORD_SECONDS = 5.0
"""How long a finished review may take to say its last word."""
LAST = ("pipeline.completed", "pipeline.failed", "pipeline.cancelled")
State = tuple[ReviewStatus, int]


class Watch:
    """Looks at the reviews that somebody listens to; no more than a few times a second."""

    def __init__(self, reviews: Reviews, progress: Progress) -> None:
        self._reviews, self._progress = reviews, progress
        self._listening: dict[str, int] = {}
        self._states: Mapping[str, State] = {}
        self._news = asyncio.Condition()

    async def keep_looking(self) -> None:
        """Look until cancelled."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if not self._listening:
                continue
            with suppress(StoreError):
                self._states = await asyncio.to_thread(self._reviews.statuses, list(self._listening))
            async with self._news:
                self._news.notify_all()

    @asynccontextmanager
    async def _listened_to(self, review_id: str) -> AsyncIterator[None]:
        self._listening[review_id] = self._listening.get(review_id, 0) + 1
        try:
            yield
        finally:
            self._listening[review_id] -= 1
            if not self._listening[review_id]:
                del self._listening[review_id]

    async def follow(self, review_id: str, after: int) -> AsyncIterator[KeptEvent]:
        """Every event after a number, those of before and those to come, until the review is over."""
        loop, quiet_since = asyncio.get_running_loop(), 0.0
        async with self._listened_to(review_id):
            last = ""
            while True:
                for event in await asyncio.to_thread(self._progress.events, review_id, after, PAGE):
                    after, last, quiet_since = event.number, event.name, loop.time()
                    yield event
                state = await self._wait_for(review_id, after)
                if state is None:
                    return
                if state[1] > after:
                    continue
                if last in LAST or loop.time() - quiet_since > LAST_WORD_SECONDS:
                    return

    async def _wait_for(self, review_id: str, after: int) -> State | None:
        async with self._news:
            # What was seen before this one began to listen may be old.
            await self._news.wait()
            while review_id in self._states and not _is_news(self._states[review_id], after):
                await self._news.wait()
            return self._states.get(review_id)


def _is_news(state: State, after: int) -> bool:
    return state[1] > after or state[0] in FINISHED
