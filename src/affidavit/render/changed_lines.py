"""Find the changed lines of a finding: its cause, old and new lines, its place at head."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice, takewhile

from affidavit.diff.hunks import LineMap
from affidavit.records.change import Change, FileChange, Hunk
from affidavit.records.evidence import QuoteCheck
from affidavit.records.finding import Cause, Finding
from affidavit.records.record import Record, Side

_KEYWORDS = "class|const|def|enum|fn|func|function|interface|let|struct|trait|type|var"
_DEFINES = rf"\s*(?:\w+\s+){{0,4}}?(?:{_KEYWORDS})\s+(?:\([^()]*\)\s*)?"
"""The start of a line that defines: `def`, `export async function`, `func (r *Receiver)`."""
_ASSIGNS = r"\s*(?:self\.|this\.)?"
_MAX_LINES = 6
_NEIGHBOURHOOD = 100
_MAX_LOOK_LENGTH = 500
"""Of a line: a definition is at the start, and a line may have a megabyte."""


class ChangedLine(Record):
    """One line of a hunk: its mark (' ', '+' or '-'), its number on its own side, and its text."""

    mark: str
    number: int
    text: str


@dataclass(frozen=True)
class ChangedPlace:
    """Where the change touched a symbol: the anchor, and the changed lines around it."""

    path: str
    anchor: ChangedLine
    lines: tuple[ChangedLine, ...]


def changed_place(change: Change, cause: Cause) -> ChangedPlace | None:
    """Return the changed lines nearest to the symbol, else the file's first; None if it has no hunks."""
    file = change.file_at(cause.file, "head") or change.file_at(cause.file, "base")
    if file is None or not file.hunks:
        return None
    name = re.split(r"[.:#]+", cause.symbol.strip().removesuffix("()"))[-1]
    hunk, at = _most_relevant(file, name)
    before, anchor, after = _numbered(hunk, at)
    return ChangedPlace(path=file.path, anchor=anchor, lines=_run_about(before, anchor, after))


def head_line(place: ChangedPlace, change: Change) -> int:
    """Return the changed line at head nearest to the anchor; for a deleted file, the anchor's own."""
    file = change.file_at(place.path)
    if place.anchor.mark == "+" or file is None:
        return max(place.anchor.number, 1)
    here = place.anchor.number
    if place.anchor.mark == "-":
        here = LineMap(file.hunks).nearest_head(here)
    return max(min(file.changed_lines("head") or [here], key=lambda line: abs(line - here)), 1)


def _numbered(hunk: Hunk, at: int) -> tuple[list[ChangedLine], ChangedLine, list[ChangedLine]]:
    first = max(at - _NEIGHBOURHOOD, 0)
    lines = [
        ChangedLine(mark=mark, number=(old if mark == "-" else new) or 1, text=text)
        for mark, old, new, text in islice(hunk.numbered(), first, at + _NEIGHBOURHOOD)
    ]
    return lines[: at - first], lines[at - first], lines[at - first + 1 :]


def _most_relevant(file: FileChange, name: str) -> tuple[Hunk, int]:
    """Return the changed line that defines the name, else one that names it, is below its name, or is first.

    Of two that define or name it, the added line wins.
    """
    best, found = (-1, False), (file.hunks[0], 0)
    merit = _merit_of(name)
    for hunk in file.hunks:
        below = min(merit(f" {hunk.heading}"), 1)
        for at, line in enumerate(hunk.lines):
            worth = merit(line)
            below = below or min(worth, 1)
            rank = (worth + below, bool(worth) and line.startswith("+"))
            if not line.startswith(" ") and rank > best:
                best, found = rank, (hunk, at)
    return found


def _merit_of(name: str) -> Callable[[str], int]:
    """Return a function that tells whether a marked line defines the name (2), mentions it (1) or not (0)."""
    quoted = re.escape(name)
    defines = re.compile(f"{_DEFINES}{quoted}(?!\\w)|{_ASSIGNS}{quoted}\\s*[:=(]")
    mentions = re.compile(rf"(?<!\w){quoted}(?!\w)")

    def merit(line: str) -> int:
        text = line[1:_MAX_LOOK_LENGTH]
        if not name or name not in text or not mentions.search(text):
            return 0
        return 2 if defines.match(text) else 1

    return merit


def _run_about(
    before: list[ChangedLine], anchor: ChangedLine, after: list[ChangedLine]
) -> tuple[ChangedLine, ...]:
    above = list(takewhile(_is_changed, reversed(before)))[::-1]
    below = list(takewhile(_is_changed, after))
    return _pruned([*above, anchor, *below], len(above))


def _is_changed(line: ChangedLine) -> bool:
    return line.mark != " "


def _pruned(run: list[ChangedLine], at: int) -> tuple[ChangedLine, ...]:
    """Of a long run, keep the removed and the added lines that correspond to the anchor."""
    if len(run) <= _MAX_LINES:
        return tuple(run)
    place = sum(line.mark == run[at].mark for line in run[:at])
    return tuple(
        line
        for mark in "-+"
        for position, line in enumerate(line for line in run if line.mark == mark)
        if place - 1 <= position <= place + 1
    )


WORDS = {"-": "old", "+": "new"}
LEGEND = "- old, + new"


def marks_of(quote: QuoteCheck, change: Change) -> dict[int, str]:
    """Return the mark of each quoted line that the change added (`+`) or removed (`-`), by its number."""
    file = change.file_at(quote.file, quote.side)
    if file is None or quote.start is None:
        return {}
    last = quote.end or quote.start
    near = [hunk for hunk in file.hunks if _reaches(hunk, quote.side, quote.start, last)]
    return {
        number: mark
        for hunk in near
        for mark, number in _changed(hunk, quote.side, last)
        if quote.start <= number
    }


def is_told_apart(marks: dict[int, str], quote: QuoteCheck) -> bool:
    """Check whether the quote mixes changed and unchanged lines, or shows removed ones."""
    if not marks or quote.start is None:
        return False
    return quote.side == "base" or len(marks) <= (quote.end or quote.start) - quote.start


def _reaches(hunk: Hunk, side: Side, first: int, last: int) -> bool:
    start, count = (hunk.new_start, hunk.new_count) if side == "head" else (hunk.old_start, hunk.old_count)
    return start <= last and first < start + count


def _changed(hunk: Hunk, side: Side, last: int) -> Iterator[tuple[str, int]]:
    for mark, old, new, _ in hunk.numbered():
        number = new if side == "head" else old
        if number is None:
            continue
        if number > last:
            return
        if mark != " ":
            yield mark, number


_LAST_LINE = 2**31 - 1
"""The largest line number that readers of these formats accept."""


@dataclass(frozen=True)
class HeadPlace:
    path: str
    first: int
    last: int


def head_place(finding: Finding, change: Change) -> HeadPlace:
    """Return the finding's place at head; removed code is placed where it used to be."""
    path, (first, last) = finding.file, finding.lines
    file = change.file_at(path, "base") if finding.side == "base" else None
    if file is not None:
        path = file.path
    if file is not None and file.head_path is not None:
        first = last = LineMap(file.hunks).nearest_head(first)
    start = min(max(first, 1), _LAST_LINE)
    return HeadPlace(path, start, min(max(last, start), _LAST_LINE))
