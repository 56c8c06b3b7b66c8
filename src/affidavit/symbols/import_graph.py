"""Read the imports of a git tree into a graph: which file imports which, and what depends on a file."""

import gc
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import jiter

from affidavit.git.blob_cache import BlobCache
from affidavit.languages.grammars import Grammar
from affidavit.languages.language import Extract, ImportRules, Statement
from affidavit.languages.registry import LANGUAGES, Languages
from affidavit.languages.tree_files import TreeFiles
from affidavit.ports import Tree
from affidavit.records.context import Import

NOTHING = Extract()
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass
class Extraction:
    """The extracts by path, and the files that were too large to parse."""

    extracts: dict[str, Extract] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)


def extract_files(
    files: TreeFiles,
    family: str,
    rules: ImportRules,
    grammars: Mapping[str, Grammar],
    cache: BlobCache,
    *,
    deadline: float,
) -> Extraction:
    """Extract the files of a family; those that the deadline cuts off are skipped and not cached."""
    found = Extraction()
    for grammar, group in _by_grammar(grammars).items():
        kind = f"imports/{family}/{grammar.name}"
        known = _known(cache.load(kind, rules.version, (files.blobs[path] for path in group)))
        unread: dict[str, str] = {}
        for path in group:
            if files.blobs[path] not in known:
                unread.setdefault(files.blobs[path], path)
        read = _read(files, rules, grammar, unread, deadline)
        new = {blob: extract for blob, extract in read.items() if extract is not None}
        cache.save(kind, rules.version, {blob: pack(extract) for blob, extract in new.items()})
        known.update(new)
        for path in group:
            extract = known.get(files.blobs[path])
            if extract is None:
                found.skipped.append(path)
            else:
                found.extracts[path] = extract
    return found


def _by_grammar(grammars: Mapping[str, Grammar]) -> dict[Grammar, list[str]]:
    groups: dict[Grammar, list[str]] = {}
    for path, grammar in grammars.items():
        groups.setdefault(grammar, []).append(path)
    return groups


def _known(kept: Mapping[str, bytes]) -> dict[str, Extract]:
    unpacked = ((blob, unpack(data)) for blob, data in kept.items())
    return {blob: extract for blob, extract in unpacked if extract is not None}


def _read(
    files: TreeFiles, rules: ImportRules, grammar: Grammar, unread: Mapping[str, str], deadline: float
) -> dict[str, Extract | None]:
    blob_of = {path: blob for blob, path in unread.items()}
    found: dict[str, Extract | None] = {}
    for path, content in files.read(blob_of):
        if time.monotonic() > deadline:
            break
        text = content.removeprefix(BYTE_ORDER_MARK)
        found[blob_of[path]] = rules.extract(grammar, text)
    return found


def pack(extract: Extract) -> bytes:
    return json.dumps(extract, separators=(",", ":")).encode()


def unpack(data: bytes) -> Extract | None:
    """The extract that was kept; None where it is not one."""
    try:
        rows, declares = jiter.from_json(data)
        statements = tuple(Statement(line, name, tuple(names), form) for line, name, names, form in rows)
        return Extract(statements, tuple(declares))
    except (ValueError, TypeError):
        return None


MAX_SECONDS = 120.0


class Edge(NamedTuple):
    """One import statement and all the files that it means; none where it is unresolvable."""

    path: str
    line: int
    name: str
    names: tuple[str, ...]
    targets: tuple[str, ...]


class ImportGraph:
    """The imports of one tree. Records are made when they are asked for: most never are."""

    def __init__(self, edges: Mapping[str, Sequence[Edge]], skipped: Sequence[str] = ()) -> None:
        self._edges = edges
        self.skipped = tuple(skipped)
        """Files that were too much to parse: what they import is not known."""

    def imports_of(self, path: str) -> tuple[Import, ...]:
        """The imports of a file, in its order; one that means several files is there for each of them."""
        return tuple(record for edge in self._edges.get(path, ()) for record in _records(edge))

    def importers_of(self, path: str) -> tuple[Import, ...]:
        return tuple(
            _record(edge, path) for group in self._groups.get(path, ()) for edge in group if edge.path != path
        )

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that were read."""
        return tuple(self._edges)

    @cached_property
    def _groups(self) -> dict[str, list[list[Edge]]]:
        """The edges that mean a file, in groups that mean the same files: a package of many is one group."""
        groups: dict[tuple[str, ...], list[Edge]] = {}
        for edges in self._edges.values():
            for edge in edges:
                if edge.targets:
                    groups.setdefault(edge.targets, []).append(edge)
        found: dict[str, list[list[Edge]]] = {}
        for targets, group in groups.items():
            for target in targets:
                found.setdefault(target, []).append(group)
        return found


def import_graph(
    tree: Tree,
    *,
    cache: BlobCache | None = None,
    max_seconds: float = MAX_SECONDS,
    languages: Languages = LANGUAGES,
) -> ImportGraph:
    """Find the files of each language, extract what they import, and resolve that against the tree."""
    files = TreeFiles(tree)
    kept = cache or BlobCache(None)
    deadline = time.monotonic() + max_seconds
    edges: dict[str, list[Edge]] = {}
    skipped: list[str] = []
    with collection_paused():
        for family in _families(files, languages):
            extraction = extract_files(
                files, family.name, family.rules, family.grammars, kept, deadline=deadline
            )
            skipped += extraction.skipped
            edges.update(_resolved(files, family.rules, extraction.extracts))
    return ImportGraph(edges, skipped)


@contextmanager
def collection_paused() -> Iterator[None]:
    """For work that makes hundreds of thousands of lasting objects: there is no garbage among them."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class _Family(NamedTuple):
    """Languages whose files import one another, and the grammars of these files by path."""

    name: str
    rules: ImportRules
    grammars: dict[str, Grammar]


def _families(files: TreeFiles, languages: Languages) -> Iterator[_Family]:
    found = {
        language.family: _Family(language.family, language.imports, {})
        for language in languages
        if language.imports is not None
    }
    for path in files.blobs:
        parsed_as = languages.parsed_as(path)
        if parsed_as is not None and parsed_as.language.imports is not None:
            found[parsed_as.language.family].grammars[path] = parsed_as.grammar
    yield from (family for family in found.values() if family.grammars)


def _resolved(
    files: TreeFiles, rules: ImportRules, extracts: Mapping[str, Extract]
) -> Iterator[tuple[str, list[Edge]]]:
    resolver = rules.resolver(files, extracts)
    for path, extract in extracts.items():
        yield (
            path,
            [
                Edge(path, one.line, one.name, names, targets)
                for one in extract.statements
                for targets, names in resolver.meant(path, one)
            ],
        )


def _records(edge: Edge) -> Iterator[Import]:
    if not edge.targets:
        yield _record(edge, None)
    # A file that imports itself, as a Rust test module does, depends on nothing by it.
    yield from (_record(edge, target) for target in edge.targets if target != edge.path)


def _record(edge: Edge, target: str | None) -> Import:
    return Import(
        path=edge.path,
        line=edge.line,
        name=edge.name,
        target=target,
        names=edge.names,
    )
