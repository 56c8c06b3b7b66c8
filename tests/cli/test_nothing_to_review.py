"""Nothing to review is success where both sides are known; a range or a file that is wrong is not."""

import json
from pathlib import Path

import pytest

from affidavit.records.report import Report
from commands import Done, affidavit
from repositories import Repo

CLEAN = "def one():\n    return 1\n"


@pytest.fixture
def project(repo: Repo) -> Repo:
    repo.commit("Begin", {"one.py": CLEAN})
    return repo


def review(repo: Repo, *arguments: str | Path) -> Done:
    return affidavit("review", *arguments, cwd=repo.path)


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ((), "everything is committed"),
        (("--staged",), "nothing is staged"),
        (("HEAD",), "HEAD changes no file"),
        (("HEAD~1..HEAD",), "HEAD~1..HEAD changes no file"),
        (("HEAD...HEAD~1",), "HEAD...HEAD~1 changes no file"),
    ],
)
def test_an_empty_change_is_one_line_and_success(project: Repo, target: tuple[str, ...], why: str) -> None:
    project.git("commit", "-q", "--allow-empty", "-m", "Empty")
    done = review(project, *target)
    assert (done.code, done.out, done.err) == (0, f"Nothing to review: {why}.\n", "")


@pytest.mark.parametrize("target", ["", "...HEAD", "..HEAD"])
def test_an_empty_variable_of_a_script_is_no_empty_change(project: Repo, target: str) -> None:
    assert review(project, target).code == 2


def test_a_commit_with_its_revert_is_an_empty_change(project: Repo) -> None:
    project.commit("Break", {"one.py": "def one():\n    return nowhere\n"})
    project.git("revert", "--no-edit", "HEAD")
    assert review(project, "HEAD~2..HEAD").out == "Nothing to review: HEAD~2..HEAD changes no file.\n"


def test_before_the_first_commit_an_empty_folder_is_an_empty_change(repo: Repo) -> None:
    assert (review(repo).code, review(repo, "--staged").code) == (0, 0)


@pytest.mark.parametrize("target", ["nosuch", "HEAD~1..HEAD", "nosuch...HEAD", "empty.diff", "apart...HEAD"])
def test_a_wrong_range_and_an_empty_diff_are_no_success(project: Repo, tmp_path: Path, target: str) -> None:
    project.git("checkout", "-q", "--orphan", "apart")
    project.commit("Apart", {"two.py": CLEAN})
    project.git("checkout", "-q", "main")
    (project.path / "empty.diff").write_text("")
    assert review(project, target).code == 2


def test_every_format_of_an_empty_change_is_written_and_approves_nothing(
    project: Repo, tmp_path: Path
) -> None:
    names = ["report", "verdict", "markdown", "html", "sarif", "gitlab", "junit", "review-result"]
    wanted = [part for name in names for part in ("--format", f"{name}={tmp_path}/{name}")]
    assert review(project, "--staged", *wanted).code == 0
    report = Report.model_validate_json((tmp_path / "report").read_text())
    assert (report.verdict.decision, report.gate.exit_code, report.change.files) == ("comment", 0, ())
    assert report.verdict.summary == "Nothing to review: nothing is staged."
    assert json.loads((tmp_path / "verdict").read_text())["verdict"] == "comment"
    assert all("Nothing to review" in (tmp_path / name).read_text() for name in ("markdown", "html", "junit"))


def test_the_report_of_an_empty_change_is_proven_again(project: Repo, tmp_path: Path) -> None:
    project.git("commit", "-q", "--allow-empty", "-m", "Empty")
    report = tmp_path / "report.json"
    assert review(project, "HEAD", "--format", f"report={report}").code == 0
    done = affidavit("recheck", report, cwd=project.path)
    assert done.code == 0, done.out + done.err


def test_no_model_is_asked_about_an_empty_change(project: Repo) -> None:
    done = review(project, "--model", "openai:none", "--base-url", "http://127.0.0.1:9/v1")
    assert (done.code, done.out) == (0, "Nothing to review: everything is committed.\n")


@pytest.mark.parametrize("content", [CLEAN, CLEAN + "\n\ndef two():\n    return 2\n"])
def test_quiet_prints_nothing_where_nothing_is_found(project: Repo, content: str) -> None:
    project.write({"one.py": content})
    done = review(project, "--quiet")
    assert (done.code, done.out, done.err) == (0, "", "")


def test_quiet_prints_what_is_found_and_what_was_not_completed(project: Repo) -> None:
    project.write({"one.py": "def one():\n    return nowhere\n"})
    assert "nowhere" in review(project, "--quiet").out
    project.write({"one.py": CLEAN + "# \x00\n"})
    done = review(project, "--quiet", "--analyser-timeout-seconds", "1")
    assert done.code in (0, 3)
    assert bool(done.out) is (done.code == 3)
