"""Find the uses of symbols by a text search, narrowed by syntax trees and the import graph."""

import re
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from affidavit.errors import GitError, InputError
from affidavit.git.text import text_lines
from affidavit.git.tree import read_all
from affidavit.languages.registry import LANGUAGES, grammar_of, is_document
from affidavit.ports import Tree
from affidavit.records.context import Reference, Symbol
from affidavit.records.evidence import SearchHit
from affidavit.symbols.certainty import ReferenceCertainty, SymbolReach, assess, find_reach
from affidavit.symbols.definitions import definitions_of
from affidavit.symbols.enclosing import code_lines, is_marked, is_plain_word
from affidavit.symbols.occurrences import WordPlace, find_places
from affidavit.symbols.readers import Imports

MAX_HITS = 6000
MAX_OF_SYMBOL = 400
MAX_NAMES = 200
MAX_PATTERN = 9000
MAX_SECONDS = 20.0
"""CPU time."""
SHORTEST_NAME = 3
MAX_LINE = 2000
MAX_DOCUMENTS = 200
CATALOGUES = (".po", ".pot", ".mo")
"""Translations of messages, which use no symbols."""
CERTAINTIES = ("certain", "likely", "possible")
KINDS = ("call", "import", "name", "text")
_WORD = re.compile(r"[^\W\d]\w*")
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
) -> tuple[list[Reference], list[str]]:
    """Return the uses of the symbols, and what was not searched; `include_text` adds comments and strings."""
    by_name, left_out = _searched(symbols)
    hits, cut = _search(list(by_name), tree)
    # The time of this thread: on a busy machine it waits, and works no more for it.
    deadline = time.thread_time() + max_seconds
    users = _Users(tree, imports, include_text=include_text, deadline=deadline)
    found = users.of(hits, by_name)
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
    """Yield the names as patterns of a length that a search takes."""
    part: list[str] = []
    for name in names:
        if part and sum(map(len, part)) + len(part) + len(name) > MAX_PATTERN:
            yield rf"\b(?:{'|'.join(part)})\b"
            part = []
        part.append(name)
    if part:
        yield rf"\b(?:{'|'.join(part)})\b"


@dataclass
class _Hits:
    """The lines of a file with a hit, and the lines of each word."""

    lines: dict[int, str] = field(default_factory=dict)
    words: dict[str, list[int]] = field(default_factory=dict)
    """A line is listed once for each time it has the word."""

    def forget(self, word: str, numbers: Collection[int]) -> None:
        """Forget that these lines have the word."""
        self.words[word] = [at for at in self.words[word] if at not in numbers]


class _Use(NamedTuple):
    """One use; only the surest become records."""

    symbol: Symbol
    path: str
    line: int
    kind: Literal["call", "import", "name", "text"]
    within: str
    assessed: ReferenceCertainty
    is_in_code: bool = True


