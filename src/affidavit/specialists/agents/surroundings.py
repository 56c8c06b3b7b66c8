"""What everybody would read first: the definitions around the hunks, who calls them and what they call."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from affidavit.ports import Repository
from affidavit.records.context import ContextMap, Reference, Symbol

MAX_DEFINITION_LINES = 80
MAX_LINES = 240
MAX_CALLER_LINES = 4
MAX_CALLEES = 30
MAX_CONTRACT_LINES = 8
MAX_LINE_CHARACTERS = 240


@dataclass(frozen=True)
class Surroundings:
    """Reads the code around a change, up to a bound: it is sent to everybody."""

    context: ContextMap
    repository: Repository

    def of(self, paths: Collection[str]) -> str:
        """The text for those changed files; empty where nothing stands around their hunks."""
        parts: list[str] = []
        left = MAX_LINES
        for symbol in self._enclosing(paths):
            lines = [*self._code(symbol), *self._contract(symbol), *self._callers(symbol)]
            if len(lines) > left:
                parts.append("(more definitions are changed; read them with get_file_context)")
                break
            left -= len(lines)
            parts.append("\n".join(lines))
        called = [one for one in self.context.callees if one.signature][:MAX_CALLEES]
        if called:
            rows = [f"{one.path}:{one.line}: {one.signature[:MAX_LINE_CHARACTERS]}" for one in called]
            parts.append("\n".join(["What the changed lines call:", *rows]))
        return "\n\n".join(parts)

    def _enclosing(self, paths: Collection[str]) -> Iterator[Symbol]:
        """Definitions that were there before and are changed inside; a new one stands whole in the diff."""
        changed = [one.head for one in self.context.symbols if one.fate != "added" and one.head]
        fitting = [
            one
            for one in changed
            if one.path in paths and 1 < one.end_line - one.line + 1 <= MAX_DEFINITION_LINES
        ]
        for one in fitting:
            if not any(_is_within(other, one) for other in fitting if other is not one):
                yield one

    def _code(self, symbol: Symbol) -> list[str]:
        lines = self.repository.head.lines(symbol.path) or []
        shown = [
            f"{number}: {lines[number - 1][:MAX_LINE_CHARACTERS]}"
            for number in range(symbol.line, min(symbol.end_line, len(lines)) + 1)
        ]
        return [f"{symbol.path} at head, {symbol.qualified}:", *shown]

    def _contract(self, symbol: Symbol) -> list[str]:
        """The beginning of what a method overrides: its signature, and what is written below it."""
        same = [one for one in self.context.overridden if one.name == symbol.name and one.path != symbol.path]
        if not same or "." not in symbol.qualified:
            return []
        first = same[0]
        lines = self.repository.head.lines(first.path) or []
        last = min(first.end_line, first.line + MAX_CONTRACT_LINES - 1, len(lines))
        shown = [f"{at}: {lines[at - 1][:MAX_LINE_CHARACTERS]}" for at in range(first.line, last + 1)]
        return [f"It overrides {first.qualified} of {first.path}:", *shown]

    def _callers(self, symbol: Symbol) -> list[str]:
        calls = [
            one
            for one in self.context.references
            if one.symbol == symbol.qualified and one.kind == "call" and one.certainty != "possible"
        ]
        rows = [_row(one) for one in calls[:MAX_CALLER_LINES]]
        more = [f"and {len(calls) - MAX_CALLER_LINES} more"] if len(calls) > MAX_CALLER_LINES else []
        return ["It is called by:", *rows, *more] if rows else []


def _row(one: Reference) -> str:
    return f"{one.path}:{one.line}: {one.text[:MAX_LINE_CHARACTERS]}"


def _is_within(inner: Symbol, outer: Symbol) -> bool:
    is_inside = outer.line <= inner.line and inner.end_line <= outer.end_line
    return inner.path == outer.path and is_inside and inner.qualified != outer.qualified
