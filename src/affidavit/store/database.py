"""Run transactions on the tables of a store; each kind of database adds how it connects, locks and fails."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any

from sqlalchemy import Connection, Engine, MetaData, RowMapping, Select, Table, insert, inspect, select, text
from sqlalchemy.dialects.postgresql import Insert as PostgresInsert
from sqlalchemy.dialects.sqlite import Insert as SqliteInsert
from sqlalchemy.exc import SQLAlchemyError

from affidavit.store.file import VERSION_NUMBER, Execute, Row, refuse_newer, unusable
from affidavit.store.tables import METADATA, VERSION


class Database(ABC):
    """The tables of one store, created on first use."""

    option = "--data"
    """The option of the command line that names another store."""
    locks_to_write = False
    """A transaction that writes locks the whole database."""

    def __init__(self, name: str, busy_seconds: float, more_tables: MetaData | None = None) -> None:
        self.name = name
        self.busy_seconds = busy_seconds
        self._more_tables = more_tables
        with self._explained():
            self._engine = self.connect()

    @abstractmethod
    def connect(self) -> Engine:
        """Make the engine; a transaction whose connection has `is_alone` must lock the database."""

    @abstractmethod
    def is_busy(self, error: BaseException) -> bool:
        """Check whether a lock was not released in time."""

    def is_away(self, error: BaseException) -> bool:
        """Check whether the database may answer later."""
        del error
        return False

    def make_ready(self, connection: Connection) -> None:
        """Set the options of a new connection."""
        del connection

    def empty_log(self) -> bool:
        """Remove deleted data from the log of the database; return False if readers prevent it."""
        return True

    @contextmanager
    def transaction(self, *, is_alone: bool = False) -> Iterator[Connection]:
        """Open a connection in one transaction: all of it is kept, or nothing."""
        with self._explained(), self.connection() as ready:
            connection = ready.execution_options(is_alone=is_alone)
            with connection.begin():
                yield connection

    def writing(self) -> AbstractContextManager[Connection]:
        """Open a transaction that will write: a file is locked at once, a server locks rows."""
        return self.transaction(is_alone=self.locks_to_write)

    def alone(self) -> AbstractContextManager[Connection]:
        """Open a transaction while no other one of this kind is open."""
        return self.transaction(is_alone=True)

    @contextmanager
    def statements(self, *, is_alone: bool = False) -> Iterator[Execute]:
        """Open a transaction for statements that are written as text."""
        with self.alone() if is_alone else self.transaction() as connection:
            yield partial(_executed, connection)

    def rows(self, wanted: Select[Any]) -> Sequence[RowMapping]:
        """Return all rows of a query."""
        with self.transaction() as connection:
            return connection.execute(wanted).mappings().all()

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """Open a connection to a store that has its tables."""
        with self._engine.connect() as connection:
            # A kept connection is used many times, and checked once.
            if "is_ready" not in connection.info:
                self._prepare(connection)
                connection.info["is_ready"] = True
            yield connection

    def _prepare(self, connection: Connection) -> None:
        with connection.begin():
            version = _version(connection)
            more = self._more_tables.tables.keys() if self._more_tables else set[str]()
            is_whole = version is not None and more <= set(inspect(connection).get_table_names())
        refuse_newer(self.name, version, self.option)
        if not is_whole:
            self.create()
        self.make_ready(connection)

    def create(self) -> None:
        """Create the tables, all or none, even if another process does so right now."""
        with self._engine.connect().execution_options(is_alone=True) as connection, connection.begin():
            if _version(connection) is None:
                # A table of the same name that somebody else made is an error, not a part of the store.
                METADATA.create_all(connection, checkfirst=False)
                VERSION.create(connection)
                connection.execute(insert(VERSION).values(version_num=VERSION_NUMBER))
            if self._more_tables:
                self._more_tables.create_all(connection)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Translate errors into our words, without the statement."""
        try:
            yield
        except (OSError, SQLAlchemyError) as error:
            cause = getattr(error, "orig", None) or error
            ends = {"is_busy": self.is_busy(cause), "is_away": self.is_away(cause)}
            raise unusable(self.name, cause, self.busy_seconds, **ends) from error


def _executed(connection: Connection, sql: str, *rows: Row) -> list[Row]:
    done = connection.execute(text(sql), [dict(row) for row in rows] or None)
    return [dict(row) for row in done.mappings()] if done.returns_rows else []


def _version(connection: Connection) -> str | None:
    """Return the version of a store; None for one that is empty."""
    if not inspect(connection).has_table(VERSION.name):
        return None
    return connection.execute(select(VERSION.c.version_num)).scalar()


def upsert(connection: Connection, table: Table, row: Mapping[str, Any]) -> None:
    """Insert a row, or replace the one with the same key."""
    adding = insert_into(connection, table).values(row)
    keys = [column.name for column in table.primary_key]
    others = {name: adding.excluded[name] for name in row if name not in keys}
    connection.execute(adding.on_conflict_do_update(index_elements=keys, set_=others))


def insert_all(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    if rows:
        connection.execute(table.insert(), rows)


def insert_into(connection: Connection, table: Table) -> SqliteInsert | PostgresInsert:
    """Both dialects support conflict clauses; the common insert does not."""
    return SqliteInsert(table) if connection.dialect.name == "sqlite" else PostgresInsert(table)
