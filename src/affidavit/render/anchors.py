"""Find where a finding stands, and where the change touched what an impact finding depends on."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from affidavit.records.candidate import Candidate
from affidavit.records.change import Change, FileChange, Hunk
from affidavit.records.finding import Cause, Finding

_DEFINES = r"\b(?:class|const|def|enum|fn|func|function|interface|let|struct|trait|type|var)\b[^=]*\b{name}\b"
_ASSIGNS = r"^\s*(?:self\.|this\.)?{name}\s*[:=(]"
_NEIGHBOURHOOD = 3
_LONGEST_LOOK = 500
"""A definition stands at the start of its line; a hostile line of a megabyte is not searched to its end."""


def anchored(candidate: Candidate) -> Finding | None:
    """The finding with its lines moved to where its quote was found."""
    finding, quote = candidate.finding, candidate.quote
    if finding is None or quote is None or quote.start is None:
        return finding
    last = max(quote.start, quote.end or quote.start)
    if quote.start <= finding.line <= last or quote.outcome not in ("relocated", "ambiguous"):
        return finding
    claimed = finding.verification.line_range_examined[0] if finding.verification else finding.line
    line = min(max(quote.start + finding.line - claimed, quote.start), last)
    length = finding.lines[1] - finding.lines[0]
    end_line = None if finding.end_line is None else min(line + length, last)
    return finding.model_copy(update={"line": line, "end_line": end_line})


@dataclass(frozen=True)
class ChangedLine:
    """One line of a hunk: its mark (' ', '+' or '-'), its number on its own side, and its text."""

    mark: str
    number: int
    text: str
    head: int = 1
    """The line at head where it stands; for a removed line, where it stood."""


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
    anchor = _anchor(file, re.split(r"[.:#]+", cause.symbol.strip().removesuffix("()"))[-1])
    return ChangedPlace(path=file.path, anchor=anchor, lines=_around(file, anchor))


def head_line(place: ChangedPlace, change: Change) -> int:
    """The changed line at head that is nearest to the anchor; for a deleted file, the anchor's own."""
    file = change.file_at(place.path)
    if place.anchor.mark == "+" or file is None:
        return max(place.anchor.number, 1)
    added = file.changed_lines("head") or [place.anchor.head]
    return max(min(added, key=lambda line: abs(line - place.anchor.head)), 1)


def _holds(hunk: Hunk, line: ChangedLine) -> bool:
    return line in _numbered(hunk)


def _numbered(hunk: Hunk) -> list[ChangedLine]:
    lines: list[ChangedLine] = []
    head = hunk.new_start
    last = hunk.new_start + max(hunk.new_count - 1, 0)
    for mark, old, new, text in hunk.numbered():
        head = new if new is not None else head
        number = (old if mark == "-" else new) or 1
        lines.append(ChangedLine(mark=mark, number=number, text=text, head=min(head, last)))
        head += new is not None
    return lines


def _anchor(file: FileChange, name: str) -> ChangedLine:
    changed = [line for line in _all_lines(file) if line.mark != " "]
    if not changed:
        return next(_all_lines(file), ChangedLine(mark=" ", number=1, text=""))
    if not name:
        return changed[0]
    best = max(changed, key=lambda line: (_merit(line, name), line.mark == "+"))
    if _merit(best, name):
        return best
    return _nearest_to_context(file, name) or changed[0]


def _all_lines(file: FileChange) -> Iterator[ChangedLine]:
    for hunk in file.hunks:
        yield from _numbered(hunk)


def _merit(line: ChangedLine, name: str) -> int:
    """2 for a line that defines the name, 1 for one that speaks of it."""
    quoted = re.escape(name)
    if re.search(_DEFINES.format(name=quoted), line.text) or re.search(
        _ASSIGNS.format(name=quoted), line.text
    ):
        return 2
    return 1 if re.search(rf"(?<!\w){quoted}(?!\w)", line.text) else 0


def _nearest_to_context(file: FileChange, name: str) -> ChangedLine | None:
    """The first changed line after an unchanged line, or a hunk's heading, that names the symbol."""
    for hunk in file.hunks:
        is_near = bool(_merit(ChangedLine(mark=" ", number=1, text=hunk.heading), name))
        for line in _numbered(hunk):
            is_near = is_near or bool(_merit(line, name))
            if is_near and line.mark != " ":
                return line
    return None


def _around(file: FileChange, anchor: ChangedLine) -> tuple[ChangedLine, ...]:
    """The unbroken run of changed lines about the anchor, kept short."""
    hunk = next((hunk for hunk in file.hunks if _holds(hunk, anchor)), None)
    if hunk is None:
        return (anchor,)
    lines = _numbered(hunk)
    at = lines.index(anchor)
    first = last = at
    while first > 0 and lines[first - 1].mark != " ":
        first -= 1
    while last + 1 < len(lines) and lines[last + 1].mark != " ":
        last += 1
    return _pruned(lines[first : last + 1], at - first)


def _pruned(run: list[ChangedLine], at: int) -> tuple[ChangedLine, ...]:
    """A run of many lines keeps those of each mark that correspond to the anchor's place in it."""
    if len(run) <= 2 * _NEIGHBOURHOOD:
        return tuple(run)
    anchor = run[at]
    place = [line for line in run if line.mark == anchor.mark].index(anchor)
    return tuple(
        line
        for mark in "-+"
        for position, line in enumerate(line for line in run if line.mark == mark)
        if place - 1 <= position <= place + 1
    )
