"""Results of analysers on disk, keyed by everything that they depend on."""

import hashlib
import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.system.private_files import write_private_file

FORMAT = 2
MAX_BYTES = 256 * 1024 * 1024


def cache_key(*parts: Any) -> str:
    """One key for everything that a result depends on."""
    text = json.dumps([FORMAT, *parts], sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()


class ResultCache:
    """A private folder of results; None keeps nothing. A broken file is a miss, a full disk is no error."""

    def __init__(self, folder: Path | None, *, max_bytes: int = MAX_BYTES) -> None:
        self._folder = None if folder is None else folder / "analysers"
        self._max_bytes = max_bytes

    def load(self, key: str) -> list[AnalyserDiagnostic] | None:
        """What was kept under the key, or None."""
        if self._folder is None:
            return None
        place = self._folder / f"{key}.json"
        try:
            stored = json.loads(place.read_bytes())
            found = [AnalyserDiagnostic.model_validate(row) for row in stored["diagnostics"]]
        except (OSError, ValueError, KeyError, TypeError):
            return None
        with suppress(OSError):
            os.utime(place)
        return found

    def save(self, key: str, diagnostics: Sequence[AnalyserDiagnostic]) -> None:
        """Keep a result; it is there whole or not at all."""
        if self._folder is None:
            return
        rows = [diagnostic.model_dump(exclude_defaults=True) for diagnostic in diagnostics]
        text = json.dumps({"format": FORMAT, "diagnostics": rows})
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
