"""`affidavit eval mutate` as a user calls it."""

import json
from pathlib import Path

import pytest

from commands import affidavit
from repositories import Repo

CODE = """

def take(items, limit):
    if limit < 0:
        raise ValueError(limit)
    return items[:limit]
"""


@pytest.fixture
def shop(repo: Repo) -> Repo:
    """A repository with one commit that a bug can be planted in."""
    repo.commit("Begin", {"shop.py": "X = 1\n"})
    repo.commit("Take items", {"shop.py": "X = 1\n" + CODE})
    return repo


def test_planted_cases_can_be_evaluated(shop: Repo, tmp_path: Path) -> None:
    made = affidavit("eval", "mutate", "--out", tmp_path / "cases", cwd=shop.path)
    assert (made.code, "1 bug planted in 2 commits read" in made.out) == (0, True), made.err
    assert "shop.py:" in made.err

    done = affidavit("eval", tmp_path / "cases", "--format", "json", cwd=tmp_path)
    assert done.code == 0, done.err
    assert json.loads(done.out)["not_run"] == 0


def test_a_folder_that_is_named_from_here_holds_cases_that_can_be_evaluated(shop: Repo) -> None:
    made = affidavit("eval", "mutate", "--out", "cases", cwd=shop.path)
    assert made.code == 0, made.err

    done = affidavit("eval", "cases", "--format", "json", cwd=shop.path)

    assert (done.code, json.loads(done.out)["not_run"]) == (0, 0), done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--languages", "cobol"), "no bug can be planted in 'cobol'"),
        (("--since", "HEAD"), "no commit after 'HEAD'"),
        (("--languages", "typescript"), "no bug could be planted in 2 commits"),
        (("--repo", "nowhere"), "is not a folder"),
    ],
)
def test_bad_input_ends_with_2_and_a_sentence(
    shop: Repo, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = affidavit("eval", "mutate", "--out", tmp_path / "cases", *arguments, cwd=shop.path)

    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err
