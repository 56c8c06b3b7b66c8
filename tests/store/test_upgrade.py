import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from reports_to_keep import report
from sqlalchemy import Connection, inspect, update

from affidavit.errors import StoreError
from affidavit.store.databases.location import SqliteFile
from affidavit.store.databases.schema import METADATA, VERSION, VERSION_TABLE
from affidavit.store.databases.upgrade import HAND_NUMBERED, MIGRATIONS, REVISIONS, migrate
from affidavit.store.open import Store, open_store
from affidavit.store.service.workers import KeptWorker, Workers

FILE = "affidavit.db"
VERSION_3 = Path(__file__).parent / "version_3.sql"
"""A store with two reviews of the sample, labels and rollouts, as the last hand-numbered version wrote it."""
TABLES_OF_3 = ("rollout_reviews", "rollouts", "rollout_decisions", "retired_versions")
TABLES_SINCE = {3: (), 2: TABLES_OF_3, 1: (*TABLES_OF_3, "labels")}


def old_store(folder: Path, version: int = HAND_NUMBERED, counted: int | None = None) -> Path:
    """A store as an earlier version left it; `counted`: the number that it bears, if another one."""
    with closing(sqlite3.connect(folder / FILE)) as database:
        database.executescript(VERSION_3.read_text())
        for table in TABLES_SINCE[version]:
            database.execute(f"DROP TABLE {table}")
        database.execute(f"PRAGMA user_version = {version if counted is None else counted}")
        database.commit()
    return folder


def rows(folder: Path, statement: str) -> list[Any]:
    with closing(sqlite3.connect(folder / FILE)) as database:
        return database.execute(statement).fetchall()


def differences(connection: Connection) -> list[Any]:
    """Between the tables that are there and those of the schema; types are held against each other below."""
    options = {"version_table": VERSION_TABLE, "compare_type": False}
    return compare_metadata(MigrationContext.configure(connection, opts=options), METADATA)


def described(connection: Connection) -> dict[str, list[Any]]:
    """Every table as the database itself describes it, without what differs only in spelling."""
    seen = inspect(connection)
    return {
        table: [
            [(one["name"], str(one["type"]), is_optional(one)) for one in seen.get_columns(table)],
            seen.get_pk_constraint(table)["constrained_columns"],
            foreign_keys(connection, table),
            sorted((str(one["name"]), one["column_names"], one["unique"]) for one in seen.get_indexes(table)),
            sorted(one["sqltext"] for one in seen.get_check_constraints(table)),
            never_counts_again(connection, table),
        ]
        for table in METADATA.tables
    }


def is_optional(column: Any) -> bool:
    """A number that is the key is never missing in SQLite, whether or not it says so."""
    return bool(column["nullable"]) and column["name"] != "number"


def never_counts_again(connection: Connection, table: str) -> bool:
    """Whether the number of a row that was removed is not given to another: what a server does anyway."""
    made_by = "SELECT sql FROM sqlite_master WHERE name = ?"
    return (
        connection.dialect.name != "sqlite"
        or "AUTOINCREMENT" in connection.exec_driver_sql(made_by, (table,)).scalar_one()
    )


def foreign_keys(connection: Connection, table: str) -> list[Any]:
    if connection.dialect.name == "sqlite":
        # SQLAlchemy does not see what stands behind a column instead of at the end of a table.
        return list(connection.exec_driver_sql(f"PRAGMA foreign_key_list({table})").all())
    keys = inspect(connection).get_foreign_keys(table)
    return [(one["constrained_columns"], one["referred_table"], one["options"]) for one in keys]


@pytest.mark.parametrize("version", [1, 2, 3])
def test_every_report_of_an_old_store_comes_back_byte_for_byte(tmp_path: Path, version: int) -> None:
    kept = dict(rows(old_store(tmp_path, version), "SELECT id, body FROM reports"))
    store = open_store(tmp_path)
    assert set(store.reports.ids()) == set(kept)
    assert {one: store.reports.load_bytes(one) for one in kept} == {
        one: body.encode() for one, body in kept.items()
    }
    assert all(store.reports.load(one) for one in kept)


def test_every_finding_and_label_of_an_old_store_is_read(tmp_path: Path) -> None:
    old_store(tmp_path)
    findings = rows(tmp_path, "SELECT * FROM findings ORDER BY report_id, candidate_id")
    store = open_store(tmp_path)
    ((reported, candidate),) = rows(tmp_path, "SELECT DISTINCT report_id, candidate_id FROM labels")
    history = store.labels.history(reported, candidate)
    assert [(one.label, one.by, one.why) for one in history] == [
        ("wrong", "ada", "it is defined elsewhere"),
        ("valid", "grace", "no, ☃ it is not"),
    ]
    assert [one.entry for one in store.labels.with_findings()] == [history[-1]]
    assert rows(tmp_path, "SELECT * FROM findings ORDER BY report_id, candidate_id") == findings
    assert len(findings) == 9


def test_a_store_from_before_versions_were_counted_is_upgraded(tmp_path: Path) -> None:
    assert open_store(old_store(tmp_path, version=1, counted=0)).reports.count() == 2


