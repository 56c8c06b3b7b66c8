"""Open the store of a folder: its reports, labels, rollouts and series of reviews."""

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from affidavit.system.temporary import Closing

if TYPE_CHECKING:
    from sqlalchemy import MetaData

    from affidavit.store.database import Database
    from affidavit.store.iterations import Iterations
    from affidavit.store.kept import KeptReviews
    from affidavit.store.labels import Labels
    from affidavit.store.reports import Reports
    from affidavit.store.rollouts import Rollouts

BUSY_SECONDS = 10
FILE_NAME = "affidavit.db"


class StorePlace(Protocol):
    """Where a store is kept."""

    @property
    def name(self) -> str:
        """Return the name for messages, without secrets."""

    def exists(self) -> bool:
        """Check whether there is a store."""

    def open(
        self, busy_seconds: float, more_tables: "MetaData | None", *, keeps_connections: bool
    ) -> "Database":
        """Return its database, with these tables beside the store's own."""


@dataclass(frozen=True)
class SqliteFile:
    """A file in a folder of the user; created on first use, readable by the user alone."""

    path: Path

    @property
    def name(self) -> str:
        return str(self.path)

    def exists(self) -> bool:
        return self.path.exists()

    @property
    def is_fixed(self) -> bool:
        """Check for a file in a folder that cannot be written: it can still be read."""
        return self.path.is_file() and not os.access(self.path.parent, os.W_OK)

    def open(
        self, busy_seconds: float, more_tables: "MetaData | None", *, keeps_connections: bool
    ) -> "Database":
        """Return the database."""
        from affidavit.store.sqlite import SqliteDatabase  # noqa: PLC0415 - SQLAlchemy is slow to load

        return SqliteDatabase(
            self.path, busy_seconds, more_tables, is_fixed=self.is_fixed, keeps_connections=keeps_connections
        )


class Store(Closing):
    """One store. It connects, and loads what it needs to connect, on first use."""

    def __init__(
        self,
        location: StorePlace,
        busy_seconds: float = BUSY_SECONDS,
        more_tables: "MetaData | None" = None,
        *,
        keeps_connections: bool = False,
    ) -> None:
        self.location = location
        self._busy_seconds = busy_seconds
        self._more_tables = more_tables
        self._keeps_connections = keeps_connections

    @property
    def name(self) -> str:
        return self.location.name

    def exists(self) -> bool:
        return self.location.exists()

    @cached_property
    def database(self) -> "Database":
        """Return its tables, for modules that keep their own there."""
        return self.location.open(
            self._busy_seconds, self._more_tables, keeps_connections=self._keeps_connections
        )

    @cached_property
    def kept(self) -> "KeptReviews":
        """Return what every review reads and writes; a file is used without SQLAlchemy."""
        from affidavit.store.file import PlainFile  # noqa: PLC0415
        from affidavit.store.kept import KeptReviews  # noqa: PLC0415

        place = self.location
        if isinstance(place, SqliteFile) and self._more_tables is None and not self._keeps_connections:
            return KeptReviews(PlainFile(place.path, self._busy_seconds, is_fixed=place.is_fixed))
        return KeptReviews(self.database)

    @cached_property
    def reports(self) -> "Reports":
        from affidavit.store.reports import Reports  # noqa: PLC0415

        return Reports(self.database)

    @cached_property
    def labels(self) -> "Labels":
        from affidavit.store.labels import Labels  # noqa: PLC0415

        return Labels(self.database)

    @cached_property
    def rollouts(self) -> "Rollouts":
        from affidavit.store.rollouts import Rollouts  # noqa: PLC0415

        return Rollouts(self.database)

    @cached_property
    def iterations(self) -> "Iterations":
        from affidavit.store.iterations import Iterations  # noqa: PLC0415

        return Iterations(self.database)

    def close(self) -> None:
        if "database" in self.__dict__:
            self.database.close()


def open_store(folder: Path, *, busy_seconds: float = BUSY_SECONDS) -> Store:
    """Open the store in a folder; it is created on first write."""
    return Store(SqliteFile(folder / FILE_NAME), busy_seconds)
