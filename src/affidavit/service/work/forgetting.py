"""Delete reviews wherever something of them is kept: reviews go in, lines of the audit log stay of each."""

import asyncio
from collections.abc import Sequence

import structlog

from affidavit.events import now_iso
from affidavit.records.service.review import KeptReview
from affidavit.service.work.caches import Caches
from affidavit.service.work.engine import Work
from affidavit.store.open import Store
from affidavit.store.service.access import DELETED, Access, AuditEntry
from affidavit.store.service.reviews import Reviews

LOG = structlog.get_logger("affidavit.forgetting")


class Forgetting:
    """Deletes from the store, the queue, the caches of this machine, and the logs of both files."""

    def __init__(self, store: Store, work: Work, caches: Caches) -> None:
        self._database, self._work, self._caches = store.database, work, caches
        self._reviews, self._access = Reviews(store.database), Access(store.database)

    async def forget(self, reviews: Sequence[KeptReview], who: str) -> None:
        """Delete reviews that are over."""
        names = [review.id for review in reviews]
        # The store last: what it does not know can never be deleted elsewhere.
        await self._work.delete(names)
        await asyncio.to_thread(self._forget, reviews, names, who)
        await asyncio.to_thread(self._caches.sweep)
        await asyncio.to_thread(self._empty_logs)

    async def forget_before(self, day: str, who: str, tenant: str | None = None) -> int:
        """Delete what ended before a day, of one tenant or (None) of all; how many that were."""
        deleted = 0
        while names := await asyncio.to_thread(self._reviews.finished_before, day, tenant):
            found = [await asyncio.to_thread(self._reviews.find, name, tenant) for name in names]
            await self.forget([one for one in found if one], who)
            deleted += len(names)
        return deleted

    def _forget(self, reviews: Sequence[KeptReview], names: list[str], who: str) -> None:
        self._reviews.delete(names)
        for one in reviews:
            entry = AuditEntry(at=now_iso(), tenant=one.tenant, who=who, action=DELETED, target=one.id)
            self._access.note(entry)

    def _empty_logs(self) -> None:
        """The last copies of what was deleted stand where SQLite writes ahead."""
        if not (self._work.empty_log() and self._database.empty_log()):
            LOG.warning("a log of the database was in use, and is emptied when the service ends")
