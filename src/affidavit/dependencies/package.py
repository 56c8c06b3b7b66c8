"""Describe a package that lies on this machine, and read the small files that describe it."""

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
    """Paths of its files count from here."""
    files: tuple[str, ...] | None = None
    """Its own among those that lie there; None: all below the folder."""
    pinned: str = ""
    """The version that the lock file of the base commit asks for, where it is another one."""

    @property
    def said_version(self) -> str:
        """The version, and that it is not the one that the repository asks for."""
        return f"{self.version} (the base commit pins {self.pinned})" if self.pinned else self.version


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
