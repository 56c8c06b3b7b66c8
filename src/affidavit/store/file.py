"""Open the SQLite file of a store by the standard library alone: SQLAlchemy is slow to load."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from affidavit.errors import StoreError
from affidavit.system.private_files import make_private_file, make_private_folder

VERSION_NUMBER = "1"
"""Grows with every change of the tables; version 2 brings the first migration."""
_EMPTYING_MILLISECONDS = 3_000
Row = Mapping[str, Any]
Execute = Callable[..., list[Row]]
"""Executes a statement, once for each row of values for its `:names`; returns what it finds."""


def storable(value: str) -> str:
    """Replace NUL and lone surrogates, which databases refuse."""
    return value.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode("utf-8")


class PlainFile:
    """The SQLite file of a store; its tables are created on first use. A fixed one is only read."""

    def __init__(self, path: Path, busy_seconds: float, *, is_fixed: bool = False) -> None:
        self.name = str(path)
        self._path, self._busy_seconds, self._is_fixed = path, busy_seconds, is_fixed

    @contextmanager
    def statements(self, *, is_alone: bool = False) -> Iterator[Execute]:
        """Open a transaction: all of it is kept, or nothing."""
        with self._opened() as database, in_transaction(database, is_alone=is_alone):
            yield partial(_executed, database)

    def empty_log(self) -> bool:
        """Empty the write-ahead log; return False if readers prevent it."""
        if self._is_fixed:
            return True
        with self._opened() as database:
            return empty_log(database)

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(connect(self._path, self._busy_seconds, is_fixed=self._is_fixed)) as database:
                database.row_factory = sqlite3.Row
                self._prepare(database)
                yield database
        except (OSError, sqlite3.Error) as error:
            raise unusable(
                self.name, error, self._busy_seconds, is_busy=is_busy(error), is_away=False
            ) from error

    def _prepare(self, database: sqlite3.Connection) -> None:
        if (version := _version(database)) is None:
            if self._is_fixed:
                raise StoreError(has_no_tables(self.name))
            with in_transaction(database, is_alone=True):
                # Another process may have been faster.
                if (version := _version(database)) is None:
                    version = _create(database)
        refuse_newer(self.name, version)
        make_ready(database, is_fixed=self._is_fixed)


def _version(database: sqlite3.Connection) -> str | None:
    """Return the version of a store; None for one that is empty."""
    if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'store_version'").fetchone():
        return None
    found = database.execute("SELECT version_num FROM store_version").fetchone()
    return found and str(found[0])


def _create(database: sqlite3.Connection) -> str:
    for statement in files("affidavit.store").joinpath("schema.sql").read_text().split(";\n"):
        database.execute(statement)
    database.execute("INSERT INTO store_version VALUES (?)", (VERSION_NUMBER,))
    return VERSION_NUMBER


def _executed(database: sqlite3.Connection, sql: str, *rows: Row) -> list[Row]:
    if len(rows) > 1:
        database.executemany(sql, rows)
        return []
    return [dict(row) for row in database.execute(sql, *rows)]


def has_no_tables(name: str) -> str:
    """Say that a store without tables cannot be written."""
    return f"the store {name} has no tables, and its folder cannot be written; name another with --data"


def refuse_newer(name: str, version: str | None, option: str = "--data") -> None:
    """Raise StoreError for a store of a version that is not known."""
    if version not in (None, VERSION_NUMBER):
        raise StoreError(
            f"the store {name} was written by a newer Affidavit; install that, or name another {option}"
        )


def unusable(
    name: str, cause: BaseException, busy_seconds: float, *, is_busy: bool, is_away: bool
) -> StoreError:
    """Translate an error of a database into our words, without the statement."""
    if is_busy:
        return StoreError(
            f"the store {name} is locked by another process, which did not release it within"
            f" {busy_seconds:g} seconds; try again",
            retryable=True,
        )
    return StoreError(f"the store {name} cannot be used: {' '.join(str(cause).split())}", retryable=is_away)


def is_busy(error: BaseException) -> bool:
    """Check whether another process held the lock for too long."""
    codes = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
    return isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode in codes


@contextmanager
def in_transaction(database: sqlite3.Connection, *, is_alone: bool) -> Iterator[None]:
    """Keep all that is done, or nothing; alone: while no other process writes."""
    database.execute(begin(is_alone=is_alone))
    try:
        yield
        database.execute("COMMIT")
    except BaseException:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise


def begin(*, is_alone: bool) -> str:
    """Return the statement that begins a transaction."""
    return "BEGIN IMMEDIATE" if is_alone else "BEGIN"


def empty_log(database: sqlite3.Connection) -> bool:
    """Empty the write-ahead log; False if readers prevent it."""
    (patience,) = database.execute("PRAGMA busy_timeout").fetchone()
    database.execute(f"PRAGMA busy_timeout = {_EMPTYING_MILLISECONDS}")
    try:
        (was_busy, _, _) = database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    finally:
        database.execute(f"PRAGMA busy_timeout = {patience}")
    return not was_busy


def connect(path: Path, busy_seconds: float, *, is_fixed: bool) -> sqlite3.Connection:
    """Open the file; make it, readable by the user alone, if there is none."""
    if is_fixed:
        # To read, SQLite creates files beside the store, unless they exist or the store is immutable.
        is_in_use = path.with_name(f"{path.name}-wal").exists()
        how = "mode=ro" if is_in_use else "mode=ro&immutable=1"
        return _connected(f"{path.absolute().as_uri()}?{how}", busy_seconds)
    make_private_folder(path.parent)
    # An existing store keeps its permissions: it may be shared on purpose.
    if not path.exists() or path.stat().st_size == 0:
        make_private_file(path)
    return _connected(path.absolute().as_uri(), busy_seconds)


def _connected(uri: str, busy_seconds: float) -> sqlite3.Connection:
    # No isolation level: the module would begin transactions itself, but not before a change of schema.
    # A kept connection is used by several threads, one at a time.
    return sqlite3.connect(uri, uri=True, timeout=busy_seconds, isolation_level=None, check_same_thread=False)


def make_ready(database: sqlite3.Connection, *, is_fixed: bool) -> None:
    """Set the options of a connection."""
    database.execute("PRAGMA foreign_keys = ON")
    # Overwrite deleted data; not every build of SQLite does so by default.
    database.execute("PRAGMA secure_delete = ON")
    if not is_fixed:
        _use_write_ahead_log(database)


def _use_write_ahead_log(database: sqlite3.Connection) -> None:
    """Switch to write-ahead logging, unless another process has the store open."""
    if tuple(database.execute("PRAGMA journal_mode").fetchone()) == ("wal",):
        return
    (patience,) = database.execute("PRAGMA busy_timeout").fetchone()
    database.execute("PRAGMA busy_timeout = 0")
    with suppress(sqlite3.OperationalError):
        database.execute("PRAGMA journal_mode = WAL")
    database.execute(f"PRAGMA busy_timeout = {patience}")
