"""Keep what people say about findings, and tell it again: labels go in, nothing is ever overwritten."""

import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime

from affidavit.records.candidate import Candidate
from affidavit.records.lab.label import Label, LabelEntry
from affidavit.records.record import Record
from affidavit.records.report import Report
from affidavit.store.reports import SqliteStore

MAX_TEXT_LENGTH = 2_000
_COLUMNS = "labels.report_id, labels.candidate_id, label, why, labelled_by, source, labelled_at"
_IS_NEWEST = (
    "number = (SELECT max(number) FROM labels AS later"
    " WHERE later.report_id = labels.report_id AND later.candidate_id = labels.candidate_id)"
)


class LabelledFinding(Record):
    """A label with what it counts by. `repository` and `fingerprint` say which problem is meant."""

    entry: LabelEntry
    repository: str
    fingerprint: str
    is_shown: bool


def add_label(
    store: SqliteStore,
    report: Report,
    candidate: Candidate,
    label: Label | None,
    *,
    why: str = "",
    by: str = "",
    source: str = "command line",
    at: datetime | None = None,
) -> LabelEntry:
    """Label a finding, or take its label back with None; the report is kept with it if it was not yet."""
    entry = LabelEntry(
        report_id=report.id,
        candidate_id=candidate.id,
        label=label,
        why=_kept(why),
        by=_kept(by),
        source=_kept(source),
        at=(at or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="seconds"),
    )
    if not store.has_report(report.id):
        store.save_report(report)
    with store.open() as database:
        database.execute(
            "INSERT INTO labels (report_id, candidate_id, label, why, labelled_by, source, labelled_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            tuple(entry.model_dump().values()),
        )
    return entry


def labels_of(store: SqliteStore, report_id: str) -> dict[str, LabelEntry]:
    """The labels of a report's findings, by candidate."""
    with store.open() as database:
        rows = database.execute(
            f"SELECT {_COLUMNS} FROM labels"  # noqa: S608 - columns of this module
            f" WHERE report_id = ? AND label IS NOT NULL AND {_IS_NEWEST}",
            (report_id,),
        ).fetchall()
    entries = [_entry(row) for row in rows]
    return {entry.candidate_id: entry for entry in entries}


def label_history(store: SqliteStore, report_id: str, candidate_id: str) -> list[LabelEntry]:
    """Everything that was said about a finding, oldest first."""
    with store.open() as database:
        rows = database.execute(
            f"SELECT {_COLUMNS} FROM labels"  # noqa: S608 - columns of this module
            " WHERE report_id = ? AND candidate_id = ? ORDER BY number",
            (report_id, candidate_id),
        ).fetchall()
    return [_entry(row) for row in rows]


def labelled_findings(store: SqliteStore, since: str = "") -> list[LabelledFinding]:
    """The label of every finding that has one, in reports made since then; the newest label last."""
    with store.open() as database:
        rows = database.execute(
            f"SELECT {_COLUMNS}, repository, fingerprint, withheld FROM labels"  # noqa: S608 - as above
            " JOIN findings ON findings.report_id = labels.report_id"
            " AND findings.candidate_id = labels.candidate_id"
            " JOIN reports ON reports.id = labels.report_id"
            f" WHERE label IS NOT NULL AND created_at >= ? AND {_IS_NEWEST} ORDER BY number",
            (since,),
        ).fetchall()
    return [_labelled(row) for row in rows]


def labels_elsewhere(store: SqliteStore, report: Report) -> dict[str, LabelEntry]:
    """By fingerprint, the newest label that the same problem has in another report of the repository."""
    others = [
        one
        for one in labelled_findings(store)
        if one.repository == (report.change.repository or "") and one.entry.report_id != report.id
    ]
    return {one.fingerprint: one.entry for one in others if one.fingerprint}


def problem_of(repository: str | None, fingerprint: str, report_id: str, candidate_id: str) -> str:
    """What makes two findings the same problem: the repository and the fingerprint.

    A problem that nobody mends is found again in every review of the change. Counted each time, one finding
    would pass for many, and the interval would be narrower than the knowledge is.
    """
    parts = ("seen", repository or "", fingerprint) if fingerprint else ("once", report_id, candidate_id)
    return "\0".join(parts)


def newest_by_problem(labelled: Sequence[LabelledFinding]) -> dict[str, LabelledFinding]:
    """One label a problem: who labelled last knew most. The order is that of the labels."""
    newest: dict[str, LabelledFinding] = {}
    for one in labelled:
        problem = problem_of(one.repository, one.fingerprint, one.entry.report_id, one.entry.candidate_id)
        newest.pop(problem, None)
        newest[problem] = one
    return newest


def _kept(text: str) -> str:
    """Text of an argument or a forge, as a database can hold it."""
    return text[:MAX_TEXT_LENGTH].encode("utf-8", "replace").decode("utf-8")


def _labelled(row: sqlite3.Row | tuple[str | None, ...]) -> LabelledFinding:
    *entry, repository, fingerprint, withheld = row
    return LabelledFinding(
        entry=_entry(entry),
        repository=repository or "",
        fingerprint=fingerprint or "",
        is_shown=withheld is None,
    )


def _entry(row: Sequence[str | None]) -> LabelEntry:
    return LabelEntry.model_validate(dict(zip(LabelEntry.model_fields, row, strict=True)))
