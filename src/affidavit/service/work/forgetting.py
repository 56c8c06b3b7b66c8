"""Separate the tenants' caches, and delete reviews with all their data."""

import asyncio
import fcntl
import hashlib
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import structlog

from affidavit.events import now_iso
from affidavit.service.kept.access import Access
from affidavit.service.kept.records import KeptReview
from affidavit.service.kept.reviews import Reviews
from affidavit.service.settings import ServiceSettings
from affidavit.service.work.engine import Work
from affidavit.store.open import Store
from affidavit.system.private_files import make_private_file, make_private_folder

SINCE = "since"
"""A file with the number of deletions before a cache was made; no clocks are compared."""


class Caches:
    """A cache folder for each tenant."""

    def __init__(self, settings: ServiceSettings, access: Access) -> None:
        self._place = settings.cache / "tenants"
        self._access = access

    @contextmanager
    def used(self, tenant: str) -> Iterator[Path]:
        """Lock and return the tenant's folder."""
        folder = self._folder(tenant)
        with self._locked(folder, fcntl.LOCK_SH):
            self._begin(folder, tenant)
            yield folder

    def sweep(self) -> list[str]:
        """Delete caches that are older than their tenant's last deletion; return whose."""
        return [tenant for tenant, number in self._access.deletions().items() if self._swept(tenant, number)]

    def _swept(self, tenant: str, number: int) -> bool:
        folder = self._folder(tenant)
        if not folder.is_dir() or _begun_after(folder) >= number:
            return False
        # Rename first, so that nobody waits for the deletion.
        old = folder.with_name(f"{folder.name}-{uuid4().hex}")
        try:
            with self._locked(folder, fcntl.LOCK_EX | fcntl.LOCK_NB):
                folder.rename(old)
        except BlockingIOError:
            # In use: the next round tries again.
            return False
        shutil.rmtree(old)
        return True

    @contextmanager
    def _locked(self, folder: Path, how: int) -> Iterator[None]:
        make_private_folder(self._place)
        lock = folder.with_suffix(".lock")
        make_private_file(lock)
        with lock.open("r+b") as opened:
            fcntl.flock(opened, how)
            yield

    def _begin(self, folder: Path, tenant: str) -> None:
        if (folder / SINCE).is_file():
            return
        make_private_folder(folder)
        (folder / SINCE).write_text(str(self._access.deletions().get(tenant, 0)))

    def _folder(self, tenant: str) -> Path:
        return self._place / hashlib.sha256(tenant.encode()).hexdigest()[:24]


def _begun_after(folder: Path) -> int:
    try:
        return int((folder / SINCE).read_text())
    except (OSError, ValueError):
        return -1


LOG = structlog.get_logger("affidavit.forgetting")


class Forgetting:
    """Deletes reviews from the store, the queue, the caches and the write-ahead logs."""

    def __init__(self, store: Store, work: Work, caches: Caches) -> None:
        self._database, self._work, self._caches = store.database, work, caches
        self._reviews, self._access = Reviews(store.database), Access(store.database)

    async def forget(self, reviews: Sequence[KeptReview]) -> None:
        """Delete finished reviews."""
        names = [review.id for review in reviews]
        # The store last: without its row, nothing could be deleted elsewhere.
        await self._work.delete(names)
        await asyncio.to_thread(self._forget, reviews, names)
        await asyncio.to_thread(self._caches.sweep)
        await asyncio.to_thread(self._empty_logs)

    async def forget_before(self, day: str, tenant: str | None = None) -> int:
        """Delete reviews that ended before a day, of one tenant or (None) of all; return how many."""
        deleted = 0
        while names := await asyncio.to_thread(self._reviews.finished_before, day, tenant):
            found = [await asyncio.to_thread(self._reviews.find, name, tenant) for name in names]
            await self.forget([one for one in found if one])
            deleted += len(names)
        return deleted

    def _forget(self, reviews: Sequence[KeptReview], names: list[str]) -> None:
        self._reviews.delete(names)
        for tenant in {one.tenant for one in reviews}:
            self._access.count_deletion(tenant, now_iso())

    def _empty_logs(self) -> None:
        """Remove deleted data from SQLite's write-ahead logs."""
        if not (self._work.empty_log() and self._database.empty_log()):
            LOG.warning("a log of the database was in use, and is emptied when the service ends")
