"""Make the engine of a store that is a SQLite file: the user's alone, and readers go on while one writes."""

import sqlite3
from contextlib import suppress

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import NullPool

from affidavit.store.location import SqliteFile
from affidavit.system.private_files import make_private_file, make_private_folder


def make_engine(location: SqliteFile, busy_seconds: float) -> Engine:
    """An engine that opens the file anew for each use, so that nothing is held between two."""
    engine = create_engine("sqlite://", creator=lambda: _connect(location, busy_seconds), poolclass=NullPool)
    event.listen(engine, "begin", _begin)
    return engine


def make_ready(connection: Connection, location: SqliteFile) -> None:
    """Set what holds for a connection, once it is known that the store may be used."""
    database = connection.connection.driver_connection
    assert isinstance(database, sqlite3.Connection)  # noqa: S101 - it is ours
    database.execute("PRAGMA foreign_keys = ON")
    if not location.is_fixed:
        _let_readers_go_on(database)


def is_busy(error: BaseException | None) -> bool:
    """Whether another process kept the file for itself for too long."""
    return isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode in (
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
    )


def _connect(location: SqliteFile, busy_seconds: float) -> sqlite3.Connection:
    path = location.path
    if location.is_fixed:
        # SQLite makes files beside a store that it reads, unless they are there or nobody writes to it.
        is_in_use = path.with_name(f"{path.name}-wal").exists()
        how = "mode=ro" if is_in_use else "mode=ro&immutable=1"
        return _opened(f"{path.absolute().as_uri()}?{how}", busy_seconds)
    make_private_folder(path.parent)
    # One that is in use stays as its owner made it: a store may be shared on purpose.
    if not path.exists() or path.stat().st_size == 0:
        make_private_file(path)
    return _opened(path.absolute().as_uri(), busy_seconds)


def _opened(uri: str, busy_seconds: float) -> sqlite3.Connection:
    # No isolation level: the module would begin transactions by itself, and not before a change of schema.
    return sqlite3.connect(uri, uri=True, timeout=busy_seconds, isolation_level=None)


def _begin(connection: Connection) -> None:
    is_alone = connection.get_execution_options().get("is_alone")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if is_alone else "BEGIN")


def _let_readers_go_on(database: sqlite3.Connection) -> None:
    """Switch to write-ahead logging, unless somebody else has the store open: then the next one may."""
    if database.execute("PRAGMA journal_mode").fetchone() == ("wal",):
        return
    (patience,) = database.execute("PRAGMA busy_timeout").fetchone()
    database.execute("PRAGMA busy_timeout = 0")
    with suppress(sqlite3.OperationalError):
        database.execute("PRAGMA journal_mode = WAL")
    database.execute(f"PRAGMA busy_timeout = {patience}")
