"""The names of the definitions that a hunk changes."""

from collections.abc import Iterable, Iterator, Sequence

from affidavit.languages.registry import grammar_of
from affidavit.records.change import FileChange, Hunk
from affidavit.records.context import Symbol, SymbolChange

MAX_NAMES = 6


def names_in(hunk: Hunk, file: FileChange, changes: Iterable[SymbolChange]) -> str:
    """What the changed lines stand in; where nobody could read that, what git wrote above the hunk.

    Git names the definition above the hunk's first line, and that is often the one before the changed one.
    """
    if file.is_partial or grammar_of(file.path) is None:
        return hunk.heading
    known = list(changes)
    after = [one.head for one in known if one.head and one.head.path == file.head_path]
    before = [one.base for one in known if one.base and one.base.path == file.base_path]
    added = [new for mark, _, new, _ in hunk.numbered() if mark == "+" and new is not None]
    removed = [old for mark, old, _, _ in hunk.numbered() if mark == "-" and old is not None]
    found = [*_innermost(after, added), *_innermost(before, removed)]
    names = list(dict.fromkeys(symbol.qualified for symbol in found))
    more = len(names) - MAX_NAMES
    return ", ".join(names[:MAX_NAMES]) + (f" and {more} more" if more > 0 else "")


def _innermost(symbols: Sequence[Symbol], lines: Sequence[int]) -> Iterator[Symbol]:
    """The innermost definition around each line: one pass over both, because a change may have many."""
    waiting = sorted(symbols, key=lambda one: (-one.line, one.end_line))
    around: list[Symbol] = []
    for line in lines:
        while waiting and waiting[-1].line <= line:
            around.append(waiting.pop())
        while around and around[-1].end_line < line:
            around.pop()
        if around:
            yield around[-1]
