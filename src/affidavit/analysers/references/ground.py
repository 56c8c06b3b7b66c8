"""Look up imports, names and changes of both trees for the search for broken references."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from tree_sitter import Node

from affidavit.analysers.engine.causes import NamedCause
from affidavit.diff.skipping import VENDORED_FOLDERS
from affidavit.errors import GitError, InputError
from affidavit.git.blob_cache import BlobCache
from affidavit.languages.grammars import Grammar, ancestors, node_text, parse
from affidavit.languages.language import Language
from affidavit.languages.registry import LANGUAGES, grammar_of
from affidavit.ports import Repository
from affidavit.records.change import Change, FileChange
from affidavit.records.context import Symbol, SymbolChange
from affidavit.records.evidence import SearchHit
from affidavit.records.finding import Cause
from affidavit.records.record import Side
from affidavit.symbols.changed import symbol_changes
from affidavit.symbols.definitions import symbols_of
from affidavit.symbols.exports import ModuleExports
from affidavit.symbols.import_graph import ImportGraph, import_graph
from affidavit.symbols.occurrences import WordOccurrence, occurrences

MAX_HITS = 20_000
MAX_NAMES = 300
MAX_WORDS = 3_000
MIN_LENGTH = 8
DISTINCT = re.compile(r"[a-z0-9]+_[a-z0-9_]+|[A-Z]+_[A-Z0-9_]+|[A-Za-z]*[a-z][A-Z]\w*")
WORD = re.compile(r"\w+")
GUARDS = frozenset(
    ("try_statement", "with_statement", "if_statement", "conditional_expression", "match_statement")
)


@dataclass(frozen=True)
class Break:
    """A place that uses something that the change removed. The message has names in back quotes."""

    rule: str
    path: str
    line: int
    message: str
    cause: NamedCause
    suppressed_by: str = ""
    """The comment in the change that suppresses it."""


class Parsed(NamedTuple):
    """A file of head with its syntax tree."""

    path: str
    language: Language
    grammar: Grammar
    text: bytes
    root: Node


Finder = Callable[["ReferenceLookup"], Iterator[Break]]


class ReferenceLookup:
    """Looks up both sides of a change; everything is read once, on first use."""

    def __init__(self, change: Change, repository: Repository, cache: BlobCache | None = None) -> None:
        self.change = change
        self.repository = repository
        self._cache = cache
        self._parsed: dict[str, Parsed | None] = {}
        self._defined: dict[tuple[Side, str], Counter[str]] = {}
        self._hits: dict[tuple[str, tuple[str, ...]], list[SearchHit]] = {}
        self.unread: list[str] = []
        """Sentences about names that could not be searched for."""

    @cached_property
    def head_imports(self) -> ImportGraph:
        """Return the imports at head."""
        return import_graph(self.repository.head, cache=self._cache)

    @cached_property
    def base_imports(self) -> ImportGraph:
        """Return the imports at base."""
        return import_graph(self.repository.base, cache=self._cache)

    @cached_property
    def head_modules(self) -> ModuleExports:
        """Return the names that modules provide at head."""
        return ModuleExports(self.repository.head, lambda: self.head_imports)

    @cached_property
    def base_modules(self) -> ModuleExports:
        """Return the names that modules provided at base."""
        return ModuleExports(self.repository.base, lambda: self.base_imports)

    @cached_property
    def symbols(self) -> list[SymbolChange]:
        """Return what the change does to definitions."""
        return symbol_changes(self.change, self.repository)

    def count_defined(self, paths: Iterable[str], qualified: str, side: Side = "head") -> int:
        """Count how often files define a name."""
        return sum(self._names_of(side, path)[qualified] for path in paths)

    def _names_of(self, side: Side, path: str) -> Counter[str]:
        if (side, path) not in self._defined:
            tree = self.repository.head if side == "head" else self.repository.base
            self._defined[side, path] = Counter(symbol.qualified for symbol in symbols_of(tree, path))
        return self._defined[side, path]

    @cached_property
    def folders(self) -> dict[str, list[str]]:
        """Return the folders of head with their files."""
        found: dict[str, list[str]] = {}
        for path in self.repository.head.entries():
            found.setdefault(path.rpartition("/")[0], []).append(path)
        return found

    def beside(self, folder: str, end: str) -> list[str]:
        """Return the files of a folder of head with this ending."""
        return [path for path in self.folders.get(folder, ()) if path.endswith(end)]

    @cached_property
    def code_files(self) -> list[FileChange]:
        """Return the changed files that are read as code."""
        return [
            file
            for file in self.change.reviewed_files()
            if not (file.is_binary or file.is_submodule) and grammar_of(file.path) is not None
        ]

    @cached_property
    def gone_files(self) -> dict[str, FileChange]:
        """Return the files that are no longer at their place, by their path at base."""
        return {
            file.base_path: file
            for file in self.code_files
            if file.base_path and file.base_path != file.head_path
        }

    def lost(self, path: str, name: str) -> bool:
        """Check that the module had the name at base and certainly lost it."""
        return (
            self.head_modules.provides(path, name) == "no" and self.base_modules.provides(path, name) == "yes"
        )

    @cached_property
    def lost_names(self) -> dict[str, list[str]]:
        """Map changed modules that still exist to the names that they lost."""
        standing = [file.path for file in self.code_files if file.head_path == file.base_path]
        found = {path: self._lost_of(path) for path in standing}
        return {path: names for path, names in found.items() if names}

    def _lost_of(self, path: str) -> list[str]:
        before = self.base_modules.exports(path)
        had = set() if before.is_guessed else before.names - self.head_modules.exports(path).names
        return sorted(name for name in had if self.lost(path, name))[:MAX_NAMES]

    @cached_property
    def gone(self) -> list[Symbol]:
        """Return the definitions of base that no longer exist under their name."""
        found = [one for one in self.symbols if one.fate in ("removed", "renamed")]
        return [
            one.base for one in found if one.base and (one.head is None or one.head.name != one.base.name)
        ]

    @cached_property
    def distinctive_hits(self) -> dict[str, list[SearchHit]]:
        """Map unmistakable names of removed definitions to the lines of head that have them."""
        return self.words(sorted({one.name for one in self.gone if is_distinctive(one.name)}))

    def words(self, names: Sequence[str]) -> dict[str, list[SearchHit]]:
        """Map names to the lines of head that have them; leave out names whose lines are not all known."""
        found: dict[str, list[SearchHit]] = {name: [] for name in names}
        for start in range(0, min(len(names), MAX_WORDS), MAX_NAMES):
            some = names[start : start + MAX_NAMES]
            hits = self.search(some)
            # A line may have names of other searches only by chance.
            for hit in hits if len(hits) < MAX_HITS else ():
                for word in set(WORD.findall(hit.text)) & set(some):
                    found[word].append(hit)
        return found

    def parsed(self, path: str) -> Parsed | None:
        """Return the syntax tree of a file of head; None if it is too large or third-party code."""
        if path not in self._parsed:
            is_vendored = not VENDORED_FOLDERS.isdisjoint(part.lower() for part in path.split("/")[:-1])
            self._parsed[path] = None if is_vendored else self._parse(path)
        return self._parsed[path]

    def sound(self, path: str) -> Parsed | None:
        """Return the syntax tree of a file of head that has no errors."""
        parsed = self.parsed(path)
        return None if parsed is None or parsed.root.has_error else parsed

    def _parse(self, path: str) -> Parsed | None:
        parsed_as = LANGUAGES.parsed_as(path)
        text = self.repository.head.read(path) if parsed_as else None
        if parsed_as is None or text is None:
            return None
        root = parse(parsed_as.grammar, text)
        return None if root is None else Parsed(path, parsed_as.language, parsed_as.grammar, text, root)

    def search(
        self, names: Sequence[str], around: str = r"\b(?:{})\b", paths: Sequence[str] = ()
    ) -> list[SearchHit]:
        """Return the lines of head with one of these words, or with the pattern `around` them."""
        if not names:
            return []
        pattern = around.format("|".join(map(re.escape, names[:MAX_NAMES])))
        key = (pattern, tuple(paths))
        if key not in self._hits:
            self._hits[key] = self._search(pattern, paths, names[0])
        return self._hits[key]

    def _search(self, pattern: str, paths: Sequence[str], name: str) -> list[SearchHit]:
        try:
            hits = self._search_again(pattern, paths)
        except (InputError, GitError) as error:
            self.unread.append(f"uses of {name} and others could not be searched for: {error}")
            return []
        if len(hits) >= MAX_HITS:
            self.unread.append(f"only the first {MAX_HITS} lines with {name} and others were looked at")
        return hits

    def _search_again(self, pattern: str, paths: Sequence[str]) -> list[SearchHit]:
        """Search; retry once if time ran out on a busy machine."""
        try:
            return self.repository.head.search(pattern, paths, max_hits=MAX_HITS)
        except GitError as error:
            if not error.retryable:
                raise
            return self.repository.head.search(pattern, paths, max_hits=MAX_HITS)

    def cause(self, path: str, name: str) -> NamedCause:
        """Return what the change did to a name of a file."""
        file = self.change.file_at(path, "base") or self.change.file_at(path)
        at = file.path if file else path
        for one in self.symbols:
            if one.base is not None and one.base.path == path and one.base.qualified == name:
                return NamedCause(Cause(file=at, symbol=name), _fate_of(one))
        return NamedCause(Cause(file=at, symbol=name), f"The change took `{name}` out of {path}.")

    def module_cause(self, file: FileChange) -> NamedCause:
        """Say that the change deleted or moved a file."""
        stem = (file.base_path or file.path).rpartition("/")[2].partition(".")[0]
        if file.head_path is None:
            return NamedCause(Cause(file=file.path, symbol=stem), f"The change deleted {file.base_path}.")
        moved = f"The change moved {file.base_path} to {file.head_path}."
        return NamedCause(Cause(file=file.path), moved)


def _fate_of(one: SymbolChange) -> str:
    old, new = one.base, one.head
    if old is None:
        return ""
    place = f"({old.path}:{old.line} at base)"
    if new is None or one.fate == "removed":
        return f"The change removed `{old.signature.rstrip(':')}` {place}."
    if one.fate == "signature_changed":
        return f"The change gave `{old.name}` {place} other parameters: `{new.signature.rstrip(':')}`."
    if new.name == old.name:
        return f"The change moved `{old.name}` {place} to {new.path}:{new.line}."
    return f"The change renamed `{old.name}` {place} to `{new.name}`."


def is_distinctive(name: str) -> bool:
    """Check for a name so long and composed that any place with it means this one."""
    return len(name) >= MIN_LENGTH and DISTINCT.fullmatch(name) is not None


def is_guarded(node: Node, text: bytes) -> bool:
    """Check whether the surrounding code handles a failure, or runs only under a condition."""
    for above in ancestors(node):
        if above.type in GUARDS:
            condition = above.child_by_field_name("condition")
            if above.type != "if_statement" or "TYPE_CHECKING" not in node_text(condition, text):
                return True
    return False


def is_import(place: WordOccurrence) -> bool:
    """Check whether a word is part of an import, or of an export that only lists names."""
    # Only a part of an `export`: its functions have parameters.
    return any(
        above.type.startswith("import_") or above.type in ("export_clause", "namespace_export")
        for above in ancestors(place.node)
    )


def places_of(parsed: Parsed, name: str) -> list[WordOccurrence]:
    """Return the places of a word in a file."""
    return occurrences(parsed.root, parsed.text, name) if name.encode() in parsed.text else []


def call_of(function: Node) -> Node | None:
    """Return the call whose function a node is."""
    call = function.parent
    if call is None or call.type not in ("call_expression", "method_invocation"):
        return None
    called = call.child_by_field_name("function") or call.child_by_field_name("name")
    return call if called == function else None


def enclosing(node: Node, types: Iterable[str]) -> Iterator[Node]:
    """Yield the nodes of these types around a node, from the inside out."""
    wanted = frozenset(types)
    return (above for above in ancestors(node) if above.type in wanted)


def text_of(node: Node | None, field: str, text: bytes) -> str:
    """Return the text of a field of a node."""
    return node_text(node.child_by_field_name(field), text) if node is not None else ""
