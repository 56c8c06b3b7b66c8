"""The project's own test runner is found, and of its output only what matters is shown."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from affidavit.git.repository import open_repository
from affidavit.proof.running.own_names import NOTHING_OWN
from affidavit.sandbox.provision import provide
from affidavit.sandbox.sides import SandboxedSides
from affidavit.tools import test_runners
from affidavit.tools.arguments import Answer
from affidavit.tools.programs import ProgramTools
from affidavit.tools.test_runners import counted, differences, failures_in, results_of, run_of_tests
from repositories import Repo
from sandboxes import needed_sandbox

OUTPUTS = {
    "pytest": (
        "PASSED test_a.py::A::test_adds\nSKIPPED [1] test_a.py:7: x\n"
        "FAILED test_a.py::A::test_fails[a b] - AssertionError: 1 != 2\n"
    ),
    "unittest": (
        "test_adds (test_a.A.test_adds) ... ok\ntest_fails (test_a.A.test_fails)\nDocs. ... FAIL\n"
        "test_later (test_a.A.test_later) ... skipped 'x'\n"
    ),
    "node": (
        "TAP version 13\n# Subtest: adds\n    ok 1 - adds\n      ---\n      duration_ms: 23.9\n      ...\n"
        "    not ok 2 - fails\n      ---\n      error: 'no'\n      ...\n    ok 3 - later # SKIP\n1..3\n"
    ),
    "mocha": "ok 1 shop adds\nnot ok 2 shop fails\n  no\nok 3 shop later # SKIP -\n# tests 2\n1..3\n",
    "vitest": (
        "ok 1 - a.test.mjs > adds # time=1.2ms\nnot ok 2 - a.test.mjs > fails # time=5ms\n"
        "ok 3 - a.test.mjs > later # SKIP\n"
    ),
    "jest": "  shop\n    ✓ adds (2 ms)\n    ✕ fails (1 ms)\n\n    expected 1\n",
    "go": (
        "=== RUN   TestAdds\n--- PASS: TestAdds (0.00s)\n--- FAIL: TestFails (0.01s)\n"
        "    a_test.go:3: no\nFAIL\n"
    ),
    "cargo": "test tests::adds ... ok\ntest tests::later ... ignored\ntest tests::fails ... FAILED\n",
    "phpunit": "Shop\n ✔ Adds\n ✘ Fails\n   │ no\n",
    "gradle": "ShopTest > adds() PASSED\n\nShopTest > fails() FAILED\n    java.lang.AssertionError\n",
    "maven": "[ERROR]   ShopTest.fails:12 expected: <1> but was: <2>\n[INFO]\n",
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_the_failing_tests_of_a_runner_are_read_and_the_passing_are_left_out(name: str) -> None:
    found = results_of(OUTPUTS[name])
    assert [test for test, passed in found.items() if passed is False] == [
        test for test in found if "ail" in test
    ]
    assert [*found.values()].count(False) == 1
    shown = failures_in(OUTPUTS[name])
    assert "ails" in shown
    assert "dds" not in shown
    assert "later" not in shown.replace("[1]", "") or name == "pytest"


def test_what_differs_between_the_sides_is_named() -> None:
    base = "ok 1 - a\nnot ok 2 - b\nok 3 - c\nnot ok 4 - d\nok 5 - gone\n"
    head = "not ok 1 - a\nok 2 - b\nok 3 - c\nnot ok 4 - d\nnot ok 5 - new\nok 6 - more\n"
    assert dict(differences(base, head)) == {
        "fail_at_head_only": ["a"],
        "fail_at_base_only": ["b"],
        "fail_on_both_sides": ["d"],
        "new_and_failing": ["new"],
        "only_at_head": ["more"],
        "only_at_base": ["gone"],
    }
    assert counted(head) == "3 pass, 3 fail, 0 skipped"
    assert counted("nothing") == ""


Tested = Callable[..., Answer]
UNITTEST = "import unittest\n\n\nclass A(unittest.TestCase):\n"
ONE = "    def test_one(self):\n        self.assertEqual({}, 1)\n"
TEST = f"{UNITTEST}{ONE}\n    def test_two(self):\n        pass\n"


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Tested]:
    with ExitStack() as opened:

        def run(base: dict[str, str], head: dict[str, str], **asked: object) -> Answer:
            repo = Repo(tmp_path / "repo")
            before, after = repo.commit("base", base), repo.commit("head", head)
            repository = opened.enter_context(open_repository(repo.path, before, after))
            sides = opened.enter_context(SandboxedSides(repository, needed_sandbox(), provide(())))
            return ProgramTools(sides, NOTHING_OWN).call("run_tests", asked)

        yield run


def test_tests_of_the_standard_library_run_and_a_patch_can_be_tried(run: Tested) -> None:
    base, head = {"tests/test_a.py": TEST.format(1)}, {"tests/test_a.py": TEST.format(2)}
    patch = (
        "--- a/tests/test_a.py\n+++ b/tests/test_a.py\n@@ -5,3 +5,3 @@\n     def test_one(self):\n"
        "-        self.assertEqual(2, 1)\n+        self.assertEqual(1, 1)\n \n"
    )
    answer = run(base, head, language="python", paths=["tests/test_a.py"], patch=patch)
    assert ["test_one" in name for name in answer["fail_at_head_only"]] == [True]
    assert answer["at_base"]["tests"] == "2 pass, 0 fail, 0 skipped"
    assert answer["at_head"]["tests"] == "1 pass, 1 fail, 0 skipped"
    assert "AssertionError: 2 != 1" in answer["at_head"]["output"]
    assert "test_two" not in answer["at_head"]["output"]
    assert answer["at_head_with_patch"]["tests"] == "2 pass, 0 fail, 0 skipped"


def test_the_runner_of_the_repository_comes_before_others(run: Tested) -> None:
    own = "import sys\nprint('ok 1 - ' + sys.argv[-1])\n"
    files = {"tests/runtests.py": own, "django/__init__.py": "", "tests/a/tests.py": ""}
    answer = run(files, {"django/b.py": ""}, language="python", paths=["tests/a/tests.py"], side="head")
    assert answer["at_head"]["tests"] == "1 pass, 0 fail, 0 skipped"


def test_node_tests_answer_with_their_failures(run: Tested) -> None:
    text = (
        "const {{ test }} = require('node:test');\n"
        "test('a', () => {{ if ({}) throw new Error('no'); }});\ntest('b', () => {{}});\n"
    )
    base, head = {"a.test.cjs": text.format(0)}, {"a.test.cjs": text.format(1)}
    answer = run(base, head, language="node", paths=["a.test.cjs"])
    assert answer["fail_at_head_only"] == ["a"]
    assert "duration_ms" not in answer["at_base"]["output"].split("# tests")[0]


def test_every_runner_is_asked_only_where_it_starts() -> None:
    for language, runners in test_runners.TEST_RUNNERS.items():
        text = run_of_tests(language, ["a b/c.x"]).text
        assert text.count("\nif ") + 1 == len(runners)
        assert "a b/c.x" not in text.replace("'a b/c.x'", "").replace("'./a b/c.x'", "")
