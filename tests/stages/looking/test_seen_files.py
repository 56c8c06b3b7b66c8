"""A file is examined only by who was seen to read it; what was claimed and not read is a gap."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from affidavit.config.settings import Settings
from affidavit.pipeline import review
from affidavit.records.report import FileCoverage, Report
from affidavit.render.wording import coverage_sentence
from affidavit.reviewing.hold import assemble_crew
from commands import Done, affidavit
from python_changes import Case, Open, opened_cases
from repositories import Repo

UNDEFINED = "def f():\n    return undefd\n"
TOKEN = "ghp_" + "NqVwYS81VP7Hb1DX8pPd5khxE3pyIgKpaQz1"
ALL_OF_PYTHON = {"references", "ruff", "ty"}


@pytest.fixture
def case(repo: Repo) -> Iterator[Open]:
    """Make a case; its processes end with the test."""
    yield from opened_cases(repo)


def reviewed(one: Case, **chosen: object) -> Report:
    settings = Settings.model_validate(chosen)
    return asyncio.run(review(one.change, one.repository, settings, assemble_crew(settings, None)))


NO_SECRETS = {"analysers_off": ("kingfisher",)}
"""There are none in the change, and to look for them takes longest."""


def covered(report: Report, path: str) -> FileCoverage:
    return next(file for file in report.coverage if file.path == path)


def test_what_tools_leave_out_by_default_is_looked_at(case: Open) -> None:
    paths = [".tox/x.py", "app/dist/x.py", "dist/x.py", "venv/x.py"]
    report = reviewed(case({"a": ""}, dict.fromkeys(paths, UNDEFINED)))
    assert sorted(one.finding.file for one in report.shown if one.finding) == paths
    for path in paths:
        found = covered(report, path)
        assert (found.state, set(found.hunks[0].examined_by)) == ("examined", ALL_OF_PYTHON)


def test_a_workflow_that_cannot_be_loaded_makes_the_review_incomplete(case: Open) -> None:
    path = ".github/workflows/ci.yml"
    report = reviewed(case({"a": ""}, {path: "on: push\njobs:\n  a:\n    nonsense: 3\n"}), **NO_SECRETS)
    assert [gap.name for gap in report.incomplete] == ["zizmor"]
    assert path in report.incomplete[0].reason
    assert report.gate.exit_code == 3
    assert covered(report, path).state == "partly"
    assert "zizmor could not read it" in covered(report, path).reason


def test_a_file_whose_fault_is_told_is_no_gap(case: Open) -> None:
    report = reviewed(case({"a": ""}, {".github/workflows/ci.yml": "a: [\n"}), **NO_SECRETS)
    assert [one.finding.rule_id for one in report.shown if one.finding] == ["yamllint/syntax"]
    assert report.incomplete == ()


@pytest.mark.parametrize("path", [".env", "id_rsa"])
def test_a_file_with_a_secret_was_searched_for_secrets(path: str, case: Open) -> None:
    report = reviewed(case({"a": ""}, {path: f"TOKEN={TOKEN}\n"}))
    assert [one.finding.file for one in report.shown if one.finding] == [path]
    found = covered(report, path)
    assert found.state == "partly"
    assert found.reason.startswith("only searched for secrets by kingfisher")
    assert coverage_sentence(report).startswith("0 of 1 file and 1 in part")


def test_a_file_that_the_base_commit_leaves_out_is_named_and_no_gap(case: Open) -> None:
    one = case({"ruff.toml": 'exclude = ["old"]\n'}, {"old/x.py": "A = 1\n"})
    report = reviewed(one, **NO_SECRETS)
    assert "left out for ruff by the base commit's configuration" in covered(report, "old/x.py").reason
    assert (report.incomplete, report.gate.exit_code) == ((), 0)


def test_what_analysers_set_aside_is_counted_and_has_rule_place_and_reason(case: Open) -> None:
    one = case({"a": ""}, {"app.py": UNDEFINED, "b.py": "import os\n\nos.system('ls ' + input())\n"})
    report = reviewed(one, analysers_off=("kingfisher", "ty"), rules_off=("ruff/F821",))
    counts = report.verdict.counts
    assert (counts.candidates, counts.set_aside) == (counts.shown + counts.withheld, 1)
    assert "app.py" not in {found.finding.file for found in report.candidates if found.finding}
    (result,) = [note.set_aside for note in report.set_aside if note.set_aside]
    assert (result.rule, result.file, result.line) == ("ruff/F821", "app.py", 2)
    assert result.reason == "the rule is off"


def test_a_deleted_file_is_not_said_to_be_read_by_who_reads_one_file_at_a_time(case: Open) -> None:
    report = reviewed(
        case({"a.py": "A = 1\n", "Dockerfile": "FROM a:1\n"}, {"a.py": None, "Dockerfile": None})
    )
    assert set(covered(report, "a.py").hunks[0].examined_by) == {"references", "ty"}
    assert covered(report, "Dockerfile").state == "not_examined"
    assert report.gate.exit_code == 0


def test_a_language_that_nobody_reads_is_said_and_no_gap(case: Open) -> None:
    report = reviewed(case({"a": ""}, {"a.cob": "DISPLAY 'A'.\n"}), **NO_SECRETS)
    assert (covered(report, "a.cob").state, report.incomplete) == ("not_examined", ())
    assert (report.verdict.decision, report.gate.exit_code) == ("comment", 0)


PARTIAL = "\n".join(
    [
        *("--- a/one.py", "+++ b/one.py", "@@ -10,2 +10,2 @@", " x = 1", "-y = 2", "+y = 3"),
        *("--- a/two.go", "+++ b/two.go", "@@ -10,2 +10,2 @@", " x := 1", "-y := 2", "+y := 3"),
        *("--- /dev/null", "+++ b/three.py", "@@ -0,0 +1 @@", "+A = 1", ""),
    ]
)


def run(diff: str, folder: Path, *options: str) -> Done:
    place = folder / "outside"
    place.mkdir()
    return affidavit("review", "-", *options, cwd=place, stdin=diff.encode())


def test_a_diff_outside_its_repository_is_reviewed_in_part(tmp_path: Path) -> None:
    done = run(PARTIAL, tmp_path, "--format", "report")
    report = Report.model_validate_json(done.out)
    assert (done.code, [gap.name for gap in report.incomplete]) == (3, ["unread files"])
    assert "one.py, two.go" in report.incomplete[0].reason
    assert "three.py" not in report.incomplete[0].reason


@pytest.mark.parametrize(
    ("form", "field"), [("review-result", "is_complete"), ("sarif", "executionSuccessful")]
)
def test_other_formats_say_that_it_is_in_part(form: str, field: str, tmp_path: Path) -> None:
    done = run(PARTIAL.partition("--- a/two.go")[0], tmp_path, "--format", form)
    assert (done.code, f'"{field}": false' in json.dumps(json.loads(done.out))) == (3, True)


@pytest.mark.parametrize(("old", "new"), [("a/", "b/"), ("", "")])
def test_a_plain_diff_is_applied_with_git_s_prefixes_and_without(old: str, new: str, repo: Repo) -> None:
    repo.commit("Before", {"src/app.py": "def f():\n    return 1\n\n\ndef g():\n    return f()\n"})
    diff = [
        *(f"--- {old}src/app.py\t2026-01-01 10:00:00", f"+++ {new}src/app.py\t2026-01-02 10:00:00"),
        *("@@ -4,3 +4,3 @@", " ", " def g():", "-    return f()", "+    return undefd"),
        *(f"--- {old}src/new.py\t1970-01-01 00:00:00", f"+++ {new}src/new.py\t2026-01-02 10:00:00"),
        *("@@ -0,0 +1 @@", "+A = 1", ""),
    ]
    off = ("--analysers-off", "kingfisher")
    done = affidavit("review", "-", "--format", "report", *off, cwd=repo.path, stdin="\n".join(diff).encode())
    report = Report.model_validate_json(done.out)
    files = [(file.path, file.status.value, file.is_partial) for file in report.change.files]
    assert files == [("src/app.py", "modified", False), ("src/new.py", "added", False)]
    assert (report.incomplete, done.code) == ((), 1)


def test_a_diff_that_fits_no_file_of_the_repository_stays_in_part(repo: Repo) -> None:
    repo.commit("Before", {"src/app.py": "def f():\n    return 1\n"})
    hunk = "@@ -1,2 +1,2 @@\n def other():\n-    return 1\n+    return 2\n"
    diff = f"--- old/src/app.py\n+++ new/src/app.py\n{hunk}"
    done = affidavit("review", "-", cwd=repo.path, stdin=diff.encode())
    assert done.code == 3


def test_names_are_known_in_any_case_and_what_does_not_parse_is_not_examined_whole(case: Open) -> None:
    shell = "import os\n\n\ndef f(a):\n    os.system('ls ' + a)\n"
    files = {"APP.PY": shell, "x.Py": shell, "z.JS": "function (\n", "A.java": "class (\n"}
    more = {"x.SH": "rm -rf $1/*\n", "DOCKERFILE": "FROM scratch\n", "y.YML": "a: 1\na: 2\n"}
    report = reviewed(case({"a": ""}, {**files, **more}), **NO_SECRETS)
    found = {one.finding.file for one in report.shown if one.finding}
    assert found >= {"APP.PY", "x.Py", "x.SH", "y.YML"}
    assert set(covered(report, "APP.PY").hunks[0].examined_by) == ALL_OF_PYTHON
    assert covered(report, "DOCKERFILE").hunks[0].examined_by == ("hadolint",)
    assert "oxlint" in covered(report, "z.JS").reason
    java = covered(report, "A.java")
    said = "only searched for broken references; no analyser reads Java; references could not parse all of it"
    assert (java.state, java.reason) == ("partly", said)


def test_two_files_whose_names_differ_in_case_alone_are_both_accounted_for(case: Open) -> None:
    report = reviewed(case({"a": ""}, {"app.py": "x = 1\n", "app.PY": UNDEFINED}), **NO_SECRETS)
    assert covered(report, "app.py").state == "examined"
    unread = covered(report, "app.PY").state != "examined" and bool(report.incomplete)
    assert unread or any(one.finding and one.finding.file == "app.PY" for one in report.shown)


@pytest.mark.parametrize(
    ("path", "language"),
    [("App.java", "Java"), ("a.php", "PHP")],
)
def test_a_file_that_was_only_searched_for_broken_references_is_examined_in_part(
    path: str, language: str, case: Open
) -> None:
    report = reviewed(case({path: ""}, {path: "// changed\n"}), **NO_SECRETS)
    said = f"only searched for broken references; no analyser reads {language}"
    assert (covered(report, path).state, covered(report, path).reason) == ("partly", said)
    assert f"no analyser reads {language}" in report.verdict.summary
    assert (report.incomplete, report.gate.exit_code) == ((), 0)


def test_a_language_that_nobody_reads_is_named_and_leaves_the_exit_code(case: Open) -> None:
    programs = {
        "a.rs": "fn main() {}\n",
        "a.kt": "fun main() { println(undefd) }\n",
        "a.ex": "defmodule A do\nend\n",
        "a.sql": "drop\n",
    }
    data = {"README.md": "# A\n", "a.json": "{}\n", "NOTICE": "a\n", ".gitignore": "a\n", "a.csv": "a\n"}
    report = reviewed(case({"a": ""}, {**programs, **data}))
    said = "only searched for secrets by kingfisher; no analyser reads"
    assert covered(report, "a.kt").state == "partly"
    assert covered(report, "a.kt").reason == f"{said} Kotlin"
    assert covered(report, "a.ex").reason == f"{said} Elixir"
    assert "no analyser reads Elixir, Kotlin, Rust, SQL" in report.verdict.summary
    for path in data:
        assert "no specialist reads this kind of file" in covered(report, path).reason
    assert (report.verdict.decision, report.gate.exit_code) == ("comment", 0)
