"""Read and write what every review needs of the store, in the SQL that SQLite and PostgreSQL share."""

from contextlib import AbstractContextManager
from hashlib import sha256
from typing import Any, Protocol

from affidavit.errors import UnreadableReportError
from affidavit.records.iteration import DEFAULT_TENANT, IterationSummary, StoredIteration
from affidavit.records.report import Report
from affidavit.store.file import Execute, Row, storable

_SAVE = """
INSERT INTO reports (id, created_at, repository, base, head, decision, body, digest)
VALUES (:id, :created_at, :repository, :base, :head, :decision, :body, :digest)
ON CONFLICT (id) DO UPDATE SET created_at = excluded.created_at, repository = excluded.repository,
base = excluded.base, head = excluded.head, decision = excluded.decision, body = excluded.body,
digest = excluded.digest
"""
_ADD_FINDING = """
INSERT INTO findings
(report_id, candidate_id, fingerprint, specialist, severity, category, status, withheld, title, file, line)
VALUES (:report_id, :candidate_id, :fingerprint, :specialist, :severity, :category, :status, :withheld,
:title, :file, :line)
"""
_ADD_REVIEW = """
INSERT INTO iterations (repository, series, iteration, report_id, tree, body)
VALUES (:repository, :series, :iteration, :report_id, :tree, :body)
"""
# A report without a review belongs to the default tenant. Not `IN`, for which PostgreSQL reads all reviews.
_OF_SERIES = """
FROM iterations WHERE repository = :repository AND series = :series AND CASE WHEN :tenant = :default
THEN NOT EXISTS (SELECT 1 FROM reviews WHERE reviews.id = iterations.report_id AND tenant <> :tenant)
ELSE EXISTS (SELECT 1 FROM reviews WHERE reviews.id = iterations.report_id AND tenant = :tenant) END
"""
# Reports of the command line and of completed reviews count.
_COMPLETED = """
AND NOT EXISTS (SELECT 1 FROM reviews WHERE reviews.id = iterations.report_id AND status <> 'completed')
"""
_OLD = """
FROM reports WHERE created_at < :at
AND NOT EXISTS (SELECT 1 FROM reviews WHERE reviews.id = reports.id AND change_key <> reviews.id)
"""
_WITHOUT_LABELS = "AND NOT EXISTS (SELECT 1 FROM labels WHERE labels.report_id = reports.id)"
_GONE = "DELETE FROM reviews WHERE change_key = id AND id NOT IN (SELECT id FROM reports)"


class Transactions(Protocol):
    """A store that executes statements."""

    name: str

    def statements(self, *, is_alone: bool = False) -> AbstractContextManager[Execute]:
        """Open a transaction: all of it is kept, or nothing."""

    def empty_log(self) -> bool:
        """Remove deleted data from the log of the database; return False if readers prevent it."""


class KeptReviews:
    """The reports of one store, and the series that they belong to."""

    def __init__(self, database: Transactions) -> None:
        self._database = database

    def has_labels(self) -> bool:
        """Check whether anybody labelled a finding."""
        with self._database.statements() as execute:
            return bool(execute("SELECT 1 AS found FROM labels LIMIT 1"))

    def save(self, report: Report, body: bytes | None = None) -> None:
        """Store a report, as the bytes it was read from if there are any."""
        written = report.model_dump_json().encode() if body is None else body
        with self._database.statements() as execute:
            execute(_SAVE, _storable(_report_row(report, written)))
            execute("DELETE FROM findings WHERE report_id = :id", {"id": report.id})
            if rows := [_storable(row) for row in _finding_rows(report)]:
                execute(_ADD_FINDING, *rows)

    def load_bytes(self, report_id: str) -> bytes | None:
        with self._database.statements() as execute:
            rows = execute("SELECT body, digest FROM reports WHERE id = :id", {"id": storable(report_id)})
        if not rows:
            return None
        row = rows[0]
        if not is_whole(row["body"], row["digest"]):
            raise UnreadableReportError(
                f"the report {report_id} in the store {self._database.name} has changed since it was stored:"
                " its bytes do not match the recorded digest"
            )
        return bytes(row["body"])

    def delete_before(self, at: str, *, spares_labelled: bool = False) -> int:
        """Delete reports from before a date, but not those of the service; return how many."""
        old = f"{_OLD} {_WITHOUT_LABELS}" if spares_labelled else _OLD
        count, limit = f"SELECT count(*) AS number {old}", {"at": at}
        with self._database.statements() as execute:
            found: int = execute(count, limit)[0]["number"]
        if found:
            with self._database.statements(is_alone=True) as execute:
                found = execute(count, limit)[0]["number"]
                execute(f"DELETE {old}", limit)
                execute(_GONE)
            self._database.empty_log()
        return found

    def add(
        self, repository: str, series: str, summary: IterationSummary, tenant: str = DEFAULT_TENANT
    ) -> None:
        """Append a review to its series; a second review of the same head replaces the first."""
        row = _storable(
            {
                "repository": repository,
                "series": series,
                "iteration": summary.number,
                "report_id": summary.report_id,
                "tree": summary.tree,
                "body": summary.model_dump_json(),
            }
        )
        with self._database.statements(is_alone=True) as execute:
            # A worker that dies after this, before the review ends, adds it again.
            execute("DELETE FROM iterations WHERE report_id = :id", {"id": row["report_id"]})
            newest = execute(
                f"SELECT number, tree, iteration {_OF_SERIES} ORDER BY number DESC LIMIT 1",
                _named(repository, series, tenant),
            )
            if newest and (newest[0]["tree"], newest[0]["iteration"]) == (row["tree"], row["iteration"]):
                execute("DELETE FROM iterations WHERE number = :number", {"number": newest[0]["number"]})
            execute(_ADD_REVIEW, row)

    def of(self, repository: str, series: str, tenant: str = DEFAULT_TENANT) -> list[StoredIteration]:
        """Return the reviews of a series, oldest first, without cancelled ones."""
        wanted = f"SELECT * {_OF_SERIES} {_COMPLETED} ORDER BY number"
        with self._database.statements() as execute:
            return [read_iteration(row) for row in execute(wanted, _named(repository, series, tenant))]


def read_iteration(row: Row) -> StoredIteration:
    return StoredIteration(
        repository=row["repository"],
        series=row["series"],
        iteration=row["iteration"],
        report_id=row["report_id"],
        tree=row["tree"],
        summary=IterationSummary.model_validate_json(row["body"]),
    )


def is_whole(body: bytes, digest: str) -> bool:
    """Check that the bytes of a report match the digest stored with it."""
    return sha256(body).hexdigest() == digest


def _named(repository: str, series: str, tenant: str) -> Row:
    return _storable(
        {"repository": repository, "series": series, "tenant": tenant, "default": DEFAULT_TENANT}
    )


def _storable(row: Row) -> Row:
    return {name: storable(value) if isinstance(value, str) else value for name, value in row.items()}


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
