"""Keep what was extracted from a blob, so that a second review reads only what changed."""

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import TypeVar

from affidavit.system.private_files import make_private_file, make_private_folder

FILE_NAME = "blobs-1.sqlite"
MAX_BYTES = 256_000_000
KEPT_SHARE = 0.75
NAMES_A_QUERY = 500
DAY_SECONDS = 86_400
BUSY_SECONDS = 2.0

SCHEMA = """
CREATE TABLE IF NOT EXISTS extracts (
    kind TEXT NOT NULL, version INTEGER NOT NULL, blob TEXT NOT NULL,
    used INTEGER NOT NULL, content BLOB NOT NULL,
    PRIMARY KEY (kind, version, blob)
) WITHOUT ROWID
"""
WRITE = "INSERT OR REPLACE INTO extracts (kind, version, blob, used, content) VALUES (?, ?, ?, ?, ?)"
MARK_USED = "UPDATE extracts SET used = ? WHERE kind = ? AND version = ? AND blob = ?"
FORGET_OLDEST = """
DELETE FROM extracts WHERE (kind, version, blob) IN (
    SELECT kind, version, blob FROM (
        SELECT kind, version, blob,
            SUM(LENGTH(content) + LENGTH(blob) + 32) OVER (ORDER BY used DESC, kind, version, blob) AS so_far
        FROM extracts
    ) WHERE so_far > ?
)
"""
Result = TypeVar("Result")


class BlobCache:
    """Extracts by (kind, version, blob id) in one private SQLite file; without a folder nothing is kept.

    It never fails: a file that is broken, locked or cannot be written is a cache that knows nothing.
    A broken one is deleted, so that the next review starts afresh.
    """

    def __init__(
        self, folder: Path | None, *, max_bytes: int = MAX_BYTES, clock: Callable[[], float] = time.time
    ) -> None:
        self._file = folder / FILE_NAME if folder is not None else None
        self._max_bytes = max_bytes
        self._clock = clock

    def load(self, kind: str, version: int, blobs: Iterable[str]) -> dict[str, bytes]:
        """What is known of these blobs."""
        # In their order in the file, so that it is read from front to back.
        names = sorted(set(blobs))
        if self._file is None or not names or not self._file.exists():
            return {}
        today = self._today()
        return self._attempt(lambda connection: _load(connection, kind, version, names, today)) or {}

    def save(self, kind: str, version: int, extracts: Mapping[str, bytes]) -> None:
        """Keep extracts; where the file grows too large, those not used for longest are forgotten."""
        if self._file is None or not extracts:
            return
        today = self._today()
        rows = [(kind, version, blob, today, extracts[blob]) for blob in sorted(extracts)]
        self._attempt(lambda connection: connection.executemany(WRITE, rows))
        if _size(self._file) > self._max_bytes:
            kept = int(self._max_bytes * KEPT_SHARE)
            self._attempt(lambda connection: connection.execute(FORGET_OLDEST, (kept,)))
            self._attempt(_give_space_back)

    def _today(self) -> int:
        return int(self._clock()) // DAY_SECONDS

    def _attempt(self, work: Callable[[sqlite3.Connection], Result]) -> Result | None:
        """Do something in one transaction; None where SQLite or the file system refuses."""
        if self._file is None:
            return None
        try:
            make_private_folder(self._file.parent)
            make_private_file(self._file)
            with closing(sqlite3.connect(self._file, timeout=BUSY_SECONDS)) as connection:
                # A cache that loses its last writes in a power cut is still right.
                connection.execute("PRAGMA synchronous = OFF")
                connection.execute(SCHEMA)
                with connection:
                    return work(connection)
        except (sqlite3.OperationalError, OSError):
            return None
        except sqlite3.DatabaseError:
            with suppress(OSError):
                self._file.unlink()
            return None


def _load(
    connection: sqlite3.Connection, kind: str, version: int, names: list[str], today: int
) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    stale: list[str] = []
    for blob, used, content in _rows(connection, kind, version, names):
        if isinstance(content, bytes):
            found[blob] = content
        if used != today:
            stale.append(blob)
    connection.executemany(MARK_USED, ((today, kind, version, blob) for blob in stale))
    return found


def _rows(
    connection: sqlite3.Connection, kind: str, version: int, names: list[str]
) -> Iterator[tuple[str, int, bytes]]:
    for start in range(0, len(names), NAMES_A_QUERY):
        part = names[start : start + NAMES_A_QUERY]
        marks = ",".join("?" * len(part))
        wanted = (
            f"SELECT blob, used, content FROM extracts WHERE kind = ? AND version = ? AND blob IN ({marks})"  # noqa: S608 - only question marks are put in
        )
        yield from connection.execute(wanted, (kind, version, *part))


def _give_space_back(connection: sqlite3.Connection) -> None:
    connection.commit()
    connection.execute("VACUUM")


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0
