"""What a specialist really read while it looked: one record for each call of a tool."""

import re

from affidavit.records.record import Record


class ToolUse(Record):
    """One call that was answered: which files its answer showed, and where it searched."""

    tool: str
    read: tuple[str, ...] = ()
    """Files of which the answer held something."""
    searched: tuple[str, ...] = ()
    """Files, folders and globs to which a search was confined, whatever it found."""


def is_within(path: str, place: str) -> bool:
    """Whether a search in `place` (a file, a folder or a glob) looks into the file."""
    plain = place.removeprefix("./").strip("/")
    if any(mark in plain for mark in "*?["):
        # The part before the first wildcard decides: whoever searched a pattern of files is believed.
        return path.startswith(re.split(r"[*?\[]", plain, maxsplit=1)[0])
    return plain in ("", ".") or path == plain or path.startswith(f"{plain}/")
