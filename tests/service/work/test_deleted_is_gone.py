"""What is deleted is gone: rows of the store and of the engine, exchanges, caches, the bytes in the files."""

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import update

from affidavit.service.kept.access import Access
from affidavit.service.kept.postgresql import open_store
from affidavit.service.kept.progress import NewEvent, ReviewProgress
from affidavit.service.kept.records import WantedReview
from affidavit.service.kept.reviews import Reviews, Wanted
from affidavit.service.settings import ServiceSettings
from affidavit.service.work.forgetting import Caches
from affidavit.store.open import Store
from affidavit.store.tables import REVIEWS
from model_server import serving as model_serving
from scripted_model import model
from service_process import DIFF, SECRETS, Asked, Client, Service, make_token, serving

WORD = "quokka_wombat"


def marked(number: int) -> str:
    """A change whose every trace has a word that is nowhere else."""
    return DIFF.replace("def total", f"def {WORD}{number}_total")


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Path, Client, Service]]:
    with (
        model_serving(model()) as (address, _),
        serving(
            tmp_path,
            *("--model", "openai:scripted", "--base-url", address, "--retention-days", "30"),
            environment={"AFFIDAVIT_CACHE": ""},
        ) as (client, service),
    ):
        yield tmp_path, client, service


def made_older(folder: Path, tenant: str) -> None:
    """Let a tenant's reviews have begun and ended years ago."""
    then = "2020-01-01T00:00:00.000Z"
    old = update(REVIEWS).where(REVIEWS.c.tenant == tenant).values(created_at=then, finished_at=then)
    with open_store(folder) as store, store.database.writing() as connection:
        connection.execute(old)


def files_with(folder: Path, word: str) -> list[str]:
    return sorted(
        str(file.relative_to(folder))
        for file in folder.rglob("*")
        if file.is_file() and file.suffix != ".log" and word.encode() in file.read_bytes()
    )


def rows_with(folder: Path, review_id: str) -> list[str]:
    """Every table of both databases that speaks of a review."""
    found = []
    for name in ("affidavit.db", "work.db"):
        with closing(sqlite3.connect(folder / name)) as database:
            tables = [
                row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            ]
            for table in tables:
                rows = database.execute(f'SELECT * FROM "{table}"').fetchall()
                if any(review_id in str(row) for row in rows):
                    found.append(f"{name} {table}")
    return found


def test_a_deleted_review_leaves_nothing_but_a_line_in_the_log(
    served: tuple[Path, Client, Service],
) -> None:
    folder, client, service = served
    review_id = client.submit(diff_text=marked(1))
    assert client.finished(review_id)["status"] == "completed"
    assert {"affidavit.db review_exchanges", "affidavit.db reports"} <= set(rows_with(folder, review_id))
    assert files_with(folder, WORD)
    caches = list((folder / "cache" / "tenants").iterdir())
    assert any(path.is_dir() for path in caches)
    old = client.submit(diff_text=marked(2))
    assert client.finished(old)["status"] == "completed"
    assert client.ask("DELETE", f"/api/review/{review_id}").status == 204
    # No byte is left, also while the service runs: neither in a database nor in the log before it.
    assert files_with(folder, f"{WORD}1") == []
    assert rows_with(folder, review_id) == []
    assert not any(path.is_dir() for path in (folder / "cache" / "tenants").iterdir())
    lines = [json.loads(line) for line in service.log.read_text().splitlines() if line.startswith("{")]
    assert [(one["reviews"], one["by"]) for one in lines if one["event"] == "deleted"] == [
        ([review_id], "local")
    ]
    # What is older than the operator keeps goes by itself.
    made_older(folder, "default")
    until = time.monotonic() + 60
    while client.get(f"/api/review/{old}").status != 404:
        assert time.monotonic() < until
        time.sleep(0.2)
    assert rows_with(folder, old) == []
    assert service.end() == 0
    assert files_with(folder, WORD) == []


