"""From where an analyser says that something stands to where it stands here: only a line feed ends a line."""

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate

from affidavit.records.evidence import AnalyserDiagnostic

LONE_RETURN = re.compile(r"\r(?!\n)")
"""What Python and JavaScript end a line with, too."""
YAML_BREAK = re.compile(r"\r(?!\n)|[\x85\u2028\u2029]")
NAMED_LINE = re.compile(r"\bline (\d+)\b")


@dataclass(frozen=True)
class Counting:
    """How an analyser counts lines and columns; as found by trying it on each of the signs in question."""

    also_ends: re.Pattern[str] | None = None
    """What ends a line besides a line feed."""
    by_bytes: bool = False
    """Columns are bytes, not characters."""


AS_HERE = Counting()


class Places:
    """Puts what an analyser says where it stands here; each file is looked at once."""

    def __init__(self, counting: Counting, content_of: Callable[[str], bytes]) -> None:
        self._counting = counting
        self._content_of = content_of
        self._texts: dict[str, _Text | None] = {}

    def placed(self, diagnostic: AnalyserDiagnostic) -> AnalyserDiagnostic:
        """The diagnostic with lines and column as they are counted here."""
        if self._counting == AS_HERE:
            return diagnostic
        path = diagnostic.path
        if path not in self._texts:
            self._texts[path] = self._read(path)
        text = self._texts[path]
        return diagnostic if text is None else text.placed(diagnostic)

    def _read(self, path: str) -> "_Text | None":
        text = self._content_of(path).decode("utf-8", "replace")
        also_ends, by_bytes = self._counting.also_ends, self._counting.by_bytes and not text.isascii()
        is_divided = also_ends is not None and also_ends.search(text) is not None
        return _Text(text, also_ends if is_divided else None, by_bytes) if is_divided or by_bytes else None


class _Text:
    """A text as an analyser divides it into lines, and as git does."""

    def __init__(self, text: str, also_ends: re.Pattern[str] | None, by_bytes: bool) -> None:
        self._rows = (text if also_ends is None else also_ends.sub("\n", text)).split("\n")
        self._starts = _starts(self._rows)
        self._own_starts = self._starts if also_ends is None else _starts(text.split("\n"))
        self._by_bytes = by_bytes
        self._is_divided = also_ends is not None

    def placed(self, diagnostic: AnalyserDiagnostic) -> AnalyserDiagnostic:
        line, shift = self._place(diagnostic.line)
        column = diagnostic.column
        if column is not None:
            row = "".join(self._rows[diagnostic.line - 1 : diagnostic.line])
            column = shift + (_in_characters(row, column) if self._by_bytes else column)
        update: dict[str, object] = {"line": line, "column": column}
        if self._is_divided:
            update |= self._elsewhere(diagnostic)
        return diagnostic.model_copy(update=update)

    def _elsewhere(self, diagnostic: AnalyserDiagnostic) -> dict[str, object]:
        """What else of a diagnostic speaks of lines; what it would write is for lines that are none here."""
        end = diagnostic.end_line
        named = NAMED_LINE.sub(lambda found: f"line {self._place(int(found[1]))[0]}", diagnostic.message)
        return {"end_line": None if end is None else self._place(end)[0], "message": named, "edits": ()}

    def _place(self, line: int) -> tuple[int, int]:
        """The line as git counts it, and how many characters stand in it before the analyser's begins."""
        start = self._starts[min(max(line, 1), len(self._starts)) - 1]
        own = bisect_right(self._own_starts, start)
        return own, start - self._own_starts[own - 1]


def _starts(rows: list[str]) -> list[int]:
    return list(accumulate((len(row) + 1 for row in rows[:-1]), initial=0))


def _in_characters(row: str, column: int) -> int:
    return len(row.encode()[: column - 1].decode("utf-8", "ignore")) + 1
