"""Write the map of a change as one HTML page with a picture: nothing is loaded, no text of it is obeyed."""

import base64
import hashlib
import html
from collections.abc import Iterable, Sequence
from importlib.resources import files as package_files

from affidavit.context.view.graph import (
    BOX_HEIGHT,
    BOX_WIDTH,
    TIE_OF_KIND,
    WIDTH,
    Box,
    Graph,
    Line,
    lay_out,
)
from affidavit.context.view.text import depending, renaming, spelled_lines
from affidavit.context.view.view import (
    FATES,
    FOLDED_FATES,
    HEADINGS,
    ChangedView,
    MapView,
    OriginView,
    folded_names,
    view_map,
)
from affidavit.records.change import Change
from affidavit.records.context import ContextMap, RelatedFile, Relation, SymbolChange
from affidavit.render.report import wording
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
    style, script = _asset("context.css"), _asset("context.js")
    title = _text(change.title or change.target or "a change")
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_policy(style, script)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="referrer" content="no-referrer">',
            f"<title>Map of {title}</title>",
            f"<style>{style}</style>",
            "</head>",
            "<body>",
            *_head(change, title),
            "<main>",
            *_picture(lay_out(view, keys)),
            *_lists(view, keys),
            *_history(view, context),
            "</main>",
            f"<footer>{_left_out(context.left_out)}</footer>",
            f"<script>{script}</script>",
            "</body>",
            "</html>",
            "",
        ]
    )


