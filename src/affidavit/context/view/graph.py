"""Lay out the map of a change as a graph: who depends on it, the change, and what it depends on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from affidavit.context.view.sorted_map import ChangedView, MapView
from affidavit.records.context import RelatedFile

MAX_CHANGED = 24
MAX_BESIDE = 30
BOX_WIDTH = 300
BOX_HEIGHT = 46
ROW = 58
COLUMN_GAP = 170
HEADING = 40
MARGIN = 8
WIDTH = 3 * BOX_WIDTH + 2 * COLUMN_GAP + 2 * MARGIN
LEFT_GROUPS = ("dependants", "texts", "tests")
RIGHT_GROUPS = ("dependencies", "companions", "documents")
# The strongest tie of a file gives its lines their look.
TIE_OF_KIND: Mapping[str, str] = {
    "calls": "uses",
    "uses": "uses",
    "implements": "uses",
    "imports": "imports",
    "imported_by": "imports",
    "extended_by": "uses",
    "tests": "tests",
    "documents": "documents",
    "changes_with": "changes",
    "shares_text": "texts",
    "called_by": "uses",
}


@dataclass(frozen=True)
class Box:
    """A file in the picture."""

    key: str
    path: str
    group: str
    x: int
    y: int
    note: str
    reach: int = 0


@dataclass(frozen=True)
class Line:
    """A tie between two boxes."""

    start: Box
    end: Box
    kind: str

    @property
    def curve(self) -> str:
        """From the right side of one box to the left side of the other."""
        x1, y1 = self.start.x + BOX_WIDTH, self.start.y + BOX_HEIGHT // 2
        x2, y2 = self.end.x, self.end.y + BOX_HEIGHT // 2
        bend = (x2 - x1) // 2
        return f"M{x1} {y1}C{x1 + bend} {y1} {x2 - bend} {y2} {x2} {y2}"


@dataclass(frozen=True)
class Heading:
    """The name of a group, above its boxes."""

    text: str
    x: int
    y: int


@dataclass(frozen=True)
class Graph:
    """The picture: boxes, lines, headings and its size."""

    boxes: Sequence[Box]
    lines: Sequence[Line]
    headings: Sequence[Heading]
    hidden: int
    """Files that are in the lists only."""
    height: int


def lay_out(view: MapView, keys: Mapping[str, str]) -> Graph:
    """Place everything; `keys` names each path's row in the lists below the picture."""
    changed = _worth_showing(view)
    order = {one.path: number for number, one in enumerate(changed)}
    left = _beside(view, LEFT_GROUPS, order)
    right = _beside(view, RIGHT_GROUPS, order)
    rows = max(len(changed), _height_in_rows(left), _height_in_rows(right), 1)
    height = HEADING + rows * ROW + MARGIN
    centre = _changed_boxes(changed, keys, height)
    sides = [
        _side_boxes(left, keys, MARGIN, height),
        _side_boxes(right, keys, MARGIN + 2 * (BOX_WIDTH + COLUMN_GAP), height),
    ]
    beside = [box for boxes, _ in sides for box in boxes]
    headings = [heading for _, found in sides for heading in found]
    if centre:
        headings.append(Heading("The change", centre[0].x, centre[0].y - 14))
    shown = {box.path for box in (*centre, *beside)}
    total = len(view.changed) + sum(len(files) for files in view.groups.values())
    lines = _lines(view, {box.path: box for box in centre}, beside)
    return Graph([*centre, *beside], lines, headings, total - len(shown), height)


def _worth_showing(view: MapView) -> list[ChangedView]:
    """The files with the widest reach and the most changed lines, in the order of reading."""

    def weight(one: ChangedView) -> tuple[bool, int, int]:
        return one.file.skipped is not None, -one.reach, -one.added - one.removed

    ranked = sorted(view.changed, key=weight)
    chosen = {one.path for one in ranked[:MAX_CHANGED]}
    return [one for one in view.changed if one.path in chosen]


def _beside(view: MapView, groups: Sequence[str], order: Mapping[str, int]) -> dict[str, list[RelatedFile]]:
    """The files of a column, best first where there are too many, then each near what it is tied to."""
    ranked = sorted(
        (file for name in groups for file in view.groups[name]), key=lambda file: (-file.score, file.path)
    )
    chosen = {file.path for file in ranked[:MAX_BESIDE]}

    def nearness(file: RelatedFile) -> float:
        tied = [order[path] for path in view.links[file.path] if path in order]
        return sum(tied) / len(tied) if tied else len(order)

    return {
        name: sorted((file for file in view.groups[name] if file.path in chosen), key=nearness)
        for name in groups
    }


def _height_in_rows(groups: Mapping[str, Sequence[RelatedFile]]) -> int:
    return sum(len(files) + 1 for files in groups.values() if files)


def _changed_boxes(changed: Sequence[ChangedView], keys: Mapping[str, str], height: int) -> list[Box]:
    x = MARGIN + BOX_WIDTH + COLUMN_GAP
    top = HEADING + max(height - HEADING - MARGIN - len(changed) * ROW, 0) // 2
    return [
        Box(
            key=keys[one.path],
            path=one.path,
            group="changed",
            x=x,
            y=top + number * ROW,
            note=f"+{one.added} -{one.removed}",
            reach=one.reach,
        )
        for number, one in enumerate(changed)
    ]


def _side_boxes(
    groups: Mapping[str, Sequence[RelatedFile]], keys: Mapping[str, str], x: int, height: int
) -> tuple[list[Box], list[Heading]]:
    rows = _height_in_rows(groups)
    y = HEADING - ROW + max(height - HEADING - MARGIN - rows * ROW, 0) // 2 + ROW // 2
    boxes: list[Box] = []
    headings: list[Heading] = []
    for name, files in groups.items():
        if not files:
            continue
        y += ROW // 2
        headings.append(Heading(name, x, y + BOX_HEIGHT // 2 - 2))
        y += ROW // 2
        for file in files:
            boxes.append(Box(keys[file.path], file.path, name, x, y, file.reasons[0].detail))
            y += ROW
    return boxes, headings


def _lines(view: MapView, centre: Mapping[str, Box], beside: Sequence[Box]) -> list[Line]:
    kinds = {file.path: TIE_OF_KIND[file.reasons[0].kind] for files in view.groups.values() for file in files}
    lines = []
    for box in beside:
        for path in view.links[box.path]:
            changed = centre.get(path)
            if changed is None:
                continue
            is_left = box.x < changed.x
            pair = (box, changed) if is_left else (changed, box)
            lines.append(Line(*pair, kinds[box.path]))
    return lines
