"""Keep a store in a SQLite file; others can read while one process writes."""

import sqlite3
from functools import partial
from pathlib import Path

from sqlalchemy import Connection, Engine, MetaData, create_engine, event
from sqlalchemy.pool import NullPool, QueuePool

from affidavit.errors import StoreError
from affidavit.store.database import Database
from affidavit.store.file import begin, connect, empty_log, has_no_tables, is_busy, make_ready


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
            creator=partial(connect, self._path, self.busy_seconds, is_fixed=self._is_fixed),
            poolclass=QueuePool if self._keeps_connections else NullPool,
        )
        event.listen(engine, "begin", _begin)
        return engine

    def create(self) -> None:
        """Create the tables; raise StoreError where no file can be written."""
        if self._is_fixed:
            raise StoreError(has_no_tables(self.name))
        super().create()

    def make_ready(self, connection: Connection) -> None:
        """Set the options of a connection."""
        make_ready(driven(connection), is_fixed=self._is_fixed)

    def is_busy(self, error: BaseException) -> bool:
        """Check whether another process held the lock for too long."""
        return is_busy(error)

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


def _begin(connection: Connection) -> None:
    is_alone = bool(connection.get_execution_options().get("is_alone"))
    connection.exec_driver_sql(begin(is_alone=is_alone))
