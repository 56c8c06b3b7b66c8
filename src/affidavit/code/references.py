"""Who uses these symbols: a text search over a tree, narrowed by syntax trees and the import graph."""

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tree_sitter import Node

from affidavit.code.blob_cache import BlobCache
from affidavit.code.certainty import Judgement, judge
from affidavit.code.definitions import Definition, defined_in, grammar_of, symbols_of
from affidavit.code.grammars import parse
from affidavit.code.languages import language_of
from affidavit.code.occurrences import Occurrence, occurrences
from affidavit.code.reach import Reach, find_reach
from affidavit.code.survey import Imports
from affidavit.code.tree import is_binary
from affidavit.errors import GitError, InputError
from affidavit.ports import Tree
from affidavit.records.context import Reference, Symbol
from affidavit.records.evidence import SearchHit

MAX_HITS = 6000
MAX_OF_SYMBOL = 400
MAX_NAMES = 200
MAX_PATTERN = 9000
MAX_SECONDS = 8.0
SHORTEST_NAME = 3
MAX_LINE = 2000
_WORD = re.compile(r"[^\W\d]\w*")
_FAMILIES = {"typescript": "javascript", "c++": "c"}
_KINDS: dict[str, Literal["call", "import", "name", "text"]] = {
    "call": "call",
    "import": "import",
    "text": "text",
}


def find_references(
    symbols: Sequence[Symbol],
    tree: Tree,
    imports: Imports,
    *,
    include_text: bool = False,
    max_seconds: float = MAX_SECONDS,
    cache: BlobCache | None = None,
) -> tuple[list[Reference], list[str]]:
    """The places that use one of the symbols, and what was not looked at, in sentences.

    Comments and strings count only where they are asked for; files that are no code count as text.
    """
    by_name, left_out = _searched(symbols)
    hits, cut = _search(list(by_name), tree)
    deadline = time.monotonic() + max_seconds
    users = _Users(tree, imports, include_text=include_text, deadline=deadline, cache=cache)
    found = list(users.of(hits, by_name))
    return found, [*left_out, *cut, *users.left_out()]


def _searched(symbols: Sequence[Symbol]) -> tuple[dict[str, list[Symbol]], list[str]]:
    by_name: dict[str, list[Symbol]] = {}
    skipped = False
    for symbol in symbols:
        name = symbol.name.strip("#?!=")
        if len(name) >= SHORTEST_NAME and _WORD.fullmatch(name):
            by_name.setdefault(name, []).append(symbol)
        else:
            skipped = skipped or len(name) < SHORTEST_NAME
    left_out = []
    if skipped:
        left_out.append(f"names shorter than {SHORTEST_NAME} letters were not searched for")
    if len(by_name) > MAX_NAMES:
        left_out.append(f"uses of {len(by_name) - MAX_NAMES} more names were not searched for")
    return dict(list(by_name.items())[:MAX_NAMES]), left_out


def _search(names: Sequence[str], tree: Tree) -> tuple[list[SearchHit], list[str]]:
    hits: list[SearchHit] = []
    try:
        for pattern in _patterns(names):
            hits += tree.search(pattern, max_hits=MAX_HITS - len(hits))
            if len(hits) >= MAX_HITS:
                return hits, [f"only the first {MAX_HITS} lines that have one of the names were looked at"]
    except (InputError, GitError) as error:
        return hits, [f"uses of the symbols could not all be searched for: {error}"]
    return hits, []


def _patterns(names: Sequence[str]) -> Iterator[str]:
    """The names as few patterns of a length that a search takes."""
    part: list[str] = []
    for name in names:
        if part and sum(map(len, part)) + len(part) + len(name) > MAX_PATTERN:
            yield rf"\b(?:{'|'.join(part)})\b"
            part = []
        part.append(name)
    if part:
        yield rf"\b(?:{'|'.join(part)})\b"


@dataclass(frozen=True)
class _Parsed:
    """A file as a syntax tree; `root` is None where there is none."""

    text: bytes
    lines: list[bytes]
    root: Node | None
    definitions: list[Definition]

    def line(self, number: int) -> str:
        raw = self.lines[number - 1] if number <= len(self.lines) else b""
        return raw[:MAX_LINE].decode("utf-8", "replace").strip()

    def within(self, line: int) -> str:
        around = [one for one in self.definitions if one.line <= line <= one.end_line]
        inner = max(around, key=lambda one: (one.line, -one.end_line), default=None)
        return inner.qualified if inner else ""


