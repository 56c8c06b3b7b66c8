"""Add labels of findings to the store, and read the one that counts for each problem."""

from collections.abc import Sequence
from datetime import UTC, datetime

from affidavit.records.candidate import Candidate
from affidavit.records.measure import Label, LabelEntry, LabelledFinding
from affidavit.records.report import Report
from affidavit.store.open import Store

MAX_TEXT_LENGTH = 2_000


def add_label(
    store: Store,
    report: Report,
    candidate: Candidate,
    label: Label | None,
    *,
    why: str = "",
    by: str = "",
    source: str = "command line",
    at: datetime | None = None,
) -> LabelEntry:
    """Label a finding, or remove its label with None; store the report if it is not stored yet."""
    entry = LabelEntry(
        report_id=report.id,
        candidate_id=candidate.id,
        label=label,
        why=why[:MAX_TEXT_LENGTH],
        by=by[:MAX_TEXT_LENGTH],
        source=source[:MAX_TEXT_LENGTH],
        at=(at or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="seconds"),
    )
    if not store.reports.has(report.id):
        store.reports.save(report)
    store.labels.add(entry)
    return store.labels.history(report.id, candidate.id)[-1]


def labels_of(store: Store, report_id: str) -> dict[str, LabelEntry]:
    """Return the labels of a report's findings, by candidate."""
    return {entry.candidate_id: entry for entry in store.labels.of_report(report_id)}


def problem_of(repository: str | None, fingerprint: str, report_id: str, candidate_id: str) -> str:
    """Return the identity of a problem: its repository and fingerprint.

    A problem that nobody fixes is found in every review of the change. Counted each time, one finding would
    look like many, and the interval would be too narrow.
    """
    parts = ("seen", repository or "", fingerprint) if fingerprint else ("once", report_id, candidate_id)
    return "\0".join(parts)


def newest_by_problem(labelled: Sequence[LabelledFinding]) -> dict[str, LabelledFinding]:
    """Return the newest label of each problem, in the order of the labels."""
    newest: dict[str, LabelledFinding] = {}
    for one in labelled:
        problem = problem_of(one.repository, one.fingerprint, one.entry.report_id, one.entry.candidate_id)
        newest.pop(problem, None)
        newest[problem] = one
    return newest
