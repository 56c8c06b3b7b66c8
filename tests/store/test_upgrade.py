import sqlite3
import threading
from pathlib import Path

import pytest

from affidavit.config.settings import Settings
from affidavit.errors import StoreError
from affidavit.records.report import Report
from affidavit.stages.report import Proceedings, compile_report
from affidavit.store.reports import SqliteStore
from affidavit.store.upgrade import MIGRATIONS, REPORTS, Migration, is_newer, migrate
from claims import candidate, change_of


def report() -> Report:
    proceedings = Proceedings(review_id="r1", candidates=[candidate(fingerprint="0123456789abcdef")])
    return compile_report(proceedings, change_of("app.py"), Settings(), [], {})


def tables(database: sqlite3.Connection) -> set[str]:
    return {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def test_a_store_of_the_first_schema_keeps_its_reports_and_gains_the_later_tables(tmp_path: Path) -> None:
    store, kept = SqliteStore(tmp_path), report()
    old = sqlite3.connect(store.path)
    migrate(old, [REPORTS])
    old.execute(
        "INSERT INTO reports VALUES ('r1', '2026-01-01', NULL, 'b', 'h', 'comment', ?)",
        (kept.model_dump_json(),),
    )
    old.commit()
    old.close()
    assert store.load_report("r1") == kept
    with store.open() as database:
        assert "labels" in tables(database)


def test_a_migration_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / "a.db")
    broken = Migration("broken", ("CREATE TABLE half (x)", "CREATE NONSENSE"))
    with pytest.raises(sqlite3.Error):
        migrate(database, [REPORTS, broken])
    database.rollback()
    assert tables(database) == set()
    migrate(database, [REPORTS])
    assert {"reports", "findings"} <= tables(database)
    database.close()


def test_a_migration_runs_once(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / "a.db")
    once = Migration("once", ("CREATE TABLE once (x)", "INSERT INTO once VALUES (1)"))
    migrate(database, [REPORTS, once])
    migrate(database, [REPORTS, once])
    assert database.execute("SELECT count(*) FROM once").fetchone() == (1,)
    database.close()


def test_processes_that_open_a_new_store_at_once_all_find_it_whole(tmp_path: Path) -> None:
    errors: list[StoreError] = []
    start = threading.Barrier(8)

    def save() -> None:
        start.wait()
        try:
            SqliteStore(tmp_path).save_report(report())
        except StoreError as error:
            errors.append(error)

    threads = [threading.Thread(target=save) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert SqliteStore(tmp_path).count_reports() == 1


def test_a_store_with_more_migrations_than_are_known_is_newer(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / "a.db")
    migrate(database)
    assert not is_newer(database)
    database.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    assert is_newer(database)
    database.close()


def test_a_store_that_somebody_else_is_reading_can_be_used_before_it_is_switched(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    other = sqlite3.connect(store.path)
    migrate(other)
    other.execute("BEGIN")
    other.execute("SELECT * FROM reports").fetchall()
    assert store.count_reports() == 0
    other.close()
    with store.open() as database:
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
