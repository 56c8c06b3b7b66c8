"""`review --run` with a patch that fixes nothing, and the finding's program as a test."""

import json
from pathlib import Path
from typing import Any

import pytest

from commands import Done, affidavit
from model_server import serving
from panelists import claim, panelists, result, review
from repositories import Repo
from sandboxes import needed_sandbox

BASE = "def total(prices):\n    return sum(prices)\n"
HEAD = "def total(prices):\n    first, *others = prices\n    return first + sum(others)\n"
TEST = "import unittest\n\n\nclass Totals(unittest.TestCase):\n    def test_one(self): ...\n"
USELESS = (
    "--- a/app.py\n+++ b/app.py\n@@ -1,3 +1,3 @@\n def total(prices):\n     first, *others = prices\n"
    "-    return first + sum(others)\n+    return sum(others) + first\n"
)
FIXING = (
    "--- a/app.py\n+++ b/app.py\n@@ -1,3 +1,2 @@\n def total(prices):\n-    first, *others = prices\n"
    "-    return first + sum(others)\n+    return sum(prices)\n"
)
SHOWS = {
    "language": "python",
    "program": "from app import total\nprint(total([]))\n",
    "expected_at_base": {"exit_code": 0, "output": "^0"},
    "expected_at_head": {"exit_code": 1, "output": "Error"},
}


@pytest.fixture(autouse=True)
def sandbox() -> None:
    needed_sandbox()


@pytest.fixture
def change(repo: Repo) -> Repo:
    repo.commit("base", {"app.py": BASE, "test_app.py": TEST})
    repo.commit("head", {"app.py": HEAD})
    return repo


def reviewed(change: Repo, place: Path, patch: str) -> tuple[dict[str, Any], str]:
    shown = {"reproduction": SHOWS, "patch": patch}
    found = claim("app.py", 2, "    first, *others = prices", id="none", evidence=shown)
    answer = {**result(found), "schema_version": "1.2"}
    with serving(panelists(lambda told: answer)) as (address, script):
        done = review(change.path, address, "--format", f"report={place}", "--run")
    assert place.exists(), done.err
    return json.loads(place.read_text()), json.dumps(script.requests, default=str)


def leader(report: dict[str, Any]) -> dict[str, Any]:
    return next(one for one in report["candidates"] if one["reproduction"] and one["patch_trial"])


def rechecked(change: Repo, place: Path, *options: str) -> list[dict[str, Any]]:
    done: Done = affidavit("recheck", place, "--format", "json", *options, cwd=change.path)
    proofs: list[dict[str, Any]] = json.loads(done.out)["proofs"]
    return proofs


def test_a_patch_that_does_not_fix_is_withheld_and_its_finding_stays(change: Repo, tmp_path: Path) -> None:
    place = tmp_path / "r.json"
    report, asked = reviewed(change, place, USELESS)
    one = leader(report)
    assert (one["withheld"], one["reproduction"]["outcome"]) == (None, "reproduced")
    assert one["reproduction"]["patched"]["exit_code"] == 1
    assert one["patch_trial"]["holds"] is False
    assert "patch_does_not_fix" in {note["code"] for note in report["diagnostics"]}
    assert "Its patch does not fix it" in asked
    again = rechecked(change, place, "--run")
    assert {proof["kind"] for proof in again} >= {"report", "reproduction", "patch"}
    assert [proof for proof in again if proof["holds"] is not True] == []
    # A report that says that the patch fixed it is a contradiction.
    for kept in (one["reproduction"], *(g["check"] for g in report["inputs"]["programs"]["reproductions"])):
        kept["patched"] |= {"exit_code": 0, "output": "0\n"}
    place.write_text(json.dumps(report))
    assert any(proof["holds"] is False for proof in rechecked(change, place, "--run"))


def test_the_program_becomes_a_test_that_passes_with_the_patch_alone(change: Repo, tmp_path: Path) -> None:
    place = tmp_path / "r.json"
    report, _ = reviewed(change, place, FIXING)
    one = leader(report)
    assert one["patch_trial"]["holds"] is True
    done = affidavit("suggest", place, one["id"], "--test", "--apply", cwd=change.path)
    assert done.code == 0, done.out + done.err
    assert "passed: passes with the patch" in done.out
    (made,) = set(change.path.glob("test_*.py")) - {change.path / "test_app.py"}
    assert "RegressionTest" in made.read_text()
    report, _ = reviewed(change, place, USELESS)
    done = affidavit("suggest", place, leader(report)["id"], "--test", "--apply", cwd=change.path)
    assert done.code != 0
