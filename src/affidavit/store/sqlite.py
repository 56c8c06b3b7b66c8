"""Keep a store in a SQLite file; others can read while one process writes."""

import sqlite3
from contextlib import suppress
from functools import partial
from pathlib import Path

from sqlalchemy import Connection, Engine, MetaData, create_engine, event
from sqlalchemy.pool import NullPool, QueuePool

from affidavit.errors import StoreError
from affidavit.store.database import Database
from affidavit.system.private_files import make_private_file, make_private_folder

_EMPTYING_MILLISECONDS = 3_000


class SqliteDatabase(Database):
    """A SQLite file; a fixed one is in a read-only folder, and is only read."""

    locks_to_write = True

    def __init__(
        self,
        path: Path,
        busy_seconds: float,
        more_tables: MetaData | None = None,
        *,
        is_fixed: bool = False,
        keeps_connections: bool = False,
    ) -> None:
        self._path, self._is_fixed, self._keeps_connections = path, is_fixed, keeps_connections
        super().__init__(str(path), busy_seconds, more_tables)

    def connect(self) -> Engine:
        """Make an engine that opens the file for each use, or keeps it open.

        Opening costs ten times as much as a query, and closing the last connection writes the log back.
        """
        engine = create_engine(
            "sqlite://",
            creator=partial(_connect, self._path, self.busy_seconds, is_fixed=self._is_fixed),
            poolclass=QueuePool if self._keeps_connections else NullPool,
        )
        event.listen(engine, "begin", _begin)
        return engine

    def create(self) -> None:
        """Create the tables; raise StoreError where no file can be written."""
        if self._is_fixed:
            raise StoreError(
                f"the store {self.name} has no tables, and its folder cannot be written;"
                " name another with --data"
            )
        super().create()

    def make_ready(self, connection: Connection) -> None:
        """Set the options of a connection."""
        database = driven(connection)
        database.execute("PRAGMA foreign_keys = ON")
        # Overwrite deleted data; not every build of SQLite does so by default.
        database.execute("PRAGMA secure_delete = ON")
        if not self._is_fixed:
            _use_write_ahead_log(database)

    def is_busy(self, error: BaseException) -> bool:
        """Check whether another process held the lock for too long."""
        codes = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
        return isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode in codes

    def empty_log(self) -> bool:
        """Empty the write-ahead log; return False if readers prevent it."""
        if self._is_fixed:
            return True
        with self._explained(), self.connection() as connection:
            return empty_log(driven(connection))


def driven(connection: Connection) -> sqlite3.Connection:
    database = connection.connection.driver_connection
    assert isinstance(database, sqlite3.Connection)  # noqa: S101 - it is ours
    return database


def empty_log(database: sqlite3.Connection) -> bool:
    """Empty the write-ahead log; False if readers prevent it."""
    (patience,) = database.execute("PRAGMA busy_timeout").fetchone()
    database.execute(f"PRAGMA busy_timeout = {_EMPTYING_MILLISECONDS}")
    try:
        (was_busy, _, _) = database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    finally:
        database.execute(f"PRAGMA busy_timeout = {patience}")
    return not was_busy


def _connect(path: Path, busy_seconds: float, *, is_fixed: bool) -> sqlite3.Connection:
    if is_fixed:
        # To read, SQLite creates files beside the store, unless they exist or the store is immutable.
        is_in_use = path.with_name(f"{path.name}-wal").exists()
        how = "mode=ro" if is_in_use else "mode=ro&immutable=1"
        return _opened(f"{path.absolute().as_uri()}?{how}", busy_seconds)
    make_private_folder(path.parent)
    # An existing store keeps its permissions: it may be shared on purpose.
    if not path.exists() or path.stat().st_size == 0:
        make_private_file(path)
    return _opened(path.absolute().as_uri(), busy_seconds)


def _opened(uri: str, busy_seconds: float) -> sqlite3.Connection:
    # No isolation level: the module would begin transactions itself, but not before a change of schema.
    # A kept connection is used by several threads, one at a time.
    return sqlite3.connect(uri, uri=True, timeout=busy_seconds, isolation_level=None, check_same_thread=False)


def _begin(connection: Connection) -> None:
    is_alone = connection.get_execution_options().get("is_alone")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if is_alone else "BEGIN")


def _use_write_ahead_log(database: sqlite3.Connection) -> None:
    """Switch to write-ahead logging, unless another process has the store open."""
    if database.execute("PRAGMA journal_mode").fetchone() == ("wal",):
        return
    (patience,) = database.execute("PRAGMA busy_timeout").fetchone()
    database.execute("PRAGMA busy_timeout = 0")
    with suppress(sqlite3.OperationalError):
        database.execute("PRAGMA journal_mode = WAL")
    database.execute(f"PRAGMA busy_timeout = {patience}")
