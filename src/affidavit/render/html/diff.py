"""Lay out the diff: files, hunks and rows, with each card beside the lines that it is about."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from markupsafe import Markup

from affidavit.records.change import Change, FileChange, Hunk
from affidavit.records.finding import Finding
from affidavit.records.report import FileCoverage
from affidavit.render import wording
from affidavit.render.html.cards import Card
from affidavit.render.html.colour import Painter, shown_line
from affidavit.render.safe_text import clip, one_line, visible

MAX_ROWS = 20_000
"""A page draws no more lines than this; hunks with findings come first."""
MAX_PIECE = 500
"""A longer hunk, such as a new file of many thousand lines, is drawn or left out piece by piece."""
ELLIPSIS = " … "
_SMALL = 600
"""A diff of up to this many lines is open as a whole."""
Placed = tuple[Finding, Card]


@dataclass(frozen=True)
class Row:
    """One line of a hunk, and the cards that stand below it."""

    mark: str
    old: int | None
    new: int | None
    code: Markup
    is_guilty: bool
    cards: tuple[Card, ...]


@dataclass(frozen=True)
class HunkView:
    """One hunk. `is_unseen`: the review covers the file, and nobody looked at this hunk."""

    heading: str
    rows: tuple[Row, ...]
    left_out: int
    is_unseen: bool
    lacks_newline: str


@dataclass(frozen=True)
class FileView:
    """One file of the diff; `outside` holds the cards about lines that no hunk shows."""

    path: str
    anchor: str
    words: tuple[str, ...]
    added: int
    removed: int
    hunks: tuple[HunkView, ...]
    outside: tuple[Card, ...]
    findings: int
    is_open: bool


@dataclass
class Layout:
    """What the files of one page share: the colours, and how many lines may still be drawn."""

    painter: Painter
    room: int = MAX_ROWS
    is_small: bool = True
    coverage: dict[str, FileCoverage] = field(default_factory=dict)


def lay_out(change: Change, placed: Sequence[Placed], coverage: Sequence[FileCoverage]) -> list[FileView]:
    """Every file of the change in its order; files with findings are drawn first while there is room."""
    total = sum(len(hunk.lines) for file in change.files for hunk in file.hunks)
    layout = Layout(Painter(), is_small=total <= _SMALL, coverage={one.path: one for one in coverage})
    groups = [_of(file, placed) for file in change.files]
    order = sorted(range(len(groups)), key=lambda index: not groups[index])
    views = {index: _file(change.files[index], index, groups[index], layout) for index in order}
    return [views[index] for index in range(len(groups))]


def outside_the_change(change: Change, placed: Sequence[Placed]) -> dict[str, list[Card]]:
    """The cards about files that the change does not touch, by path."""
    files: dict[str, list[Card]] = {}
    for finding, card in placed:
        if change.file_at(finding.file, finding.side) is None:
            files.setdefault(clip(visible(finding.file), 400), []).append(card)
    return files


def _of(file: FileChange, placed: Sequence[Placed]) -> list[Placed]:
    return [(finding, card) for finding, card in placed if file.path_at(finding.side) == finding.file]


def _file(whole: FileChange, number: int, placed: Sequence[Placed], layout: Layout) -> FileView:
    file = whole.model_copy(update={"hunks": tuple(part for hunk in whole.hunks for part in _pieces(hunk))})
    spots = {card.anchor: _spot(file, finding) for finding, card in placed}
    covered = layout.coverage.get(file.path)
    marks = [line[:1] for hunk in file.hunks for line in hunk.lines]
    guilty = {spot[0] for spot in spots.values() if spot is not None}
    layout.room -= sum(len(file.hunks[index].lines) for index in guilty)
    hunks = [
        _hunk(file, index, [(finding, card, spots[card.anchor]) for finding, card in placed], layout)
        for index in range(len(file.hunks))
    ]
    return FileView(
        path=clip(visible(file.path), 400),
        anchor=f"file-{number + 1}",
        words=_words(file, covered),
        added=marks.count("+"),
        removed=marks.count("-"),
        hunks=tuple(_joined(hunks)),
        outside=tuple(card for _, card in placed if spots[card.anchor] is None),
        findings=len(placed),
        is_open=bool(placed) or (layout.is_small and file.skipped is None),
    )


def _words(file: FileChange, covered: FileCoverage | None) -> tuple[str, ...]:
    """What happened to the file, and who looked at it."""
    words = [str(file.status)] if file.status != "modified" else []
    if file.old_path and file.old_path != file.path:
        words.append(f"from {clip(visible(file.old_path), 300)}")
    if file.is_mode_change:
        words.append(f"mode {file.old_mode} to {file.new_mode}")
    words += [word for word, holds in (("binary", file.is_binary), ("submodule", file.is_submodule)) if holds]
    if covered is not None and covered.state != "examined":
        reason = f": {covered.reason.replace('_', ' ')}" if covered.reason else ""
        words.append(one_line(covered.state.replace("_", " ") + reason, 200))
    return tuple(words)


def _spot(file: FileChange, finding: Finding) -> tuple[int, int] | None:
    """The hunk and the row below which a finding's card stands: the last of its lines that is shown."""
    first, last = finding.lines
    spot = None
    for at, hunk in enumerate(file.hunks):
        for row, (_mark, old, new, _text) in enumerate(hunk.numbered()):
            number = new if finding.side == "head" else old
            if number is not None and first <= number <= last:
                spot = (at, row)
    return spot


