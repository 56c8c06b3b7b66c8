"""Store series of reviews: the summaries of all reviews of one change, the newest last."""

from typing import Any

from sqlalchemy import Select, and_, func, select

from affidavit.records.iteration import DEFAULT_TENANT, StoredIteration, StoredSeries
from affidavit.store.database import Database
from affidavit.store.kept import KeptReviews, read_iteration
from affidavit.store.tables import ITERATIONS, is_completed, is_of_tenant


class Iterations:
    """The series of reviews of one store; each tenant has its own."""

    def __init__(self, database: Database) -> None:
        self._database = database
        kept = KeptReviews(database)
        self.add, self.of = kept.add, kept.of

    def with_report(self, report_id: str) -> list[StoredIteration]:
        return self._read(select(ITERATIONS).where(ITERATIONS.c.report_id == report_id))

    def series(self, tenant: str = DEFAULT_TENANT) -> list[StoredSeries]:
        number = ITERATIONS.c.number
        own = and_(is_of_tenant(ITERATIONS.c.report_id, tenant), is_completed(ITERATIONS.c.report_id))
        newest = select(func.max(number)).where(own).group_by(ITERATIONS.c.repository, ITERATIONS.c.series)
        found = self._read(select(ITERATIONS).where(number.in_(newest)).order_by(number.desc()))
        return [StoredSeries(repository=one.repository, series=one.series, newest=one) for one in found]

    def each(self) -> list[StoredIteration]:
        return self._read(select(ITERATIONS).order_by(ITERATIONS.c.number))

    def _read(self, wanted: Select[Any]) -> list[StoredIteration]:
        return [read_iteration(dict(row)) for row in self._database.rows(wanted)]
