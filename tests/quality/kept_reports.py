"""Kept reports for tests of labels and measures: each says only what the test is about."""

from collections.abc import Sequence
from typing import Any

from affidavit.records.candidate import Candidate
from affidavit.records.report import Report
from claims import candidate, change_of, report_on


def shown(name: str, fingerprint: str = "", **fields: Any) -> Candidate:
    """A finding that a report shows."""
    return candidate(id=name, fingerprint=fingerprint or f"print-of-{name}", **fields)


def report_of(
    candidates: Sequence[Candidate],
    review_id: str = "r1",
    *,
    on: str = "2026-03-04",
    repository: str | None = "/srv/shop",
    **fields: Any,
) -> Report:
    """A report of these candidates, made on a day."""
    change = change_of("app.py", repository=repository)
    report = report_on(change, *candidates, review_id=review_id)
    return report.model_copy(update={"created_at": f"{on}T10:00:00.000Z", **fields})
