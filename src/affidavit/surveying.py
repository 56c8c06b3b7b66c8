"""Put the readers of code together: what the map of a change and the tools are made with."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from affidavit.code.blob_cache import BlobCache
from affidavit.code.imports.graph import import_graph
from affidavit.code.references import find_references
from affidavit.code.survey import Imports, Survey
from affidavit.code.symbols import symbol_changes, symbols_of
from affidavit.language_servers.precision import confirm_references
from affidavit.language_servers.servers import Server
from affidavit.ports import Repository, Tree
from affidavit.records.change import Change
from affidavit.records.context import Reference, Symbol, SymbolChange

__all__ = ["assemble_survey", "symbol_changes", "symbols_of"]


def assemble_survey(
    cache: BlobCache | None = None, *, servers: Mapping[Server, Path] | None = None
) -> Survey:
    """The readers that this installation has; what they extract from a blob is kept in the cache.

    Language servers, where some are given, make references surer and take seconds for it.
    """

    def read_imports(tree: Tree) -> Imports:
        return import_graph(tree, cache=cache)

    def read_symbols(tree: Tree, path: str) -> list[Symbol]:
        return symbols_of(tree, path, cache=cache)

    def compare_symbols(change: Change, repository: Repository) -> list[SymbolChange]:
        return symbol_changes(change, repository, cache=cache)

    def search_references(
        symbols: Sequence[Symbol], tree: Tree, imports: Imports
    ) -> tuple[list[Reference], list[str]]:
        found, left_out = find_references(symbols, tree, imports, cache=cache)
        confirmed, said = confirm_references(found, symbols, tree, servers or {})
        return confirmed, [*left_out, *said]

    return Survey(
        read_imports=read_imports,
        symbols_of=read_symbols,
        changed_symbols=compare_symbols,
        find_references=search_references,
    )
