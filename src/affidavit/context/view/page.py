"""Write the map of a change as one HTML page with a picture: nothing is loaded, no text of it is obeyed."""

from collections.abc import Mapping
from typing import Any

from affidavit.context.view.graph import BOX_HEIGHT, BOX_WIDTH, TIE_OF_KIND, WIDTH, Box, Graph, lay_out
from affidavit.context.view.sorted_map import (
    FATES,
    FOLDED_FATES,
    HEADINGS,
    ChangedView,
    MapView,
    OriginView,
    folded_names,
    view_map,
)
from affidavit.context.view.text import depending, renaming, spelled_lines
from affidavit.records.change import Change
from affidavit.records.context import BlameOrigin, ContextMap, RelatedFile, Relation, Symbol, SymbolChange
from affidavit.render import wording
from affidavit.render.html.template import render_page
from affidavit.render.safe_text import clip, one_line, visible

MAX_SYMBOLS = 12
MAX_NAMES = 20
MAX_PLACES = 6
MAX_DESCRIPTION = 4000
NAME_CHARACTERS = 31
NOTE_CHARACTERS = 48
KINDS = {
    "uses": "calls, uses",
    "imports": "imports",
    "texts": "has the text",
    "tests": "tests",
    "changes": "changes with",
    "documents": "documents",
}
STATUS = {"added": "new file", "deleted": "deleted", "copied": "copied"}


def render_context_page(change: Change, context: ContextMap) -> str:
    """The page, whole: style and script are in it, and its policy allows no others."""
    view = view_map(change, context)
    paths = [*(one.path for one in view.changed), *(file.path for file in context.related_files)]
    keys = {path: f"f{number}" for number, path in enumerate(paths)}
    return render_page(
        "context.html",
        styles=["tokens.css", "context.css"],
        script="context.js",
        **_head(change),
        **_picture(lay_out(view, keys)),
        **_lists(view, keys),
        origins=[_origin(one) for one in view.origins],
        commits=context.commits,
        left_out=context.left_out,
    )


def _head(change: Change) -> dict[str, Any]:
    added, removed = wording.line_totals(change)
    facts = [one_line(wording.range_of(change)), wording.counted(len(change.files), "file")]
    if change.commits:
        facts.append(wording.counted(len(change.commits), "commit"))
    return {
        "title": one_line(change.title or change.target or "a change"),
        "facts": facts,
        "added": added,
        "removed": removed,
        "description": visible(clip(change.description.strip(), MAX_DESCRIPTION), keep="\n"),
    }


def _picture(graph: Graph) -> dict[str, Any]:
    drawn = {line.kind for line in graph.lines}
    return {
        "graph": graph,
        "width": WIDTH,
        "box_width": BOX_WIDTH,
        "box_height": BOX_HEIGHT,
        "headings": HEADINGS,
        "kinds": [(kind, words) for kind, words in KINDS.items() if kind in drawn],
        "boxes": [_box(box) for box in graph.boxes],
        "note_characters": NOTE_CHARACTERS,
        "hidden": f"{wording.counted(graph.hidden, 'more file')} in the lists below. "
        if graph.hidden
        else "",
    }


def _box(box: Box) -> tuple[Box, str, str]:
    """The box, the name that it bears and its note."""
    near, name = "/".join(box.path.split("/")[-2:]), box.path.rsplit("/", 1)[-1]
    name = near if len(near) <= NAME_CHARACTERS else name
    note = f"{box.note} · {depending(box.reach)}" if box.reach else box.note
    return box, one_line(name, NAME_CHARACTERS), note


def _lists(view: MapView, keys: Mapping[str, str]) -> dict[str, Any]:
    return {
        "changed": [_changed_row(one, keys[one.path]) for one in view.changed],
        "groups": [
            (name, heading, [_related_row(file, keys[file.path]) for file in view.groups[name]])
            for name, heading in HEADINGS.items()
            if view.groups[name] or name == "tests"
        ],
        "changed_tests": view.changed_tests,
    }


def _changed_row(one: ChangedView, key: str) -> dict[str, Any]:
    file = one.file
    facts = [STATUS[file.status]] if file.status in STATUS else []
    if file.skipped is not None:
        facts.append(f"not read: {file.skipped}")
    if one.reach:
        facts.append(depending(one.reach))
    spoken = [
        (change, symbol)
        for change in one.symbols
        if change.fate not in FOLDED_FATES and (symbol := change.head or change.base)
    ]
    rows = {
        "symbols": [_symbol(*pair) for pair in spoken[:MAX_SYMBOLS]],
        "more": max(len(spoken) - MAX_SYMBOLS, 0),
        "folded": [
            (fate, FATES[fate], names[:MAX_NAMES], max(len(names) - MAX_NAMES, 0))
            for fate in FOLDED_FATES
            if (names := folded_names(one.symbols, fate))
        ],
        "within": [] if one.symbols else one.places[:MAX_SYMBOLS],
    }
    return {
        "key": key,
        "path": one.path,
        "added": one.added,
        "removed": one.removed,
        "facts": facts,
        "old_path": file.old_path if file.status == "renamed" else None,
        "has_rows": any(rows.values()),
        **rows,
    }


def _symbol(change: SymbolChange, symbol: Symbol) -> tuple[str, str, str, int]:
    """Fate, the word for it, the symbol, and its line."""
    shown = symbol.signature or symbol.qualified
    if change.fate == "renamed" and change.base is not None:
        shown = renaming(change.base, symbol, "→")
    return change.fate, FATES[change.fate], shown, symbol.line


def _related_row(file: RelatedFile, key: str) -> dict[str, Any]:
    return {
        "key": key,
        "path": file.path,
        "kind": TIE_OF_KIND[file.reasons[0].kind],
        "reasons": [_reason(reason) for reason in file.reasons],
    }


def _reason(reason: Relation) -> str:
    return f"{reason.detail}, {spelled_lines(reason.lines)}" if reason.lines else reason.detail


def _origin(one: OriginView) -> tuple[BlameOrigin, list[str], int]:
    """The commit, where its lines stood, and how many more places there are."""
    return one.origin, list(one.places[:MAX_PLACES]), max(len(one.places) - MAX_PLACES, 0)
