"""Store reports byte for byte, and look them up by id or by the fingerprint of a finding."""

from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

from pydantic import ValidationError
from sqlalchemy import and_, delete, func, select

from affidavit.errors import UnreadableReportError
from affidavit.records.report import Report, StoredFinding
from affidavit.store.database import Database, insert_all, upsert
from affidavit.store.tables import FINDINGS, LABELS, REPORTS, REVIEWS, is_of_tenant

_AT_ONCE = 20
"""Reports fetched together when all are read: one may have several megabytes."""


class Reports:
    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, report: Report, body: bytes | None = None) -> None:
        """Store a report, as the bytes it was read from if there are any."""
        written = report.model_dump_json().encode() if body is None else body
        with self._database.transaction() as connection:
            upsert(connection, REPORTS, _report_row(report, written))
            connection.execute(delete(FINDINGS).where(FINDINGS.c.report_id == report.id))
            insert_all(connection, FINDINGS, _finding_rows(report))

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

    def load_bytes(self, report_id: str) -> bytes | None:
        rows = self._database.rows(select(REPORTS.c.body, REPORTS.c.digest).where(REPORTS.c.id == report_id))
        if not rows:
            return None
        row = rows[0]
        if not _is_whole(row["body"], row["digest"]):
            raise UnreadableReportError(
                f"the report {report_id} in the store {self._database.name} has changed since it was stored:"
                " its bytes do not match the recorded digest"
            )
        return bytes(row["body"])

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
                yield _read(row.body) if _is_whole(row.body, row.digest) else None

    def ids(self, start: str = "", is_wanted: Callable[[str], bool] | None = None) -> list[str]:
        """Return the ids with this beginning, newest first; `is_wanted` filters by the repository's name."""
        # Not LIKE: it has wildcards, and SQLite's does not distinguish A from a.
        wanted = func.substr(REPORTS.c.id, 1, len(start)) == start
        newest_first = (REPORTS.c.created_at.desc(), REPORTS.c.id.desc())
        found = select(REPORTS.c.id, REPORTS.c.repository).where(wanted).order_by(*newest_first)
        rows = self._database.rows(found)
        return [row["id"] for row in rows if is_wanted is None or is_wanted(row["repository"] or "")]

    def delete_before(self, at: str, *, spares_labelled: bool = False) -> int:
        """Delete reports from before a date, but not those of the service; return how many."""
        of_service = select(REVIEWS.c.id).where(REVIEWS.c.change_key != REVIEWS.c.id)
        old = and_(REPORTS.c.created_at < at, REPORTS.c.id.not_in(of_service))
        if spares_labelled:
            old = and_(old, REPORTS.c.id.not_in(select(LABELS.c.report_id)))
        with self._database.transaction() as connection:
            found = connection.execute(select(func.count()).select_from(REPORTS).where(old)).scalar_one()
        if found:
            with self._database.writing() as connection:
                found = connection.execute(delete(REPORTS).where(old)).rowcount
                is_adopted = REVIEWS.c.change_key == REVIEWS.c.id
                gone = and_(is_adopted, REVIEWS.c.id.not_in(select(REPORTS.c.id)))
                connection.execute(delete(REVIEWS).where(gone))
            self._database.empty_log()
        return found

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


def _is_whole(body: bytes, digest: str) -> bool:
    return sha256(body).hexdigest() == digest


def _read(body: bytes) -> Report | None:
    try:
        return Report.model_validate_json(body)
    except ValidationError:
        return None


def _report_row(report: Report, body: bytes) -> dict[str, Any]:
    return {
        "id": report.id,
        "created_at": report.created_at,
        "repository": report.change.repository,
        "base": report.change.base.commit or report.change.base.tree,
        "head": report.change.head.commit or report.change.head.tree,
        "decision": report.verdict.decision,
        "body": body,
        "digest": sha256(body).hexdigest(),
    }


def _finding_rows(report: Report) -> list[dict[str, Any]]:
    rows = {
        candidate.id: {
            "report_id": report.id,
            "candidate_id": candidate.id,
            "fingerprint": candidate.fingerprint,
            "specialist": candidate.specialist,
            "severity": candidate.finding.severity,
            "category": candidate.finding.category,
            "status": candidate.status,
            "withheld": candidate.withheld.code if candidate.withheld else None,
            "title": candidate.finding.title,
            "file": candidate.finding.file,
            "line": candidate.finding.line,
        }
        for candidate in report.candidates
        if candidate.finding
    }
    return list(rows.values())
