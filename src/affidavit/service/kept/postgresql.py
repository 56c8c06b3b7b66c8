"""Keep the service's store in a folder, or in a PostgreSQL database."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from sqlalchemy import Connection, Engine, MetaData, create_engine, event, func, make_url, select

from affidavit.errors import StoreError
from affidavit.service.kept.tables import TABLES
from affidavit.store.database import Database
from affidavit.store.open import BUSY_SECONDS, FILE_NAME, SqliteFile, Store, StorePlace
from affidavit.system.installation import this_installation

SERVER_SCHEMES = ("postgresql", "postgres", "postgresql+psycopg")
_SECRET = ("password", "secret", "scram")
"""Parts of the names of secret options."""
DRIVER = "psycopg[binary]"
LOCK_NUMBER = 0x0AFF1DA
"""The number of the lock for exclusive work."""
LIVING = {
    "keepalives_idle": 15,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
"""How soon we notice that the server's machine is gone: seconds, and the last in milliseconds."""
CONNECT_SECONDS = 10
PATIENCE = {
    "tcp_keepalives_idle": 15,
    "tcp_keepalives_interval": 5,
    "tcp_keepalives_count": 3,
    "tcp_user_timeout": 30_000,
    "idle_in_transaction_session_timeout": 60_000,
}
"""How soon the server notices that we are."""
_LOCK_NOT_AVAILABLE = "55P03"
_IS_AWAY = ("08", "53", "57P")
"""Classes of states: a connection that broke, a server that has no room, one that ends or has ended it."""


_MISTAKEN = "connection is bad: invalid "
"""The driver refuses a value of the address, such as a `sslmode`, before it asks any server."""
_COMES_BACK = ("25006", "25P03")
"""A read-only server, as during a failover; a session ended as idle."""


def open_store(
    named: Path | str, *, busy_seconds: float = BUSY_SECONDS, keeps_connections: bool = False
) -> Store:
    """Open the store in a folder or at an address, with the service's tables.

    A file is opened for each use, unless `keeps_connections`, for callers with many requests a second.
    """
    return Store(locate(named), busy_seconds, TABLES, keeps_connections=keeps_connections)


def locate(named: Path | str) -> StorePlace:
    """Return the file in a folder, or the database at an address `postgresql://…`."""
    if isinstance(named, Path) or "://" not in named:
        return SqliteFile(Path(named) / FILE_NAME)
    scheme = named.split("://", maxsplit=1)[0]
    if scheme not in SERVER_SCHEMES:
        raise StoreError(
            f"a store cannot be kept at an address that begins with {scheme[:40]}://;"
            " name a folder, or postgresql://USER@HOST/DATABASE"
        )
    try:
        urlsplit(named).port  # noqa: B018 - reading it is what checks it
    except ValueError as error:
        raise StoreError(f"the address of the store cannot be read: {error}") from error
    return PostgresAddress(named)


@dataclass(frozen=True)
class PostgresAddress:
    """An existing PostgreSQL database; its tables are created on first use."""

    url: str

    @property
    def name(self) -> str:
        parts = urlsplit(self.url)
        user = f"{parts.username}@" if parts.username else ""
        port = f":{parts.port}" if parts.port else ""
        return f"postgresql://{user}{parts.hostname or ''}{port}{parts.path}"

    @property
    def shown(self) -> str:
        """Return the address for a command line: with its options, without secrets."""
        options = parse_qsl(urlsplit(self.url).query)
        open_ones = [(name, value) for name, value in options if not any(one in name for one in _SECRET)]
        # The driver does not read a plus as a blank.
        query = urlencode(open_ones, safe="/", quote_via=quote)
        return f"{self.name}?{query}" if query else self.name

    def exists(self) -> bool:
        return True

    def open(
        self, busy_seconds: float, more_tables: MetaData | None, *, keeps_connections: bool
    ) -> "PostgresDatabase":
        """Return the database; its engine always keeps connections."""
        del keeps_connections
        return PostgresDatabase(self, busy_seconds, more_tables)


class PostgresDatabase(Database):
    """The tables of a store on a server."""

    option = "--database"

    def __init__(self, address: PostgresAddress, busy_seconds: float, more_tables: MetaData | None) -> None:
        self.address = address
        super().__init__(address.name, busy_seconds, more_tables)

    def connect(self) -> Engine:
        """Make an engine that keeps a few connections open and replaces closed ones."""
        url = make_url(self.address.url.replace("postgres://", "postgresql://", 1))
        try:
            engine = create_engine(
                url.set(drivername="postgresql+psycopg"),
                pool_pre_ping=True,
                connect_args={"connect_timeout": max(2, round(self.busy_seconds)), **LIVING},
            )
        except ImportError as error:
            command = this_installation().command_for(DRIVER)
            raise StoreError(f"the store {self.name} needs the driver of PostgreSQL: {command}") from error
        notice_the_dead(engine)
        event.listen(engine, "begin", partial(_begin, busy_seconds=self.busy_seconds))
        return engine

    def is_busy(self, error: BaseException) -> bool:
        """Check whether a lock was not released in time."""
        return getattr(error, "sqlstate", None) == _LOCK_NOT_AVAILABLE

    def is_away(self, error: BaseException) -> bool:
        """Check whether the server was unreachable, or disconnected."""
        if getattr(error, "sqlstate", None) in _COMES_BACK:
            return True
        kinds = {(kind.__module__.partition(".")[0], kind.__name__) for kind in type(error).__mro__}
        if ("psycopg", "OperationalError") not in kinds or str(error).startswith(_MISTAKEN):
            return False
        return (getattr(error, "sqlstate", None) or "08").startswith(_IS_AWAY)


def notice_the_dead(engine: Engine) -> None:
    """Let neither side wait forever for the other."""
    from affidavit.service.kept import silent_server  # noqa: PLC0415 - not everybody has the driver

    event.listen(engine, "do_connect", silent_server.connect)
    event.listen(engine, "connect", _set_server_timeouts)


def _set_server_timeouts(connection: Any, _record: object) -> None:
    """Let the server release the locks of a client that vanished."""
    for name, value in PATIENCE.items():
        try:
            connection.execute(f"SET {name} = {value}")
            connection.commit()
        except Exception:  # noqa: BLE001 - of whichever driver: who knows no such setting is used without it
            connection.rollback()


@contextmanager
def writing_for(database: Database, name: str) -> Iterator[Connection]:
    """Write while no other transaction writes for the same name."""
    with database.writing() as connection:
        if isinstance(database, PostgresDatabase):
            _wait_at_most(connection, database.busy_seconds)
            connection.execute(select(func.pg_advisory_xact_lock(LOCK_NUMBER, func.hashtext(name))))
        yield connection


def _wait_at_most(connection: Connection, busy_seconds: float) -> None:
    connection.exec_driver_sql(f"SET LOCAL lock_timeout = {round(busy_seconds * 1000)}")


def _begin(connection: Connection, busy_seconds: float) -> None:
    if connection.get_execution_options().get("is_alone"):
        _wait_at_most(connection, busy_seconds)
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOCK_NUMBER})")
