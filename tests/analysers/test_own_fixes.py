"""What analysers would write themselves: a patch against head, offered to nobody before it was tried."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from affidavit.analysers.engine.wording import edited, patch_of, unified
from affidavit.git.patches import apply_patch
from affidavit.git.repository import GitRepository, open_repository
from affidavit.records.evidence import AnalyserDiagnostic, Edit
from claims import opened
from commands import affidavit
from repositories import Repo
from sandboxes import needed_sandbox

KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
BASE = {"app.py": "def kind(x):\n    return 0\n"}
HEAD = {
    "app.py": 'def kind(x):\n    """Whether."""\n    return x is "café"\n',
}
LINES = st.lists(st.sampled_from(["a", "b", "", "  c", "+d", "-e", "\\ f"]), min_size=1, max_size=12)


def edit(*place: int, text: str = "") -> Edit:
    return Edit(line=place[0], column=place[1], end_line=place[2], end_column=place[3], text=text)


def reviewed(repo: Repo, *options: str) -> dict[str, Any]:
    repo.commit("base", BASE)
    repo.commit("head", HEAD)
    place = repo.path.parent / "report.json"
    quiet = ("--analysers-off", "ty,kingfisher", "--format", f"report={place}")
    done = affidavit("review", "HEAD", *quiet, *options, cwd=repo.path)
    assert place.exists(), done.err
    report: dict[str, Any] = json.loads(place.read_text())
    return report


def with_patch(report: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for one in report["candidates"] if one["finding"]["verification"].get("patch")]


def test_edits_are_made_where_they_say() -> None:
    assert edited("ab\ncd\n", [edit(2, 1, 2, 2, text="X"), edit(1, 3, 1, 3, text="!")]) == "ab!\nXd\n"
    assert edited("ab\ncd\n", [edit(1, 1, 2, 1)]) == "cd\n"
    for outside in (edit(4, 1, 4, 1), edit(1, 9, 1, 9), edit(0, 1, 1, 1), edit(2, 1, 1, 1)):
        assert edited("ab\ncd\n", [outside]) is None
    assert edited("abcd\n", [edit(1, 1, 1, 3), edit(1, 2, 1, 4)]) is None


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("patches")


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(before=LINES, after=LINES)
def test_git_applies_every_patch_that_is_written(written: Path, before: list[str], after: list[str]) -> None:
    old, new = "\n".join([*before, "end", ""]), "\n".join([*after, "end", ""])
    patch = unified("a file.txt", old, new)
    if old == new:
        assert patch == ""
        return
    repo = Repo(written / f"{len(list(written.iterdir()))}")
    commit = repo.commit("one", {"a file.txt": old})
    with open_repository(repo.path, commit, commit) as repository:
        assert apply_patch(repository, patch) == {"a file.txt": new.encode()}


def test_ruffs_own_fix_fills_the_patch_and_is_text_until_somebody_tries_it(
    repo: Repo, tmp_path: Path
) -> None:
    report = reviewed(repo, "--format", f"markdown={tmp_path / 'm'}", "--format", f"html={tmp_path / 'h'}")
    (found,) = with_patch(report)
    patch = found["finding"]["verification"]["patch"]
    assert '-    return x is "café"\n+    return x == "café"\n' in patch
    assert found["patch_trial"] is None
    for form in ("m", "h"):
        assert "Patch (not tried)" in (tmp_path / form).read_text()
    again = affidavit("recheck", repo.path.parent / "report.json", cwd=repo.path)
    assert again.code == 0, again.out


def test_a_forged_patch_of_an_analyser_fails_the_recheck(repo: Repo) -> None:
    report = reviewed(repo)
    place = repo.path.parent / "report.json"
    place.write_text(place.read_text().replace("return x == ", "return x != "))
    done = affidavit("recheck", place, cwd=repo.path)
    assert with_patch(report)
    assert done.code == 1, done.out


def test_within_a_review_that_runs_programs_it_is_tried(repo: Repo, tmp_path: Path) -> None:
    needed_sandbox()
    report = reviewed(repo, "--run", "--format", f"markdown={tmp_path / 'm'}")
    (found,) = with_patch(report)
    assert found["patch_trial"]["holds"] is True
    assert "Patch (tried, passed; not tried: reproduction, tests)" in ((tmp_path / "m").read_text())


SHELL = AnalyserDiagnostic(rule="shellcheck/SC2086", message="", path="go.sh", line=3)


def head_with(repo: Repo, text: str | bytes, path: str = "go.sh") -> GitRepository:
    return opened(repo, {"a.txt": "a\n"}, {path: text})


def test_shellchecks_edits_become_a_patch(repo: Repo) -> None:
    from affidavit.analysers.shellcheck import read_shellcheck  # noqa: PLC0415

    quoted = {"column": 6, "endColumn": 6, "line": 2, "endLine": 2, "replacement": '"'}
    row = {"file": "go.sh", "line": 2, "endLine": 2, "column": 6, "code": 2086, "message": "quote"}
    fix = {"replacements": [quoted, {**quoted, "column": 8, "endColumn": 8}]}
    (found,) = read_shellcheck(json.dumps({"comments": [{**row, "fix": fix}]}))
    with head_with(repo, "#!/bin/sh\necho $1\ntrue\n") as repository:
        assert '-echo $1\n+echo "$1"\n true\n' in patch_of(found, repository.head)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (f"#!/bin/sh\nTOKEN={KEY}\necho $1\ntrue\n", "go.sh"),
        (b"#!/bin/sh\n# \xff\necho $1\ntrue\n", "go.sh"),
        (b"\xef\xbb\xbf#!/bin/sh\n\necho $1\ntrue\n", "go.sh"),
        (b"#!/bin/sh\n\necho a\rb $1\ntrue\n", "go.sh"),
        ("#!/bin/sh\n\necho $1", "go.sh"),
        ("#!/bin/sh\n\necho $1\ntrue\n", 'g"o.sh'),
    ],
)
def test_where_a_patch_would_show_a_secret_or_not_apply_there_is_none(
    repo: Repo, text: str | bytes, path: str
) -> None:
    found = SHELL.model_copy(update={"edits": (edit(3, 6, 3, 6, text='"'),), "path": path})
    with head_with(repo, text, path) as repository:
        assert patch_of(found, repository.head) == ""


def test_edits_that_are_far_apart_are_no_small_fix(repo: Repo) -> None:
    far = (edit(1, 1, 1, 1, text="x"), edit(200, 1, 200, 1, text="x"))
    with head_with(repo, "echo\n" * 300) as repository:
        assert patch_of(SHELL.model_copy(update={"edits": far}), repository.head) == ""


def test_what_ruff_calls_unsafe_is_not_taken() -> None:
    from affidavit.analysers.ruff import read_ruff  # noqa: PLC0415

    place = {"row": 1, "column": 1}
    row = {"code": "F841", "message": "m", "filename": "a.py", "location": place, "end_location": place}
    edits = [{"content": "", "location": place, "end_location": place}]
    fixes = [None, {"applicability": "unsafe", "edits": edits}, {"applicability": "safe", "edits": edits}]
    found = read_ruff(json.dumps([{**row, "fix": fix} for fix in fixes]))
    assert [len(one.edits) for one in found] == [0, 0, 1]