@pytest.mark.parametrize("version", [1, 2, 3])
def test_an_upgraded_store_is_like_a_new_one(tmp_path: Path, version: int) -> None:
    (tmp_path / "old").mkdir()
    upgraded, new = open_store(old_store(tmp_path / "old", version)), open_store(tmp_path / "new")
    with upgraded.database.transaction() as one, new.database.transaction() as other:
        assert described(one) == described(other)


def test_migrations_make_the_tables_of_the_schema(store: Store) -> None:
    with store.database.transaction() as connection:
        made = described(connection)
        METADATA.drop_all(connection)
        VERSION.drop(connection)
        if connection.dialect.name == "sqlite":
            connection.exec_driver_sql("PRAGMA user_version = 0")
        migrate(connection)
        assert differences(connection) == []
        assert described(connection) == made
    assert store.reports.count() == 0


def test_workers_of_before_keep_their_beat_and_lose_what_nobody_read(store: Store) -> None:
    with store.database.transaction() as connection:
        METADATA.drop_all(connection)
        VERSION.drop(connection)
        if connection.dialect.name == "sqlite":
            connection.exec_driver_sql("PRAGMA user_version = 0")
        migrate(connection, "0010")
        columns = "id, started_at, place, process, beat, is_draining"
        connection.exec_driver_sql(f"INSERT INTO workers ({columns}) VALUES ('w', '2026', 'here', 7, 3, 1)")
        migrate(connection)
        assert "is_draining" not in {one["name"] for one in inspect(connection).get_columns("workers")}
    assert Workers(store.database).all() == [KeptWorker("w", "here", 7, 3, "1")]


def test_the_revisions_that_the_program_knows_are_those_that_it_brings(tmp_path: Path) -> None:
    brought = ScriptDirectory(str(MIGRATIONS)).walk_revisions()
    assert tuple(one.revision for one in brought)[::-1] == REVISIONS


def test_an_upgrade_that_fails_leaves_the_store_as_it_was(tmp_path: Path) -> None:
    old_store(tmp_path, version=3, counted=1)  # the table of labels is in the way
    before = (
        rows(tmp_path, "SELECT type, name, sql FROM sqlite_master"),
        rows(tmp_path, "SELECT * FROM reports"),
    )
    with pytest.raises(StoreError, match="cannot be used: table labels already exists"):
        open_store(tmp_path).reports.count()
    after = (
        rows(tmp_path, "SELECT type, name, sql FROM sqlite_master"),
        rows(tmp_path, "SELECT * FROM reports"),
    )
    assert after == before
    assert rows(tmp_path, "PRAGMA user_version") == [(1,)]


def in_threads(folder: Path | str, count: int = 6) -> list[StoreError]:
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


def test_those_who_open_a_new_database_at_once_all_find_it_whole(postgres_url: str) -> None:
    assert in_threads(postgres_url) == []
    with open_store(postgres_url) as store:
        assert store.reports.count() == 1


def test_processes_that_upgrade_a_store_at_once_all_find_it_whole(tmp_path: Path) -> None:
    old_store(tmp_path)
    program = (
        "import sys\nfrom affidavit.store.open import open_store\n"
        "print(open_store(sys.argv[1]).reports.count())"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", program, tmp_path], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    assert [one.communicate()[0].strip() for one in running] == ["2", "2", "2"]


def test_a_store_of_a_newer_hand_numbered_version_is_left_alone(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / FILE)) as database:
        database.execute("PRAGMA user_version = 99")
    before = (tmp_path / FILE).read_bytes()
    with pytest.raises(StoreError, match="newer"):
        open_store(tmp_path).reports.save(report())
    assert (tmp_path / FILE).read_bytes() == before


def test_a_store_with_a_migration_that_is_not_known_is_newer(store: Store) -> None:
    store.reports.save(report())
    with store.database.transaction() as connection:
        connection.execute(update(VERSION).values(version_num="9999"))
    store.close()
    is_file = isinstance(store.database.location, SqliteFile)
    other = "or name another --data$" if is_file else "or name another --database$"
    with pytest.raises(StoreError, match=f"newer Affidavit; install that, {other}"):
        store.reports.count()


def test_the_programs_that_counted_by_hand_see_that_a_store_is_newer_than_they_are(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    for folder in (old_store(tmp_path / "old"), tmp_path / "new"):
        open_store(folder).reports.count()
        ((number,),) = rows(folder, "PRAGMA user_version")
        assert number > HAND_NUMBERED


def test_a_store_that_somebody_else_is_reading_can_be_used_before_it_is_switched(tmp_path: Path) -> None:
    store = open_store(old_store(tmp_path))
    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as other:
        open_store(tmp_path).reports.count()
        other.execute("PRAGMA journal_mode = DELETE")
        other.execute("BEGIN")
        other.execute("SELECT * FROM reports").fetchall()
        assert store.reports.count() == 2
        assert rows(tmp_path, "PRAGMA journal_mode") == [("delete",)]
    assert store.reports.count() == 2
    assert rows(tmp_path, "PRAGMA journal_mode") == [("wal",)]


def test_a_table_of_somebody_else_is_not_taken_for_ours(postgres_url: str) -> None:
    with open_store(postgres_url) as store:
        store.reports.save(report())
        with store.database.transaction() as connection:
            VERSION.drop(connection)
        store.close()
        with pytest.raises(StoreError, match='cannot be used: relation "reports" already exists'):
            store.reports.count()
