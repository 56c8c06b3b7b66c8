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
_DEFINITION, _MENTION = 2, 1
_MAX_LINES = 6
_NEIGHBOURHOOD = 100
_MAX_MENTIONS = 1_000
_MAX_LOOK_LENGTH = 500
"""A definition stands at the start of its line; a hostile line of a megabyte is not searched to its end."""


class ChangedLine(Record):
    """One line of a hunk: its mark (' ', '+' or '-'), its number on its own side, and its text."""

    mark: str
    number: int
    text: str


@dataclass(frozen=True)
class ChangedPlace:
    """Where the change touched a symbol; `lines` are the changed lines there, the anchor among them."""

    path: str
    anchor: ChangedLine
    lines: tuple[ChangedLine, ...]


def changed_place(change: Change, cause: Cause) -> ChangedPlace | None:
    """The changed lines nearest to the symbol, else the file's first; None where it has no hunks."""
    file = change.file_at(cause.file, "head") or change.file_at(cause.file, "base")
    if file is None or not file.hunks:
        return None
    name = re.split(r"[.:#]+", cause.symbol.strip().removesuffix("()"))[-1]
    hunk, at = _most_telling(file, name) or _first_changed(file)
    before, anchor, after = _numbered(hunk, at)
    return ChangedPlace(path=file.path, anchor=anchor, lines=_run_about(before, anchor, after))


def head_line(place: ChangedPlace, change: Change) -> int:
    """The changed line at head that is nearest to the anchor; for a deleted file, the anchor's own."""
    file = change.file_at(place.path)
    if place.anchor.mark == "+" or file is None:
        return max(place.anchor.number, 1)
    here = place.anchor.number
    if place.anchor.mark == "-":
        here = LineMap(file.hunks).nearest_head(here)
    return max(min(file.changed_lines("head") or [here], key=lambda line: abs(line - here)), 1)


def _numbered(hunk: Hunk, at: int) -> tuple[list[ChangedLine], ChangedLine, list[ChangedLine]]:
    """The line at an index of the hunk, with some lines before it and after it."""
    first = max(at - _NEIGHBOURHOOD, 0)
    lines = [
        ChangedLine(mark=mark, number=(old if mark == "-" else new) or 1, text=text)
        for mark, old, new, text in islice(hunk.numbered(), first, at + _NEIGHBOURHOOD)
    ]
    return lines[: at - first], lines[at - first], lines[at - first + 1 :]


def _first_changed(file: FileChange) -> tuple[Hunk, int]:
    changed = (
        (hunk, at) for hunk in file.hunks for at, line in enumerate(hunk.lines) if not line.startswith(" ")
    )
    return next(changed, (file.hunks[0], 0))


def _most_telling(file: FileChange, name: str) -> tuple[Hunk, int] | None:
    """The changed line that defines the name, else one that mentions it, else one below such a line."""
    if not name:
        return None
    merit = _merit_of(name)
    mentions = islice(_mentions(file, merit), _MAX_MENTIONS)
    best = max(mentions, key=lambda mention: mention[0], default=None)
    return best[1] if best else _below_a_mention(file, merit)


def _mentions(
    file: FileChange, merit: Callable[[str], int]
) -> Iterator[tuple[tuple[int, bool], tuple[Hunk, int]]]:
    """Each changed line that has merit, rated; of two that are equal, an added line is better."""
    for hunk in file.hunks:
        for at, line in enumerate(hunk.lines):
            if not line.startswith(" ") and (worth := merit(line)):
                yield (worth, line.startswith("+")), (hunk, at)


def _below_a_mention(file: FileChange, merit: Callable[[str], int]) -> tuple[Hunk, int] | None:
    """The first changed line after an unchanged line, or a hunk's heading, that names the symbol."""
    for hunk in file.hunks:
        is_below = bool(merit(f" {hunk.heading}"))
        for at, line in enumerate(hunk.lines):
            is_below = is_below or bool(merit(line))
            if is_below and not line.startswith(" "):
                return hunk, at
    return None


def _merit_of(name: str) -> Callable[[str], int]:
    """A function that rates a marked line: whether it defines the name, mentions it, or neither."""
    quoted = re.escape(name)
    defines = re.compile(f"{_DEFINES}{quoted}(?!\\w)|{_ASSIGNS}{quoted}\\s*[:=(]")
    mentions = re.compile(rf"(?<!\w){quoted}(?!\w)")

    def merit(line: str) -> int:
        text = line[1:_MAX_LOOK_LENGTH]
        if name not in text or not mentions.search(text):
            return 0
        return _DEFINITION if defines.match(text) else _MENTION

    return merit


def _run_about(
    before: list[ChangedLine], anchor: ChangedLine, after: list[ChangedLine]
) -> tuple[ChangedLine, ...]:
    """The unbroken run of changed lines about the anchor, kept short."""
    above = list(takewhile(_is_changed, reversed(before)))[::-1]
    below = list(takewhile(_is_changed, after))
    return _pruned([*above, anchor, *below], len(above))


def _is_changed(line: ChangedLine) -> bool:
    return line.mark != " "


def _pruned(run: list[ChangedLine], at: int) -> tuple[ChangedLine, ...]:
    """A run of many lines keeps those of each mark that correspond to the anchor's place in it."""
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
"""Beside lines that carry the marks of a diff."""


def marks_of(quote: QuoteCheck, change: Change) -> dict[int, str]:
    """By its number each quoted line that the change added (`+`) or, before the change, removed (`-`)."""
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
    """Whether changed lines stand beside unchanged ones, or are not there any more."""
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
"""The largest line number that readers of these formats can hold."""


@dataclass(frozen=True)
class HeadPlace:
    """A path and its first and last line. `is_exact` is False where the code stands at base only."""

    path: str
    first: int
    last: int
    is_exact: bool = True


def head_place(finding: Finding, change: Change) -> HeadPlace:
    """The finding's place at head; what the change removed is placed where it stood."""
    first, last = finding.lines
    file = change.file_at(finding.file, "base") if finding.side == "base" else None
    if file is None:
        return _bounded(finding.file, first, last, is_exact=finding.side == "head")
    if file.head_path is None:
        return _bounded(file.path, first, last, is_exact=False)
    at = LineMap(file.hunks).nearest_head(first)
    return _bounded(file.head_path, at, at, is_exact=False)


def _bounded(path: str, first: int, last: int, *, is_exact: bool) -> HeadPlace:
    start = min(max(first, 1), _LAST_LINE)
    return HeadPlace(path=path, first=start, last=min(max(last, start), _LAST_LINE), is_exact=is_exact)
