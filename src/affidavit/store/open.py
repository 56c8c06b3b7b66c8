"""Open a store: a folder or an address goes in, a store with its reports, labels and rollouts comes out."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from affidavit.store.location import Location, locate
from affidavit.system.temporary import Closing

if TYPE_CHECKING:
    from affidavit.store.database import Database
    from affidavit.store.iterations import Iterations
    from affidavit.store.labels import Labels
    from affidavit.store.reports import Reports
    from affidavit.store.rollouts import Rollouts

BUSY_SECONDS = 10


class Store(Closing):
    """One store. It connects, and loads what it needs to connect, on first use."""

    def __init__(self, location: Location, busy_seconds: float, *, keeps_connections: bool = False) -> None:
        self._location = location
        self._busy_seconds = busy_seconds
        self._keeps_connections = keeps_connections

    @property
    def name(self) -> str:
        return self._location.name

    def exists(self) -> bool:
        return self._location.exists()

    @cached_property
    def database(self) -> "Database":
        """Return its tables, for modules that keep their own there."""
        from affidavit.store.database import Database  # noqa: PLC0415 - SQLAlchemy is slow to load

        return Database(self._location, self._busy_seconds, keeps_connections=self._keeps_connections)

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


def open_store(
    named: Path | str, *, busy_seconds: float = BUSY_SECONDS, keeps_connections: bool = False
) -> Store:
    """Open the store in a folder, or at an address `postgresql://…`; it is created on first write.

    A file is opened anew for each use, unless `keeps_connections`: for who asks many times a second.
    """
    return Store(locate(named), busy_seconds, keeps_connections=keeps_connections)
