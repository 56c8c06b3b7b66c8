"""Make reviews of the reports that the command line kept, so that a server shows them as its own."""

import threading
from typing import Any

from affidavit.errors import UnreadableReportError
from affidavit.records.report import Report
from affidavit.records.service.review import COMMAND_LINE, DEFAULT_TENANT, WantedReview
from affidavit.service.work.attempt.workplace import cost_of, outcome_of, title_of
from affidavit.store.open import Store
from affidavit.store.service.reviews import Reviews

AT_ONCE = 100
"""As many as a page of the list may have: more come with the next."""


class Adoption:
    """Looks for reports without a review. They are the default tenant's, as everywhere in the store."""

    def __init__(self, store: Store) -> None:
        self._store, self._reviews = store, Reviews(store.database)
        self._lock = threading.Lock()
        self._unreadable: set[str] = set()
        """Reports of other versions: they are read once."""

    def adopt(self, tenant: str) -> None:
        """Adopt the newest reports, where it is this tenant that has them."""
        if tenant != DEFAULT_TENANT:
            return
        with self._lock:
            unknown = (one for one in self._reviews.without_review() if one not in self._unreadable)
            for report_id, _ in zip(unknown, range(AT_ONCE), strict=False):
                self._adopt(report_id)

    def _adopt(self, report_id: str) -> None:
        try:
            report = self._store.reports.load(report_id)
        except UnreadableReportError:
            self._unreadable.add(report_id)
            return
        if report is not None:
            places = self._store.iterations.with_report(report_id)
            place = {"series": places[0].series, "iteration": places[0].iteration} if places else {}
            self._reviews.adopt({**_row(report), **place})


def _row(report: Report) -> dict[str, Any]:
    change = report.change
    wanted = WantedReview(
        source="diff" if change.source == "diff" else "repository",
        repository=change.repository,
        url=change.request,
    )
    return {
        "id": report.id,
        "tenant": DEFAULT_TENANT,
        "status": "completed",
        "created_at": report.created_at,
        "started_at": report.created_at,
        "finished_at": report.created_at,
        "source": wanted.source,
        "repository": change.repository,
        "base": change.base.commit or change.base.tree,
        "head": change.head.commit or change.head.tree,
        "title": title_of(change),
        "submitted_by": COMMAND_LINE,
        "request": wanted.model_dump_json(),
        "change": change.model_dump_json(),
        "verdict": report.verdict.decision,
        "outcome": outcome_of(report).model_dump_json(),
        "cost_usd": cost_of(report),
        "tokens": sum(one.input_tokens + one.output_tokens for one in report.usage),
    }
