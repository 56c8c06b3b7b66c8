"""`python -m bench --smoke` runs the sections on a tiny size and names those that fail."""

import platform
import subprocess
import sys
from pathlib import Path

import pytest
from bench.__main__ import SECTIONS, TOOLS, measure
from bench.measure import Row, smoke_scale
from bench.results import write_results

ROOT = Path(__file__).parents[1]


SERVICE = [name for name in SECTIONS if name.startswith("service")]
GROUPS = {
    "service": [*SERVICE, "growth"],
    "models": ["minds", "iterations", "tokens", "costs", "page"],
}
OTHERS = [name for name in (*SECTIONS, *TOOLS) if not any(name in group for group in GROUPS.values())]


@pytest.mark.parametrize("names", [*GROUPS.values(), OTHERS], ids=[*GROUPS, "others"])
def test_every_section_ends(names):
    command = [sys.executable, "-m", "bench", "--smoke", *names]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    ended = [line.partition(":")[0] for line in done.stdout.splitlines()]
    assert set(names) <= set(ended)


def test_a_section_that_fails_is_named_and_the_others_still_run(tmp_path):
    rows = []
    row = Row("one", 1, "other", 2, 1)

    def broken(_scale):
        raise RuntimeError("broken on purpose")

    with pytest.raises(SystemExit, match="these sections failed: broken$"):
        measure({"broken": broken, "good": lambda _scale: [row]}, [], smoke_scale(tmp_path), rows.append)
    assert rows == [row]


def test_an_unknown_section_is_an_error(tmp_path):
    with pytest.raises(SystemExit, match="these sections failed: nonesuch$"):
        measure({}, ["nonesuch"], smoke_scale(tmp_path), Row.line)


def test_the_results_name_the_machine_and_what_is_over_its_bound(tmp_path):
    rows = [Row("a review", 3, "ty alone", 2, 1.3), Row("  its tokens", 10, "the diff", 20, 1, "tok")]
    write_results(rows, tmp_path / "results.md")
    text = (tmp_path / "results.md").read_text()
    assert "| a review | 3.000 s | ty alone | 2.000 s | 1.50 | OVER 1.3 |" in text
    assert "| its tokens | 10 tok | the diff | 20 tok | 0.50 | within 1 |" in text
    assert "2 comparisons, 1 over their bound." in text
    assert f"Python {platform.python_version()}" in text
