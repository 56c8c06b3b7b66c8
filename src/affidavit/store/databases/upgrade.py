"""Bring a store to the newest schema: a store of any earlier version goes in, and nothing in it is lost."""

from enum import Enum
from pathlib import Path

from sqlalchemy import Connection, Engine, insert, inspect, select

from affidavit.store.databases.schema import METADATA, REPORTS, VERSION, VERSION_TABLE

MIGRATIONS = Path(__file__).parent / "migrations"
REVISIONS = ("0001", "0002", "0003", "0004", "0005", "0006", "0007", "0008", "0009", "0010", "0011")
"""All that this program knows, oldest first: asking Alembic for them would cost every start its import."""
HAND_NUMBERED = 3
"""The first stores counted their version in SQLite's `user_version`, up to this one."""


class Standing(Enum):
    """Where a store stands, seen from this program."""

    EMPTY = "empty"
    OLDER = "older"
    CURRENT = "current"
    NEWER = "newer"


def find_standing(connection: Connection) -> Standing:
    """Whether a store is empty, older than this program, as new or newer."""
    revision = _revision(connection)
    if revision is None:
        return _standing_of_the_first(connection)
    if revision == REVISIONS[-1]:
        return Standing.CURRENT
    return Standing.OLDER if revision in REVISIONS else Standing.NEWER


def bring_up_to_date(engine: Engine) -> None:
    """Make or change the tables as a whole or not at all, also where another process does so right now."""
    with engine.connect().execution_options(is_alone=True) as connection, connection.begin():
        # Between the first look and the lock, another process may have done it.
        standing = find_standing(connection)
        if standing is Standing.EMPTY:
            _make(connection)
        elif standing is Standing.OLDER:
            migrate(connection)


def migrate(connection: Connection, revision: str = REVISIONS[-1]) -> None:
    """Run the migrations up to a revision, inside the transaction that the connection is in."""
    from alembic import command, config  # noqa: PLC0415 - loaded only where there is something to do

    settings = config.Config(attributes={"connection": connection})
    settings.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    counted = _counted(connection)
    if _revision(connection) is None and counted:
        command.stamp(settings, REVISIONS[counted - 1])
    command.upgrade(settings, revision)


def _mark_as_newer(connection: Connection) -> None:
    """Let the first programs, which know only SQLite's number, see that the store is newer than they are."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"PRAGMA user_version = {HAND_NUMBERED + 1}")


def _make(connection: Connection) -> None:
    # A table of the same name that somebody else made is an error, not a part of the store.
    METADATA.create_all(connection, checkfirst=False)
    VERSION.create(connection)
    connection.execute(insert(VERSION).values(version_num=REVISIONS[-1]))
    _mark_as_newer(connection)


def _standing_of_the_first(connection: Connection) -> Standing:
    counted = _counted(connection)
    if counted > HAND_NUMBERED:
        return Standing.NEWER
    is_file = connection.dialect.name == "sqlite"
    is_made = counted > 0 or (is_file and inspect(connection).has_table(REPORTS.name))
    return Standing.OLDER if is_made else Standing.EMPTY


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    return connection.execute(select(VERSION.c.version_num)).scalar()


def _counted(connection: Connection) -> int:
    if connection.dialect.name != "sqlite":
        return 0
    return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())
