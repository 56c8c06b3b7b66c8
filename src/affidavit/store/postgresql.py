"""Make the engine of a store that is a PostgreSQL database, or say how to get the driver for it."""

from functools import partial

from sqlalchemy import Connection, Engine, create_engine, event, make_url

from affidavit.errors import StoreError
from affidavit.store.location import PostgresDatabase
from affidavit.system.installation import this_installation

DRIVER = "psycopg[binary]"
LOCK_NUMBER = 0x0AFF1DA
"""Names the lock of whoever must be alone; a number, since that is what PostgreSQL locks."""
_LOCK_NOT_AVAILABLE = "55P03"


def make_engine(location: PostgresDatabase, busy_seconds: float) -> Engine:
    """An engine that keeps a few connections open, and notices when the server has closed one."""
    url = make_url(location.url.replace("postgres://", "postgresql://", 1))
    try:
        engine = create_engine(
            url.set(drivername="postgresql+psycopg"),
            pool_pre_ping=True,
            connect_args={"connect_timeout": max(2, round(busy_seconds))},
        )
    except ImportError as error:
        command = this_installation().command_for(DRIVER)
        raise StoreError(f"the store {location.name} needs the driver of PostgreSQL: {command}") from error
    event.listen(engine, "begin", partial(_begin, busy_seconds=busy_seconds))
    return engine


def is_busy(error: BaseException | None) -> bool:
    """Whether another process kept the lock for too long."""
    return getattr(error, "sqlstate", None) == _LOCK_NOT_AVAILABLE


def _begin(connection: Connection, busy_seconds: float) -> None:
    if connection.get_execution_options().get("is_alone"):
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = {round(busy_seconds * 1000)}")
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOCK_NUMBER})")
