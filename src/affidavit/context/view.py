"""Write the map of a change as JSON, or as text for people."""

import json
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from affidavit import __version__
from affidavit.records.change import Change, FileChange
from affidavit.records.context import BlameOrigin, ContextMap, Relation, SymbolChange
from affidavit.render import wording
from affidavit.render.ink import Ink
from affidavit.render.safe_text import json_without_commands

CONTEXT_VERSION = "1.0"
FATES = {
    "removed": "removed",
    "renamed": "renamed",
    "signature_changed": "new signature",
    "added": "new",
    "touched": "changed inside",
}
MAX_SYMBOLS = 20
MAX_ORIGINS = 12
MAX_COMMITS = 12


def render_context_json(change: Change, context: ContextMap) -> str:
    """Return the header of the change and the map, in ASCII, which any pipe takes."""
    header = change.model_dump(mode="json", exclude={"files", "commits"})
    data = {
        "context_version": CONTEXT_VERSION,
        "affidavit_version": __version__,
        "change": {**header, "files": [_file(file) for file in change.files]},
        "context": context.model_dump(mode="json"),
    }
    return json_without_commands(json.dumps(data, indent=1, allow_nan=False)) + "\n"


def _file(file: FileChange) -> dict[str, Any]:
    return {
        "path": file.path,
        "old_path": file.old_path,
        "status": file.status.value,
        "language": file.language,
        "skipped": file.skipped.value if file.skipped else None,
        "lines_added": len(file.changed_lines("head")),
        "lines_removed": len(file.changed_lines("base")),
    }


def render_context(change: Change, context: ContextMap, *, console: Console) -> None:
    """Write the changed files with their symbols, the related files with the reason, tests and history."""
    ink = Ink(console)
    ink.head(change.title or change.target or "a change", (ink.safe(wording.range_of(change)), "dim"))
    _heading(ink, "Changed files")
    for file in change.files:
        _write_file(ink, file, context)
    if context.related_files:
        _heading(ink, "Related files, the most relevant first")
    for related in context.related_files:
        ink.line("  ", (ink.safe_path(related.path), "bold"))
        for reason in related.reasons:
            ink.hanging(Text("    "), Text(ink.safe(_reason(reason))), indent=0)
    _heading(ink, "Tests that cover it")
    _write_lines(ink, context.tests or ("none was found: no test imports, calls or is named after it",))
    if context.origins:
        _heading(ink, "Who wrote the lines that it replaces")
        _write_lines(ink, [_origin(one) for one in context.origins[:MAX_ORIGINS]])
    if change.commits:
        _heading(ink, "Its commits")
        commits = change.commits[:MAX_COMMITS]
        _write_lines(ink, [f"{one.sha[:8]} {one.date[:10]} {one.author}: {one.subject}" for one in commits])
    if context.left_out:
        _heading(ink, "Left out")
        _write_lines(ink, context.left_out)


def _heading(ink: Ink, title: str) -> None:
    ink.blank()
    ink.line((title, "bold"))


def _write_lines(ink: Ink, lines: Sequence[str]) -> None:
    for line in lines:
        ink.hanging(Text("  "), Text(ink.safe(line)), indent=0)


def _write_file(ink: Ink, file: FileChange, context: ContextMap) -> None:
    note = f"not read: {file.skipped}" if file.skipped else "" if file.status == "modified" else file.status
    counts = f"+{len(file.changed_lines('head'))} -{len(file.changed_lines('base'))}"
    ink.line("  ", (ink.safe_path(file.path), "bold cyan"), f"  {counts}  ", (note, "dim"))
    symbols = [one for one in context.symbols if _path_of(one) in (file.path, file.base_path)]
    for one in sorted(symbols, key=lambda one: list(FATES).index(one.fate))[:MAX_SYMBOLS]:
        ink.hanging(Text(f"{FATES[one.fate]:<15}", style="dim"), Text(ink.safe(_symbol(one))), indent=6)


def _path_of(change: SymbolChange) -> str:
    symbol = change.head or change.base
    return symbol.path if symbol else ""


def _symbol(change: SymbolChange) -> str:
    """Return the name of a changed symbol with its line; `old -> new` for a renamed one."""
    symbol = change.head or change.base
    if symbol is None:
        return ""
    if change.fate != "renamed" or change.base is None:
        return f"{symbol.qualified}, line {symbol.line}"
    if change.base.qualified == symbol.qualified:
        return f"{symbol.qualified} from {change.base.path}, line {symbol.line}"
    return f"{change.base.qualified} -> {symbol.qualified}, line {symbol.line}"


def _reason(reason: Relation) -> str:
    if not reason.lines:
        return reason.detail
    noun = "line" if len(reason.lines) == 1 else "lines"
    return f"{reason.detail}, {noun} {', '.join(map(str, reason.lines))}"


def _origin(origin: BlameOrigin) -> str:
    place = f"{origin.path}:{origin.first_line}-{origin.last_line}"
    return f"{origin.commit[:8]} {origin.date[:10]} {origin.author}: {origin.summary} {place}"
