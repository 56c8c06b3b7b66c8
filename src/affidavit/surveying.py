"""Put the readers of code together: what the map of a change and the tools are made with."""

from functools import partial

from affidavit.code.blob_cache import BlobCache
from affidavit.code.definitions import symbols_of
from affidavit.code.imports.graph import import_graph
from affidavit.code.mentions import find_mentions
from affidavit.code.survey import Survey
from affidavit.code.symbols import symbol_changes


def assemble_survey(cache: BlobCache | None = None) -> Survey:
    """The readers that this installation has; what they extract from a blob is kept in the cache."""
    return Survey(
        read_imports=partial(import_graph, cache=cache),
        symbols_of=partial(symbols_of, cache=cache),
        changed_symbols=partial(symbol_changes, cache=cache),
        find_references=find_mentions,
    )
