"""Read hunks of a diff, apply them to a file, or lay out what they show without one."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from affidavit.errors import InputError
from affidavit.records.change import Hunk
from affidavit.records.record import Side


@dataclass(frozen=True)
class Run:
    """Consecutive lines that both sides have."""

    base: int
    head: int
    count: int | None
    """None means to the end of the file."""


def unchanged_runs(hunks: Iterable[Hunk]) -> list[Run]:
    """Return the runs of unchanged lines, in order."""
    runs: list[Run] = []
    base = head = 1
    for hunk in sorted(hunks, key=lambda hunk: (hunk.old_start, hunk.new_start)):
        # A side without lines names the line before the hunk, so the hunk begins after it.
        first_base = hunk.old_start + (hunk.old_count == 0)
        first_head = hunk.new_start + (hunk.new_count == 0)
        if first_base > base:
            runs.append(Run(base, head, first_base - base))
        base, head = first_base, first_head
        for line in hunk.lines:
            if line[0] == " ":
                runs.append(Run(base, head, 1))
            base += line[0] != "+"
            head += line[0] != "-"
    runs.append(Run(base, head, None))
    return runs


def removed_lines(hunks: Iterable[Hunk]) -> dict[int, int]:
    """Return the removed lines of base, each with the line of head that follows it in its hunk."""
    places: dict[int, int] = {}
    for hunk in hunks:
        last = hunk.new_start + max(hunk.new_count - 1, 0)
        following = hunk.new_start
        for _mark, old, new, _text in hunk.numbered():
            if new is not None:
                following = new + 1
            elif old is not None:
                places[old] = min(following, last)
    return places


class LineMap:
    """Tells where a line of one side is on the other; lines count from 1."""

    def __init__(self, hunks: Iterable[Hunk]) -> None:
        hunks = tuple(hunks)
        self._hunks = hunks
        self._runs = unchanged_runs(hunks)
        self._base_starts = [run.base for run in self._runs]
        self._head_starts = [run.head for run in self._runs]

    def to_base(self, head_line: int) -> int | None:
        """Return the base line that became this head line; None if the change added it."""
        run = self._run_at(self._head_starts, head_line)
        return self._step(head_line, run.head, run.base, run.count) if run else None

    def to_head(self, base_line: int) -> int | None:
        """Return the head line that this base line became; None if the change removed it."""
        run = self._run_at(self._base_starts, base_line)
        return self._step(base_line, run.base, run.head, run.count) if run else None

    def nearest_head(self, base_line: int) -> int:
        """Return the head line that this base line became; of a removed one, the line now in its place."""
        kept = self.to_head(base_line)
        return removed_lines(self._hunks).get(base_line, base_line) if kept is None else kept

    def _run_at(self, starts: Sequence[int], line: int) -> Run | None:
        position = bisect_right(starts, line) - 1
        return self._runs[position] if position >= 0 else None

    @staticmethod
    def _step(line: int, start: int, other_start: int, count: int | None) -> int | None:
        offset = line - start
        return other_start + offset if count is None or offset < count else None


# A hostile diff may name any line number, and all lines before it become empty lines.
MAX_LAID_OUT_LINES = 2_000_000
_HEADER = re.compile(rb"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@(?: (.*)|\s*)", re.DOTALL)


@dataclass(frozen=True)
class RawHunk:
    """One hunk with its lines as bytes: mark and text, with a carriage return but no line feed."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    heading: bytes
    lines: tuple[bytes, ...] = ()
    old_lacks_newline: bool = False
    new_lacks_newline: bool = False

    def to_record(self) -> Hunk:
        """Return the hunk as text, without bytes that are not UTF-8."""
        return Hunk(
            old_start=self.old_start,
            old_count=self.old_count,
            new_start=self.new_start,
            new_count=self.new_count,
            heading=self.heading.decode("utf-8", "replace"),
            lines=tuple(line.decode("utf-8", "replace") for line in self.lines),
            old_lacks_newline=self.old_lacks_newline,
            new_lacks_newline=self.new_lacks_newline,
        )


def from_record(hunk: Hunk) -> RawHunk:
    return RawHunk(
        hunk.old_start,
        hunk.old_count,
        hunk.new_start,
        hunk.new_count,
        hunk.heading.encode(),
        tuple(line.encode() for line in hunk.lines),
        hunk.old_lacks_newline,
        hunk.new_lacks_newline,
    )


def parse_header(line: bytes) -> RawHunk:
    """Read `@@ -1,2 +3,4 @@ heading` as a hunk without lines; a count that is left out is 1."""
    match = _HEADER.fullmatch(line)
    if match is None:
        raise ValueError("the hunk's header cannot be read")
    *places, heading = match.groups()
    old_start, old_count, new_start, new_count = (1 if one is None else int(one) for one in places)
    if (old_start == 0 and old_count) or (new_start == 0 and new_count):
        raise ValueError("lines count from 1")
    return RawHunk(old_start, old_count, new_start, new_count, heading or b"")


def fill_gaps(hunks: Sequence[Hunk], content: bytes) -> tuple[Hunk, ...]:
    """Return the hunks of a file with the unchanged lines before, between and behind them as more hunks."""
    lines, ends_in_newline = _split(content)
    found: list[Hunk] = []
    old = new = 1
    for hunk in (*hunks, None):
        end = hunk.new_start + (hunk.new_count == 0) if hunk else len(lines) + 1
        if count := end - new:
            is_cut_off = end > len(lines) and not ends_in_newline
            text = tuple(b" " + line for line in lines[new - 1 : end - 1])
            found.append(RawHunk(old, count, new, count, b"", text, is_cut_off, is_cut_off).to_record())
        if hunk:
            found.append(hunk)
            old = hunk.old_start + (hunk.old_count == 0) + hunk.old_count
            new = end + hunk.new_count
    return tuple(found)


def apply_hunks(old: bytes, hunks: Sequence[RawHunk]) -> bytes | None:
    """Return the new content; None if the hunks were not made from exactly this content."""
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
    """Return the lines, and whether the last one ends in a line feed."""
    lines = content.split(b"\n")
    if not lines[-1]:
        lines.pop()
        return lines, True
    return lines, False


def _side(hunk: RawHunk, without: bytes) -> list[bytes]:
    return [line[1:] for line in hunk.lines if line[:1] != without]


def lay_out(hunks: Sequence[RawHunk], side: Side) -> bytes:
    """Return one side of a file as its hunks show it, with empty lines for the rest."""
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
