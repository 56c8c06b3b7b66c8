"""What would leave for a review that follows another one: what is new, and what was asked before."""

from pathlib import Path

import pytest

from commands import affidavit
from repositories import Repo

OFF = 'analysers_off = ["ty", "kingfisher", "references"]\n'


@pytest.fixture
def branch(repo: Repo, tmp_path: Path) -> Repo:
    repo.commit("Base", {"affidavit.toml": OFF, "app.py": "def total(items):\n    return 0\n"})
    repo.git("checkout", "-q", "-b", "topic")
    repo.commit("Sum", {"app.py": "def total(items):\n    return itms\n"})
    affidavit("review", "main...topic", "--quiet", "--data", tmp_path / "data", cwd=repo.path)
    repo.commit("More", {"notes.py": "TEXT = 'a'\n"})
    return repo


def test_what_was_asked_before_is_named_among_what_leaves(branch: Repo, tmp_path: Path) -> None:
    options = ("--model", "openai:any", "--what-leaves", "--data", tmp_path / "data")
    done = affidavit("review", "main...topic", *options, cwd=branch.path, env={"OPENAI_API_KEY": "none"})
    assert done.code == 0, done.err
    assert "feedback_history" in done.out
    assert "`itms` is not defined" in done.out