@dataclass
class _Users:
    """Judges each occurrence in the files that a search found."""

    tree: Tree
    imports: Imports
    include_text: bool
    deadline: float
    _reach: dict[tuple[str, str], SymbolReach] = field(default_factory=dict)
    _unparsed: list[str] = field(default_factory=list)
    _crowded: list[str] = field(default_factory=list)
    """Symbols with more uses than are listed."""

    def of(self, hits: Sequence[SearchHit], by_name: Mapping[str, Sequence[Symbol]]) -> list[Reference]:
        files = _by_file(hits, by_name)
        self._drop_prose(files)
        wanted = self._wanted(files, by_name)
        found, self._unparsed = find_places(self.tree, wanted, deadline=self.deadline)
        uses: list[_Use] = []
        for path, file in files.items():
            if path in self._unparsed or grammar_of(path) is None:
                uses += _as_text(path, file, by_name)
                continue
            for word in wanted.get(path, ()):
                places = found.get((path, word), [])
                for symbol in _in_language_of(path, by_name[word]):
                    uses += self._uses(path, symbol, places)
        return [self._reference(use, files[use.path]) for use in self._surest(_once_a_line(uses))]

    def _drop_prose(self, files: Mapping[str, _Hits]) -> None:
        """Drop uses in documents where the name is a plain word and not written as code."""
        unsure: dict[str, dict[str, list[int]]] = {}
        for path, file in files.items():
            if is_document(path):
                for word in filter(is_plain_word, list(file.words)):
                    unmarked = [at for at in file.words[word] if not is_marked(file.lines[at], word)]
                    if unmarked:
                        unsure.setdefault(path, {})[word] = unmarked
        in_code = {
            path: code_lines(text_lines(content))
            for path, content in read_all(self.tree, list(unsure)[:MAX_DOCUMENTS])
        }
        for path, words in unsure.items():
            for word, unmarked in words.items():
                files[path].forget(word, set(unmarked) - in_code.get(path, set()))

    def left_out(self) -> list[str]:
        said = []
        if self._unparsed:
            named = ", ".join(self._unparsed[:3])
            said.append(f"{len(self._unparsed)} files could not be parsed and count as text: {named}")
        cut = list(dict.fromkeys(self._crowded))
        if cut:
            said.append(f"of {', '.join(cut[:5])} only {MAX_OF_SYMBOL} uses are listed, the surest")
        return said

    def _wanted(
        self, files: Mapping[str, _Hits], by_name: Mapping[str, Sequence[Symbol]]
    ) -> dict[str, list[str]]:
        """Return the words to look at in each file; files that import the symbols go first."""
        symbols = [symbol for group in by_name.values() for symbol in group]
        near = {symbol.path for symbol in symbols}
        near.update(one.path for path in list(near) for one in self.imports.importers_of(path))
        found: dict[str, list[str]] = {}
        for path in sorted(files, key=lambda path: path not in near):
            if grammar_of(path) is None:
                continue
            words = [word for word in files[path].words if _in_language_of(path, by_name[word])]
            if words:
                found[path] = words
        return found

    def _uses(self, path: str, symbol: Symbol, places: Sequence[WordPlace]) -> Iterator[_Use]:
        reach = self._reach_of(symbol)
        is_own_file = path == symbol.path
        is_bound = any(_is_local(place, symbol, is_own_file=is_own_file) for place in places)
        imported = self.imports.imports_of(path)
        for place in places:
            is_own = (path, place.within) == (symbol.path, symbol.qualified)
            # A function that says `global` and assigns makes others see another value.
            is_written = place.role == "binding" and is_own_file and place.is_of_file and place.within
            if place.role == "definition" or is_own or (place.role == "binding" and not is_written):
                continue
            assessed = assess(symbol, path, place, reach, imported, is_bound=is_bound)
            if assessed is not None and (place.role != "text" or self.include_text):
                kind = _KINDS.get(place.role, "name")
                yield _Use(symbol, path, place.line, kind, place.within, assessed)

    def _surest(self, uses: Sequence[_Use]) -> list[_Use]:
        """Keep only the surest uses of each symbol, in code and in other text."""
        groups: dict[tuple[str, str, bool], list[int]] = {}
        for number, use in enumerate(uses):
            key = (use.symbol.path, use.symbol.qualified, use.is_in_code)
            groups.setdefault(key, []).append(number)
        kept: set[int] = set()
        for (_, qualified, _), group in groups.items():
            kept.update(
                sorted(group, key=lambda one: CERTAINTIES.index(uses[one].assessed.certainty))[:MAX_OF_SYMBOL]
            )
            if len(group) > MAX_OF_SYMBOL:
                self._crowded.append(qualified)
        return [use for number, use in enumerate(uses) if number in kept]

    def _reference(self, use: _Use, file: _Hits) -> Reference:
        return Reference(
            symbol=use.symbol.qualified,
            path=use.path,
            line=use.line,
            text=(file.lines.get(use.line) or self._line(use.path, use.line)).strip(),
            kind=use.kind,
            within=use.within,
            definition=use.symbol.path,
            verification_method=f"searched for the word {use.symbol.name}; {use.assessed.why}",
            certainty=use.assessed.certainty,
        )

    def _line(self, path: str, number: int) -> str:
        """Return a line that the search did not find, because git did not read it as text."""
        lines = self.tree.lines(path) or []
        return lines[number - 1][:MAX_LINE] if number <= len(lines) else ""

    def _defining(self, paths: Collection[str], name: str) -> set[str]:
        found = definitions_of(paths, self.tree)
        return {path for path, defined in found.items() if any(one.qualified == name for one in defined)}

    def _reach_of(self, symbol: Symbol) -> SymbolReach:
        key = (symbol.path, symbol.qualified.partition(".")[0])
        if key not in self._reach:
            self._reach[key] = find_reach(symbol, self.imports, self._defining)
        return self._reach[key]


def _by_file(hits: Sequence[SearchHit], by_name: Mapping[str, Sequence[Symbol]]) -> dict[str, _Hits]:
    found: dict[str, _Hits] = {}
    for hit in hits:
        if hit.path.endswith(CATALOGUES) or "\0" in hit.text:
            continue
        file = found.setdefault(hit.path, _Hits())
        file.lines[hit.line] = hit.text
        for word in _WORD.findall(hit.text):
            if word in by_name:
                file.words.setdefault(word, []).append(hit.line)
    return found


def _in_language_of(path: str, symbols: Sequence[Symbol]) -> list[Symbol]:
    """Return the symbols whose language is that of the file, or related to it."""
    family = LANGUAGES.of(path).family
    return [symbol for symbol in symbols if LANGUAGES.named(symbol.language).family == family]


def _as_text(path: str, file: _Hits, by_name: Mapping[str, Sequence[Symbol]]) -> Iterator[_Use]:
    has_grammar = grammar_of(path) is not None
    unread = ReferenceCertainty("possible", "no syntax tree was read")
    for word, numbers in file.words.items():
        symbols = _in_language_of(path, by_name[word]) if has_grammar else by_name[word]
        for number in dict.fromkeys(numbers):
            yield from (
                _Use(symbol, path, number, "text", "", unread, is_in_code=False) for symbol in symbols
            )


def _once_a_line(uses: Iterable[_Use]) -> list[_Use]:
    """Keep the surest use of a symbol on each line, and a call before a mere name."""
    best: dict[tuple[str, str, str, int], _Use] = {}
    for use in uses:
        key = (use.symbol.path, use.symbol.qualified, use.path, use.line)
        if key not in best or _doubt(use) < _doubt(best[key]):
            best[key] = use
    return list(best.values())


def _doubt(use: _Use) -> tuple[int, int]:
    return CERTAINTIES.index(use.assessed.certainty), KINDS.index(use.kind)


def _is_local(place: WordPlace, symbol: Symbol, *, is_own_file: bool) -> bool:
    """Check whether the place binds the name to something else, such as a parameter."""
    if place.role != "definition":
        return place.role == "binding" and not (is_own_file and place.is_of_file)
    return place.within.rpartition(".")[2] != symbol.name
