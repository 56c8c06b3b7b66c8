"""From hunks to content: apply them to a file exactly, or lay out what they show without one."""

from collections.abc import Sequence

from affidavit.diff.hunks import RawHunk
from affidavit.errors import InputError
from affidavit.records.record import Side

# A hostile diff may name any line number; what lies before it is laid out as empty lines.
MAX_LAID_OUT_LINES = 2_000_000


def apply_hunks(old: bytes, hunks: Sequence[RawHunk]) -> bytes | None:
    """The new content; None where the old content is not exactly what the hunks were made from."""
    lines, ends_in_newline = _split(old)
    new: list[bytes] = []
    at = 0
    for hunk in hunks:
        start = hunk.old_start - 1 if hunk.old_count else hunk.old_start
        end = start + hunk.old_count
        if not at <= start <= len(lines) or lines[start:end] != _side(hunk, b"+"):
            return None
        reaches_end = end == len(lines)
        if hunk.old_lacks_newline != (reaches_end and not ends_in_newline):
            return None
        new += lines[at:start]
        new += _side(hunk, b"-")
        at = end
        if reaches_end or hunk.new_lacks_newline:
            ends_in_newline = not hunk.new_lacks_newline
    new += lines[at:]
    return b"\n".join(new) + (b"\n" if new and ends_in_newline else b"")


def _split(content: bytes) -> tuple[list[bytes], bool]:
    """The lines, and whether the last one ends in a line feed (of no lines, none is missing)."""
    lines = content.split(b"\n")
    if not lines[-1]:
        lines.pop()
        return lines, True
    return lines, False


def _side(hunk: RawHunk, without: bytes) -> list[bytes]:
    return [line[1:] for line in hunk.lines if line[:1] != without]


def lay_out(hunks: Sequence[RawHunk], side: Side) -> bytes:
    """One side of a file as far as its hunks show it; lines between them are empty, so numbers hold."""
    without = b"+" if side == "base" else b"-"
    lines: list[bytes] = []
    ends_in_newline = True
    for hunk in hunks:
        start, count = (
            (hunk.old_start, hunk.old_count) if side == "base" else (hunk.new_start, hunk.new_count)
        )
        before = start - 1 if count else start
        if before > MAX_LAID_OUT_LINES:
            raise InputError(f"line {before + 1} of a file is too far down to show it without its repository")
        lines += [b""] * (before - len(lines))
        lines += _side(hunk, without)
        ends_in_newline = not (hunk.old_lacks_newline if side == "base" else hunk.new_lacks_newline)
    return b"\n".join(lines) + (b"\n" if lines and ends_in_newline else b"")
