"""The map of a change as models read it: each reason once, with the files that it ties to the change."""

from collections.abc import Iterable, Iterator, Sequence

from affidavit.records.context import ContextMap, RelatedFile, Relation, Symbol, SymbolChange

NOTHING = "(none)"
IMPORTS = ("imports", "imported_by")
MAX_REASON_LINES = 4
MAX_IMPORTING = 10
"""Files that only an import ties to the change: they are named last, and a search finds the others."""
MAX_SYMBOLS = 80
WITH_SIGNATURE = ("signature_changed", "renamed", "removed")
"""The others stand in the diff, or around it."""


def map_text(context: ContextMap, *, names_called: bool = True) -> str:
    """A line for each reason, in the order of the files that it ties; then what the map leaves out.

    What the changed lines call is left out where it stands with its signature beside the diff.
    """
    called = set() if names_called else {one.path for one in context.callees if one.signature}
    groups: dict[str, list[str]] = {}
    is_import: dict[str, bool] = {}
    for file in context.related_files:
        for reason in _telling(file):
            if reason.kind == "called_by" and file.path in called:
                continue
            groups.setdefault(reason.detail, []).append(_place(file, reason))
            is_import[reason.detail] = reason.kind in IMPORTS
    lines = [_line(detail, _few(places, is_import[detail])) for detail, places in groups.items()]
    return "\n".join([*lines, *context.left_out]) or NOTHING


def _telling(file: RelatedFile) -> Iterable[Relation]:
    """Its reasons without those that add nothing: its path says that it is a test, a call that it imports."""
    others = [one for one in file.reasons if one.kind not in IMPORTS and one.detail != "is a test"]
    return others or file.reasons[:1]


def _place(file: RelatedFile, reason: Relation) -> str:
    """The file, with the first lines of its reason, so that nobody has to search for them again."""
    if not reason.lines or reason.kind in IMPORTS:
        return file.path
    more = " …" if len(reason.lines) > MAX_REASON_LINES else ""
    return f"{file.path}:{','.join(map(str, reason.lines[:MAX_REASON_LINES]))}{more}"


def _few(places: Sequence[str], is_import: bool) -> list[str]:
    more = len(places) - MAX_IMPORTING
    return [*places[:MAX_IMPORTING], f"and {more} more"] if is_import and more > 0 else list(places)


def _line(detail: str, places: Sequence[str]) -> str:
    return f"- {detail}: {', '.join(places)}"


def symbols_text(symbols: Sequence[SymbolChange]) -> str:
    """What is added or touched a line a file, the rest a line each; a class where none of its parts is."""
    lines: dict[str, list[str]] = {}
    for change in list(_innermost(symbols))[:MAX_SYMBOLS]:
        symbol = change.head or change.base
        if symbol and change.fate in WITH_SIGNATURE:
            lines[_signature_line(change, symbol)] = []
        elif symbol:
            lines.setdefault(f"- {change.fate} in {symbol.path}: ", []).append(
                f"{symbol.qualified}:{symbol.line}"
            )
    more = [f"… and {len(symbols) - MAX_SYMBOLS} more"] if len(symbols) > MAX_SYMBOLS else []
    return "\n".join([*(line + ", ".join(names) for line, names in lines.items()), *more]) or NOTHING


def _innermost(symbols: Sequence[SymbolChange]) -> Iterator[SymbolChange]:
    named = {(one.path, one.qualified) for change in symbols if (one := change.head or change.base)}
    for change in symbols:
        symbol = change.head or change.base
        has_parts = symbol and any(
            path == symbol.path and name.startswith(f"{symbol.qualified}.") for path, name in named
        )
        if change.fate != "touched" or not has_parts:
            yield change


def _signature_line(change: SymbolChange, symbol: Symbol) -> str:
    was = f"; before: {change.base.signature}" if change.fate != "removed" and change.base else ""
    place = f"{symbol.kind} {symbol.qualified} ({symbol.path}:{symbol.line})"
    return f"- {change.fate}: {place} {symbol.signature}{was}"
