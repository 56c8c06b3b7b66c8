"""Define the readers of imports and references, which tests and language servers replace."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from affidavit.ports import Tree
from affidavit.records.context import Import, Reference, Symbol


class Imports(Protocol):
    skipped: tuple[str, ...]
    """Files whose imports could not be read."""

    def imports_of(self, path: str, /) -> Sequence[Import]: ...

    def importers_of(self, path: str, /) -> Sequence[Import]: ...


FindReferences = Callable[[Sequence[Symbol], Tree, Imports], tuple[Sequence[Reference], Sequence[str]]]
"""Return the uses of symbols on one side, and sentences about what could not be searched."""
ResolveName = Callable[[Tree, str, int, str], tuple[frozenset[tuple[str, int]], str]]
"""Return where the name in a line is defined, as paths and lines, and the language server's name."""


@dataclass(frozen=True)
class CodeReaders:
    """The readers together; the imports of a tree are read once."""

    read_imports: Callable[[Tree], Imports]
    find_references: FindReferences
    resolve: ResolveName | None = None
    _imports: dict[str, Imports] = field(default_factory=dict)
    _reading: threading.Lock = field(default_factory=threading.Lock)

    def imports(self, tree: Tree) -> Imports:
        """Return the imports of the tree."""
        with self._reading:
            if tree.revision not in self._imports:
                self._imports[tree.revision] = self.read_imports(tree)
            return self._imports[tree.revision]
