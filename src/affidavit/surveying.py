"""Put the readers of code together: what the map of a change and the tools are made with."""

from affidavit.code.blob_cache import BlobCache
from affidavit.code.imports.graph import import_graph
from affidavit.code.languages import language_of
from affidavit.code.mentions import find_mentions
from affidavit.code.survey import Imports, Survey
from affidavit.code.symbols import PYTHON_ENDS, Definition, changed_symbols, definitions
from affidavit.ports import Repository, Tree
from affidavit.records.change import Change
from affidavit.records.context import Symbol, SymbolChange


def assemble_survey(cache: BlobCache | None = None) -> Survey:
    """The readers that this installation has; what they extract from a blob is kept in the cache."""

    def read_imports(tree: Tree) -> Imports:
        return import_graph(tree, cache=cache)

    return Survey(
        read_imports=read_imports,
        symbols_of=symbols_of,
        changed_symbols=symbol_changes,
        find_references=find_mentions,
    )


def symbols_of(tree: Tree, path: str) -> list[Symbol]:
    """What a file defines."""
    content = tree.read(path) if path.endswith(PYTHON_ENDS) else None
    return [] if content is None else [_symbol(path, found) for found in definitions(content)]


def _symbol(path: str, found: Definition) -> Symbol:
    return Symbol(
        path=path,
        name=found.name,
        qualified=found.qualified,
        kind=found.kind,
        line=found.line,
        end_line=found.end_line,
        signature=found.signature,
        language=language_of(path),
    )


def symbol_changes(change: Change, repository: Repository) -> list[SymbolChange]:
    """What the change does to definitions."""
    found = []
    for one in changed_symbols(change, repository):
        file = change.file_at(one.file) or change.file_at(one.file, "base")
        base_path, head_path = (file.base_path, file.head_path) if file else (None, None)
        before = _named(repository.base, base_path, one.qualified) if one.fate != "added" else None
        after = _named(repository.head, head_path, one.qualified) if one.fate != "removed" else None
        found.append(SymbolChange(fate=one.fate, base=before, head=after))
    return found


def _named(tree: Tree, path: str | None, qualified: str) -> Symbol | None:
    if path is None:
        return None
    return next((one for one in reversed(symbols_of(tree, path)) if one.qualified == qualified), None)
