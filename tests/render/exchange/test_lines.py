"""One line a finding: what a compiler would print, and what vim and problem matchers read."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from affidavit.render.formats import render
from reports import a_candidate, a_change, a_file, a_finding, a_hunk, a_report

MATCHER = Path(__file__).parents[3] / ".github" / "problem-matcher.json"
HUNK = a_hunk("+first", "+second", start=3)


def written() -> str:
    blocking = a_candidate(1, finding=a_finding(title="Blocks\n::error::forged", line=3))
    other = a_candidate(2, finding=a_finding(title="Does not", line=4, severity="low"))
    change = a_change([a_file("shop/cart.py", HUNK)])
    return render(a_report(blocking, other, change=change), "lines")


def test_what_blocks_is_an_error_and_anything_else_a_warning() -> None:
    (pattern,) = json.loads(MATCHER.read_text())["problemMatcher"][0]["pattern"]
    lines = written().splitlines()
    found = [re.fullmatch(pattern["regexp"], line) for line in lines]
    assert [one and one.groups()[:3] for one in found] == [
        ("shop/cart.py", "3", "error"),
        ("shop/cart.py", "4", "warning"),
    ]
    assert not [line for line in lines if line.startswith("::")]


def test_vim_reads_the_lines_as_errors(tmp_path: Path) -> None:
    vim = shutil.which("vim")
    if vim is None:
        pytest.skip("vim is not installed")
    (tmp_path / "lines.txt").write_text(written())
    script = "cgetfile lines.txt | call writefile([json_encode(getqflist())], 'found.json') | qa!"
    subprocess.run([vim, "-Nu", "NONE", "-es", "-c", script], cwd=tmp_path, check=False, timeout=20)
    found = json.loads((tmp_path / "found.json").read_text())
    assert [(one["lnum"], one["valid"]) for one in found] == [(3, 1), (4, 1)]
