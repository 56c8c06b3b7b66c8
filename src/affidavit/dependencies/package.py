"""Describe an installed package and read its small files."""

import json
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Kind = Literal["python", "node", "standard_library"]


@dataclass(frozen=True)
class Package:
    """A package, its version, and where its files are."""

    kind: Kind
    name: str
    version: str
    folder: Path
    """Its file paths are relative to this folder."""
    files: tuple[str, ...] | None = None
    """Its own files in the folder; None means all of them."""


MAX_BYTES = 4_000_000


def read_small(place: Path, most: int = MAX_BYTES) -> bytes | None:
    """Return the content of a regular file; None if it is missing, a link or too large."""
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
    """Return the text of a file; empty if it cannot be read."""
    content = read_small(place)
    return content.decode("utf-8", "replace") if content else ""


def read_object(text: str | bytes | None) -> dict[str, Any]:
    """Return a JSON object; empty if the text is not one."""
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
