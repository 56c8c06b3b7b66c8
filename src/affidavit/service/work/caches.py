"""What is cached of a tenant's reviews on this machine: results and clones; it goes when reviews do."""

import fcntl
import hashlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from affidavit.service.settings import ServiceSettings
from affidavit.store.service.access import Access
from affidavit.system.private_files import make_private_file, make_private_folder

SINCE = "since"
"""A file that says after which deletion a cache was begun; clocks of machines are never compared."""


class Caches:
    """A folder for each tenant: nobody is served from what another's review left behind."""

    def __init__(self, settings: ServiceSettings, access: Access) -> None:
        self._place = settings.cache / "tenants"
        self._access = access

    @contextmanager
    def used(self, tenant: str) -> Iterator[Path]:
        """The tenant's folder, which stays for as long as somebody on this machine uses it."""
        folder = self._folder(tenant)
        with self._locked(folder, fcntl.LOCK_SH):
            self._begin(folder, tenant)
            yield folder

    def sweep(self) -> list[str]:
        """Delete what was cached before reviews of a tenant were deleted; returns whose."""
        return [tenant for tenant, number in self._access.deletions().items() if self._swept(tenant, number)]

    def _swept(self, tenant: str, number: int) -> bool:
        folder = self._folder(tenant)
        if not folder.is_dir() or _begun_after(folder) >= number:
            return False
        # Out of the way at once, so that nobody waits for the rest.
        old = folder.with_name(f"{folder.name}-{uuid4().hex}")
        try:
            with self._locked(folder, fcntl.LOCK_EX | fcntl.LOCK_NB):
                folder.rename(old)
        except BlockingIOError:
            # It is in use, and looked at again in the next round.
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
