import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from affidavit.errors import StoreError
from affidavit.store.open import SqliteFile, Store, open_store
from affidavit.store.tables import VERSION
from reports_to_keep import report

FILE = "affidavit.db"


def rows(folder: Path, statement: str) -> list[Any]:
    with closing(sqlite3.connect(folder / FILE)) as database:
        return database.execute(statement).fetchall()


def in_threads(folder: Path, count: int = 6) -> list[StoreError]:
    """Save from several threads at once, each with a store of its own."""
    errors: list[StoreError] = []
    start = threading.Barrier(count)

    def save() -> None:
        start.wait()
        try:
            with open_store(folder) as store:
                store.reports.save(report())
        except StoreError as error:
            errors.append(error)

    threads = [threading.Thread(target=save) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def test_those_who_open_a_new_store_at_once_all_find_it_whole(tmp_path: Path) -> None:
    assert in_threads(tmp_path) == []
    assert open_store(tmp_path).reports.count() == 1


def test_a_store_of_a_version_that_is_not_known_is_newer(store: Store) -> None:
    store.reports.save(report())
    with store.database.transaction() as connection:
        connection.execute(update(VERSION).values(version_num="9999"))
    store.close()
    is_file = isinstance(store.location, SqliteFile)
    other = "or name another --data$" if is_file else "or name another --database$"
    with pytest.raises(StoreError, match=f"newer Affidavit; install that, {other}"):
        store.reports.count()


def test_a_store_that_somebody_else_is_reading_can_be_used_before_it_is_switched(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    store.reports.save(report())
    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as other:
        open_store(tmp_path).reports.count()
        other.execute("PRAGMA journal_mode = DELETE")
        other.execute("BEGIN")
        other.execute("SELECT * FROM reports").fetchall()
        assert store.reports.count() == 1
        assert rows(tmp_path, "PRAGMA journal_mode") == [("delete",)]
    assert store.reports.count() == 1
    assert rows(tmp_path, "PRAGMA journal_mode") == [("wal",)]
