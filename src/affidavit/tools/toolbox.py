"""Provide the tools that read the two trees of a change: lines, files, definitions and history."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from affidavit.errors import InputError
from affidavit.git.glob import is_glob
from affidavit.ports import BlameLine, Repository, Tree
from affidavit.records.change import Change
from affidavit.records.record import Side
from affidavit.symbols.definitions import symbols_of
from affidavit.symbols.readers import CodeReaders
from affidavit.tools.arguments import Answer, Description, ToolSet, shown
from affidavit.tools.descriptions import DESCRIPTIONS, shortened
from affidavit.tools.excerpts import (
    MAX_CHARACTERS,
    MAX_LINES,
    ChangeSides,
    Excerpt,
    checked_skip,
    clipped,
    numbered_lines,
    page_of,
    with_note,
)
from affidavit.tools.lookup import close_paths, matching_paths, parse_side, plain_path
from affidavit.tools.search import SearchTool
from affidavit.tools.symbols import SymbolTools, definition_row


class Toolbox(ToolSet):
    """The tools over one change, without its secrets."""

    def __init__(
        self,
        repository: Repository,
        change: Change,
        readers: CodeReaders,
        names: Collection[str] = DESCRIPTIONS.keys(),
        *,
        is_brief: bool = False,
    ) -> None:
        """Offer the named tools, described briefly or in full. The others can be called, too."""
        sides = ChangeSides(repository.redacted, change, readers)
        reading, past, symbols = ReadingTools(sides), PastTools(sides), SymbolTools(sides)
        tools: tuple[Callable[..., Answer], ...] = (
            reading.get_file_context,
            past.get_blame,
            SearchTool(sides).search,
            reading.list_files,
            symbols.find_references,
            symbols.find_definition,
            reading.outline,
            symbols.compare_definition,
            past.get_commit_of_line,
        )
        super().__init__((DESCRIPTIONS[tool.__name__], tool) for tool in tools)
        self._names = names
        self._is_brief = is_brief

    @property
    def descriptions(self) -> list[Description]:
        offered = [one for one in super().descriptions if one["function"]["name"] in self._names]
        return list(map(shortened, offered)) if self._is_brief else offered


UNCOMMITTED = "Not committed yet"
NO_HISTORY = "this change has no history to blame: it is a diff without its repository"
MAX_MESSAGE_CHARACTERS = 4_000
MAX_NAMED_FILES = 20


@dataclass(frozen=True)
class PastTools:
    """`get_blame` and `get_commit_of_line` over one change."""

    sides: ChangeSides

    def get_blame(self, file_path: str, line_number: int, branch: str | None = None) -> Answer:
        """Return who last changed a line of head, and why; of base if the change deletes the file."""
        side, note = self._side(file_path, branch)
        path, lines = self._line(file_path, line_number, side)
        found = self.sides.tree(side).blame(path, line_number)
        if found is None:
            raise InputError(NO_HISTORY)
        answer = {
            "file_path": path,
            "line_number": line_number,
            "author": found.author,
            "date": _date(found),
            "commit_sha": found.commit[:12],
            "commit_message": found.summary if _is_committed(found) else UNCOMMITTED,
            "original_line": clipped(lines[line_number - 1]),
        }
        return with_note(answer, note)

    def get_commit_of_line(self, file_path: str, line_number: int, branch: str | None = None) -> Answer:
        """Return the commit that last changed a line: its message, and its diff near the line."""
        side, note = self._side(file_path, branch)
        path, _ = self._line(file_path, line_number, side)
        found = self.sides.tree(side).line_commit(path, line_number)
        if found is None:
            raise InputError(NO_HISTORY)
        if not _is_committed(found.blame):
            raise InputError(
                f"line {line_number} of {path} is not committed yet: read the diff of the change"
            )
        message = found.message.strip()
        others = [name for name in found.files if name != found.blame.path]
        more = len(others) - MAX_NAMED_FILES
        answer = {
            "file_path": path,
            "line_number": line_number,
            "commit_sha": found.blame.commit[:12],
            "author": found.blame.author,
            "date": _date(found.blame),
            "message": message[:MAX_MESSAGE_CHARACTERS],
            "diff": found.diff,
            "other_files": others[:MAX_NAMED_FILES],
        }
        return with_note(
            answer,
            note,
            "" if len(message) <= MAX_MESSAGE_CHARACTERS else "the message is cut",
            "the diff is cut to what is near the line" if found.is_cut else "",
            f"{more} more files of that commit are not named" if more > 0 else "",
        )

    def _line(self, file_path: str, line_number: int, side: Side) -> tuple[str, list[str]]:
        path, lines = self.sides.text(file_path, side)
        if not 1 <= line_number <= len(lines):
            raise InputError(
                f"{path} has lines 1 to {len(lines)}, so there is no line {line_number} to blame"
            )
        return path, lines

    def _side(self, file_path: str, branch: str | None) -> tuple[Side, str]:
        """Return the requested side; without a request head, but base if the change deletes the file."""
        if branch is not None:
            return parse_side(branch), ""
        plain = plain_path(file_path)
        file = self.sides.change.file_at(plain, "base")
        is_deleted = file is not None and file.head_path is None
        if is_deleted and self.sides.tree("head").entry(plain) is None:
            return "base", "the change deletes this file; this is base"
        return "head", ""


def _date(found: BlameLine) -> str:
    return found.date.replace("+00:00", "Z")


def _is_committed(found: BlameLine) -> bool:
    return bool(found.commit.strip("0"))


MAX_FILES = 200
MAX_SYMBOLS = 200
MAX_GLOB = 1000


@dataclass(frozen=True)
class ReadingTools:
    """`get_file_context`, `outline` and `list_files` over one change."""

    sides: ChangeSides

    def get_file_context(
        self, file_path: str, start_line: int, end_line: int, branch: str = "head"
    ) -> Answer:
        side = parse_side(branch)
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
        side, skipped = parse_side(branch), checked_skip(skip)
        path, lines = self.sides.text(file_path, side)
        symbols = sorted(
            symbols_of(self.sides.tree(side), path),
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
        """Return the paths that match a glob."""
        side, skipped = parse_side(branch), checked_skip(skip)
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
    """Say where and why an answer ends before the requested line."""
    if excerpt.last >= min(asked, total):
        return f"the file ends at line {total}" if asked > total else ""
    limit = f"{MAX_LINES} lines" if excerpt.is_full else f"{MAX_CHARACTERS:,} characters"
    return (
        f"stopped after line {excerpt.last} of {total}, because an answer has at most {limit}: "
        f"ask again with start_line {excerpt.last + 1} for the rest"
    )
