"""Reviews of the same commits, of what is staged and of what is not, and of more than before."""

import json
from pathlib import Path
from typing import Any

import pytest

from commands import Done, affidavit
from repositories import Repo

OFF = 'analysers_off = ["ty", "kingfisher", "references"]\n'
BAD = "def total(items):\n    return sum(itms)\n"


@pytest.fixture
def branch(repo: Repo) -> Repo:
    repo.commit("Base", {"affidavit.toml": OFF, "app.py": "def total(items):\n    return 0\n"})
    repo.git("checkout", "-q", "-b", "feature")
    repo.commit("Sum", {"app.py": BAD})
    return repo


def review(repo: Repo, data: Path, *options: str) -> tuple[Done, dict[str, Any]]:
    out = data.parent / "report.json"
    done = affidavit(
        "review", *options, "--format", f"report={out}", "--format", "terminal", "--data", data, "--quiet",
        cwd=repo.path,
    )  # fmt: skip
    return done, json.loads(out.read_text())


def test_a_second_review_of_the_same_commits_says_so(branch: Repo, tmp_path: Path) -> None:
    _, first = review(branch, tmp_path / "data", "main...feature")
    done, _ = review(branch, tmp_path / "data", "main...feature")
    assert f"same commits as review {first['id'][:8]}" in " ".join(done.out.split())
    assert "1 new" not in done.out
    assert "reported before" not in done.out


def test_what_is_staged_and_what_is_not_are_series_of_their_own(branch: Repo, tmp_path: Path) -> None:
    branch.write({"app.py": "# More.\n" + BAD + "\n\ndef f():\n    return missing\n"})
    branch.git("add", "-A")
    review(branch, tmp_path / "data", "--staged")
    _, second = review(branch, tmp_path / "data")
    assert second["follow_up"] is None


def test_a_wider_range_is_no_regression(branch: Repo, tmp_path: Path) -> None:
    branch.commit("Clean", {"other.py": "def g():\n    return 1\n"})
    review(branch, tmp_path / "data", "HEAD~1..feature")
    branch.commit("Clean too", {"third.py": "def h():\n    return 1\n"})
    done, second = review(branch, tmp_path / "data", "main..feature")
    assert second["follow_up"] is not None
    assert "score fell" not in done.out
