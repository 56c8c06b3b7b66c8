"""Everything that is measured of the service, on both databases."""

from collections.abc import Iterator

from bench.row import Row
from bench.service.listing import list_rows
from bench.service.load import load_rows
from bench.service.sizes import sizes
from bench.service.streams import stream_rows

DATABASES = ("SQLite", "PostgreSQL")


def rows() -> Iterator[Row]:
    """Each row as soon as it is known."""
    size = sizes()
    for kind in DATABASES:
        yield from list_rows(size, kind)
        yield from stream_rows(size, kind)
        for analysers in (False, True):
            yield from load_rows(size, kind, analysers=analysers)
