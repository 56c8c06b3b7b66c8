"""The tests that cover a patch: the step from head to patched head in, paths of tests out, surest first."""

from affidavit.context.gather import gather_context
from affidavit.git.repository import GitRepository
from affidavit.records.change import Change
from affidavit.symbols.changed import symbol_changes
from affidavit.symbols.definitions import symbols_of
from affidavit.symbols.import_graph import import_graph
from affidavit.symbols.readers import CodeReaders
from affidavit.symbols.references import find_references

READERS = CodeReaders(
    read_imports=import_graph,
    symbols_of=symbols_of,
    changed_symbols=symbol_changes,
    find_references=find_references,
)


def covering_tests(change: Change, patched: GitRepository) -> tuple[str, ...]:
    """As the map knows them: tests that use what is patched, import it, or are named after it."""
    return gather_context(change, patched, READERS).tests
