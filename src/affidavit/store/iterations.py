"""Keep which report is which review of a change: a series of reviews under a name, the newest last."""

from typing import Any

from sqlalchemy import ColumnElement, and_, delete, func, insert, select

from affidavit.records.iteration import DEFAULT_TENANT, IterationSummary, StoredIteration, StoredSeries
from affidavit.store.database import Database
from affidavit.store.tables import ITERATIONS, is_of_tenant, is_standing


class Iterations:
    """The series of reviews of one store; each tenant has its own."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(
        self, repository: str, series: str, summary: IterationSummary, tenant: str = DEFAULT_TENANT
    ) -> None:
        """Keep one more review; a second one of the same head replaces the first."""
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
            # Whoever died after this and before the end of a review says it again.
            connection.execute(delete(ITERATIONS).where(ITERATIONS.c.report_id == summary.report_id))
            newest = connection.execute(
                select(ITERATIONS).where(named).order_by(ITERATIONS.c.number.desc()).limit(1)
            ).one_or_none()
            if newest and (newest.tree, newest.iteration) == (summary.tree, summary.number):
                connection.execute(delete(ITERATIONS).where(ITERATIONS.c.number == newest.number))
            connection.execute(insert(ITERATIONS).values(row))

    def of(self, repository: str, series: str, tenant: str = DEFAULT_TENANT) -> list[StoredIteration]:
        """Return the reviews of a series, oldest first, without cancelled ones."""
        named = and_(_named(repository, series, tenant), is_standing(ITERATIONS.c.report_id))
        wanted = select(ITERATIONS).where(named).order_by(ITERATIONS.c.number)
        with self._database.transaction() as connection:
            return [_read(dict(row)) for row in connection.execute(wanted).mappings()]

    def with_report(self, report_id: str) -> list[StoredIteration]:
        wanted = select(ITERATIONS).where(ITERATIONS.c.report_id == report_id)
        with self._database.transaction() as connection:
            return [_read(dict(row)) for row in connection.execute(wanted).mappings()]

    def series(self, tenant: str = DEFAULT_TENANT) -> list[StoredSeries]:
        number = ITERATIONS.c.number
        own = and_(is_of_tenant(ITERATIONS.c.report_id, tenant), is_standing(ITERATIONS.c.report_id))
        newest = select(func.max(number)).where(own).group_by(ITERATIONS.c.repository, ITERATIONS.c.series)
        wanted = select(ITERATIONS).where(number.in_(newest)).order_by(number.desc())
        with self._database.transaction() as connection:
            found = [_read(dict(row)) for row in connection.execute(wanted).mappings()]
        return [StoredSeries(repository=one.repository, series=one.series, newest=one) for one in found]

    def each(self) -> list[StoredIteration]:
        with self._database.transaction() as connection:
            rows = connection.execute(select(ITERATIONS).order_by(ITERATIONS.c.number)).mappings()
            return [_read(dict(row)) for row in rows]


def _named(repository: str, series: str, tenant: str) -> ColumnElement[bool]:
    is_it = and_(ITERATIONS.c.repository == repository, ITERATIONS.c.series == series)
    return and_(is_it, is_of_tenant(ITERATIONS.c.report_id, tenant))


def _read(row: dict[str, Any]) -> StoredIteration:
    return StoredIteration(
        repository=row["repository"],
        series=row["series"],
        iteration=row["iteration"],
        report_id=row["report_id"],
        tree=row["tree"],
        summary=IterationSummary.model_validate_json(row["body"]),
    )
