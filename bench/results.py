"""`bench/results.md`: the rows of the last whole `make bench`, with the machine and the date."""

import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from bench.measure import ROOT, Row
from bench.repositories import run

RESULTS = ROOT / "bench" / "results.md"
HEAD = "| what | measured | compared with | measured | ratio | bound |\n" + "| --- " * 6 + "|\n"


def write_results(rows: Sequence[Row], place: Path = RESULTS) -> None:
    """Write the rows as a Markdown table, so that the file's history compares two versions."""
    over = sum(row.is_over for row in rows)
    place.write_text(
        f"# Results of `make bench`\n\n{_when_and_where()}\n\n"
        f"{len(rows)} comparisons, {over} over their bound.\n\n{HEAD}{''.join(map(Row.table_row, rows))}"
    )


def _when_and_where() -> str:
    revision = run("git", "describe", "--always", "--dirty", cwd=ROOT)
    cores, memory = os.cpu_count(), os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2**30
    load = os.getloadavg()[2]
    machine = f"{cores} cores ({_processor()}), {memory} GB, {platform.system()} {platform.release()}"
    python = f"Python {platform.python_version()}"
    return f"{datetime.now(UTC):%Y-%m-%d}, revision `{revision}`, {machine}, {python}, load {load:.1f}."


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())
