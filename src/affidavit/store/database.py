"""Transactions on a store, whichever database holds it: a location goes in, connections come out."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, Table, insert, inspect, select
from sqlalchemy.dialects.postgresql import Insert as PostgresInsert
from sqlalchemy.dialects.sqlite import Insert as SqliteInsert
from sqlalchemy.exc import SQLAlchemyError

from affidavit.errors import StoreError
from affidavit.store import postgresql, sqlite
from affidavit.store.location import Location, SqliteFile
from affidavit.store.tables import METADATA, VERSION, VERSION_NUMBER


class Database:
    """The tables of one store; they are made on first use."""

    def __init__(self, location: Location, busy_seconds: float, *, keeps_connections: bool = False) -> None:
        self.location = location
        self._busy_seconds = busy_seconds
        with self._explained():
            self._engine = _engine_of(location, busy_seconds, keeps_connections=keeps_connections)

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Open a connection in one transaction: all of it is kept, or nothing."""
        with self._explained(), self._ready() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a transaction that will write: a file is locked at once, a server locks rows."""
        with self._explained(), self._ready() as ready:
            is_file = isinstance(self.location, SqliteFile)
            connection = ready.execution_options(is_alone=True) if is_file else ready
            with connection.begin():
                yield connection

    @contextmanager
    def writing_for(self, name: str) -> Iterator[Connection]:
        """Write while no other transaction writes for the same name."""
        with self.writing() as connection:
            if not isinstance(self.location, SqliteFile):
                postgresql.lock_name(connection, name, self._busy_seconds)
            yield connection

    @contextmanager
    def alone(self) -> Iterator[Connection]:
        """Write while no other transaction decides anything."""
        with self._explained(), self._ready() as ready:
            connection = ready.execution_options(is_alone=True)
            with connection.begin():
                yield connection

    def empty_log(self) -> bool:
        """Remove deleted data from a file's log; a server does so itself."""
        if not isinstance(self.location, SqliteFile) or self.location.is_fixed:
            return True
        with self._explained(), self._ready() as connection:
            return sqlite.empty_log(sqlite.driven(connection))

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def _ready(self) -> Iterator[Connection]:
        with self._engine.connect() as connection:
            # A connection that is kept is used again and again, and looked at once.
            if "is_ready" not in connection.info:
                self._prepare(connection)
                connection.info["is_ready"] = True
            yield connection

    def _prepare(self, connection: Connection) -> None:
        with connection.begin():
            version = _version(connection)
        self._refuse(version)
        if version is None:
            self._make()
        if isinstance(self.location, SqliteFile):
            sqlite.make_ready(connection, self.location)

    def _make(self) -> None:
        """Create the tables, all or none, even if another process does so right now."""
        with self._engine.connect().execution_options(is_alone=True) as connection, connection.begin():
            if _version(connection) is not None:
                return
            # A table of the same name that somebody else made is an error, not a part of the store.
            METADATA.create_all(connection, checkfirst=False)
            VERSION.create(connection)
            connection.execute(insert(VERSION).values(version_num=VERSION_NUMBER))

    def _refuse(self, version: str | None) -> None:
        name = self.location.name
        if version not in (None, VERSION_NUMBER):
            option = "--data" if isinstance(self.location, SqliteFile) else "--database"
            raise StoreError(
                f"the store {name} was written by a newer Affidavit; install that, or name another {option}"
            )
        is_fixed = isinstance(self.location, SqliteFile) and self.location.is_fixed
        if is_fixed and version is None:
            raise StoreError(
                f"the store {name} has no tables, and its folder cannot be written; name another with --data"
            )

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (OSError, SQLAlchemyError) as error:
            raise self._explain(error) from error

    def _explain(self, error: Exception) -> StoreError:
        """Translate the error into our words, without the statement."""
        name, cause = self.location.name, getattr(error, "orig", None) or error
        if sqlite.is_busy(cause) or postgresql.is_busy(cause):
            return StoreError(
                f"the store {name} is locked by another process, which did not release it within"
                f" {self._busy_seconds:g} seconds; try again",
                retryable=True,
            )
        return StoreError(
            f"the store {name} cannot be used: {' '.join(str(cause).split())}",
            # A connection that broke off, or could not be made, may be made the next time.
            retryable=postgresql.is_away(cause),
        )


def _version(connection: Connection) -> str | None:
    """Return the version of a store; None for one that is empty."""
    if not inspect(connection).has_table(VERSION.name):
        return None
    return connection.execute(select(VERSION.c.version_num)).scalar()


def upsert(connection: Connection, table: Table, row: Mapping[str, Any]) -> None:
    """Insert a row, or replace the one with the same key."""
    adding = _insert_into(connection, table).values(row)
    keys = [column.name for column in table.primary_key]
    others = {name: adding.excluded[name] for name in row if name not in keys}
    connection.execute(adding.on_conflict_do_update(index_elements=keys, set_=others))


def insert_once(connection: Connection, table: Table, row: Mapping[str, Any]) -> bool:
    """Insert a row unless it is there; return whether it was inserted."""
    adding = _insert_into(connection, table).values(row).on_conflict_do_nothing()
    # How many rows there were is not said by every driver.
    return connection.execute(adding.returning(*table.primary_key)).first() is not None


def insert_all(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    if rows:
        connection.execute(table.insert(), rows)


def _insert_into(connection: Connection, table: Table) -> SqliteInsert | PostgresInsert:
    """Both dialects support conflict clauses; the common insert does not."""
    return SqliteInsert(table) if connection.dialect.name == "sqlite" else PostgresInsert(table)


def _engine_of(location: Location, busy_seconds: float, *, keeps_connections: bool) -> Engine:
    if isinstance(location, SqliteFile):
        return sqlite.make_engine(location, busy_seconds, keeps_connections=keeps_connections)
    return postgresql.make_engine(location, busy_seconds)