def _asset(name: str) -> str:
    return package_files("affidavit.context.view").joinpath("assets", name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    allowed = f"style-src '{_hash(style)}'; script-src '{_hash(script)}'"
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _text(foreign: str, limit: int | None = None) -> str:
    """Text of the change, on one line, with nothing invisible and nothing that HTML reads."""
    return html.escape(one_line(foreign, limit))


def _path(foreign: str) -> str:
    return html.escape(visible(foreign))


def _head(change: Change, title: str) -> Iterable[str]:
    added, removed = wording.line_totals(change)
    counts = [_text(wording.range_of(change)), wording.counted(len(change.files), "file")]
    if change.commits:
        counts.append(wording.counted(len(change.commits), "commit"))
    yield f"<header><h1>{title}</h1>"
    numbers = f'<span class="plus">+{added}</span> <span class="minus">-{removed}</span>'
    yield f'<p class="quiet">{" · ".join(counts)} · {numbers}</p>'
    if change.description.strip():
        lines = visible(clip(change.description.strip(), MAX_DESCRIPTION), keep="\n")
        yield f'<p class="description">{html.escape(lines)}</p>'
    yield "</header>"


def _picture(graph: Graph) -> Iterable[str]:
    kinds = {line.kind for line in graph.lines}
    yield '<div class="controls">'
    yield '<input id="filter" type="search" placeholder="Filter files ( / )" aria-label="Filter files">'
    for kind, words in KINDS.items():
        if kind in kinds:
            swatch = f'<span class="swatch k-{kind}"></span>'
            yield f'<button type="button" data-kind="{kind}" aria-pressed="true">{swatch}{words}</button>'
    yield "</div>"
    yield '<div class="picture">'
    yield f'<svg viewBox="0 0 {WIDTH} {graph.height}" role="group" aria-label="The files around the change">'
    for heading in graph.headings:
        words = HEADINGS.get(heading.text, heading.text)
        yield f'<text class="group" x="{heading.x}" y="{heading.y}">{words}</text>'
    yield from (_line(line) for line in graph.lines)
    yield from (_box(box) for box in graph.boxes)
    yield "</svg></div>"
    hidden = f"{wording.counted(graph.hidden, 'more file')} in the lists below. " if graph.hidden else ""
    advice = "Point at a file to see its ties; Tab and the arrow keys walk along them."
    yield f'<p class="hint">{hidden}{advice}</p>'


def _line(line: Line) -> str:
    ends = f'data-from="{line.start.key}" data-to="{line.end.key}" data-kind="{line.kind}"'
    return f'<path class="tie k-{line.kind}" {ends} d="{line.curve}"/>'


def _box(box: Box) -> str:
    near, name = "/".join(box.path.split("/")[-2:]), box.path.rsplit("/", 1)[-1]
    name = near if len(near) <= NAME_CHARACTERS else name
    note = f"{box.note} · {depending(box.reach)}" if box.reach else box.note
    place = f'data-key="{box.key}" data-x="{box.x}" data-y="{box.y}"'
    kind = f"box g-{box.group}" + (" changed" if box.group == "changed" else "")
    return (
        f'<a class="{kind}" href="#{box.key}" {place} aria-label="{_text(f"{box.path}: {note}")}">'
        f"<title>{_path(box.path)}</title>"
        f'<rect x="{box.x}" y="{box.y}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="6"/>'
        f'<rect class="stripe" x="{box.x}" y="{box.y + 5}" width="4" height="{BOX_HEIGHT - 10}" rx="2"/>'
        f'<text class="name" x="{box.x + 14}" y="{box.y + 19}">{_text(name, NAME_CHARACTERS)}</text>'
        f'<text class="note" x="{box.x + 14}" y="{box.y + 36}">{_text(note, NOTE_CHARACTERS)}</text></a>'
    )


def _lists(view: MapView, keys: dict[str, str]) -> Iterable[str]:
    yield "<section><h2>What it touches"
    if len(view.changed) > 1:
        yield '<span class="count">in an order that is good to read</span>'
    yield '</h2><ol class="files">'
    for number, one in enumerate(view.changed, 1):
        yield _changed_row(number, one, keys[one.path])
    yield '</ol></section><div class="lists">'
    for name, heading in HEADINGS.items():
        group = view.groups[name]
        if group or name == "tests":
            yield f'<section><h2>{heading} <span class="count">{len(group)}</span></h2><ul class="files">'
            yield from (_related_row(file, keys[file.path]) for file in group)
            yield "</ul>"
            yield from _about_group(name, view)
            yield "</section>"
    yield "</div>"


def _about_group(name: str, view: MapView) -> Iterable[str]:
    if name == "tests" and view.changed_tests:
        tests = ", ".join(f'<span class="path">{_path(path)}</span>' for path in view.changed_tests)
        yield f'<p class="quiet">Part of the change: {tests}</p>'
    elif name == "tests" and not view.groups["tests"]:
        yield '<p class="quiet">None was found: no test imports, calls or is named after what it touches.</p>'


def _changed_row(number: int, one: ChangedView, key: str) -> str:
    file = one.file
    told = [STATUS[file.status]] if file.status in STATUS else []
    if file.old_path and file.status == "renamed":
        told.append(f'was <span class="path">{_path(file.old_path)}</span>')
    if file.skipped is not None:
        told.append(f"not looked into: {file.skipped}")
    if one.reach:
        told.append(depending(one.reach))
    numbers = f'<span class="plus">+{one.added}</span> <span class="minus">-{one.removed}</span>'
    return (
        f'<li id="{key}" data-path="{_path(one.path)}"><span class="side num">{numbers}</span>'
        f'<span class="number">{number}</span><span class="path">{_path(one.path)}</span>'
        f' <span class="quiet">{", ".join(told)}</span>{_symbol_list(one)}</li>'
    )


def _symbol_list(one: ChangedView) -> str:
    spoken = [change for change in one.symbols if change.fate not in FOLDED_FATES]
    rows = [_symbol(change) for change in spoken[:MAX_SYMBOLS]]
    if len(spoken) > MAX_SYMBOLS:
        rows.append(f"and {len(spoken) - MAX_SYMBOLS} more")
    for fate in FOLDED_FATES:
        names = folded_names(one.symbols, fate)
        if names:
            more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
            shown = ", ".join(f"<code>{_text(name)}</code>" for name in names[:MAX_NAMES])
            rows.append(f'<span class="fate f-{fate}">{FATES[fate]}</span>{shown}{more}')
    if not one.symbols and one.places:
        rows.append("within " + ", ".join(f"<code>{_text(name)}</code>" for name in one.places[:MAX_SYMBOLS]))
    return f"<ul>{''.join(f'<li>{row}</li>' for row in rows)}</ul>" if rows else ""


def _symbol(change: SymbolChange) -> str:
    symbol = change.head or change.base
    if symbol is None:
        return ""
    shown = symbol.signature or symbol.qualified
    if change.fate == "renamed" and change.base is not None:
        shown = renaming(change.base, symbol, "→")
    label = f'<span class="fate f-{change.fate}">{FATES[change.fate]}</span>'
    return f"{label}<code>{_text(shown, 200)}</code> line {symbol.line}"


def _related_row(file: RelatedFile, key: str) -> str:
    kind = TIE_OF_KIND[file.reasons[0].kind]
    reasons = "".join(f"<li>{_reason(reason)}</li>" for reason in file.reasons)
    return (
        f'<li id="{key}" data-path="{_path(file.path)}" data-kind="{kind}">'
        f'<span class="swatch k-{kind}"></span><span class="path">{_path(file.path)}</span>'
        f"<ul>{reasons}</ul></li>"
    )


def _reason(reason: Relation) -> str:
    lines = f", {spelled_lines(reason.lines)}" if reason.lines else ""
    return f"{_text(reason.detail)}{lines}"


def _history(view: MapView, context: ContextMap) -> Iterable[str]:
    if view.origins:
        yield '<section><h2>Who wrote the lines that it replaces, and why</h2><ul class="files">'
        yield from (_origin(one) for one in view.origins)
        yield "</ul></section>"
    if context.commits:
        yield '<section><h2>Its commits</h2><ul class="files">'
        for commit in context.commits:
            label = f'<span class="num quiet">{_text(commit.sha[:8])} {_text(commit.date[:10])}</span>'
            yield f"<li>{label} <strong>{_text(commit.subject)}</strong> {_text(commit.author)}</li>"
        yield "</ul></section>"


def _origin(one: OriginView) -> str:
    origin = one.origin
    label = f'<span class="num quiet">{_text(origin.commit[:8])} {_text(origin.date[:10])}</span>'
    more = len(one.places) - MAX_PLACES
    rest = f" and {more} more places" if more > 0 else ""
    places = ", ".join(f'<span class="num">{_text(place)}</span>' for place in one.places[:MAX_PLACES])
    return (
        f"<li>{label} <strong>{_text(origin.summary)}</strong> {_text(origin.author)}"
        f"<ul><li>{places}{rest}</li></ul></li>"
    )


def _left_out(sentences: Sequence[str]) -> str:
    if not sentences:
        return "Nothing was left out of this map."
    return f"Left out: <ul>{''.join(f'<li>{_text(sentence)}</li>' for sentence in sentences)}</ul>"
