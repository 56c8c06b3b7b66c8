"""Work of those who stop beating is handed on."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from dbos import DBOS, SetWorkflowID

from affidavit.service.kept.access import KeptWorker, Workers
from affidavit.service.kept.postgresql import open_store
from affidavit.service.settings import ServiceSettings
from affidavit.service.work.engine import Work, engine_config, engine_for
from affidavit.service.work.worker import Heartbeat

NAME = "one"


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
            workers.add(KeptWorker(name, name, 1, 0), "2026-01-01T00:00:00.000Z")
        one.beat()
        other.beat()
        now[0] = 30.0
        one.beat()
        assert {each.id for each in workers.all()} == {"one", "other"}
        for second in range(31, 42):
            now[0] = float(second)
            one.beat()
        assert {each.id for each in workers.all()} == {"one"}
