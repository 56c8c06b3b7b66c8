"""Results of analysers on disk, keyed by everything that they depend on."""

import hashlib
import json
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from affidavit.records.evidence import AnalyserDiagnostic, Unread
from affidavit.system.private_files import write_private_file

FORMAT = 7
MAX_BYTES = 256 * 1024 * 1024


def cache_key(*parts: Any) -> str:
    """One key for everything that a result depends on."""
    text = json.dumps([FORMAT, *parts], sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()


@dataclass(frozen=True)
class Kept:
    """What is kept of a run: its diagnostics, and the files that it did not read."""

    diagnostics: Sequence[AnalyserDiagnostic]
    unread: Sequence[Unread] = ()


class ResultCache:
    """A private folder of results; None keeps nothing. A broken file is a miss, a full disk is no error."""

    def __init__(self, folder: Path | None, *, max_bytes: int = MAX_BYTES) -> None:
        self._folder = None if folder is None else folder / "analysers"
        self._max_bytes = max_bytes

    def load(self, key: str) -> Kept | None:
        """What was kept under the key, or None."""
        if self._folder is None:
            return None
        place = self._folder / f"{key}.json"
        try:
            stored = json.loads(place.read_bytes())
            found = Kept(
                [AnalyserDiagnostic.model_validate(row) for row in stored["diagnostics"]],
                [Unread.model_validate(row) for row in stored["unread"]],
            )
        except (OSError, ValueError, KeyError, TypeError):
            return None
        with suppress(OSError):
            os.utime(place)
        return found

    def save(self, key: str, kept: Kept) -> None:
        """Keep a result; it is there whole or not at all."""
        if self._folder is None:
            return
        rows, unread = (
            [one.model_dump(exclude_defaults=True) for one in several]
            for several in (kept.diagnostics, kept.unread)
        )
        text = json.dumps({"format": FORMAT, "diagnostics": rows, "unread": unread})
        with suppress(OSError):
            write_private_file(self._folder / f"{key}.json", text)
            self._trim(self._folder)

    def _trim(self, folder: Path) -> None:
        """Delete what was not used for longest until the folder is within its bound."""
        files = [(entry.stat(), Path(entry.path)) for entry in os.scandir(folder) if entry.is_file()]
        total = sum(stat.st_size for stat, _ in files)
        for stat, place in sorted(files, key=lambda file: file[0].st_mtime):
            if total <= self._max_bytes:
                return
            place.unlink(missing_ok=True)
            total -= stat.st_size
