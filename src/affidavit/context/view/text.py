"""Write the map of a change for somebody who plans to read it, on a terminal or in a file."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

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
from affidavit.records.change import Change
from affidavit.records.context import ContextMap, RelatedFile, Relation, Symbol, SymbolChange, SymbolFate
from affidavit.render import wording
from affidavit.render.ink import Ink

MAX_SYMBOLS = 8
MAX_NAMES = 10
MAX_ORIGINS = 12
MAX_PLACES = 4
MAX_COMMITS = 12
MAX_LINES = 6
MAX_OUTSIDE = 12
_FATE_STYLES = {
    "removed": "red",
    "renamed": "yellow",
    "signature_changed": "yellow",
    "added": "green",
    "touched": "dim",
}
_STATUS = {"added": "new file", "deleted": "deleted", "renamed": "renamed", "copied": "copied"}


def render_context(change: Change, context: ContextMap, *, console: Console) -> None:
    """Write what the change touches, what depends on it, what it depends on, its tests and its history."""
    ink = Ink(console)
    view = view_map(change, context)
    _write_head(ink, change)
    _write_changed(ink, view)
    for name, heading in HEADINGS.items():
        _write_group(ink, heading, view.groups[name], _extra_lines(name, view))
    _write_origins(ink, view.origins)
    _write_commits(ink, change)
    _write_left_out(ink, context.left_out)


def _write_head(ink: Ink, change: Change) -> None:
    added, removed = wording.line_totals(change)
    dot = f" {ink.glyphs.dot} "
    counts = [ink.safe(wording.range_of(change)), wording.counted(len(change.files), "file")]
    if change.commits:
        counts.append(wording.counted(len(change.commits), "commit"))
    details = ((dot.join(counts) + dot, "dim"), (f"+{added}", "green"), " ", (f"-{removed}", "red"))
    ink.head(change.title or change.target or "a change", *details)


def _heading(ink: Ink, title: str, note: str = "") -> None:
    ink.blank()
    text = Text.assemble((title, "bold"), (f"  {note}" if note else "", "dim"))
    rule = ink.glyphs.rule * max(ink.text_width - text.cell_len - 1, 0)
    ink.line(text, " ", (rule, "dim"))


def _write_changed(ink: Ink, view: MapView) -> None:
    note = "in a good order to read" if len(view.changed) > 1 else ""
    _heading(ink, "What it touches", note)
    for number, changed in enumerate(view.changed, 1):
        _write_file(ink, number, changed)
        _write_symbols(ink, changed)


def _write_symbols(ink: Ink, changed: ChangedView) -> None:
    """One line for each symbol that others may know differently now; the others share a line."""
    spoken = [one for one in changed.symbols if one.fate not in FOLDED_FATES]
    for symbol in spoken[:MAX_SYMBOLS]:
        _write_symbol(ink, symbol)
    _write_more(ink, len(spoken) - MAX_SYMBOLS, "symbol")
    for fate in FOLDED_FATES:
        names = folded_names(changed.symbols, fate)
        more = len(names) - MAX_NAMES
        if names:
            text = ", ".join(names[:MAX_NAMES]) + (f" and {more} more" if more > 0 else "")
            ink.hanging(_fate_label(fate), Text(ink.safe(text)), indent=6)
    if not changed.symbols and changed.places:
        ink.line("      ", ("within ", "dim"), ink.safe(", ".join(changed.places[:MAX_SYMBOLS])))


def _fate_label(fate: SymbolFate) -> Text:
    return Text(f"{FATES[fate]:<15}", style=_FATE_STYLES[fate])


def _write_file(ink: Ink, number: int, changed: ChangedView) -> None:
    file = changed.file
    notes = [_STATUS[file.status]] if file.status in _STATUS else []
    if file.old_path and file.status == "renamed":
        notes = [f"was {ink.safe_path(file.old_path)}"]
    if file.skipped is not None:
        notes.append(f"not read: {file.skipped}")
    if changed.reach:
        notes.append(depending(changed.reach))
    ink.line(
        (f"{number:>4} ", "dim"),
        (ink.safe_path(file.path), "bold cyan"),
        "  ",
        (f"+{changed.added}", "green"),
        " ",
        (f"-{changed.removed}", "red"),
        ("  " + ", ".join(notes) if notes else "", "dim"),
    )


def depending(count: int) -> str:
    """`2 files depend on it`."""
    return f"{wording.counted(count, 'file')} {'depends' if count == 1 else 'depend'} on it"


def _write_symbol(ink: Ink, change: SymbolChange) -> None:
    symbol = change.head or change.base
    if symbol is None:
        return
    shown = symbol.signature if symbol.kind != "constant" and symbol.signature else symbol.qualified
    if symbol.qualified != symbol.name and change.fate != "renamed":
        shown = symbol.qualified + shown[shown.find("(") :] if "(" in shown else symbol.qualified
    if change.fate == "renamed" and change.base is not None:
        shown = renaming(change.base, symbol, ink.glyphs.arrow)
    body = Text(ink.safe(shown)).append(f"  line {symbol.line}", style="dim")
    ink.hanging(_fate_label(change.fate), body, indent=6)


def renaming(old: Symbol, new: Symbol, arrow: str) -> str:
    """`old -> new`; a symbol that kept its name has moved from another file."""
    if old.qualified == new.qualified:
        return f"{new.qualified} from {old.path}"
    return f"{old.qualified} {arrow} {new.qualified}"


def _write_more(ink: Ink, count: int, noun: str) -> None:
    if count > 0:
        ink.line("      ", (f"and {wording.counted(count, f'more {noun}', f'more {noun}s')}", "dim"))


def _write_group(ink: Ink, heading: str, files: Sequence[RelatedFile], extra: Sequence[str]) -> None:
    if not files and not extra:
        return
    _heading(ink, heading, wording.counted(len(files), "file") if files else "")
    for file in files:
        ink.line("  ", (ink.safe_path(file.path), "bold"))
        for reason in file.reasons:
            ink.hanging(Text("    "), _reason_text(ink, reason), indent=0)
    for line in extra:
        ink.hanging(Text("  "), Text(ink.safe(line), style="dim"), indent=0)


def _reason_text(ink: Ink, reason: Relation) -> Text:
    text = Text(ink.safe(reason.detail), style="dim" if reason.kind in ("imports", "imported_by") else "")
    if not reason.lines:
        return text
    return text.append(f", {spelled_lines(reason.lines)}", style="dim")


def spelled_lines(lines: Sequence[int]) -> str:
    """`line 5`, `lines 5, 9 and 3 more`."""
    if len(lines) == 1:
        return f"line {lines[0]}"
    named = ", ".join(str(line) for line in lines[:MAX_LINES])
    more = len(lines) - MAX_LINES
    return f"lines {named}" + (f" and {more} more" if more > 0 else "")


def _extra_lines(name: str, view: MapView) -> list[str]:
    if name == "tests" and view.changed_tests:
        return [f"part of the change: {', '.join(view.changed_tests)}"]
    if name == "tests" and not view.groups["tests"]:
        return ["none was found: no test imports, calls or is named after what the change touches"]
    if name == "dependencies" and view.outside:
        more = len(view.outside) - MAX_OUTSIDE
        rest = f" and {more} more" if more > 0 else ""
        return [f"outside the repository: {', '.join(view.outside[:MAX_OUTSIDE])}{rest}"]
    return []


def _write_origins(ink: Ink, origins: Sequence[OriginView]) -> None:
    if not origins:
        return
    _heading(ink, "Who wrote the lines that it replaces, and why")
    for view in origins[:MAX_ORIGINS]:
        origin = view.origin
        label = Text(f"{origin.commit[:8]} {origin.date[:10]}  ", style="dim")
        body = Text.assemble((ink.safe(origin.author), "cyan"), ": ", ink.safe(origin.summary))
        more = len(view.places) - MAX_PLACES
        places = ", ".join(view.places[:MAX_PLACES]) + (f" and {more} more places" if more > 0 else "")
        body.append(f"  {ink.safe(places)}", style="dim")
        ink.hanging(label, body, indent=2)
    _write_more(ink, len(origins) - MAX_ORIGINS, "commit")


def _write_commits(ink: Ink, change: Change) -> None:
    if not change.commits:
        return
    _heading(ink, "Its commits")
    for commit in change.commits[:MAX_COMMITS]:
        label = Text(f"{commit.sha[:8]} {commit.date[:10]}  ", style="dim")
        body = Text.assemble((ink.safe(commit.author), "cyan"), ": ", ink.safe(commit.subject))
        ink.hanging(label, body, indent=2)
    _write_more(ink, len(change.commits) - MAX_COMMITS, "commit")


def _write_left_out(ink: Ink, sentences: Sequence[str]) -> None:
    if not sentences:
        return
    _heading(ink, "Left out")
    for sentence in sentences:
        ink.hanging(Text("  "), Text(ink.safe(sentence), style="dim"), indent=0)
