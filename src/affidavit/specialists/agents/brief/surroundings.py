"""What everybody would read first: the definitions around the hunks, who calls them and what they call."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from affidavit.ports import Repository
from affidavit.records.change import FileChange
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
        """Who calls the changed definitions of those files, what they override, and what they call."""
        parts = ["\n".join(lines) for one in self._enclosing(paths) if (lines := self._around(one))]
        called = [one for one in self.context.callees if one.signature][:MAX_CALLEES]
        if called:
            rows = [f"{one.path}:{one.line}: {one.signature[:MAX_LINE_CHARACTERS]}" for one in called]
            parts.append("\n".join(["What the changed lines call:", *rows]))
        return "\n\n".join(parts)

    def beside(self, files: Sequence[FileChange]) -> dict[str, dict[int, str]]:
        """By path and number, the lines at head that make the definitions around the hunks whole."""
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

    def _around(self, symbol: Symbol) -> list[str]:
        lines = [*self._contract(symbol), *self._callers(symbol)]
        return [f"{symbol.qualified} of {symbol.path}", *lines] if lines else []

    def _contract(self, symbol: Symbol) -> list[str]:
        """The beginning of what a method overrides: its signature, and what is written below it."""
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
        rows = [_row(one) for one in calls[:MAX_CALLER_LINES]]
        more = [f"and {len(calls) - MAX_CALLER_LINES} more"] if len(calls) > MAX_CALLER_LINES else []
        return ["is called by:", *rows, *more] if rows else []


def _row(one: Reference) -> str:
    return f"{one.path}:{one.line}: {one.text[:MAX_LINE_CHARACTERS]}"


def _is_within(inner: Symbol, outer: Symbol) -> bool:
    is_inside = outer.line <= inner.line and inner.end_line <= outer.end_line
    return inner.path == outer.path and is_inside and inner.qualified != outer.qualified
