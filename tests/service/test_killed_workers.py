"""Workers that die in the middle of a review: it goes on elsewhere, and no call is paid twice."""

import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from affidavit.store.open import open_store
from affidavit.store.reviews import Reviews
from model_server import Script
from model_server import serving as model_serving
from pausing_model import ROLES, PausingModel
from service_process import Client, Event, other_diff, serving, working

QUICK = ("--dead-after-seconds", "3", "--drain-seconds", "1")


def what_happened(events: list[Event]) -> Counter[tuple[str, str]]:
    """Events without what differs from one time to the next."""
    return Counter(
        (
            event.name,
            str(
                {
                    key: value
                    for key, value in event.data.items()
                    if not key.endswith(("timestamp", "_ms", "tokens", "usd")) and key != "review_id"
                }
            ),
        )
        for event in events
    )


@contextmanager
def paused_service(
    folder: Path, database: str | None
) -> Iterator[tuple[Client, PausingModel, Script, list[str]]]:
    """A server that does no reviews, and the arguments of workers for it."""
    pausing = PausingModel()
    with model_serving(pausing) as (address, script):
        arguments = ["--model", "openai:scripted", "--base-url", address, *QUICK]
        arguments += ["--database", database] if database else []
        with serving(folder, "--no-work", *arguments) as (client, _):
            yield client, pausing, script, arguments


def owner_of(folder: Path, database: str | None, review_id: str) -> int:
    """The process that works on a review."""
    with open_store(database or folder) as store:
        review = Reviews(store.database).find(review_id, None)
    assert review is not None
    assert review.owner is not None
    return int(review.owner.split("-")[-2])


LONG = pytest.mark.skipif(not os.environ.get("AFFIDAVIT_LONG_TESTS"), reason="minutes; see CONTRIBUTING.md")


@pytest.mark.parametrize(
    ("kind", "roles"),
    [
        ("sqlite", ("reviewer",)),
        ("postgresql", ("verifier",)),
        pytest.param("sqlite", tuple(ROLES), marks=LONG),
        pytest.param("postgresql", tuple(ROLES), marks=LONG),
    ],
)
def test_a_review_whose_workers_are_killed_is_completed_and_pays_only_for_what_was_in_flight(
    kind: str, roles: tuple[str, ...], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    database = None if kind == "sqlite" else request.getfixturevalue("postgres_url")
    with (
        paused_service(tmp_path, database) as (client, pausing, script, arguments),
        ExitStack() as workers,
    ):
        workers.enter_context(working(tmp_path, *arguments))
        undisturbed = client.submit(diff_text=other_diff("undisturbed.txt"))
        assert client.finished(undisturbed)["status"] == "completed"
        without_kills = len(script.requests)
        expected = what_happened(list(client.stream(undisturbed)))

        review_id = client.submit(diff_text=other_diff("undisturbed.txt"), again=True)
        for role in roles:
            pausing.pause_at(role)
            workers.enter_context(working(tmp_path, *arguments))
            assert pausing.reached.wait(60)
            killed = owner_of(tmp_path, database, review_id)
            os.kill(killed, signal.SIGKILL)
            pausing.go_on()
            wait_for_another(tmp_path, database, review_id, killed)

        summary = client.finished(review_id)
        assert summary["status"] == "completed", summary
        assert summary["attempt"] == 1 + len(roles)
        in_flight = len(script.requests) - 2 * without_kills
        assert 0 <= in_flight <= 2 * len(roles), in_flight
        events = list(client.stream(review_id))
        assert [event.number for event in events] == list(range(1, len(events) + 1))
        assert what_happened(events) == expected
        first, second = (client.get(f"/api/review/{one}").json for one in (undisturbed, review_id))
        assert {**second, "review_duration_ms": 0} == {**first, "review_duration_ms": 0}


def wait_for_another(folder: Path, database: str | None, review_id: str, killed: int) -> None:
    until = time.monotonic() + 60
    while True:
        with open_store(database or folder) as store:
            review = Reviews(store.database).find(review_id, None)
        assert review is not None
        if review.is_finished or (review.owner and int(review.owner.split("-")[-2]) != killed):
            return
        assert time.monotonic() < until, "nobody took over"
        time.sleep(0.1)
