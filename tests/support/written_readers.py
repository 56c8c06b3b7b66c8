"""Readers of code for tests: real symbols and searches, and imports that a test writes down."""

from collections.abc import Mapping, Sequence

from affidavit.ports import Tree
from affidavit.records.context import Import
from affidavit.symbols.readers import CodeReaders
from affidavit.symbols.references import find_references


class WrittenImports:
    """An import graph that a test wrote: file to the files that it imports."""

    def __init__(self, edges: Mapping[str, Sequence[str]]) -> None:
        self._imports = [
            Import(path=path, line=1, name=target, target=target)
            for path, targets in edges.items()
            for target in targets
        ]

    skipped: tuple[str, ...] = ()

    def imports_of(self, path: str) -> list[Import]:
        return [one for one in self._imports if one.path == path]

    def importers_of(self, path: str) -> list[Import]:
        return [one for one in self._imports if one.target == path]


def written_readers(edges: Mapping[str, Sequence[str]] | None = None) -> CodeReaders:
    """Real readers, except for the imports."""

    def read_imports(_tree: Tree) -> WrittenImports:
        return WrittenImports(edges or {})

    return CodeReaders(read_imports, find_references)
