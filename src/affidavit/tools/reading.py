"""The tools that read files: lines of one, what one defines, which there are."""

from dataclasses import dataclass

from affidavit.errors import InputError
from affidavit.git.search.glob import is_glob
from affidavit.ports import Tree
from affidavit.records.record import Side
from affidavit.tools.arguments import shown
from affidavit.tools.excerpts import MAX_CHARACTERS, MAX_LINES, Excerpt, numbered_lines, page_of
from affidavit.tools.lookup import close_paths, matching_paths, plain_path, side_named
from affidavit.tools.sides import Answer, Sides, checked_skip, with_note
from affidavit.tools.symbols.lookup import definition_row

MAX_FILES = 200
MAX_SYMBOLS = 200
MAX_GLOB = 1000


@dataclass(frozen=True)
class ReadingTools:
    """`get_file_context`, `outline` and `list_files` over one change."""

    sides: Sides

    def get_file_context(
        self, file_path: str, start_line: int, end_line: int, branch: str = "head"
    ) -> Answer:
        """Lines of a file with their numbers."""
        side = side_named(branch)
        path, lines = self.sides.text(file_path, side)
        first, last = _line_range(start_line, end_line, len(lines))
        excerpt = numbered_lines(lines, first, last)
        answer = {
            "file_path": path,
            "start_line": first,
            "end_line": excerpt.last,
            "branch": side,
            "content": excerpt.text,
            "language": self.sides.language(path, side, lines),
            "total_lines": len(lines),
        }
        stopped = _why_stopped(excerpt, end_line, len(lines))
        return with_note(answer, self._partial_note(path, side), stopped, excerpt.note)

    def outline(self, file_path: str, branch: str = "head", skip: int = 0) -> Answer:
        """What a file defines."""
        side, skipped = side_named(branch), checked_skip(skip)
        path, lines = self.sides.text(file_path, side)
        symbols = sorted(
            self.sides.readers.symbols_of(self.sides.tree(side), path),
            key=lambda one: (one.line, one.qualified),
        )
        page, note = page_of(symbols, skipped, MAX_SYMBOLS, "symbols", "")
        answer = {
            "file_path": path,
            "branch": side,
            "language": self.sides.language(path, side, lines),
            "total_lines": len(lines),
            "symbols": [definition_row(symbol, with_path=False) for symbol in page],
        }
        nothing = "" if symbols else "no definitions found in this file; read it with get_file_context"
        return with_note(answer, note, nothing)

    def list_files(self, pattern: str = "**", branch: str = "head", skip: int = 0) -> Answer:
        """Paths that match a glob."""
        side, skipped = side_named(branch), checked_skip(skip)
        if not pattern.strip("/") or "\0" in pattern or len(pattern) > MAX_GLOB:
            raise InputError(f"a glob has 1 to {MAX_GLOB} characters, such as 'src/**/*.py'")
        tree = self.sides.tree(side)
        plain = plain_path(pattern)
        found = matching_paths(tree, "**" if plain == "." else plain)
        page, note = page_of(found, skipped, MAX_FILES, "files", "narrow the pattern, or")
        answer = {"pattern": pattern, "branch": side, "files": page, "total_files": len(found)}
        return with_note(answer, note if found else f"no file matches{_close(tree, plain)}")

    def _partial_note(self, path: str, side: Side) -> str:
        file = self.sides.change.file_at(path, side)
        if file is None or not file.is_partial:
            return ""
        return "only the lines that the diff shows are known; the others are given as empty"


def _close(tree: Tree, pattern: str) -> str:
    close = [] if is_glob(pattern) else close_paths(tree, pattern)
    return f"; did you mean {' or '.join(map(shown, close))}?" if close else ""


def _line_range(start: int, end: int, total: int) -> tuple[int, int]:
    if total == 0:
        return 0, 0
    if end < start:
        raise InputError(f"end_line {end} is before start_line {start}: swap them")
    if start > total or end < 1:
        raise InputError(f"the file has lines 1 to {total}: ask for a range within them")
    return max(start, 1), min(end, total)


def _why_stopped(excerpt: Excerpt, asked: int, total: int) -> str:
    """Where and why an answer ends before the line that was asked for."""
    if excerpt.last >= min(asked, total):
        return f"the file ends at line {total}" if asked > total else ""
    limit = f"{MAX_LINES} lines" if excerpt.is_full else f"{MAX_CHARACTERS:,} characters"
    return (
        f"stopped after line {excerpt.last} of {total}, because an answer has at most {limit}: "
        f"ask again with start_line {excerpt.last + 1} for the rest"
    )
