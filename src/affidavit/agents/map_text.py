"""Write the map of a change for models: related files, symbols, callers and code around a hunk."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from affidavit.languages.registry import grammar_of
from affidavit.languages.test_files import is_test
from affidavit.ports import Repository
from affidavit.records.change import FileChange, Hunk
from affidavit.records.context import ContextMap, Reference, RelatedFile, Relation, Symbol, SymbolChange
from affidavit.symbols.definitions import symbols_of

MAX_DEFINITION_LINES = 80
MAX_LINES = 240
MAX_CALLERS = 4
MAX_CALLER_LINES = 240
"""Of all callers together: reading them later would send everything again."""
WHOLE_CALLER_LINES, CALLER_REACH = 40, 8
"""A caller is shown whole up to this size; of a longer one, the lines around the call."""
MAX_CALLEES = 30
MAX_CONTRACT_LINES = 8
MAX_LINE_CHARACTERS = 240


@dataclass(frozen=True)
class Surroundings:
    """Reads the code around a change, up to a limit, since every specialist gets it."""

    context: ContextMap
    repository: Repository
    max_caller_lines: int = MAX_CALLER_LINES
    _shown: set[tuple[str, int]] = field(default_factory=set)
    """Lines of callers that are written already."""

    def of(self, paths: Collection[str]) -> str:
        """Write who calls the changed definitions of those files, what they override, and what they call."""
        parts = ["\n".join(lines) for one in self._enclosing(paths) if (lines := self._around(one))]
        called = [one for one in self.context.callees if one.signature][:MAX_CALLEES]
        if called:
            rows = [f"{one.path}:{one.line}: {one.signature[:MAX_LINE_CHARACTERS]}" for one in called]
            parts.append("\n".join(["What the changed lines call:", *rows]))
        return "\n\n".join(parts)

    def beside(self, files: Sequence[FileChange]) -> dict[str, dict[int, str]]:
        """Return, by path and number, the lines at head that make the definitions around the hunks whole."""
        left = MAX_LINES
        found: dict[str, dict[int, str]] = {}
        for file in files:
            for symbol in self._enclosing((file.path,)):
                lines = self._missing(symbol, file)
                if not file.is_partial and len(lines) <= left:
                    left -= len(lines)
                    found.setdefault(file.path, {}).update(lines)
        return found

    def _missing(self, symbol: Symbol, file: FileChange) -> dict[int, str]:
        shown = {
            number for hunk in file.hunks for number in range(hunk.new_start, hunk.new_start + hunk.new_count)
        }
        lines = self.repository.head.lines(symbol.path) or []
        wanted = range(symbol.line, min(symbol.end_line, len(lines)) + 1)
        return {at: lines[at - 1][:MAX_LINE_CHARACTERS] for at in wanted if at not in shown}

    def _enclosing(self, paths: Collection[str]) -> Iterator[Symbol]:
        """Yield the definitions that are changed inside; a new one is whole in the diff."""
        changed = [one.head for one in self.context.symbols if one.fate != "added" and one.head]
        fitting = [
            one
            for one in changed
            if one.path in paths and 1 < one.end_line - one.line + 1 <= MAX_DEFINITION_LINES
        ]
        for one in fitting:
            if not any(_is_within(other, one) for other in fitting if other is not one):
                yield one

    @cached_property
    def _changed(self) -> set[Symbol]:
        """Return the definitions that the diff shows."""
        return {one.head for one in self.context.symbols if one.head}

    def _around(self, symbol: Symbol) -> list[str]:
        lines = [*self._contract(symbol), *self._callers(symbol)]
        return [f"{symbol.qualified} of {symbol.path}", *lines] if lines else []

    def _contract(self, symbol: Symbol) -> list[str]:
        """Write the beginning of what a method overrides."""
        same = [one for one in self.context.overridden if one.name == symbol.name and one.path != symbol.path]
        if not same or "." not in symbol.qualified:
            return []
        first = same[0]
        lines = self.repository.head.lines(first.path) or []
        last = min(first.end_line, first.line + MAX_CONTRACT_LINES - 1, len(lines))
        shown = [f"{at}: {lines[at - 1][:MAX_LINE_CHARACTERS]}" for at in range(first.line, last + 1)]
        return [f"overrides {first.qualified} of {first.path}:", *shown]

    def _callers(self, symbol: Symbol) -> list[str]:
        calls = [
            one
            for one in self.context.references
            if one.symbol == symbol.qualified and one.kind == "call" and one.certainty != "possible"
        ]
        calls.sort(key=lambda one: is_test(one.path))
        rows = [row for one in calls[:MAX_CALLERS] for row in self._caller(one)]
        more = [f"and {len(calls) - MAX_CALLERS} more"] if len(calls) > MAX_CALLERS else []
        return ["is called by:", *rows, *more] if rows else []

    def of_line(self, path: str, line: int) -> str:
        """Write who calls the changed definition around a line of head, and what it overrides."""
        around = [one for one in self._enclosing((path,)) if one.line <= line <= one.end_line]
        return "\n".join(row for one in around for row in self._around(one))

    def _caller(self, call: Reference) -> list[str]:
        """Write a call with the definition around it, as far as that fits and is not shown yet."""
        around = [
            one
            for one in symbols_of(self.repository.head, call.path)
            if one.line <= call.line <= one.end_line and one.kind != "class"
        ]
        inner = max(around, key=lambda one: one.line, default=None)
        if inner in self._changed or is_test(call.path):
            return [_row(call)]
        lines = self.repository.head.lines(call.path) or []
        first, last = max(1, call.line - CALLER_REACH), min(len(lines), call.line + CALLER_REACH)
        if inner and inner.end_line - inner.line < WHOLE_CALLER_LINES:
            first, last = inner.line, min(len(lines), inner.end_line)
        wanted = [at for at in range(first, last + 1) if (call.path, at) not in self._shown]
        if not wanted or len(self._shown) + len(wanted) > self.max_caller_lines:
            return [_row(call)]
        self._shown.update((call.path, at) for at in wanted)
        return [_row(call), *(f"  {at}: {lines[at - 1][:MAX_LINE_CHARACTERS]}" for at in wanted)]


def _row(one: Reference) -> str:
    return f"{one.path}:{one.line}: {one.text[:MAX_LINE_CHARACTERS]}"


def _is_within(inner: Symbol, outer: Symbol) -> bool:
    is_inside = outer.line <= inner.line and inner.end_line <= outer.end_line
    return inner.path == outer.path and is_inside and inner.qualified != outer.qualified


MAX_NAMES = 6


def names_in(hunk: Hunk, file: FileChange, changes: Iterable[SymbolChange]) -> str:
    """Name the definitions of the changed lines; if they were not parsed, the heading that git wrote.

    Git names the definition above the hunk's first line, which is often the one before the changed one.
    """
    if file.is_partial or grammar_of(file.path) is None:
        return hunk.heading
    known = list(changes)
    after = [one.head for one in known if one.head and one.head.path == file.head_path]
    before = [one.base for one in known if one.base and one.base.path == file.base_path]
    added = [new for mark, _, new, _ in hunk.numbered() if mark == "+" and new is not None]
    removed = [old for mark, old, _, _ in hunk.numbered() if mark == "-" and old is not None]
    found = [*_innermost_symbols(after, added), *_innermost_symbols(before, removed)]
    names = list(dict.fromkeys(symbol.qualified for symbol in found))
    more = len(names) - MAX_NAMES
    return ", ".join(names[:MAX_NAMES]) + (f" and {more} more" if more > 0 else "")


def _innermost_symbols(symbols: Sequence[Symbol], lines: Sequence[int]) -> Iterator[Symbol]:
    """Yield the innermost definition around each line, in one pass: a change may have many of both."""
    waiting = sorted(symbols, key=lambda one: (-one.line, one.end_line))
    around: list[Symbol] = []
    for line in lines:
        while waiting and waiting[-1].line <= line:
            around.append(waiting.pop())
        while around and around[-1].end_line < line:
            around.pop()
        if around:
            yield around[-1]


NOTHING = "(none)"
IMPORTS = ("imports", "imported_by")
MAX_REASON_LINES = 4
MAX_IMPORTING = 10
"""Files that only an import ties to the change: they are named last, and a search finds the others."""
MAX_SYMBOLS = 80
WITH_SIGNATURE = ("signature_changed", "renamed", "removed")
"""The others are in the diff, or beside it."""


def map_text(context: ContextMap, *, names_called: bool = True) -> str:
    """Write a line for each reason that ties files to the change; then what the map leaves out.

    What the changed lines call is left out if its signature is beside the diff.
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
    lines = [f"- {detail}: {_few(places, is_import[detail])}" for detail, places in groups.items()]
    return "\n".join([*lines, *context.left_out]) or NOTHING


def _telling(file: RelatedFile) -> Iterable[Relation]:
    """Return a file's reasons without those that add nothing."""
    others = [one for one in file.reasons if one.kind not in IMPORTS and one.detail != "is a test"]
    return others or file.reasons[:1]


def _place(file: RelatedFile, reason: Relation) -> str:
    """Write the file with the first lines of its reason, which saves a search."""
    if not reason.lines or reason.kind in IMPORTS:
        return file.path
    more = " …" if len(reason.lines) > MAX_REASON_LINES else ""
    return f"{file.path}:{','.join(map(str, reason.lines[:MAX_REASON_LINES]))}{more}"


def _few(places: Sequence[str], is_import: bool) -> str:
    more = len(places) - MAX_IMPORTING
    few = [*places[:MAX_IMPORTING], f"and {more} more"] if is_import and more > 0 else places
    return ", ".join(few)


def symbols_text(symbols: Sequence[SymbolChange]) -> str:
    """Write what is added or touched, a line a file, and the rest a line each."""
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
