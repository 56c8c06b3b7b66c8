"""Store series of reviews: the summaries of all reviews of one change, the newest last."""

from typing import Any

from sqlalchemy import ColumnElement, Select, and_, delete, func, insert, select

from affidavit.records.iteration import DEFAULT_TENANT, IterationSummary, StoredIteration, StoredSeries
from affidavit.store.database import Database
from affidavit.store.tables import ITERATIONS, is_completed, is_of_tenant


class Iterations:
    """The series of reviews of one store; each tenant has its own."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(
        self, repository: str, series: str, summary: IterationSummary, tenant: str = DEFAULT_TENANT
    ) -> None:
        """Append a review; a second review of the same head replaces the first."""
        named = _named(repository, series, tenant)
        row = {
            "repository": repository,
            "series": series,
            "iteration": summary.number,
            "report_id": summary.report_id,
            "tree": summary.tree,
            "body": summary.model_dump_json(),
        }
        with self._database.alone() as connection:
            # A worker that dies after this, before the review ends, adds it again.
            connection.execute(delete(ITERATIONS).where(ITERATIONS.c.report_id == summary.report_id))
            newest = connection.execute(
                select(ITERATIONS).where(named).order_by(ITERATIONS.c.number.desc()).limit(1)
            ).one_or_none()
            if newest and (newest.tree, newest.iteration) == (summary.tree, summary.number):
                connection.execute(delete(ITERATIONS).where(ITERATIONS.c.number == newest.number))
            connection.execute(insert(ITERATIONS).values(row))

    def of(self, repository: str, series: str, tenant: str = DEFAULT_TENANT) -> list[StoredIteration]:
        """Return the reviews of a series, oldest first, without cancelled ones."""
        named = and_(_named(repository, series, tenant), is_completed(ITERATIONS.c.report_id))
        return self._read(select(ITERATIONS).where(named).order_by(ITERATIONS.c.number))

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
        return [
            StoredIteration(
                repository=row["repository"],
                series=row["series"],
                iteration=row["iteration"],
                report_id=row["report_id"],
                tree=row["tree"],
                summary=IterationSummary.model_validate_json(row["body"]),
            )
            for row in self._database.rows(wanted)
        ]


def _named(repository: str, series: str, tenant: str) -> ColumnElement[bool]:
    is_it = and_(ITERATIONS.c.repository == repository, ITERATIONS.c.series == series)
    return and_(is_it, is_of_tenant(ITERATIONS.c.report_id, tenant))
