"""Make the engine of a store that is a PostgreSQL database, or say how to get the driver for it."""

from functools import partial
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, func, make_url, select

from affidavit.errors import StoreError
from affidavit.store.location import PostgresDatabase
from affidavit.system.installation import this_installation

DRIVER = "psycopg[binary]"
LOCK_NUMBER = 0x0AFF1DA
"""Names the lock of whoever must be alone; a number, since that is what PostgreSQL locks."""
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
"""A server that only reads, as while another takes its place; a session that it ended for being idle."""


def make_engine(location: PostgresDatabase, busy_seconds: float) -> Engine:
    """Make an engine that keeps a few connections open and replaces closed ones."""
    url = make_url(location.url.replace("postgres://", "postgresql://", 1))
    try:
        engine = create_engine(
            url.set(drivername="postgresql+psycopg"),
            pool_pre_ping=True,
            connect_args={"connect_timeout": max(2, round(busy_seconds)), **LIVING},
        )
    except ImportError as error:
        command = this_installation().command_for(DRIVER)
        raise StoreError(f"the store {location.name} needs the driver of PostgreSQL: {command}") from error
    notice_the_dead(engine)
    event.listen(engine, "begin", partial(_begin, busy_seconds=busy_seconds))
    return engine


def notice_the_dead(engine: Engine) -> None:
    """Let neither side wait forever for the other."""
    from affidavit.store import silent_server  # noqa: PLC0415 - not everybody has the driver

    event.listen(engine, "do_connect", silent_server.connect)
    event.listen(engine, "connect", _let_go_of_the_dead)


def _let_go_of_the_dead(connection: Any, _record: object) -> None:
    """Let the server release the locks of a client that vanished."""
    for name, value in PATIENCE.items():
        try:
            connection.execute(f"SET {name} = {value}")
            connection.commit()
        except Exception:  # noqa: BLE001 - of whichever driver: who knows no such setting is used without it
            connection.rollback()


def is_busy(error: BaseException | None) -> bool:
    return getattr(error, "sqlstate", None) == _LOCK_NOT_AVAILABLE


def is_away(error: BaseException | None) -> bool:
    """Check whether the server was unreachable, or disconnected."""
    if getattr(error, "sqlstate", None) in _COMES_BACK:
        return True
    kinds = {(kind.__module__.partition(".")[0], kind.__name__) for kind in type(error).__mro__}
    if ("psycopg", "OperationalError") not in kinds or str(error).startswith(_MISTAKEN):
        return False
    return (getattr(error, "sqlstate", None) or "08").startswith(_IS_AWAY)


def lock_name(connection: Connection, name: str, busy_seconds: float) -> None:
    """Wait for the lock of this name, and hold it for the rest of the transaction."""
    _wait_at_most(connection, busy_seconds)
    connection.execute(select(func.pg_advisory_xact_lock(LOCK_NUMBER, func.hashtext(name))))


def _wait_at_most(connection: Connection, busy_seconds: float) -> None:
    connection.exec_driver_sql(f"SET LOCAL lock_timeout = {round(busy_seconds * 1000)}")


def _begin(connection: Connection, busy_seconds: float) -> None:
    if connection.get_execution_options().get("is_alone"):
        _wait_at_most(connection, busy_seconds)
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOCK_NUMBER})")
