"""Store reports byte for byte, and look them up by id or by the fingerprint of a finding."""

from collections.abc import Callable, Iterator

from pydantic import ValidationError
from sqlalchemy import func, select

from affidavit.errors import UnreadableReportError
from affidavit.records.report import Report, StoredFinding
from affidavit.store.database import Database
from affidavit.store.kept import KeptReviews, is_whole
from affidavit.store.tables import FINDINGS, REPORTS, is_of_tenant

_AT_ONCE = 20
"""Reports fetched together when all are read: one may have several megabytes."""


class Reports:
    def __init__(self, database: Database) -> None:
        self._database = database
        kept = KeptReviews(database)
        self.save, self.load_bytes, self.delete_before = kept.save, kept.load_bytes, kept.delete_before

    def load(self, report_id: str) -> Report | None:
        body = self.load_bytes(report_id)
        if body is None:
            return None
        report = _read(body)
        if report is None:
            raise UnreadableReportError(
                f"the report {report_id} was stored by another version and cannot be read by this one"
            )
        return report

    def has(self, report_id: str) -> bool:
        return bool(self._database.rows(select(REPORTS.c.id).where(REPORTS.c.id == report_id)))

    def each(self, since: str = "", tenant: str | None = None) -> Iterator[Report | None]:
        """Yield reports made since a date, oldest first; None for one that cannot be read."""
        wanted = select(REPORTS.c.body, REPORTS.c.digest).where(
            REPORTS.c.created_at >= since, is_of_tenant(REPORTS.c.id, tenant)
        )
        with self._database.transaction() as connection:
            ordered = wanted.order_by(REPORTS.c.created_at, REPORTS.c.id)
            for row in connection.execution_options(yield_per=_AT_ONCE).execute(ordered):
                yield _read(row.body) if is_whole(row.body, row.digest) else None

    def ids(self, start: str = "", is_wanted: Callable[[str], bool] | None = None) -> list[str]:
        """Return the ids with this beginning, newest first; `is_wanted` filters by the repository's name."""
        # Not LIKE: it has wildcards, and SQLite's does not distinguish A from a.
        wanted = func.substr(REPORTS.c.id, 1, len(start)) == start
        newest_first = (REPORTS.c.created_at.desc(), REPORTS.c.id.desc())
        found = select(REPORTS.c.id, REPORTS.c.repository).where(wanted).order_by(*newest_first)
        rows = self._database.rows(found)
        return [row["id"] for row in rows if is_wanted is None or is_wanted(row["repository"] or "")]

    def count(self) -> int:
        with self._database.transaction() as connection:
            return connection.execute(select(func.count()).select_from(REPORTS)).scalar_one()

    def find_fingerprint(self, fingerprint: str) -> StoredFinding | None:
        wanted = (
            select(*(FINDINGS.c[name] for name in StoredFinding.model_fields))
            .join(REPORTS)
            .where(FINDINGS.c.fingerprint == fingerprint)
            .order_by(REPORTS.c.created_at.desc(), REPORTS.c.id.desc())
        )
        rows = self._database.rows(wanted.limit(1))
        return StoredFinding.model_validate(dict(rows[0])) if rows else None


def _read(body: bytes) -> Report | None:
    try:
        return Report.model_validate_json(body)
    except ValidationError:
        return None
