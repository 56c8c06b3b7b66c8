"""Make the engine of a store that is a SQLite file: the user's alone, and readers go on while one writes."""

import sqlite3
from contextlib import suppress

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import NullPool, QueuePool

from affidavit.store.location import SqliteFile
from affidavit.system.private_files import make_private_file, make_private_folder

_EMPTYING_MILLISECONDS = 3_000


def make_engine(location: SqliteFile, busy_seconds: float, *, keeps_connections: bool) -> Engine:
    """Make an engine that opens the file for each use, or keeps it open.

    Opening it costs ten times what a question costs, and the last one that closes it writes its log back.
    """
    engine = create_engine(
        "sqlite://",
        creator=lambda: _connect(location, busy_seconds),
        poolclass=QueuePool if keeps_connections else NullPool,
    )
    event.listen(engine, "begin", _begin)
    return engine


def driven(connection: Connection) -> sqlite3.Connection:
    database = connection.connection.driver_connection
    assert isinstance(database, sqlite3.Connection)  # noqa: S101 - it is ours
    return database


def make_ready(connection: Connection, location: SqliteFile) -> None:
    """Set the options of a connection to a usable store."""
    database = driven(connection)
    database.execute("PRAGMA foreign_keys = ON")
    # What is deleted is overwritten, too; not every build of SQLite does so by itself.
    database.execute("PRAGMA secure_delete = ON")
    if not location.is_fixed:
        _let_readers_go_on(database)


def empty_log(database: sqlite3.Connection) -> bool:
    """Empty the write-ahead log; False if readers prevent it."""
    (patience,) = database.execute("PRAGMA busy_timeout").fetchone()
    database.execute(f"PRAGMA busy_timeout = {_EMPTYING_MILLISECONDS}")
    try:
        (was_busy, _, _) = database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    finally:
        database.execute(f"PRAGMA busy_timeout = {patience}")
    return not was_busy


def is_busy(error: BaseException | None) -> bool:
    """Check whether another process held the lock for too long."""
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
    # One that is kept goes from thread to thread, in one at a time.
    return sqlite3.connect(uri, uri=True, timeout=busy_seconds, isolation_level=None, check_same_thread=False)


def _begin(connection: Connection) -> None:
    is_alone = connection.get_execution_options().get("is_alone")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if is_alone else "BEGIN")


def _let_readers_go_on(database: sqlite3.Connection) -> None:
    """Switch to write-ahead logging, unless another process has the store open."""
    if database.execute("PRAGMA journal_mode").fetchone() == ("wal",):
        return
    (patience,) = database.execute("PRAGMA busy_timeout").fetchone()
    database.execute("PRAGMA busy_timeout = 0")
    with suppress(sqlite3.OperationalError):
        database.execute("PRAGMA journal_mode = WAL")
    database.execute(f"PRAGMA busy_timeout = {patience}")
