"""Reviews that nobody has in hand: of a store from a backup."""

from uuid import NAMESPACE_URL, uuid5

import pytest
from sqlalchemy import update

from affidavit.service.kept.postgresql import open_store
from affidavit.service.kept.records import WantedReview
from affidavit.service.kept.reviews import Reviews, Wanted
from affidavit.store.tables import REVIEWS
from service_process import Asked, other_diff

LONG_AGO = "2026-01-01T00:00:00.000Z"
GONE = "a-worker-of-before-1-a"


def named(text: str) -> str:
    return str(uuid5(NAMESPACE_URL, text))


@pytest.fixture(scope="module")
def left(asked: Asked) -> dict[str, str]:
    """Everything that is left at once, so that one round of the worker finds it."""
    names = {one: named(one) for one in ("not queued", "not queued, begun")}
    with open_store(asked.folder) as store:
        reviews = Reviews(store.database)
        for what, name in names.items():
            request = WantedReview(source="diff", diff_text=other_diff(f"{name}.txt"))
            reviews.add(Wanted(name, "default", LONG_AGO, "me", name, request), again=False)
            if "begun" in what:
                assert reviews.begin(name, GONE, "2026-01-01T00:00:01.000Z")
    return names


@pytest.mark.parametrize("what", ["not queued", "not queued, begun"])
def test_a_review_that_the_queue_does_not_know_is_done(asked: Asked, left: dict[str, str], what: str) -> None:
    assert asked.client.finished(left[what])["status"] == "completed"


def test_a_review_that_is_over_for_the_queue_alone_goes_on(asked: Asked) -> None:
    name = asked.client.submit(diff_text=other_diff("over.txt"), title="Over", again=True)
    assert asked.client.finished(name)["status"] == "completed"
    with open_store(asked.folder) as store, store.database.writing() as connection:
        undone = {"status": "running", "finished_at": None, "created_at": LONG_AGO}
        connection.execute(update(REVIEWS).where(REVIEWS.c.id == name).values(**undone))
    finished = asked.client.finished(name)
    assert (finished["status"], finished["attempt"]) == ("completed", 2)
