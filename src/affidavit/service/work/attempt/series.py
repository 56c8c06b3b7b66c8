"""The series of reviews that a review of the service is the next of: what it follows, and its own place."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import structlog

from affidavit.errors import UnreadableReportError
from affidavit.iterations.feedback.summary import summary_of
from affidavit.records.change import Change
from affidavit.records.iteration import StoredIteration
from affidavit.records.report import Report
from affidavit.records.service.review import WantedReview
from affidavit.reviewing.series import earlier_in, newest_of
from affidavit.store.open import Store

IsMerged = Callable[[StoredIteration], Awaitable[bool]]
"""Says whether the head of an earlier review is part of the change's base by now."""
LOG = structlog.get_logger("affidavit.worker")


@dataclass(frozen=True)
class Series:
    """One tenant's reviews of one pull request or branch; another tenant's of the same are not among them."""

    store: Store
    tenant: str
    repository: str
    wanted: WantedReview

    @property
    def name(self) -> str:
        """Its name; empty for a change that belongs to none."""
        return self.wanted.series or ""

    async def before(self, is_merged: IsMerged, change: Change) -> dict[str, Any] | None:
        """What the newest completed review of the series said, as data; None where nothing is followed.

        It is chosen once, and kept with this review: whoever takes it over follows the same, also where
        that review was deleted in between.
        """
        if not self.name:
            return None
        try:
            newest = await asyncio.to_thread(newest_of, self.store, self.repository, self.name, self.tenant)
            if newest is None or await is_merged(newest):
                return None
            return await asyncio.to_thread(self._earlier, newest, change.head.tree)
        except UnreadableReportError as error:
            # A report that cannot be read is no reason to have no review.
            LOG.warning("no earlier review is followed", reason=str(error))
            return None

    def _earlier(self, newest: StoredIteration, tree: str) -> dict[str, Any] | None:
        found = earlier_in(
            self.store, newest, series=self.name, tree=tree, looks_at_all=self.wanted.looks_at_all
        )
        return found.model_dump(mode="json") if found else None

    def add(self, report: Report, body: bytes) -> None:
        """Note a report, kept in these bytes, as the next of the series; said twice, it is there once."""
        if self.name:
            summary = summary_of(report, sha256(body).hexdigest())
            self.store.iterations.add(self.repository, self.name, summary, self.tenant)