def test_the_operator_purges_what_is_old_while_the_service_runs(asked: Asked) -> None:
    client = Client(asked.client.url, make_token(asked.folder, "me", "submit", tenant="old"))
    review_id = client.submit(diff_text=marked(6))
    assert client.finished(review_id)["status"] == "completed"
    made_older(asked.folder, "old")
    done = asked.command("purge", "--older-than", "30d", "--tenant", "old")
    assert (done.code, done.out.startswith("1 reviews")) == (0, True), done
    assert client.get(f"/api/review/{review_id}").status == 404
    assert rows_with(asked.folder, review_id) == []


def test_a_cache_in_use_stays_until_nobody_uses_it_and_others_keep_theirs(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        access = Access(store.database)
        caches = Caches(ServiceSettings(tmp_path), access)
        elsewhere = Caches(ServiceSettings(tmp_path), access)
        with caches.used("one") as mine, caches.used("two") as theirs:
            (mine / "result").write_text("kept")
            access.count_deletion("one", "2026-01-01")
            assert elsewhere.sweep() == []
        assert elsewhere.sweep() == ["one"]
        assert (mine.exists(), theirs.exists()) == (False, True)
        with caches.used("one") as mine:
            assert not (mine / "result").exists()
        assert caches.sweep() == []


def test_what_never_came_into_the_queue_is_put_there(asked: Asked) -> None:
    """Its server died between the store and the queue."""
    wanted = Wanted(
        id=str(uuid4()),
        tenant="default",
        created_at="2020-01-01T00:00:00.000Z",
        submitted_by="local",
        change_key="an orphan",
        request=WantedReview(source="diff", diff_text=marked(4)),
    )
    with open_store(asked.folder) as store:
        Reviews(store.database).add(wanted, again=False)
    assert asked.client.finished(wanted.id)["status"] == "completed"
    lines = asked.service.log.read_text().splitlines()
    told = [json.loads(line) for line in lines if line.startswith("{")]
    noticed = [one["review"] for one in told if one["event"] == "put into the queue what was not there"]
    assert noticed.count(wanted.id) == 1


def test_who_has_lost_a_review_writes_no_more_about_it(store: Store) -> None:
    reviews, progress = Reviews(store.database), ReviewProgress(store.database)
    wanted = WantedReview(source="diff", diff_text=marked(5))
    reviews.add(Wanted("r", "default", "2026-01-01", "me", "key", wanted), again=False)
    assert reviews.begin("r", "first", "2026-01-01") is not None
    assert reviews.begin("r", "second", "2026-01-01") is not None
    said = [NewEvent("pipeline.started", {}, "identity")]
    assert progress.add_events("r", said, "first") is None
    assert not progress.add("r", "first", [], [("key", {"usage": {"input_tokens": 1}})])
    assert not reviews.note("r", "first", stage="keep")
    assert not reviews.finish("r", "completed", "2026-01-01", owner="first")
    assert progress.add_events("r", said, "second") == 1
    assert progress.exchanges("r") == []
    assert reviews.finish("r", "completed", "2026-01-01", owner="second")


def test_a_child_process_knows_no_secret(tmp_path: Path) -> None:
    # A fork would show the variables of what it is a fork of.
    with serving(tmp_path, environment=SECRETS, is_started=True) as (_, service):
        children = [
            int(number)
            for task in Path(f"/proc/{service.process.pid}/task").glob("*/children")
            for number in task.read_text().split()
        ]
        (spawner,) = [
            one for one in children if b"child.spawner" in Path(f"/proc/{one}/cmdline").read_bytes()
        ]
        known = Path(f"/proc/{spawner}/environ").read_bytes()
        assert b"PATH=" in known
        assert b"secret-word" not in known
        assert b"SOMETHING_ELSE" not in known
        # Neither database is open in it, nor what the server listens to.
        opened = [str(file.readlink()) for file in Path(f"/proc/{spawner}/fd").iterdir()]
        assert not [name for name in opened if name.endswith(".db")]
