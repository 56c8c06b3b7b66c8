"""Read the imports of a git tree into a graph: which file imports which, and what depends on a file."""

import gc
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
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

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def _extracts(
    files: TreeFiles,
    rules: ImportRules,
    grammar: Grammar,
    paths: Sequence[str],
    cache: BlobCache,
    *,
    kind: str,
    deadline: float,
) -> dict[str, Extract]:
    """Return what files import; leave out those too large to parse, and those after the deadline."""
    kept = cache.load(kind, rules.version, (files.blobs[path] for path in paths))
    known = {blob: extract for blob, data in kept.items() if (extract := unpack(data)) is not None}
    # One path for each blob that the cache lacks.
    unread = {files.blobs[path]: path for path in reversed(paths) if files.blobs[path] not in known}
    new: dict[str, Extract] = {}
    for path, content in files.read(unread.values()):
        if time.monotonic() > deadline:
            break
        extract = rules.read(grammar, content.removeprefix(BYTE_ORDER_MARK))
        if extract is not None:
            new[files.blobs[path]] = extract
    cache.save(kind, rules.version, {blob: pack(extract) for blob, extract in new.items()})
    known |= new
    return {path: known[files.blobs[path]] for path in paths if files.blobs[path] in known}


def pack(extract: Extract) -> bytes:
    return json.dumps(extract, separators=(",", ":")).encode()


def unpack(data: bytes) -> Extract | None:
    """Return the extract that was kept; None if it is not one."""
    try:
        rows, declares = jiter.from_json(data)
        statements = tuple(Statement(line, name, tuple(names), form) for line, name, names, form in rows)
        return Extract(statements, tuple(declares))
    except (ValueError, TypeError):
        return None


MAX_SECONDS = 120.0


class Edge(NamedTuple):
    """One import statement and the files that it means; none if it is unresolved."""

    path: str
    line: int
    name: str
    names: tuple[str, ...]
    targets: tuple[str, ...]


class ImportGraph:
    """The imports of one tree. Records are made on request, as most are never needed."""

    def __init__(self, edges: Mapping[str, Sequence[Edge]], skipped: Sequence[str] = ()) -> None:
        self._edges = edges
        self.skipped = tuple(skipped)
        """Files that were too much to parse: what they import is not known."""

    def imports_of(self, path: str) -> tuple[Import, ...]:
        """Return the imports of a file in order, once for each file that an import means."""
        return tuple(record for edge in self._edges.get(path, ()) for record in _records(edge))

    def importers_of(self, path: str) -> tuple[Import, ...]:
        return tuple(
            _record(edge, path) for group in self._groups.get(path, ()) for edge in group if edge.path != path
        )

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the files that were read."""
        return tuple(self._edges)

    @cached_property
    def _groups(self) -> dict[str, list[list[Edge]]]:
        """Return, by file, the edges that mean it, in groups that mean the same files."""
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
        for (family, rules), by_grammar in _by_family(files, languages).items():
            extracts: dict[str, Extract] = {}
            for grammar, paths in by_grammar.items():
                kind = f"imports/{family}/{grammar.name}"
                extracts |= _extracts(files, rules, grammar, paths, kept, kind=kind, deadline=deadline)
                skipped += [path for path in paths if path not in extracts]
            edges.update(_resolved(files, rules, extracts))
    return ImportGraph(edges, skipped)


@contextmanager
def collection_paused() -> Iterator[None]:
    """Switch garbage collection off while many lasting objects are made."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


Groups = dict[tuple[str, ImportRules], dict[Grammar, list[str]]]


def _by_family(files: TreeFiles, languages: Languages) -> Groups:
    """Group the files whose languages import one another, and within a group by grammar."""
    groups: Groups = {(one.family, one.imports): {} for one in languages if one.imports is not None}
    for path in files.blobs:
        parsed_as = languages.parsed_as(path)
        if parsed_as is not None and parsed_as.language.imports is not None:
            group = groups[parsed_as.language.family, parsed_as.language.imports]
            group.setdefault(parsed_as.grammar, []).append(path)
    return {family: group for family, group in groups.items() if group}


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
                for targets, names in resolver.resolve(path, one)
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
