"""Everything that is measured of the service, on both databases."""

from collections.abc import Callable, Iterator
from functools import partial

from bench.row import Row
from bench.service.listing import list_rows
from bench.service.load import load_rows
from bench.service.sizes import sizes
from bench.service.streams import stream_rows

DATABASES = ("SQLite", "PostgreSQL")


def parts() -> dict[str, Callable[[], list[Row]]]:
    """What can be measured by itself, by its name: `service-analysers-postgresql`."""
    size = sizes()
    return {
        f"service-{name}-{kind.lower()}": partial(measure, size, kind)
        for kind in DATABASES
        for name, measure in {
            "list": list_rows,
            "streams": stream_rows,
            "load": partial(load_rows, analysers=False),
            "analysers": partial(load_rows, analysers=True),
        }.items()
    }


def rows() -> Iterator[Row]:
    """Each row as soon as it is known."""
    for measure in parts().values():
        yield from measure()
