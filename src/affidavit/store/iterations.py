"""Keep which report is which review of a change: a row of reviews under a name, the newest last."""

from typing import Any

from sqlalchemy import and_, delete, func, insert, select

from affidavit.records.iteration import IterationSummary, StoredIteration, StoredSeries
from affidavit.store.database import Database
from affidavit.store.schema import ITERATIONS


class Iterations:
    """The rows of reviews of one store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, repository: str, series: str, summary: IterationSummary) -> None:
        """Keep one more review; a second one of the same head takes the place of the first."""
        named = and_(ITERATIONS.c.repository == repository, ITERATIONS.c.series == series)
        row = {
            "repository": repository,
            "series": series,
            "iteration": summary.number,
            "report_id": summary.report_id,
            "tree": summary.tree,
            "body": summary.model_dump_json(),
        }
        with self._database.alone() as connection:
            newest = connection.execute(
                select(ITERATIONS).where(named).order_by(ITERATIONS.c.number.desc()).limit(1)
            ).one_or_none()
            if newest and (newest.tree, newest.iteration) == (summary.tree, summary.number):
                connection.execute(delete(ITERATIONS).where(ITERATIONS.c.number == newest.number))
            connection.execute(insert(ITERATIONS).values(row))

    def of(self, repository: str, series: str) -> list[StoredIteration]:
        """All reviews under a name, oldest first."""
        named = and_(ITERATIONS.c.repository == repository, ITERATIONS.c.series == series)
        wanted = select(ITERATIONS).where(named).order_by(ITERATIONS.c.number)
        with self._database.transaction() as connection:
            return [_read(dict(row)) for row in connection.execute(wanted).mappings()]

    def series(self) -> list[StoredSeries]:
        """Every name with its newest review, the newest first."""
        number = ITERATIONS.c.number
        newest = select(func.max(number)).group_by(ITERATIONS.c.repository, ITERATIONS.c.series)
        wanted = select(ITERATIONS).where(number.in_(newest)).order_by(number.desc())
        with self._database.transaction() as connection:
            found = [_read(dict(row)) for row in connection.execute(wanted).mappings()]
        return [StoredSeries(repository=one.repository, series=one.series, newest=one) for one in found]

    def each(self) -> list[StoredIteration]:
        """Every review of every row, in the order in which they were kept."""
        with self._database.transaction() as connection:
            rows = connection.execute(select(ITERATIONS).order_by(ITERATIONS.c.number)).mappings()
            return [_read(dict(row)) for row in rows]


def _read(row: dict[str, Any]) -> StoredIteration:
    return StoredIteration(
        repository=row["repository"],
        series=row["series"],
        iteration=row["iteration"],
        report_id=row["report_id"],
        tree=row["tree"],
        summary=IterationSummary.model_validate_json(row["body"]),
    )
