"""Keep what was extracted from a blob, so that a second review reads only what changed."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import TypeVar

from affidavit.system.private_files import make_private_file, make_private_folder

FILE_NAME = "blobs-2.sqlite"
MAX_BYTES = 256_000_000
NAMES_A_QUERY = 500
BUSY_SECONDS = 2.0

SCHEMA = """
CREATE TABLE IF NOT EXISTS extracts (
    kind TEXT NOT NULL, version INTEGER NOT NULL, blob TEXT NOT NULL, content BLOB NOT NULL,
    PRIMARY KEY (kind, version, blob)
) WITHOUT ROWID
"""
WRITE = "INSERT OR REPLACE INTO extracts (kind, version, blob, content) VALUES (?, ?, ?, ?)"
Result = TypeVar("Result")


class BlobCache:
    """Extracts by (kind, version, blob id) in SQLite; never fails, and deletes a broken file."""

    def __init__(self, folder: Path | None, *, max_bytes: int = MAX_BYTES) -> None:
        self._file = folder / FILE_NAME if folder is not None else None
        self._max_bytes = max_bytes

    def load(self, kind: str, version: int, blobs: Iterable[str]) -> dict[str, bytes]:
        """Return what is known of these blobs."""
        # In their order in the file, so that it is read from front to back.
        names = sorted(set(blobs))
        if self._file is None or not names or not self._file.exists():
            return {}
        return self._attempt(lambda connection: dict(_rows(connection, kind, version, names))) or {}

    def save(self, kind: str, version: int, extracts: Mapping[str, bytes]) -> None:
        """Keep extracts; a file that has grown too large is deleted first."""
        if self._file is None or not extracts:
            return
        with suppress(OSError):
            if self._file.stat().st_size > self._max_bytes:
                self._file.unlink()
        rows = [(kind, version, blob, extracts[blob]) for blob in sorted(extracts)]
        self._attempt(lambda connection: connection.executemany(WRITE, rows))

    def _attempt(self, work: Callable[[sqlite3.Connection], Result]) -> Result | None:
        """Work in one transaction; return None if SQLite or the file system refuses."""
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


def _rows(
    connection: sqlite3.Connection, kind: str, version: int, names: list[str]
) -> Iterator[tuple[str, bytes]]:
    for start in range(0, len(names), NAMES_A_QUERY):
        part = names[start : start + NAMES_A_QUERY]
        marks = ",".join("?" * len(part))
        wanted = f"SELECT blob, content FROM extracts WHERE kind = ? AND version = ? AND blob IN ({marks})"  # noqa: S608 - only question marks are put in
        for blob, content in connection.execute(wanted, (kind, version, *part)):
            if isinstance(content, bytes):
                yield blob, content
