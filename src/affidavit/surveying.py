"""Put the readers of code together: what the map of a change and the tools are made with."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from affidavit.git.blob_cache import BlobCache
from affidavit.ports import Repository, Tree
from affidavit.records.change import Change
from affidavit.records.context import Reference, Symbol, SymbolChange
from affidavit.references.find import find_references
from affidavit.references.import_graph import import_graph
from affidavit.references.readers import Imports, Resolution, Survey
from affidavit.symbols.changed import symbol_changes
from affidavit.symbols.definitions import symbols_of

__all__ = ["assemble_survey", "made_precise", "symbol_changes", "symbols_of"]


def assemble_survey(cache: BlobCache | None = None) -> Survey:
    """The readers that this installation has; what they extract from a blob is kept in the cache."""

    def read_imports(tree: Tree) -> Imports:
        return import_graph(tree, cache=cache)

    def read_symbols(tree: Tree, path: str) -> list[Symbol]:
        return symbols_of(tree, path, cache=cache)

    def compare_symbols(change: Change, repository: Repository) -> list[SymbolChange]:
        return symbol_changes(change, repository, cache=cache)

    def search_references(
        symbols: Sequence[Symbol], tree: Tree, imports: Imports
    ) -> tuple[list[Reference], list[str]]:
        return find_references(symbols, tree, imports, cache=cache)

    return Survey(
        read_imports=read_imports,
        symbols_of=read_symbols,
        changed_symbols=compare_symbols,
        find_references=search_references,
    )


class Confirming(Protocol):
    """Who makes references surer, such as language servers, and says what it could not do."""

    def confirm(
        self, references: Sequence[Reference], symbols: Sequence[Symbol], tree: Tree
    ) -> tuple[list[Reference], list[str]]: ...

    def resolve(self, tree: Tree, path: str, line: int, name: str) -> Resolution | None: ...


def made_precise(survey: Survey, servers: Confirming) -> Survey:
    """The same readers, with somebody who makes references surer and takes seconds for it."""

    def confirmed_references(
        symbols: Sequence[Symbol], tree: Tree, imports: Imports
    ) -> tuple[list[Reference], list[str]]:
        found, left_out = survey.find_references(symbols, tree, imports)
        confirmed, said = servers.confirm(found, symbols, tree)
        return confirmed, [*left_out, *said]

    return replace(survey, find_references=confirmed_references, resolve=servers.resolve)
