"""Reproductions, turned into tests and tried on real repositories in the sandbox."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

from affidavit.errors import InputError
from affidavit.git.repository import open_repository
from affidavit.proof.running.own_names import NOTHING_OWN
from affidavit.proof.running.reproduction import run_reproduction
from affidavit.records.change import Change, Revision
from affidavit.records.finding import Finding, Reproduction
from affidavit.records.program_runs import Program
from affidavit.reviewing.regression_test import Guard, write_guard
from affidavit.sandbox.provision import provide
from affidavit.sandbox.sides import SandboxedSides
from repositories import Repo
from sandboxes import needed_sandbox

BASE = "def total(prices):\n    return sum(prices)\n"
HEAD = "def total(prices):\n    return prices[0] + sum(prices[1:])\n"
PATCH = (
    "--- a/app.py\n+++ b/app.py\n@@ -1,2 +1,2 @@\n def total(prices):\n"
    "-    return prices[0] + sum(prices[1:])\n+    return sum(prices)\n"
)
USELESS = PATCH.replace("+    return sum(prices)", "+    return sum(prices[1:]) + prices[0]")
SHOWS: dict[str, Any] = {
    "language": "python",
    "program": "from app import total\nprint(total([]))\n",
    "expected_at_base": {"exit_code": 0, "output": "^0"},
    "expected_at_head": {"exit_code": 1, "output": "IndexError"},
}
WITH_UNITTEST = "import unittest\n\n\nclass Totals(unittest.TestCase):\n    def test_one(self): ...\n"
JS_BASE = "exports.total = (prices) => prices.reduce((a, b) => a + b, 0);\n"
JS_HEAD = "exports.total = (prices) => prices.reduce((a, b) => a + b);\n"
WITH_NODE = "const test = require('node:test');\ntest('one', () => {});\n"
JS_SHOWS = {
    "language": "node",
    "program": "console.log(require('./app.js').total([]));\n",
    "expected_at_base": {"exit_code": 0, "output": "^0"},
    "expected_at_head": {"exit_code": 1, "output": "TypeError"},
}


@contextmanager
def opened(
    repo: Repo, base: Mapping[str, str], head: Mapping[str, str], shows: Mapping[str, Any], patch: str = ""
) -> Iterator[tuple[Finding, Change, Any, SandboxedSides]]:
    repo.commit("base", {name: text.encode() for name, text in base.items()})
    repo.commit("head", {name: text.encode() for name, text in head.items()})
    evidence: dict[str, Any] = {
        "code_examined": "x",
        "line_range_examined": (1, 2),
        "verification_method": "read",
        "checked_for_handling_elsewhere": True,
        "patch": patch or None,
        "reproduction": Reproduction.model_validate(shows),
    }
    fields = {"id": "1", "severity": "high", "category": "correctness", "title": "No prices fail", "line": 2}
    finding = Finding.model_validate(
        {**fields, "message": "m", "file": next(iter(head)), "verification": evidence}
    )
    with open_repository(repo.path, repo.git("rev-parse", "HEAD~1"), repo.git("rev-parse", "HEAD")) as trees:
        change = Change(
            source="range",
            target="a..b",
            base=Revision(tree=trees.base.revision),
            head=Revision(tree=trees.head.revision),
            files=(),
        )
        with SandboxedSides(trees, needed_sandbox(), provide([], None)) as sides:
            yield finding, change, trees, sides


def written(repo: Repo, base: Mapping[str, str], head: Mapping[str, str], shows: Mapping[str, Any]) -> Guard:
    with opened(repo, base, head, shows) as (finding, change, trees, sides):
        return write_guard(finding, change, trees, sides)


def test_a_program_becomes_a_test_beside_the_tests_of_its_file(repo: Repo) -> None:
    base = {"app.py": BASE, "checks/test_app.py": WITH_UNITTEST, "checks/__init__.py": ""}
    guard = written(repo, base, {"app.py": HEAD}, SHOWS)
    assert guard.holds, guard.steps
    assert guard.path == "checks/test_no_prices_fail.py"
    # The program is the body of the test.
    assert "class RegressionTest(unittest.TestCase):" in guard.text
    assert "print(total([]))" in guard.text
    assert "subprocess" not in guard.text


def test_a_program_that_ends_by_itself_is_started_by_the_test(repo: Repo) -> None:
    program = "import sys\nfrom app import total\ntry:\n    total([])\nexcept IndexError:\n    sys.exit(1)\n"
    program += "sys.exit(0)\n"
    shows = {**SHOWS, "program": program}
    shows |= {"expected_at_base": {"exit_code": 0}, "expected_at_head": {"exit_code": 1}}
    guard = written(repo, {"app.py": BASE, "test_app.py": WITH_UNITTEST}, {"app.py": HEAD}, shows)
    assert guard.holds, guard.steps
    assert "subprocess" in guard.text


def test_a_program_for_node_becomes_a_test_of_node(repo: Repo) -> None:
    base = {"app.js": JS_BASE, "test/app.test.js": WITH_NODE}
    guard = written(repo, base, {"app.js": JS_HEAD}, JS_SHOWS)
    assert guard.holds, guard.steps
    assert guard.path == "test/no-prices-fail.test.js"


def test_a_test_that_does_not_fail_at_head_does_not_hold(repo: Repo) -> None:
    guard = written(repo, {"app.py": BASE, "test_app.py": WITH_UNITTEST}, {"app.py": f"{BASE}\n"}, SHOWS)
    assert not guard.holds
    assert [passed for _, passed in guard.steps] == [False, True, False]


def test_a_repository_without_tests_has_none_to_write_one_like(repo: Repo) -> None:
    with pytest.raises(InputError, match="no test in python"):
        written(repo, {"app.py": BASE}, {"app.py": HEAD}, SHOWS)


@pytest.mark.parametrize(("patch", "code"), [(PATCH, 0), (USELESS, 1)])
def test_a_program_runs_at_head_with_the_patch_that_it_brings(repo: Repo, patch: str, code: int) -> None:
    with opened(repo, {"app.py": BASE}, {"app.py": HEAD}, SHOWS, patch) as (finding, _, _, sides):
        program = Program(language="python", text=SHOWS["program"], patch=patch)
        assert sides.run(program, "head").exit_code == code
        assert sides.run(program, "base").exit_code == 0
        check = run_reproduction(finding.evidence.reproduction, sides, NOTHING_OWN, patch=patch)
        assert check.patched is not None
        assert (check.outcome, check.patched.exit_code) == ("reproduced", code)


def test_a_patch_that_does_not_apply_is_said(repo: Repo) -> None:
    with opened(repo, {"app.py": BASE}, {"app.py": HEAD}, SHOWS) as (_, _, _, sides):
        run = sides.run(Program(language="python", text="print(1)", patch="nonsense"), "head")
        assert (run.state, bool(run.detail)) == ("not_started", True)
