"""Unforeseen faults: a review reports them, and a killed spawner process is started again."""

import asyncio
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from affidavit.errors import StoreError
from affidavit.events import now_iso
from affidavit.minds.choice import CallLimits
from affidavit.service.child.spawner import Spawner
from affidavit.service.kept.access import Access
from affidavit.service.kept.postgresql import open_store
from affidavit.service.kept.records import KeptReview, WantedReview
from affidavit.service.kept.reviews import Reviews, Wanted
from affidavit.service.settings import ServiceSettings
from affidavit.service.work.attempt import Diary, HeldReview, LostReview
from affidavit.service.work.calls import Calls
from affidavit.service.work.forgetting import Caches
from affidavit.service.work.worker import again_and_again
from affidavit.service.work.workplace import FailedReview, ReviewRunner
from service_process import DIFF


class BrokenSpawner(Spawner):
    """Makes no child."""

    async def spawn(self) -> Any:
        raise ZeroDivisionError("a fault")


@pytest.fixture(scope="module")
def spawner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Spawner]:
    """One for all tests: its process, which nobody uses, takes a second to start."""
    with closing(BrokenSpawner(tmp_path_factory.mktemp("cache"), {})) as broken:
        yield broken


@contextmanager
def workplace(folder: Path, spawner: Spawner) -> Iterator[ReviewRunner]:
    settings = ServiceSettings(folder / "data")
    with open_store(folder / "data") as store:
        caches = Caches(settings, Access(store.database))
        yield ReviewRunner(settings, store, Calls({}, {}, CallLimits()), spawner, caches)


def review_with_a_fault(
    folder: Path, spawner: Spawner, *, is_ending: bool
) -> tuple[type[BaseException], KeptReview]:
    with workplace(folder, spawner) as place:
        place.is_ending = is_ending
        request = WantedReview(source="diff", diff_text=DIFF)
        place.reviews.add(Wanted("one", "default", now_iso(), "me", "key", request), again=False)
        with pytest.raises((FailedReview, ZeroDivisionError)) as raised:
            asyncio.run(place.do("one"))
        found = place.reviews.find("one", None)
        assert found is not None
        return raised.type, found


def test_a_review_that_meets_a_fault_of_ours_fails_and_says_so(tmp_path: Path, spawner: Spawner) -> None:
    kind, review = review_with_a_fault(tmp_path, spawner, is_ending=False)
    assert kind is FailedReview
    assert review.status == "failed"
    assert "a fault in Affidavit itself, ZeroDivisionError: a fault" in (review.reason or "")


def test_what_goes_wrong_while_a_worker_ends_is_left_to_the_others(tmp_path: Path, spawner: Spawner) -> None:
    kind, review = review_with_a_fault(tmp_path, spawner, is_ending=True)
    assert kind is ZeroDivisionError
    assert review.status == "running"


class Stopping(HeldReview):
    def __init__(self) -> None:
        self.is_stopped = False

    def stop(self) -> None:
        self.is_stopped = True


class Late(Reviews):
    """While its database answers, something happens."""

    def __init__(self, place: ReviewRunner, happens: Callable[[], None]) -> None:
        super().__init__(place.store.database)
        self._happens = happens

    def owners(self, review_ids: Sequence[str]) -> dict[str, str | None]:
        found = super().owners(review_ids)
        self._happens()
        return found


def test_what_is_taken_while_the_owners_are_looked_up_is_not_taken_for_lost(
    tmp_path: Path, spawner: Spawner
) -> None:
    with workplace(tmp_path, spawner) as place:
        for name in ("mine", "lost", "taken"):
            request = WantedReview(source="diff", diff_text=DIFF)
            place.reviews.add(Wanted(name, "default", now_iso(), "me", name, request), again=False)
        place.reviews.begin("mine", place.settings.worker_id, now_iso())
        held = {name: Stopping() for name in ("mine", "lost", "taken")}
        place.held.update({name: held[name] for name in ("mine", "lost")})
        place.reviews = Late(place, lambda: place.held.update(taken=held["taken"]))
        asyncio.run(place.release_lost())
    assert {name: one.is_stopped for name, one in held.items()} == {
        "mine": False,
        "lost": True,
        "taken": False,
    }


def status_of(process: int) -> list[str]:
    """Its state and its parent first."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()


def test_a_spawner_process_that_was_killed_is_started_again(tmp_path: Path) -> None:
    async def spawn(spawner: Spawner) -> int:
        connection, number = await spawner.spawn()
        connection.close()
        return number

    with closing(Spawner(tmp_path, os.environ)) as spawner:
        number = asyncio.run(spawn(spawner))
        parent = int(status_of(number)[1])
        os.kill(parent, signal.SIGKILL)
        while status_of(parent)[0] != "Z":
            time.sleep(0.01)
        assert asyncio.run(spawn(spawner)) != number


def test_a_child_of_a_killed_spawner_process_is_killed(tmp_path: Path) -> None:
    async def spawn(spawner: Spawner) -> tuple[socket.socket, int]:
        return await spawner.spawn()

    with closing(Spawner(tmp_path, os.environ)) as spawner:
        connection, number = asyncio.run(spawn(spawner))
        parent = int(status_of(number)[1])
        os.kill(parent, signal.SIGKILL)
        while status_of(parent)[0] != "Z":
            time.sleep(0.01)
        other, _ = asyncio.run(spawn(spawner))
        with connection, other:
            spawner.kill(number)
            assert is_gone_within(10.0, number)


def is_gone_within(seconds: float, process: int) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            if status_of(process)[0] == "Z":
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.01)
    return False


def test_a_fault_does_not_end_what_is_done_again_and_again() -> None:
    async def done(times: list[int]) -> None:
        times.append(len(times))
        if len(times) == 1:
            raise ZeroDivisionError("a fault")
        if len(times) == 2:
            raise StoreError("away", retryable=True)
        raise asyncio.CancelledError

    times: list[int] = []
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(again_and_again(lambda: done(times), 0.0))
    assert times == [0, 1, 2]


def test_a_worker_that_ends_says_nothing_of_threads_that_are_gone(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    async def done() -> None:
        raise RuntimeError("cannot schedule new futures after shutdown")

    asyncio.run(asyncio.wait_for(again_and_again(done, 0.0, lambda: True), 60))
    assert "fault" not in caplog.text + "".join(capsys.readouterr())


def test_a_rest_ends_when_the_review_is_let_go_of(tmp_path: Path, spawner: Spawner) -> None:
    async def rest(place: ReviewRunner) -> None:
        review = place.reviews.begin("one", place.settings.worker_id, now_iso())
        assert review is not None
        diary = Diary(place.progress, "one", place.settings.worker_id)
        held = HeldReview(review, place.calls, diary)
        await held.rest(0.01)
        held.stop()
        with pytest.raises(LostReview):
            await held.rest(600)

    with workplace(tmp_path, spawner) as place:
        request = WantedReview(source="diff", diff_text=DIFF)
        place.reviews.add(Wanted("one", "default", now_iso(), "me", "key", request), again=False)
        asyncio.run(rest(place))
