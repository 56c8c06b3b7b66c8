"""Store people's labels of findings; entries are only added, and the newest counts."""

from typing import Any

from sqlalchemy import ColumnElement, FromClause, RowMapping, Select, and_, func, insert, select

from affidavit.records.measure import UNHEARD, LabelEntry, LabelledFinding
from affidavit.store.database import Database
from affidavit.store.tables import FINDINGS, LABELS, REPORTS, is_of_tenant

_ENTRY = (
    LABELS.c.report_id,
    LABELS.c.candidate_id,
    LABELS.c.label,
    LABELS.c.why,
    LABELS.c.labelled_by.label("by"),
    LABELS.c.source,
    LABELS.c.labelled_at.label("at"),
    LABELS.c.report_digest,
)


class Labels:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, entry: LabelEntry) -> None:
        row = entry.model_dump(exclude={"by", "at", "report_digest"})
        digest = select(REPORTS.c.digest).where(REPORTS.c.id == entry.report_id).scalar_subquery()
        with self._database.transaction() as connection:
            connection.execute(
                insert(LABELS).values(
                    **row, labelled_by=entry.by, labelled_at=entry.at, report_digest=func.coalesce(digest, "")
                )
            )

    def of_report(self, report_id: str) -> list[LabelEntry]:
        wanted = select(*_ENTRY).where(LABELS.c.report_id == report_id, _counts()).order_by(LABELS.c.number)
        return self._entries(wanted)

    def history(self, report_id: str, candidate_id: str) -> list[LabelEntry]:
        is_it = and_(LABELS.c.report_id == report_id, LABELS.c.candidate_id == candidate_id)
        return [
            _entry(row) for row in self._database.rows(select(*_ENTRY).where(is_it).order_by(LABELS.c.number))
        ]

    def with_findings(self, since: str = "", tenant: str | None = None) -> list[LabelledFinding]:
        """Return the label of every labelled finding in reports since a date, the newest last.

        `tenant` selects its reports; None selects all.
        """
        is_same = and_(
            FINDINGS.c.report_id == LABELS.c.report_id, FINDINGS.c.candidate_id == LABELS.c.candidate_id
        )
        wanted = (
            select(*_ENTRY, REPORTS.c.repository, FINDINGS.c.fingerprint, FINDINGS.c.withheld)
            .select_from(LABELS)
            .join(FINDINGS, is_same)
            .join(REPORTS, REPORTS.c.id == LABELS.c.report_id)
            .where(REPORTS.c.created_at >= since, is_of_tenant(REPORTS.c.id, tenant), _counts())
            .order_by(LABELS.c.number)
        )
        return [_labelled(row) for row in self._database.rows(wanted)]

    def uncounted(self, since: str = "", tenant: str | None = None) -> list[LabelEntry]:
        """Return the newest label of each person whose labels do not count in rates, oldest first."""
        wanted = (
            select(*_ENTRY)
            .join(REPORTS, REPORTS.c.id == LABELS.c.report_id)
            .where(REPORTS.c.created_at >= since, is_of_tenant(REPORTS.c.id, tenant), ~_is_counted(LABELS))
            .order_by(LABELS.c.number)
        )
        newest = {
            (one.report_id, one.candidate_id, one.by): one for one in map(_entry, self._database.rows(wanted))
        }
        return [one for one in newest.values() if one.label is not None]

    def _entries(self, wanted: Select[Any]) -> list[LabelEntry]:
        return [_entry(row) for row in self._database.rows(wanted)]


def _counts() -> ColumnElement[bool]:
    """Select entries that are labels and the newest that counts for their finding."""
    later = LABELS.alias("later")
    newest = select(func.max(later.c.number)).where(
        later.c.report_id == LABELS.c.report_id,
        later.c.candidate_id == LABELS.c.candidate_id,
        _is_counted(later),
    )
    return and_(LABELS.c.label.is_not(None), LABELS.c.number == newest.scalar_subquery())


def _is_counted(labels: FromClause) -> ColumnElement[bool]:
    """Select entries for which `LabelEntry.counts` is true."""
    return labels.c.source.not_in(UNHEARD.values())


def _entry(row: RowMapping) -> LabelEntry:
    return LabelEntry.model_validate({name: row[name] for name in LabelEntry.model_fields})


def _labelled(row: RowMapping) -> LabelledFinding:
    return LabelledFinding(
        entry=_entry(row),
        repository=row["repository"] or "",
        fingerprint=row["fingerprint"] or "",
        is_shown=row["withheld"] is None,
    )
