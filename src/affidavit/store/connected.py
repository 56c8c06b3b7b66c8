"""A location in, all that is kept there out; loaded as a whole, by who reads or writes."""

from dataclasses import dataclass

from affidavit.store.databases.database import Database
from affidavit.store.databases.location import Location
from affidavit.store.iterations import Iterations
from affidavit.store.labels import Labels
from affidavit.store.reports import Reports
from affidavit.store.rollouts import Rollouts


@dataclass(frozen=True)
class Connected:
    """The database of a store, and what stands in its tables."""

    database: Database
    reports: Reports
    labels: Labels
    rollouts: Rollouts
    iterations: Iterations


def connect(location: Location, busy_seconds: float, *, keeps_connections: bool) -> Connected:
    """Everything at that location; the first use of it opens a connection."""
    database = Database(location, busy_seconds, keeps_connections=keeps_connections)
    return Connected(database, Reports(database), Labels(database), Rollouts(database), Iterations(database))
