"""Find where a finding stands, and where the change touched what an impact finding depends on."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice, takewhile

from affidavit.records.candidate import Candidate
from affidavit.records.change import Change, FileChange, Hunk
from affidavit.records.finding import Cause, Finding

_KEYWORDS = "class|const|def|enum|fn|func|function|interface|let|struct|trait|type|var"
_DEFINES = rf"\s*(?:\w+\s+){{0,4}}?(?:{_KEYWORDS})\s+(?:\([^()]*\)\s*)?"
"""The start of a line that defines: `def`, `export async function`, `func (r *Receiver)`."""
_ASSIGNS = r"\s*(?:self\.|this\.)?"
_DEFINITION, _MENTION = 2, 1
_MOST_LINES = 6
_NEIGHBOURHOOD = 100
_MOST_MENTIONS = 1_000
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
    name = re.split(r"[.:#]+", cause.symbol.strip().removesuffix("()"))[-1]
    hunk, at = _most_telling(file, name) or _first_changed(file)
    before, anchor, after = _numbered(hunk, at)
    return ChangedPlace(path=file.path, anchor=anchor, lines=_run_about(before, anchor, after))


def head_line(place: ChangedPlace, change: Change) -> int:
    """The changed line at head that is nearest to the anchor; for a deleted file, the anchor's own."""
    file = change.file_at(place.path)
    if place.anchor.mark == "+" or file is None:
        return max(place.anchor.number, 1)
    added = file.changed_lines("head") or [place.anchor.head]
    return max(min(added, key=lambda line: abs(line - place.anchor.head)), 1)


def _numbered(hunk: Hunk, at: int) -> tuple[list[ChangedLine], ChangedLine, list[ChangedLine]]:
    """The line at an index of the hunk, with some lines before it and after it."""
    lines: list[ChangedLine] = []
    head = hunk.new_start
    last = hunk.new_start + max(hunk.new_count - 1, 0)
    first = max(at - _NEIGHBOURHOOD, 0)
    for index, (mark, old, new, text) in enumerate(islice(hunk.numbered(), at + _NEIGHBOURHOOD)):
        head = new if new is not None else head
        if index >= first:
            number = (old if mark == "-" else new) or 1
            lines.append(ChangedLine(mark=mark, number=number, text=text, head=min(head, last)))
        head += new is not None
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
    mentions = islice(_mentions(file, merit), _MOST_MENTIONS)
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
        text = line[1:_LONGEST_LOOK]
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
    if len(run) <= _MOST_LINES:
        return tuple(run)
    place = sum(line.mark == run[at].mark for line in run[:at])
    return tuple(
        line
        for mark in "-+"
        for position, line in enumerate(line for line in run if line.mark == mark)
        if place - 1 <= position <= place + 1
    )
