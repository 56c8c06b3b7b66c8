"""A patch is judged by tests that it has not touched."""

import asyncio
import difflib
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from affidavit.git.repository import GitRepository, open_repository
from affidavit.languages.test_files import is_test_material
from affidavit.records.change import Change, Revision
from affidavit.records.finding import Finding
from affidavit.records.program_runs import Program, ProgramRun, TrialStep
from affidavit.records.record import Side
from affidavit.reviewing.patch_trial import covering_tests, passed_tests, try_patch
from repositories import Repo

APP = "def total(prices):\n    return prices[0] + sum(prices[1:])\n"
MENDED = "def total(prices):\n    return sum(prices)\n"
TEST = (
    "import unittest\n\nfrom app import total\n\n\n"
    "class T(unittest.TestCase):\n    def test_it(self):\n        self.assertEqual(total([1]), 1)\n"
)
SCRIPT = "const test = require('node:test');\ntest('c', () => { assert.strictEqual(cents('1'), 100) });\n"
HEAD = {
    "app.py": APP,
    "tests/test_app.py": TEST,
    "m.js": "exports.cents = Number;\n",
    "test/m.test.js": SCRIPT,
}


class Recorded:
    """Who makes runners: it knows for which trees, and each prints what it was told to."""

    name = "a record"
    languages = ("python", "node", "sh")

    def __init__(self, before: str = "", after: str = "") -> None:
        self.made: list[GitRepository] = []
        self.judging: list[dict[str, bytes | None]] = []
        self._says: dict[str, str] = {"base": before, "head": after}

    def make(self, repository: GitRepository) -> "Recorded":
        self.made.append(repository)
        return self

    def run(self, program: Program, side: Side, seconds: float | None = None) -> ProgramRun:
        return ProgramRun(side=side, state="exited", exit_code=0, output=self._says[side])

    def stop(self) -> None: ...


def diff(path: str, before: str | None, after: str | None) -> str:
    """A patch of one file."""
    lines = difflib.unified_diff(
        (before or "").splitlines(keepends=True),
        (after or "").splitlines(keepends=True),
        f"a/{path}" if before is not None else "/dev/null",
        f"b/{path}" if after is not None else "/dev/null",
    )
    return "".join(lines)


@pytest.fixture
def tested(repo: Repo) -> Callable[..., TrialStep]:
    """What the tests say of a patch that mends the code and leaves other files as named."""
    repo.commit("base", {"app.py": "", "m.js": ""})
    repo.commit("head", HEAD)

    def tested(others: Mapping[str, str | None], runner: Recorded | None = None) -> TrialStep:
        changed = {"app.py": MENDED, **others}
        text = "".join(diff(path, HEAD.get(path), after) for path, after in changed.items())
        evidence: dict[str, Any] = {
            "code_examined": "x",
            "line_range_examined": (1, 2),
            "verification_method": "read",
            "checked_for_handling_elsewhere": True,
            "patch": text,
        }
        fields = {"id": "1", "severity": "high", "category": "correctness", "title": "t", "message": "m"}
        finding = Finding.model_validate({**fields, "file": "app.py", "line": 2, "verification": evidence})
        revisions = repo.git("rev-parse", "HEAD~1"), repo.git("rev-parse", "HEAD")
        change = Change(source="range", target="a", base=Revision(tree=""), head=Revision(tree=""), files=())
        with open_repository(repo.path, *revisions) as opened:
            make = runner.make if runner else None
            trial, _ = asyncio.run(try_patch(finding, change, opened, (), make, covering_tests))
            for made in runner.made if runner else ():
                assert made.head.read("app.py") == MENDED.encode()
            if runner:
                runner.judging = [
                    {path: made.head.read(path) for path in ("tests/test_app.py", "conftest.py")}
                    for made in runner.made
                ]
        return trial.steps[-1]

    return tested


def test_a_patch_that_edits_tests_fails_where_no_program_is_run(tested: Callable[..., TrialStep]) -> None:
    step = tested({"test/m.test.js": None})
    assert (step.passed, step.detail) == (False, "the patch edits tests; programs are not run here")


def test_a_patch_that_adds_a_test_does_not_fail_for_it(tested: Callable[..., TrialStep]) -> None:
    step = tested({"tests/test_more.py": "def test_more():\n    assert True\n"})
    assert (step.passed, step.detail) == (None, "programs are not run here")


def test_tests_that_a_patch_touches_judge_it_as_they_stand_at_head(tested: Callable[..., TrialStep]) -> None:
    runner = Recorded()
    forgiving = TEST.replace("total([1]), 1", "total([1]), 2")
    step = tested({"tests/test_app.py": forgiving, "conftest.py": "import app\n"}, runner)
    assert {"tests/test_app.py": TEST.encode(), "conftest.py": None} in runner.judging
    assert step.detail.endswith("pass with the patch (tests as at head)")


def test_a_patch_that_touches_no_test_is_run_once(tested: Callable[..., TrialStep]) -> None:
    runner = Recorded()
    assert tested({}, runner).passed is True
    assert len(runner.made) == 1


@pytest.mark.parametrize(
    ("before", "after", "passed"),
    [
        ("Ran 3 tests in 0.1s\n\nOK\n", "Ran 3 tests in 0.2s\n\nOK\n", True),
        ("Ran 3 tests in 0.1s\n\nOK\n", "Ran 3 tests in 0.2s\n\nOK (skipped=2)\n", False),
        ("Ran 3 tests in 0.1s\n\nOK\n", "", False),
        ("", "", True),
    ],
)
def test_with_a_patch_no_fewer_tests_may_pass(
    tested: Callable[..., TrialStep], before: str, after: str, passed: bool
) -> None:
    assert tested({}, Recorded(before, after)).passed is passed


@pytest.mark.parametrize(
    ("output", "count"),
    [
        ("....\n4 passed, 1 skipped in 0.03s\n", 4),
        ("1 skipped in 0.03s\n", 0),
        ("== 2 failed, 1 passed in 1.03s ==\n", 1),
        ("no tests ran in 0.00s\n", 0),
        ("Ran 4 tests in 0.001s\n\nFAILED (failures=1, skipped=1)\n", 2),
        ("Ran 1 test in 0.001s\n\nOK\n", 1),
        ("Ran 9 tests in 0.001s\n\nOK\nRan 1 test in 0.001s\n\nOK\n", 1),
        ("# tests 3\n# pass 2\n# fail 1\n", 2),
        ("\u2139 tests 3\n\u2139 pass 3\n", 3),
        ("4 runs, 5 assertions, 1 failures, 0 errors, 1 skips\n", 2),
        ("ok  \texample.com/a\t0.002s\nok  \texample.com/b\t0.002s [no tests to run]\n", 1),
        ("hello\n", None),
    ],
)
def test_the_tests_that_passed_are_counted_as_their_runner_does(output: str, count: int | None) -> None:
    assert passed_tests(output) == count


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("tests/test_app.py", True),
        ("tests/data/total.json", True),
        ("pkg/testdata/golden.txt", True),
        ("conftest.py", True),
        ("src/sitecustomize.py", True),
        ("unittest/__main__.py", True),
        (".pytest.ini", True),
        ("app.py", False),
        ("pyproject.toml", False),
    ],
)
def test_what_judges_a_patch_is_known(path: str, expected: bool) -> None:
    assert is_test_material(path) is expected