@dataclass
class _Users:
    """Goes through the files that a search named and judges each occurrence."""

    tree: Tree
    imports: Imports
    include_text: bool
    deadline: float
    cache: BlobCache | None = None
    _reach: dict[tuple[str, str], Reach] = field(default_factory=dict)
    _count: dict[tuple[str, str, bool], int] = field(default_factory=dict)
    """How many uses of a symbol there are so far in code, and how many in other text."""
    _unparsed: list[str] = field(default_factory=list)

    def of(self, hits: Sequence[SearchHit], by_name: Mapping[str, Sequence[Symbol]]) -> Iterator[Reference]:
        by_path: dict[str, list[SearchHit]] = {}
        for hit in hits:
            by_path.setdefault(hit.path, []).append(hit)
        for path, group in by_path.items():
            words = {word for hit in group for word in _WORD.findall(hit.text) if word in by_name}
            wanted = [symbol for word in sorted(words) for symbol in by_name[word]]
            yield from self._in_file(path, group, wanted)

    def left_out(self) -> list[str]:
        said = []
        if self._unparsed:
            named = ", ".join(self._unparsed[:3])
            said.append(f"{len(self._unparsed)} files could not be parsed and count as text: {named}")
        many = [key for key, count in self._count.items() if count > MAX_OF_SYMBOL]
        cut = list(dict.fromkeys(qualified for _, qualified, _ in many))
        if cut:
            said.append(f"of {', '.join(cut[:5])} only the first {MAX_OF_SYMBOL} uses are listed")
        return said

    def _in_file(
        self, path: str, hits: Sequence[SearchHit], symbols: Sequence[Symbol]
    ) -> Iterator[Reference]:
        grammar = grammar_of(path)
        if grammar is None:
            yield from self._as_text(hits, symbols)
            return
        related = [symbol for symbol in symbols if _family(symbol.language) == _family(language_of(path))]
        if not related:
            return
        parsed = self._parse(path, grammar)
        if parsed.root is None:
            self._unparsed.append(path)
            yield from self._as_text(hits, related)
            return
        for symbol in related:
            yield from self._uses(path, parsed, parsed.root, symbol)

    def _parse(self, path: str, grammar: str) -> _Parsed:
        content = self.tree.read(path) if time.monotonic() < self.deadline else None
        if content is None or is_binary(content):
            return _Parsed(b"", [], None, [])
        root = parse(grammar, content)
        found = defined_in(root, content, grammar) if root is not None else []
        return _Parsed(content, content.split(b"\n"), root, found)

    def _uses(self, path: str, parsed: _Parsed, root: Node, symbol: Symbol) -> Iterator[Reference]:
        reach = self._reach_of(symbol)
        places = occurrences(root, parsed.text, symbol.name.strip("#?!="))
        is_bound = any(_is_local(place, parsed, symbol) for place in places)
        imported = self.imports.imports_of(path)
        for place in places:
            within = parsed.within(place.line)
            if place.role in ("definition", "binding") or (path, within) == (symbol.path, symbol.qualified):
                continue
            judged = judge(symbol, path, place, within, reach, imported, is_bound=is_bound)
            if judged is not None and (place.role != "text" or self.include_text):
                yield from self._reference(symbol, path, parsed.line(place.line), place, within, judged)

    def _reference(
        self, symbol: Symbol, path: str, line: str, place: Occurrence, within: str, judged: Judgement
    ) -> Iterator[Reference]:
        if self._is_one_too_many(symbol, is_text=False):
            return
        yield Reference(
            symbol=symbol.qualified,
            path=path,
            line=place.line,
            text=line,
            kind=_KINDS.get(place.role, "name"),
            within=within,
            verification_method=f"searched for the word {symbol.name}; {judged.why}",
            certainty=judged.certainty,
        )

    def _as_text(self, hits: Sequence[SearchHit], symbols: Sequence[Symbol]) -> Iterator[Reference]:
        for hit in hits:
            words = set(_WORD.findall(hit.text))
            for symbol in symbols:
                if symbol.name not in words or self._is_one_too_many(symbol, is_text=True):
                    continue
                yield Reference(
                    symbol=symbol.qualified,
                    path=hit.path,
                    line=hit.line,
                    text=hit.text.strip(),
                    kind="text",
                    verification_method=f"searched for the word {symbol.name}; no syntax tree was read",
                    certainty="possible",
                )

    def _is_one_too_many(self, symbol: Symbol, *, is_text: bool) -> bool:
        key = (symbol.path, symbol.qualified, is_text)
        self._count[key] = self._count.get(key, 0) + 1
        return self._count[key] > MAX_OF_SYMBOL

    def _defines(self, path: str, name: str) -> bool:
        return any(one.qualified == name for one in symbols_of(self.tree, path, cache=self.cache))

    def _reach_of(self, symbol: Symbol) -> Reach:
        key = (symbol.path, symbol.qualified.partition(".")[0])
        if key not in self._reach:
            self._reach[key] = find_reach(symbol, self.imports, self._defines)
        return self._reach[key]


def _is_local(place: Occurrence, parsed: _Parsed, symbol: Symbol) -> bool:
    """The place binds the name to something else: a parameter, or a variable inside of a function."""
    if place.role != "definition":
        return place.role == "binding"
    return parsed.within(place.line).rpartition(".")[2] != symbol.name


def _family(language: str) -> str:
    return _FAMILIES.get(language, language)
