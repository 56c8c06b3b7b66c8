"""Tests that a change deletes, skips or weakens."""

import pytest

from affidavit.specialists.weakened_tests import find_losses
from affidavit.stages.intake import ChangeRequest, open_change
from claims import case_of
from repositories import Repo

SUM = "def test_sum():\n    assert total([1]) == 1\n    assert total([]) == 0\n"
PYTHON = f"{SUM}\n\ndef test_name():\n    assert name() == 'a'\n"
SCRIPT = "test('adds', () => {\n  expect(add(1, 2)).toBe(3);\n});\n"
FILES = {
    "tests/test_app.py": PYTHON,
    "app.test.ts": SCRIPT,
    "app.py": "def total(items):\n    return sum(items)\n",
}


def losses(repo: Repo, after: dict[str, str | None]) -> list[tuple[str, str, str]]:
    repo.commit("Base", FILES)
    repo.commit("Head", after)
    with open_change(ChangeRequest(target="HEAD", repo=repo.path)) as opened:
        found = list(find_losses(case_of(opened.change, opened.repository)))
    return [(one.rule.removeprefix("tests/"), one.path, one.name) for one in found]


def test_a_deleted_file_of_tests_is_one_loss(repo: Repo) -> None:
    assert losses(repo, {"tests/test_app.py": None}) == [
        ("deleted", "tests/test_app.py", "tests/test_app.py")
    ]


def test_a_removed_test_is_named(repo: Repo) -> None:
    found = losses(repo, {"tests/test_app.py": PYTHON.partition("\n\n\ndef test_name")[0] + "\n"})
    assert found == [("removed", "tests/test_app.py", "test_name")]


def test_a_test_that_moved_is_not_lost(repo: Repo) -> None:
    assert losses(repo, {"tests/test_app.py": None, "tests/test_other.py": "import os\n\n\n" + PYTHON}) == []


@pytest.mark.parametrize(
    "mark", ["@pytest.mark.skip\n", "@unittest.skip('later')\n", "@pytest.mark.xfail(reason='x')\n"]
)
def test_a_skipped_test_is_found(repo: Repo, mark: str) -> None:
    (found,) = losses(repo, {"tests/test_app.py": PYTHON.replace("def test_name", mark + "def test_name")})
    assert (found[0], found[2]) == ("skipped", mark.strip())


def test_fewer_or_empty_assertions_weaken_a_test(repo: Repo) -> None:
    after = PYTHON.replace("    assert total([]) == 0\n", "").replace("assert name() == 'a'", "assert True")
    assert [(rule, name) for rule, _, name in losses(repo, {"tests/test_app.py": after})] == [
        ("weakened", "test_sum"),
        ("weakened", "test_name"),
    ]


def test_other_languages_are_read_too(repo: Repo) -> None:
    assert losses(repo, {"app.test.ts": SCRIPT.replace("test(", "test.skip(")})[0][0] == "skipped"


def test_more_tests_and_other_code_are_no_loss(repo: Repo) -> None:
    more = PYTHON + "\n\ndef test_more():\n    assert more()\n"
    assert losses(repo, {"tests/test_app.py": more, "app.py": "def total(items):\n    return 1\n"}) == []
