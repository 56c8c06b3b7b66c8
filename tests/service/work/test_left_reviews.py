"""Reviews that nobody has in hand: of a store from a backup, or of a version that no worker has any more."""

import asyncio
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import pytest
from sqlalchemy import update

from affidavit.records.service.review import WantedReview
from affidavit.service.settings import ServiceSettings
from affidavit.service.work.engine import APPLICATION_VERSION, QUEUE, WORKFLOW, Work
from affidavit.service.work.heartbeat import Heartbeat, this_place
from affidavit.store.databases.schema import REVIEWS
from affidavit.store.open import open_store
from affidavit.store.service.reviews import Reviews, Wanted
from affidavit.store.service.workers import KeptWorker, Workers
from service_process import Asked, other_diff

OLD, LONG_AGO = "0", "2026-01-01T00:00:00.000Z"
GONE = "a-worker-of-before-1-a"
KEPT_STEP = """
    INSERT INTO operation_outputs
        (workflow_uuid, function_id, function_name, output, serialization, retention_timestamp)
    VALUES (?, 1, 'earlier', '{"of": "another version"}', 'portable_json', 0)
"""


def named(text: str) -> str:
    return str(uuid5(NAMESPACE_URL, text))


def enqueue(work: Work, review_id: str, version: str) -> None:
    work.client.enqueue(
        {
            "workflow_name": WORKFLOW,
            "queue_name": QUEUE,
            "workflow_id": review_id,
            "queue_partition_key": "default",
            "app_version": version,
        },
        review_id,
    )


def begin_elsewhere(folder: Path, review_id: str) -> None:
    """As a worker of another version leaves it that dies after its first step."""
    connection = sqlite3.connect(folder / "work.db", timeout=30)
    with connection:
        connection.execute(KEPT_STEP, (review_id,))
        connection.execute(
            "UPDATE workflow_status SET status = 'PENDING', executor_id = ? WHERE workflow_uuid = ?",
            (GONE, review_id),
        )
    connection.close()


@pytest.fixture(scope="module")
def left(asked: Asked) -> dict[str, str]:
    """Everything that is left at once, so that one round of the worker finds it."""
    names = {one: named(one) for one in ("not queued", "not queued, begun", "queued by old", "begun by old")}
    work = Work(ServiceSettings(asked.folder))
    with open_store(asked.folder) as store:
        reviews = Reviews(store.database)
        for what, name in names.items():
            if what.endswith("old"):
                enqueue(work, name, OLD)
            if what == "begun by old":
                begin_elsewhere(asked.folder, name)
            request = WantedReview(source="diff", diff_text=other_diff(f"{name}.txt"))
            reviews.add(Wanted(name, "default", LONG_AGO, "me", name, request), again=False)
            if "begun" in what:
                assert reviews.begin(name, GONE, "2026-01-01T00:00:01.000Z")
    work.close()
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


@pytest.mark.parametrize("what", ["queued by old", "begun by old"])
def test_a_review_that_an_older_version_left_is_done_by_a_newer_one(
    asked: Asked, left: dict[str, str], what: str
) -> None:
    summary = asked.client.finished(left[what])
    # What the other version has kept of it is no part of it any more.
    assert (summary["status"], summary["follows"]) == ("completed", None), summary
    work = Work(ServiceSettings(asked.folder))
    (known,) = work.client.list_workflows(workflow_ids=[left[what]], load_input=False, load_output=False)
    work.close()
    assert known.app_version == APPLICATION_VERSION


@pytest.fixture
def beating(tmp_path: Path) -> Iterator[tuple[Heartbeat, Workers, Work]]:
    work = Work(ServiceSettings(tmp_path))
    work.prepare()
    with open_store(tmp_path) as store:
        heartbeat = Heartbeat(store, work, "new", 10.0)
        heartbeat.begin()
        yield heartbeat, Workers(store.database), work
    work.close()


def test_what_waits_for_an_older_version_is_left_to_its_workers_while_there_are_any(
    beating: tuple[Heartbeat, Workers, Work],
) -> None:
    heartbeat, workers, work = beating
    workers.add(KeptWorker("old", this_place(), 1, 0, OLD), LONG_AGO)
    for name, version in (("theirs", OLD), ("ours", APPLICATION_VERSION)):
        enqueue(work, name, version)
    assert heartbeat.release(["theirs", "ours"]) == []
    workers.remove("old")
    assert heartbeat.release(["theirs", "ours"]) == ["theirs"]
    assert heartbeat.release(["theirs", "ours"]) == []


def test_a_review_that_failed_under_another_version_is_retried_from_its_beginning(
    beating: tuple[Heartbeat, Workers, Work], tmp_path: Path
) -> None:
    work = beating[2]
    for name, version in (("theirs", OLD), ("ours", APPLICATION_VERSION)):
        enqueue(work, name, version)
        begin_elsewhere(tmp_path, name)
        work.client.cancel_workflow(name)
        asyncio.run(work.retry(name, "default"))
    steps = {name: asyncio.run(work.steps(name)) for name in ("theirs", "ours")}
    assert steps == {"theirs": {}, "ours": {1: "earlier"}}
    known = work.client.list_workflows(status="ENQUEUED", load_input=False, load_output=False)
    assert {one.app_version for one in known} == {APPLICATION_VERSION}
