"""Rows of reviews on the command line: the same branch, a name, or the report of the review before."""

import json
from pathlib import Path
from typing import Any

import pytest

from commands import Done, affidavit
from repositories import Repo

OFF = 'analysers_off = ["ty", "kingfisher", "bandit", "references"]\n'
BAD = "def total(items):\n    return sum(itms)\n"
WORSE = BAD + "\n\ndef other():\n    return missing\n"


@pytest.fixture
def branch(repo: Repo) -> Repo:
    repo.commit("Base", {"affidavit.toml": OFF, "app.py": "def total(items):\n    return 0\n"})
    repo.git("checkout", "-q", "-b", "feature")
    repo.commit("Sum", {"app.py": BAD})
    return repo


def review(repo: Repo, *options: str | Path, data: Path) -> tuple[Done, dict[str, Any]]:
    out = data.parent / "report.json"
    done = affidavit(
        "review", "main...feature", "--format", f"report={out}", "--format", "terminal", *options,
        "--data", data, "--quiet", cwd=repo.path,
    )  # fmt: skip
    return done, json.loads(out.read_text()) if out.exists() else {}


def test_reviews_of_one_branch_are_a_row(branch: Repo, tmp_path: Path) -> None:
    _, first = review(branch, data=tmp_path / "data")
    assert first["follow_up"] is None
    branch.commit("More", {"app.py": "# Sums.\n" + WORSE})
    done, second = review(branch, data=tmp_path / "data")
    row = second["follow_up"]
    assert (row["iteration"], row["series"], row["previous"]) == (2, "feature", first["id"])
    assert [one["fate"] for one in row["decisions"]] == ["still_open"]
    assert len(row["new"]) == 1
    assert "review 2 of this change: 1 still open, 1 new" in done.out
    branch.commit("Fix", {"app.py": "def total(items):\n    return sum(items)\n"})
    done, third = review(branch, data=tmp_path / "data")
    assert [one["fate"] for one in third["follow_up"]["decisions"]] == ["fixed", "fixed"]
    assert done.code == 0


def test_a_second_look_at_the_same_head_is_no_new_iteration(branch: Repo, tmp_path: Path) -> None:
    review(branch, data=tmp_path / "data")
    _, again = review(branch, data=tmp_path / "data")
    assert again["follow_up"] is None


def test_a_name_makes_a_row_of_its_own(branch: Repo, tmp_path: Path) -> None:
    review(branch, "--series", "mine", data=tmp_path / "data")
    branch.commit("More", {"app.py": WORSE})
    _, other = review(branch, data=tmp_path / "data")
    assert other["follow_up"] is None
    _, mine = review(branch, "--series", "mine", data=tmp_path / "data")
    assert mine["follow_up"]["series"] == "mine"


def test_the_report_of_the_review_before_is_enough_without_a_store(branch: Repo, tmp_path: Path) -> None:
    _, first = review(branch, "--no-store", data=tmp_path / "data")
    kept = (tmp_path / "report.json").rename(tmp_path / "before.json")
    branch.commit("Shift", {"app.py": "# Sums.\n" + BAD})
    done, second = review(branch, "--no-store", "--previous", kept, data=tmp_path / "data")
    assert [one["fate"] for one in second["follow_up"]["decisions"]] == ["still_open"]
    assert second["inputs"]["earlier"]["report_id"] == first["id"]
    assert done.code == 1
    rechecked = affidavit("recheck", tmp_path / "report.json", cwd=branch.path)
    assert rechecked.code == 0, rechecked.out
    assert f"report {first['id']}" in rechecked.out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--series", " "), "--series needs a name"),
        (("--series", "a", "--no-store"), "--series needs the store"),
        (("--previous", "nowhere.json"), "--previous: nowhere.json: No such file"),
        (("--previous", "app.py"), "--previous: app.py is not a native report"),
    ],
)
def test_what_cannot_be_followed_is_said(
    branch: Repo, tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    done, _ = review(branch, *options, data=tmp_path / "data")
    assert done.code == 2
    assert said in done.err


def test_a_branch_that_was_merged_begins_a_new_row(branch: Repo, tmp_path: Path) -> None:
    review(branch, data=tmp_path / "data")
    branch.git("checkout", "-q", "main")
    branch.git("merge", "-q", "--ff-only", "feature")
    branch.git("checkout", "-q", "feature")
    branch.commit("Next", {"other.py": "def f():\n    return nothing\n"})
    _, second = review(branch, data=tmp_path / "data")
    assert second["follow_up"] is None


def test_a_comment_that_silences_a_problem_does_not_fix_it(branch: Repo, tmp_path: Path) -> None:
    review(branch, data=tmp_path / "data")
    branch.commit("Silence", {"app.py": BAD.replace("sum(itms)", "sum(itms)  # noqa: F821")})
    _, second = review(branch, data=tmp_path / "data")
    assert [one["fate"] for one in second["follow_up"]["decisions"]] == ["still_open"]


def test_two_repositories_in_folders_of_one_name_have_rows_of_their_own(branch: Repo, tmp_path: Path) -> None:
    review(branch, data=tmp_path / "data")
    other = Repo(tmp_path / "elsewhere" / branch.path.name)
    other.commit("Base", {"affidavit.toml": OFF, "z.py": "x = 1\n"})
    other.git("checkout", "-q", "-b", "feature")
    other.commit("Other", {"z.py": "x = y\n"})
    _, first = review(other, data=tmp_path / "data")
    assert first["follow_up"] is None
