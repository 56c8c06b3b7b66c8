"""`make bench`: measure everything and write `bench/results.md`; `--smoke` only runs everything once.

Each row prints its ratio beside its bound. `python -m bench NAME…` measures some sections and writes nothing.
The results are committed, so that two versions can be compared.
"""

import os
import resource
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from bench import map as map_of_fixes
from bench import mechanical, models, recorded, redaction, service, streams, sweep
from bench.big import big
from bench.context import context
from bench.costs import costs
from bench.growth import growth
from bench.history import history
from bench.measure import Row, Scale, Section, smoke_scale
from bench.page import page
from bench.repositories import repaired_repository
from bench.results import write_results

SECTIONS: dict[str, Section] = {
    "start": mechanical.start,
    "review": mechanical.review,
    "history": history,
    "big": big,
    "analysers": mechanical.analysers,
    "imports": mechanical.imports,
    "programs": mechanical.programs,
    "context": context,
    "minds": models.minds,
    "iterations": models.iterations,
    "page": page,
    **service.parts(),
    **streams.parts(),
    "growth": growth,
    "tokens": models.tokens,
    "costs": costs,
}
TOOLS: dict[str, Callable[[Sequence[str]], None]] = {
    "sweep": sweep.main,
    "map": map_of_fixes.main,
    "redaction": redaction.main,
    "recorded": recorded.main,
}
"""Commands with arguments of their own: `python -m bench sweep FOLDER…`."""


def main(arguments: Sequence[str]) -> None:
    """Run a tool, or measure the named sections; all of them if none is named."""
    if arguments[:1] and arguments[0] in TOOLS:
        TOOLS[arguments[0]](arguments[1:])
    elif arguments[:1] == ["--smoke"]:
        with tempfile.TemporaryDirectory() as folder:
            measure({**SECTIONS, **_tool_sections()}, arguments[1:], smoke_scale(Path(folder)), Row.line)
    else:
        scale, rows = Scale(), list[Row]()
        scale.folder.mkdir(exist_ok=True)

        def show(row: Row) -> None:
            print(row.line(), flush=True)
            rows.append(row)

        measure(SECTIONS, arguments, scale, show)
        if not arguments:
            write_results(rows)
        print(*(f"over its bound: {row.line()}" for row in rows if row.is_over), sep="\n")
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"peak memory of the largest process: {peak:.0f} MB ({scale.project.name})")


def measure(
    sections: Mapping[str, Section], chosen: Sequence[str], scale: Scale, show: Callable[[Row], object]
) -> None:
    """Run the chosen sections (`service`: all its parts), or all; exit with the names that failed."""
    found = {word: [name for name in sections if f"{name}-".startswith(f"{word}-")] for word in chosen}
    failed = [word for word, names in found.items() if not names]
    names = [name for names in found.values() for name in names] if chosen else list(sections)
    # Compiled modules are kept, as those of an installed package are, whatever is set here.
    os.environ |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(scale.folder / "byte-code")}
    for name in names:
        started = time.monotonic()
        try:
            for row in sections[name](scale):
                show(row)
        except (Exception, SystemExit):  # noqa: BLE001 - the other sections still run
            traceback.print_exc()
            failed.append(name)
        print(f"{name}: {time.monotonic() - started:.1f} s", flush=True)
    if failed:
        raise SystemExit(f"bench: these sections failed: {', '.join(failed)}")


def _tool_sections() -> dict[str, Section]:
    """Return the tools as sections that run on a small repository."""

    def section(name: str, scale: Scale) -> list[Row]:
        folder = str(repaired_repository(scale.folder / f"{name}-repository"))
        out = ["--out", str(scale.folder / f"{name}-out")]
        wanted = {"sweep": [folder, *out], "redaction": [folder, *out], "map": [folder], "recorded": []}
        TOOLS[name](wanted[name])
        return []

    return {name: partial(section, name) for name in TOOLS}


if __name__ == "__main__":
    main(sys.argv[1:])
