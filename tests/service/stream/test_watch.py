"""Many who listen to one review: each hears all of it."""

import asyncio
import re
import threading
from collections.abc import Sequence
from pathlib import Path

from affidavit.service.kept.postgresql import open_store
from affidavit.service.kept.progress import NewEvent, ReviewProgress
from affidavit.service.kept.records import KeptEvent, WantedReview
from affidavit.service.kept.reviews import Reviews, Wanted
from affidavit.service.streaming import State, Watch
from affidavit.store.database import Database

LISTENERS = 100
EVENTS = 5
LOOKS = 10


class CountedProgress(ReviewProgress):
    """Counts how often events are read."""

    reads = 0

    def events(self, review_id: str, after: int, limit: int) -> list[KeptEvent]:
        self.reads += 1
        return super().events(review_id, after, limit)


def test_what_happens_is_heard_by_all_who_listen_and_read_once_for_all(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        reviews, progress = Reviews(store.database), CountedProgress(store.database)
        _want_one(reviews)
        heard = asyncio.run(listen(Watch(reviews, progress), reviews, progress))
    assert heard == [list(range(1, EVENTS + 1))] * LISTENERS
    # Each event once or twice, and not once for each listener.
    assert progress.reads < 5 * EVENTS, progress.reads


def test_a_listener_that_hangs_up_takes_no_event_from_the_others(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        reviews, progress = Reviews(store.database), SlowProgress(store.database)
        _want_one(reviews)
        progress.add_events("one", [NewEvent("pipeline.completed", {}, "1")], None)
        reviews.finish("one", "completed", "2026")
        watch = Watch(reviews, progress)

        async def listen() -> list[int]:
            looking = asyncio.create_task(watch.keep_looking())
            first, second = asyncio.create_task(_all(watch)), asyncio.create_task(_all(watch))
            await asyncio.to_thread(progress.is_asked.wait, 30)
            first.cancel()
            await asyncio.wait((first,))
            progress.may_answer.set()
            heard = await second
            looking.cancel()
            return heard

        assert asyncio.run(listen()) == [1]
        assert progress.reads == 1


class SlowProgress(CountedProgress):
    """Answers when it is let."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.is_asked, self.may_answer = threading.Event(), threading.Event()

    def events(self, review_id: str, after: int, limit: int) -> list[KeptEvent]:
        self.is_asked.set()
        self.may_answer.wait(30)
        return super().events(review_id, after, limit)


async def listen(watch: Watch, reviews: Reviews, progress: ReviewProgress) -> list[list[int]]:
    async def hear() -> list[int]:
        return await _all(watch)

    looking = asyncio.create_task(watch.keep_looking())
    hearing = [asyncio.create_task(hear()) for _ in range(LISTENERS)]
    for number in range(EVENTS):
        await asyncio.sleep(0.25)
        name = "pipeline.completed" if number == EVENTS - 1 else "tool.called"
        progress.add_events("one", [NewEvent(name, {}, str(number))], None)
    reviews.finish("one", "completed", "2026")
    heard = await asyncio.gather(*hearing)
    looking.cancel()
    return heard


class Counted(dict[str, State]):
    """What a look shows; counts who asks for it."""

    asked = 0

    def get(self, key: str, default: State | None = None) -> State | None:  # type: ignore[override]
        Counted.asked += 1
        return super().get(key, default)


class Looked(Reviews):
    """Says when it was looked at often enough."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.looks, self.is_enough = 0, threading.Event()

    def statuses(self, review_ids: Sequence[str]) -> dict[str, State]:
        self.looks += 1
        if self.looks == LOOKS:
            self.is_enough.set()
        return Counted(super().statuses(review_ids))


def test_nobody_who_listens_is_woken_while_nothing_happens(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        reviews = Looked(store.database)
        _want_one(reviews)
        watch = Watch(reviews, ReviewProgress(store.database))

        async def listen() -> None:
            looking = asyncio.create_task(watch.keep_looking())
            following = [asyncio.create_task(_all(watch)) for _ in range(LISTENERS)]
            await asyncio.to_thread(reviews.is_enough.wait, 60)
            looking.cancel()
            watch.end()
            await asyncio.gather(*following)

        asyncio.run(listen())
    # Each once when it came, and once at the end; not at every look.
    assert LISTENERS <= Counted.asked <= 4 * LISTENERS


def _want_one(reviews: Reviews) -> None:
    wanted = WantedReview(source="diff", diff_text="x")
    reviews.add(Wanted("one", "default", "2026", "me", "key", wanted), again=False)


class Hanging(Reviews):
    """Its database does not answer, and does not refuse either."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.is_asked, self.is_over = threading.Event(), threading.Event()

    def statuses(self, review_ids: Sequence[str]) -> dict[str, State]:
        self.is_asked.set()
        self.is_over.wait(30)
        return {}


def test_streams_close_at_once_when_a_server_ends_whose_database_hangs(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        reviews = Hanging(store.database)
        watch = Watch(reviews, ReviewProgress(store.database))

        async def listen() -> None:
            looking = asyncio.create_task(watch.keep_looking())
            following = asyncio.create_task(_all(watch))
            await asyncio.to_thread(reviews.is_asked.wait, 30)
            watch.end()
            try:
                async with asyncio.timeout(5):
                    assert await following == []
            finally:
                reviews.is_over.set()
                looking.cancel()

        asyncio.run(listen())


async def _all(watch: Watch) -> list[int]:
    """The numbers of the events that one listener gets."""
    sent = b"".join([part async for part in watch.follow("one", 0)])
    return [int(one) for one in re.findall(rb"^id: (\d+)$", sent, re.MULTILINE)]
