"""What every review reads and writes, without SQLAlchemy: the same as with it, in the same tables."""

import sqlite3
import threading
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from affidavit.errors import StoreError
from affidavit.records.iteration import IterationSummary
from affidavit.records.measure import Label, LabelEntry
from affidavit.store.open import Store, open_store
from reports_to_keep import report

FILE = "affidavit.db"


def rows(folder: Path, statement: str) -> list[Any]:
    with closing(sqlite3.connect(folder / FILE)) as database:
        return database.execute(statement).fetchall()


def tables(folder: Path) -> dict[str, str]:
    """The statement of every table and index, on one line."""
    listed = rows(folder, "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    return {name: " ".join(sql.split()) for name, sql in listed}


def summary(report_id: str, number: int = 1, tree: str = "t") -> IterationSummary:
    return IterationSummary(number=number, report_id=report_id, tree=tree, score=0.5, verdict="refine")


def test_the_tables_are_those_that_sqlalchemy_makes(tmp_path: Path) -> None:
    open_store(tmp_path / "plain").kept.save(report())
    open_store(tmp_path / "other").reports.save(report())
    assert tables(tmp_path / "plain") == tables(tmp_path / "other")
    assert rows(tmp_path / "plain", "SELECT * FROM store_version") == [("1",)]
    assert rows(tmp_path / "plain", "PRAGMA journal_mode") == [("wal",)]


def test_the_rows_are_those_that_sqlalchemy_writes(tmp_path: Path) -> None:
    plain, other = open_store(tmp_path / "plain"), open_store(tmp_path / "other")
    first, second = report("r1"), report("r2")
    for reports, series in ((plain.kept, plain.kept), (other.reports, other.iterations)):
        for one in (first, second, first):
            reports.save(one)
        for number, name, tree in ((1, "r1", "a"), (2, "r2", "b"), (2, "r1", "b")):
            series.add("re\0po", "feature", summary(name, number, tree))
    for table in ("reports", "findings", "iterations"):
        found = rows(tmp_path / "plain", f"SELECT * FROM {table}")
        assert found == rows(tmp_path / "other", f"SELECT * FROM {table}")
        assert found
    assert plain.kept.of("re\0po", "feature") == other.iterations.of("re\0po", "feature")


def test_a_report_that_one_way_keeps_is_loaded_the_other_way(store: Store) -> None:
    first = report("r1")
    store.kept.save(first)
    store.reports.save(report("r2"))
    assert store.reports.load("r1") == first
    assert store.kept.load_bytes("r2") == store.reports.load_bytes("r2")
    assert store.kept.load_bytes("r3") is None


def test_old_reports_go_and_labelled_ones_may_stay(store: Store) -> None:
    at = datetime.now(UTC).isoformat()
    for name in ("old", "labelled"):
        store.kept.save(report(name).model_copy(update={"created_at": "2020"}))
    assert not store.kept.has_labels()
    named = report().candidates[0].id
    store.labels.add(LabelEntry(report_id="labelled", candidate_id=named, label=Label.VALID, at=at))
    assert store.kept.has_labels()
    assert store.kept.delete_before(at, spares_labelled=True) == 1
    assert store.reports.ids() == ["labelled"]
    assert store.kept.delete_before(at) == 1
    assert (store.reports.ids(), store.kept.has_labels()) == ([], False)


def test_what_fails_halfway_leaves_nothing_behind(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    store.kept.save(report())
    with pytest.raises(StoreError, match="cannot be used"):
        store.kept.add("repo", "feature", summary("a report that nobody kept"))
    assert store.kept.of("repo", "feature") == []


def test_those_who_begin_a_new_store_at_once_all_find_it_whole(tmp_path: Path) -> None:
    start, errors = threading.Barrier(8), []

    def save(number: int) -> None:
        store = open_store(tmp_path)
        start.wait()
        try:
            (store.kept if number % 2 else store.reports).save(report(f"r{number}"))
        except StoreError as error:
            errors.append(error)

    threads = [threading.Thread(target=save, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert open_store(tmp_path).reports.count() == 8


def test_the_store_is_readable_by_the_user_alone(tmp_path: Path) -> None:
    open_store(tmp_path / "data").kept.save(report())
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "data" / FILE).stat().st_mode & 0o777 == 0o600


def test_a_store_that_cannot_be_used_is_said_in_the_same_words(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("this is no database, whatever its name says" * 50)
    with pytest.raises(StoreError, match=r"affidavit.db cannot be used: file is not a database$"):
        open_store(tmp_path).kept.save(report())
    newer = open_store(tmp_path / "newer")
    newer.kept.save(report())
    rows(tmp_path / "newer", "SELECT 1")
    with closing(sqlite3.connect(tmp_path / "newer" / FILE)) as database, database:
        database.execute("UPDATE store_version SET version_num = '9999'")
    with pytest.raises(StoreError, match="newer Affidavit; install that, or name another --data$"):
        newer.kept.has_labels()


def test_a_store_that_another_process_keeps_is_said_to_be_held(tmp_path: Path) -> None:
    open_store(tmp_path).kept.save(report())
    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="locked by another process.* within 0.1 seconds") as caught:
            open_store(tmp_path, busy_seconds=0.1).kept.save(report("r2"))
        assert caught.value.retryable
        assert open_store(tmp_path).kept.load_bytes("r1")
