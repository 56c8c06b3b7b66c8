"""The tools of an agent: each reads the two trees of a change and answers with data, bad calls as well."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from affidavit.errors import AffidavitError, InputError
from affidavit.git.glob import is_glob
from affidavit.languages.registry import language_of
from affidavit.ports import Repository, Tree
from affidavit.records.change import Change
from affidavit.records.context import Symbol
from affidavit.records.evidence import SearchHit
from affidavit.records.record import Side
from affidavit.references.readers import CodeReaders
from affidavit.tools.arguments import check_arguments, shown
from affidavit.tools.descriptions import DESCRIPTIONS
from affidavit.tools.excerpts import (
    MAX_CONTEXT_LINES,
    Excerpt,
    clipped,
    lines_around,
    numbered_lines,
    page_of,
)
from affidavit.tools.lookup import (
    close_paths,
    find_file,
    matching_paths,
    plain_path,
    side_named,
    standing_place,
)
from affidavit.tools.search_order import in_reading_order, where_others_are
from affidavit.tools.symbol_lookup import (
    Use,
    definition_row,
    find_definitions,
    last_name,
    meant_by,
    reference_row,
    references_to,
)

MAX_HITS = 100
MAX_HITS_IN_CONTEXT = 25
MAX_HIT_CHARACTERS = 300
MAX_FILES = 200
MAX_SYMBOLS = 200
MAX_READ_DEFINITIONS = 3
MAX_READ_LINES = 80
MAX_SKIP = 10_000
MAX_GLOB = 1000
MAX_NAMED_MISSING = 5
UNCOMMITTED = "Not committed yet"

Answer = dict[str, Any]


class Toolbox:
    """The tools over one change. Each tool is a method; `call` takes a name and JSON, and never raises.

    They read and search the repository without its secrets, whatever they are given.
    """

    def __init__(self, repository: Repository, change: Change, readers: CodeReaders) -> None:
        self._repository = repository.redacted
        self._change = change
        self._readers = readers
        self._tools: dict[str, Callable[..., Answer]] = {
            "get_file_context": self.get_file_context,
            "get_blame": self.get_blame,
            "search": self.search,
            "list_files": self.list_files,
            "find_references": self.find_references,
            "find_definition": self.find_definition,
            "outline": self.outline,
        }

    @property
    def descriptions(self) -> list[dict[str, Any]]:
        """How the tools are described to a model."""
        return [DESCRIPTIONS[name] for name in self._tools]

    def call(self, name: str, arguments: object) -> Answer:
        """Run a tool; a bad call is answered with `error`, a sentence that says what to do instead."""
        tool = self._tools.get(name) if isinstance(name, str) else None
        if tool is None:
            return {"error": f"there is no tool {shown(name)}: use one of {', '.join(self._tools)}"}
        try:
            parameters = DESCRIPTIONS[name]["function"]["parameters"]
            return tool(**check_arguments(name, parameters, arguments))
        except AffidavitError as error:
            return {"error": str(error).encode("utf-8", "backslashreplace").decode()}

    def get_file_context(
        self, file_path: str, start_line: int, end_line: int, branch: str = "head"
    ) -> Answer:
        """Lines of a file with their numbers."""
        side = side_named(branch)
        path, lines = self._text(file_path, side)
        first, last = _line_range(start_line, end_line, len(lines))
        excerpt = numbered_lines(lines, first, last)
        answer = {
            "file_path": path,
            "start_line": first,
            "end_line": excerpt.last,
            "branch": side,
            "content": excerpt.text,
            "language": self._language(path, side, lines),
            "total_lines": len(lines),
        }
        return _with_note(answer, self._partial_note(path, side), _cut_note(excerpt, last), excerpt.note)

    def get_blame(self, file_path: str, line_number: int) -> Answer:
        """Who last changed a line of head, and why; of base for a file that the change deletes."""
        side = self._blamed_side(file_path)
        path, lines = self._text(file_path, side)
        if not 1 <= line_number <= len(lines):
            raise InputError(
                f"{path} has lines 1 to {len(lines)}, so there is no line {line_number} to blame"
            )
        found = self._repository.side(side).blame(path, line_number)
        if found is None:
            raise InputError("this change has no history to blame: it is a diff without its repository")
        is_committed = bool(found.commit.strip("0"))
        answer = {
            "file_path": path,
            "line_number": line_number,
            "author": found.author,
            "date": found.date.replace("+00:00", "Z"),
            "commit_sha": found.commit[:12],
            "commit_message": found.summary if is_committed else UNCOMMITTED,
            "original_line": clipped(lines[line_number - 1]),
        }
        return _with_note(answer, "the change deletes this file; this is base" if side == "base" else "")

    def search(
        self,
        pattern: str,
        paths: Sequence[str] = (),
        literal: bool = False,
        whole_word: bool = False,
        context_lines: int = 0,
        branch: str = "head",
        skip: int = 0,
    ) -> Answer:
        """Lines that match, grouped by file, with what stands around them where that is asked for."""
        side, skipped = side_named(branch), _skipped(skip)
        if not 0 <= context_lines <= MAX_CONTEXT_LINES:
            raise InputError(f"context_lines is a number from 0 to {MAX_CONTEXT_LINES}")
        tree = self._repository.side(side)
        places, missing = self._search_places(tree, side, paths)
        hits = tree.search(
            pattern,
            places,
            is_literal=literal,
            is_word=whole_word,
            max_hits=MAX_SKIP + MAX_HITS + 1,
            max_characters=MAX_HIT_CHARACTERS,
        )
        found, counted = in_reading_order(hits, tree, self._repository.base, is_everywhere=not places)
        limit = MAX_HITS_IN_CONTEXT if context_lines else MAX_HITS
        page, note = page_of(found, skipped, limit, "hits", "narrow it with paths, or")
        files = _by_file(page, tree, context_lines)
        answer = {"pattern": pattern, "branch": side, "hits": len(page), "files": files}
        nothing = "nothing matches; a pattern matches within one line"
        others = where_others_are(found[skipped + limit :])
        return _with_note(answer, missing, note if hits else nothing, others, counted)

    def list_files(self, pattern: str = "**", branch: str = "head", skip: int = 0) -> Answer:
        """Paths that match a glob."""
        side, skipped = side_named(branch), _skipped(skip)
        if not pattern.strip("/") or "\0" in pattern or len(pattern) > MAX_GLOB:
            raise InputError(f"a glob has 1 to {MAX_GLOB} characters, such as 'src/**/*.py'")
        tree = self._repository.side(side)
        plain = plain_path(pattern)
        found = matching_paths(tree, "**" if plain == "." else plain)
        page, note = page_of(found, skipped, MAX_FILES, "files", "narrow the pattern, or")
        answer = {"pattern": pattern, "branch": side, "files": page, "total_files": len(found)}
        return _with_note(answer, note if found else f"no file matches{self._close(tree, plain)}")

    def find_references(
        self, symbol: str, file_path: str | None = None, branch: str = "head", skip: int = 0
    ) -> Answer:
        """Where a symbol is used, how that was found and how sure it is."""
        side, skipped = side_named(branch), _skipped(skip)
        tree = self._repository.side(side)
        path, missing = self._file_or_any(file_path, side)
        found, notes = references_to(symbol, path, tree, side, self._readers)
        page, note = page_of(found, skipped, MAX_HITS, "references", "")
        rows = [reference_row(reference) for reference in page]
        return _with_note({"symbol": symbol, "branch": side, "references": rows}, missing, note, *notes)

    def find_definition(
        self, symbol: str, file_path: str | None = None, line_number: int | None = None, branch: str = "head"
    ) -> Answer:
        """Where a symbol is defined; the definition that a use means comes first."""
        side = side_named(branch)
        tree = self._repository.side(side)
        found, notes = find_definitions(symbol, tree, self._readers)
        extra: Answer = {}
        if file_path is not None:
            path = find_file(file_path, side, self._change, self._repository)
            use = Use(path, line_number, last_name(symbol))
            found, extra = meant_by(use, found, tree, self._readers)
        page, cut = page_of(
            found, 0, MAX_SYMBOLS, "definitions", "write the name with its class, as in Cart.total, or"
        )
        shown_whole = 1 if "meant" in extra else len(found) if len(found) <= MAX_READ_DEFINITIONS else 0
        rows = [
            definition_row(one) | (self._code_of(one, tree) if number < shown_whole else {})
            for number, one in enumerate(page)
        ]
        answer = {"symbol": symbol, "branch": side, "definitions": rows, **extra}
        nothing = (
            "" if found else f"no definition found; search for {shown(last_name(symbol))} as a whole word"
        )
        return _with_note(answer, cut, nothing, *notes)

    @staticmethod
    def _code_of(symbol: Symbol, tree: Tree) -> Answer:
        lines = tree.lines(symbol.path) or []
        last = min(symbol.end_line, symbol.line + MAX_READ_LINES - 1)
        excerpt = numbered_lines(lines, symbol.line, last)
        cut = f"\n(read on from line {excerpt.last + 1})" if excerpt.last < symbol.end_line else ""
        return {"content": excerpt.text + cut}

    def outline(self, file_path: str, branch: str = "head", skip: int = 0) -> Answer:
        """What a file defines."""
        side, skipped = side_named(branch), _skipped(skip)
        path, lines = self._text(file_path, side)
        symbols = sorted(
            self._readers.symbols_of(self._repository.side(side), path),
            key=lambda one: (one.line, one.qualified),
        )
        page, note = page_of(symbols, skipped, MAX_SYMBOLS, "symbols", "")
        answer = {
            "file_path": path,
            "branch": side,
            "language": self._language(path, side, lines),
            "total_lines": len(lines),
            "symbols": [definition_row(symbol, with_path=False) for symbol in page],
        }
        nothing = "" if symbols else "no definitions found in this file; read it with get_file_context"
        return _with_note(answer, note, nothing)

    def _text(self, file_path: str, side: Side) -> tuple[str, list[str]]:
        path = find_file(file_path, side, self._change, self._repository)
        lines = self._repository.side(side).lines(path)
        if lines is None:
            raise InputError(f"{shown(path)} cannot be read as text: it is binary or larger than 5 MB")
        return path, lines

    def _language(self, path: str, side: Side, lines: Sequence[str]) -> str:
        file = self._change.file_at(path, side)
        return (file.language if file else "") or language_of(path, lines[0] if lines else "")

    def _partial_note(self, path: str, side: Side) -> str:
        file = self._change.file_at(path, side)
        if file is None or not file.is_partial:
            return ""
        return "only the lines that the diff shows are known; the others are given as empty"

    def _blamed_side(self, file_path: str) -> Side:
        plain = plain_path(file_path)
        file = self._change.file_at(plain, "base")
        is_deleted = file is not None and file.head_path is None
        return "base" if is_deleted and self._repository.head.entry(plain) is None else "head"

    def _file_or_any(self, file_path: str | None, side: Side) -> tuple[str | None, str]:
        """The file; where there is none of that path, any file will do, and the note says so."""
        if file_path is None:
            return None, ""
        try:
            return find_file(file_path, side, self._change, self._repository), ""
        except InputError as error:
            return None, f"{error}; so these are the uses of what has that name in any file"

    def _search_places(self, tree: Tree, side: Side, paths: Sequence[str]) -> tuple[list[str], str]:
        """The places that are there, and a note on the others; raises where nothing is left to search."""
        standing = {path: standing_place(tree, path) for path in paths}
        missing = [path for path, place in standing.items() if place is None]
        reasons = [self._why_missing(side, path) for path in missing[:MAX_NAMED_MISSING]]
        if len(missing) > MAX_NAMED_MISSING:
            reasons.append(f"{len(missing) - MAX_NAMED_MISSING} more paths are not there")
        places = [place for place in standing.values() if place is not None]
        if reasons and not places:
            raise InputError("; ".join(reasons))
        return places, f"not all paths were searched: {'; '.join(reasons)}" if reasons else ""

    def _why_missing(self, side: Side, path: str) -> str:
        if is_glob(path):
            return f"no file on branch '{side}' matches {shown(path)}"
        try:
            # A link or a submodule has its own reason.
            return f"{shown(find_file(path, side, self._change, self._repository))} cannot be searched"
        except InputError as error:
            return str(error)

    @staticmethod
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


def _skipped(skip: int) -> int:
    if not 0 <= skip <= MAX_SKIP:
        raise InputError(f"skip is a number from 0 to {MAX_SKIP}: ask for something narrower instead")
    return skip


def _cut_note(excerpt: Excerpt, last: int) -> str:
    if excerpt.last >= last:
        return ""
    return f"cut after line {excerpt.last}: ask again with start_line {excerpt.last + 1} for the rest"


def _by_file(hits: Sequence[SearchHit], tree: Tree, context_lines: int) -> list[dict[str, Any]]:
    files: dict[str, dict[int, str]] = {}
    for hit in hits:
        files.setdefault(hit.path, {})[hit.line] = hit.text
    texts = {path: (tree.lines(path) or []) if context_lines else [] for path in files}
    return [
        {
            "file_path": path,
            "lines": lines_around(texts[path], found, context_lines)
            if texts[path]
            else [f"{number}: {text}" for number, text in found.items()],
        }
        for path, found in files.items()
    ]


def _with_note(answer: Mapping[str, Any], *notes: str) -> Answer:
    """The answer as the format has it, and `note` only where there is something to say."""
    said = "; ".join(note for note in notes if note)
    return {**answer, "note": said} if said else dict(answer)
