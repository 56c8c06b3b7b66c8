"""Steps that the engine has kept: known by name, in whatever order they were taken and whichever failed."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dbos import DBOS, SetWorkflowID

from affidavit.service.settings import ServiceSettings
from affidavit.service.work.engine import Work, engine_config, engine_for
from affidavit.service.work.heartbeat import Heartbeat
from affidavit.service.work.worker import keep_step, kept_steps
from affidavit.store.open import open_store
from affidavit.store.service.workers import KeptWorker, Workers

KNOWN: list[dict[str, Any]] = []
"""What each try knew when it began."""
NAME = "one"


async def made() -> str:
    return f"by try {len(KNOWN)}"


async def broken() -> str:
    raise ConnectionError("a cell is gone")


async def endless() -> str:
    await asyncio.Event().wait()
    return "never"


@DBOS.workflow(name="steps of a test")
async def take_steps(folder: str) -> None:
    work = Work(ServiceSettings(Path(folder)))
    kept = await kept_steps(NAME, await work.steps(NAME))
    work.close()
    KNOWN.append(kept)
    if len(KNOWN) == 1:
        # Side by side, one fails and one has no result when the try ends; then in another order.
        hanging = asyncio.create_task(keep_step("map", endless))
        await asyncio.sleep(0.05)
        with pytest.raises(ConnectionError):
            await keep_step("analysers", broken)
        hanging.cancel()
        await keep_step("analysers", made)
        raise ConnectionError("the worker is gone")
    for name in ("map", "analysers", "plan"):
        if name not in kept:
            await keep_step(name, made)


ENDED = threading.Event()


@DBOS.workflow(name="held in a test")
def hold_on() -> None:
    ENDED.wait(60)


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Work]:
    settings = ServiceSettings(tmp_path)
    database = engine_for(settings)
    DBOS(config=engine_config(settings, database))
    DBOS.launch()
    work = Work(settings)
    try:
        yield work
    finally:
        DBOS.destroy()
        work.close()
        database.dispose()


def test_what_was_kept_is_known_after_steps_that_failed_and_steps_that_never_ended(
    work: Work, tmp_path: Path
) -> None:
    KNOWN.clear()
    with SetWorkflowID(NAME):
        first = DBOS.start_workflow(take_steps, str(tmp_path))
    with pytest.raises(ConnectionError):
        first.get_result()
    for _ in range(2):
        last = max(asyncio.run(work.steps(NAME)))
        DBOS.rewind_workflow(NAME, start_step=last + 1).get_result()
    assert KNOWN == [
        {},
        {"analysers": "by try 1"},
        {"analysers": "by try 1", "map": "by try 2", "plan": "by try 2"},
    ]


def test_what_is_in_the_hands_of_somebody_whom_nobody_knows_is_handed_on(work: Work, tmp_path: Path) -> None:
    with SetWorkflowID(NAME):
        DBOS.start_workflow(hold_on)
    with open_store(tmp_path) as store:
        beat = Heartbeat(store, work, "another", 10.0)
        beat.begin()
        assert beat.beat() == []
        assert beat.adopt() == [NAME]
        assert beat.adopt() == []
    ENDED.set()


def test_nobody_is_given_up_for_the_time_in_which_nobody_could_beat(work: Work, tmp_path: Path) -> None:
    now = [0.0]
    with open_store(tmp_path) as store:
        one, other = (Heartbeat(store, work, name, 10.0, lambda: now[0]) for name in ("one", "other"))
        workers = Workers(store.database)
        for name in ("one", "other"):
            # Of another machine, so that only their beats tell of them.
            workers.add(KeptWorker(name, name, 1, 0, "1"), "2026-01-01T00:00:00.000Z")
        one.beat()
        other.beat()
        now[0] = 30.0
        one.beat()
        assert {each.id for each in workers.all()} == {"one", "other"}
        for second in range(31, 42):
            now[0] = float(second)
            one.beat()
        assert {each.id for each in workers.all()} == {"one"}