def _hunk(
    file: FileChange,
    index: int,
    placed: Sequence[tuple[Finding, Card, tuple[int, int] | None]],
    layout: Layout,
) -> HunkView:
    hunk = file.hunks[index]
    below: dict[int, list[Card]] = {}
    for _, card, spot in placed:
        if spot is not None and spot[0] == index:
            below.setdefault(spot[1], []).append(card)
    # The room for a hunk with findings is taken already.
    is_drawn = bool(below) or len(hunk.lines) <= layout.room
    layout.room -= len(hunk.lines) if is_drawn and not below else 0
    covered = layout.coverage.get(file.path)
    return HunkView(
        heading=_heading(hunk),
        rows=_rows(file, hunk, [finding for finding, _, _ in placed], below, layout) if is_drawn else (),
        left_out=0 if is_drawn else len(hunk.lines),
        is_unseen=covered is not None and covered.state == "partly" and _is_unseen(hunk, covered),
        lacks_newline=_lacks_newline(hunk),
    )


def _pieces(hunk: Hunk) -> list[Hunk]:
    if len(hunk.lines) <= MAX_ROWS // 2:
        return [hunk]
    return [hunk.part(start, start + MAX_PIECE) for start in range(0, len(hunk.lines), MAX_PIECE)]


def _joined(views: Sequence[HunkView]) -> list[HunkView]:
    """The hunks, those in a row of which nothing is drawn as one."""
    joined: list[HunkView] = []
    for view in views:
        if joined and view.left_out and joined[-1].left_out:
            joined.append(_as_one(joined.pop(), view))
        else:
            joined.append(view)
    return joined


def _as_one(first: HunkView, last: HunkView) -> HunkView:
    return replace(
        last,
        heading=f"{first.heading.partition(ELLIPSIS)[0]}{ELLIPSIS}{last.heading}",
        left_out=first.left_out + last.left_out,
        is_unseen=first.is_unseen or last.is_unseen,
    )


def _heading(hunk: Hunk) -> str:
    old = f"-{hunk.old_start},{hunk.old_count}"
    new = f"+{hunk.new_start},{hunk.new_count}"
    return f"@@ {old} {new} @@ {one_line(hunk.heading, 200)}".rstrip()


def _is_unseen(hunk: Hunk, covered: FileCoverage) -> bool:
    around = [
        one
        for one in covered.hunks
        if _begins_in(hunk.new_start, one.new_start, one.new_count)
        and _begins_in(hunk.old_start, one.old_start, one.old_count)
    ]
    return not any(one.examined_by for one in around)


def _begins_in(line: int, start: int, count: int) -> bool:
    return line == start or start < line < start + count


def _lacks_newline(hunk: Hunk) -> str:
    sides = [
        name
        for name, lacks in (("before", hunk.old_lacks_newline), ("after", hunk.new_lacks_newline))
        if lacks
    ]
    return f"No newline at the end of the file {wording.listed(sides)} the change." if sides else ""


def _rows(
    file: FileChange,
    hunk: Hunk,
    findings: Sequence[Finding],
    below: dict[int, list[Card]],
    layout: Layout,
) -> tuple[Row, ...]:
    codes = _codes(file, hunk, layout.painter)
    return tuple(
        Row(
            mark=mark,
            old=old,
            new=new,
            code=codes[at],
            is_guilty=any(_is_about(finding, old, new) for finding in findings),
            cards=tuple(below.get(at, ())),
        )
        for at, (mark, old, new, _text) in enumerate(hunk.numbered())
    )


def _is_about(finding: Finding, old: int | None, new: int | None) -> bool:
    number = new if finding.side == "head" else old
    return number is not None and finding.lines[0] <= number <= finding.lines[1]


def _codes(file: FileChange, hunk: Hunk, painter: Painter) -> list[Markup]:
    """The code of each line. Each side is coloured as a whole, so that a string may span lines."""
    # Carriage returns are shown where lines differ in them; in a file full of them they are only noise.
    has_return = {line.endswith("\r") for line in hunk.lines}
    texts = [
        shown_line(line[1:] if len(has_return) > 1 else line[1:].removesuffix("\r")) for line in hunk.lines
    ]
    codes: dict[int, Markup] = {}
    for hidden, path in (("+", file.old_path or file.path), ("-", file.path)):
        at = [index for index, line in enumerate(hunk.lines) if not line.startswith(hidden)]
        codes |= zip(
            at, painter.paint([texts[index] for index in at], language=file.language, path=path), strict=True
        )
    return [codes[index] for index in range(len(texts))]
