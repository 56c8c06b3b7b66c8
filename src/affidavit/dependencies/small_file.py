"""Read what describes packages: a small file of its own folder, never through a link."""

import json
import os
import stat
from pathlib import Path
from typing import Any

MAX_BYTES = 4_000_000


def read_small(place: Path, most: int = MAX_BYTES) -> bytes | None:
    """The content of a regular file; None where there is none, it is a link, or it is too large."""
    try:
        handle = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except (OSError, ValueError):
        return None
    with open(handle, "rb") as file:  # noqa: PTH123 - the file is open already
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_size > most:
            return None
        content = file.read(most + 1)
    return content if len(content) <= most else None


def read_text(place: Path) -> str:
    """Its text; empty where it cannot be read."""
    content = read_small(place)
    return content.decode("utf-8", "replace") if content else ""


def read_object(text: str | bytes | None) -> dict[str, Any]:
    """A JSON object; empty where the text is none."""
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
