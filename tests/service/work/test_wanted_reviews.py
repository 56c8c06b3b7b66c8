"""What is asked for at the same moment, by one server or by several on one store: each is decided alone."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Barrier
from typing import TypeVar

import pytest

from affidavit.service.kept.postgresql import open_store
from affidavit.service.kept.records import WantedReview
from affidavit.service.kept.reviews import Filter, FullQueue, Reviews, Wanted
from affidavit.store.open import SqliteFile, Store

AT_ONCE, MOST = 10, 3
Result = TypeVar("Result")


@pytest.fixture
def servers(store: Store) -> Iterator[list[Reviews]]:
    """The same store as two servers have it."""
    location = store.location
    place = location.path.parent if isinstance(location, SqliteFile) else location.url
    with ExitStack() as stack:
        opened = [stack.enter_context(open_store(place, keeps_connections=True)) for _ in range(2)]
        for one in opened:
            # Making a connection takes longer than what is to happen at once.
            with ExitStack() as held:
                for _ in range(AT_ONCE // 2):
                    held.enter_context(one.database.transaction())
        yield [Reviews(one.database) for one in opened]


def wanted(name: str, change: str, tenant: str = "one") -> Wanted:
    request = WantedReview(source="diff", diff_text="a diff")
    return Wanted(name, tenant, "2026-01-01T00:00:00.000Z", "me", change, request)


def at_once(servers: list[Reviews], work: Callable[[Reviews, int], Result]) -> list[Result | None]:
    """What came of each; None where the queue was full."""
    everybody = Barrier(AT_ONCE)

    def one(number: int) -> Result | None:
        everybody.wait(60)
        try:
            return work(servers[number % 2], number)
        except FullQueue:
            return None

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(one, range(AT_ONCE)))


def test_no_more_are_taken_than_may_wait_however_many_come_at_once(servers: list[Reviews]) -> None:
    taken = at_once(
        servers,
        lambda reviews, number: reviews.add(wanted(f"r{number}", f"c{number}"), again=False, most=MOST),
    )
    assert sum(one is not None for one in taken) == MOST
    assert servers[0].counts() == {("one", "queued"): MOST}
    # Nobody else's queue is full for that.
    assert servers[1].add(wanted("other", "c", "two"), again=False, most=1)[1]


def test_no_more_are_retried_than_may_wait(servers: list[Reviews]) -> None:
    for number in range(AT_ONCE):
        servers[0].add(wanted(f"r{number}", f"c{number}"), again=False)
        servers[0].finish(f"r{number}", "failed", "2026-01-02")
    opened = at_once(servers, lambda reviews, number: reviews.reopen(f"r{number}", "one", most=MOST))
    assert opened.count(True) == MOST
    assert servers[0].counts() == {("one", "queued"): MOST}


def test_a_new_review_is_a_new_one_also_for_those_who_ask_at_the_same_moment(servers: list[Reviews]) -> None:
    servers[0].add(wanted("first", "same"), again=False)
    added = at_once(servers, lambda reviews, number: reviews.add(wanted(f"r{number}", "same"), again=True))
    assert [one and (one[0].id, one[1]) for one in added] == [
        (f"r{number}", True) for number in range(AT_ONCE)
    ]
    # Whoever asks then is answered with one of them.
    answer, is_new = servers[1].add(wanted("last", "same"), again=False)
    assert (answer.id.startswith("r"), is_new) == (True, False)


def test_the_same_change_asked_for_at_the_same_moment_is_one_review(servers: list[Reviews]) -> None:
    added = at_once(servers, lambda reviews, number: reviews.add(wanted(f"r{number}", "same"), again=False))
    assert len({one[0].id for one in added if one}) == 1
    assert sum(one[1] for one in added if one) == 1
    assert len(servers[0].page("one", Filter(), 10, None)) == 1
