"""`--fail-on` counts what an analyser proved from its severity on, and says what does not count."""

import json
from pathlib import Path

import pytest

from affidavit.cli.review import WHAT_COUNTS
from affidavit.records.report import Report
from commands import Done, affidavit
from repositories import Repo

MEDIUM = 'def load(rows):\n    assert (rows, "nothing to load")\n    return rows\n'
UNUSED = "import os\n\n\ndef one():\n    return 1\n"
LINTER = """\
#!/usr/bin/env python3
import json, sys
path = sys.argv[1].removeprefix("./")
place = {"artifactLocation": {"uri": path}, "region": {"startLine": 1, "startColumn": 1}}
message = {"text": "foo is bad"}
row = {"message": message, "locations": [{"physicalLocation": place}], "level": "warning", "ruleId": "no-foo"}
print(json.dumps({"runs": [{"results": [row]}]}))
"""


def review(repo: Repo, *arguments: str | Path) -> Done:
    options = ("--no-store", "--quiet", "--analysers-off", "kingfisher")
    return affidavit("review", "HEAD", *options, *arguments, cwd=repo.path)


@pytest.fixture
def project(repo: Repo) -> Repo:
    repo.commit("Begin", {"README.md": "# One\n"})
    return repo


@pytest.fixture
def linted(project: Repo, tmp_path: Path) -> Repo:
    """A project with a linter of its own, which is asked about every text."""
    program = tmp_path / "mine"
    program.write_text(LINTER)
    program.chmod(0o755)
    entry = f'[[linters]]\nname = "mine"\ncommand = ["{program}", "{{files}}"]\n'
    project.commit("Lint", {"affidavit.toml": entry + 'patterns = ["*.txt"]\n'})
    return project


def test_a_medium_finding_of_an_analyser_fails_a_gate_of_medium(project: Repo) -> None:
    project.commit("Load", {"load.py": MEDIUM})
    done = review(project, "--fail-on", "medium")
    assert done.code == 1, done.out
    assert "failed → exit 1" in done.out
    assert "smaller point" not in done.out
    assert review(project).code == 0


def test_junit_and_sarif_agree_with_the_exit_code(project: Repo, tmp_path: Path) -> None:
    project.commit("Load", {"load.py": MEDIUM})
    formats = ["--format", f"junit={tmp_path}/j.xml", "--format", f"sarif={tmp_path}/s.json"]
    assert review(project, "--fail-on", "medium", "--severity-threshold", "high", *formats).code == 1
    assert "<failure" in (tmp_path / "j.xml").read_text()
    (run,) = json.loads((tmp_path / "s.json").read_text())["runs"]
    assert run["invocations"][0]["exitCode"] == 1
    (failing,) = [one for one in run["results"] if one["properties"]["failsGate"]]
    assert failing["suppressions"] == []


def test_no_format_says_that_nothing_was_found_where_a_hidden_finding_fails_the_gate(
    project: Repo, tmp_path: Path
) -> None:
    project.commit("Load", {"load.py": MEDIUM})
    names = ("markdown", "html", "junit", "sarif", "report")
    formats = [part for name in names for part in ("--format", f"{name}={tmp_path}/{name}")]
    done = review(project, "--fail-on", "medium", "--severity-threshold", "high", *formats)
    assert done.code == 1
    for text in (done.out, *((tmp_path / name).read_text() for name in names)):
        assert "1 finding blocks (not shown)" in text
        assert "no problems found" not in text.lower()


@pytest.mark.parametrize("name", ["terminal", "markdown"])
def test_what_blocks_is_what_the_gate_counts(project: Repo, name: str) -> None:
    project.commit("Load", {"load.py": MEDIUM, "undefined.py": "a = undefd\n"})
    strict, default, off = (
        review(project, "--fail-on", gate, "--format", name).out for gate in ("medium", "high", "critical")
    )
    assert "2 findings block" in strict
    assert strict.count("blocks") == 4
    assert "1 finding blocks" in default
    assert "Changes requested: 2 findings, none of which blocks".lower() in off.lower()


def test_a_finding_that_the_user_hides_is_counted_where_the_gate_passes(project: Repo) -> None:
    project.commit("Load", {"load.py": MEDIUM})
    done = review(project, "--severity-threshold", "high", "--format", "markdown")
    assert (done.code, "no problems found" in done.out.lower()) == (0, False)
    assert "**1 finding, not shown.**" in done.out


def test_an_unused_import_is_shown_where_a_gate_of_info_fails_by_it(project: Repo) -> None:
    project.commit("Unused", {"one.py": UNUSED})
    quiet = review(project, "--fail-on", "low")
    assert (quiet.code, "Unused import" in quiet.out) == (0, False)
    loud = review(project, "--fail-on", "info")
    assert (loud.code, "Unused import" in loud.out) == (1, True)


def test_a_users_linter_counts_only_where_its_settings_say_so(linted: Repo) -> None:
    settings = (linted.path / "affidavit.toml").read_text()
    linted.commit("Text", {"a.txt": "foo\n"})
    shown = review(linted, "--fail-on", "medium", "--allow-linters")
    assert shown.code == 0
    assert "1 medium finding does not count for the gate: its linter does not block" in shown.out
    linted.commit("Block", {"affidavit.toml": settings + "blocks = true\n"})
    linted.commit("More", {"b.txt": "foo\n"})
    done = review(linted, "--fail-on", "medium", "--allow-linters", "--format", "report")
    report = Report.model_validate_json(done.out)
    (found,) = report.shown
    assert (done.code, found.folded, found.worth) == (1, False, "act")


def test_a_users_linter_that_blocks_asks_for_changes_by_its_errors(linted: Repo, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text(LINTER.replace("warning", "error"))
    settings = (linted.path / "affidavit.toml").read_text()
    linted.commit("Block", {"affidavit.toml": settings + "blocks = true\n"})
    linted.commit("More", {"b.txt": "foo\n"})
    done = review(linted, "--allow-linters", "--format", "report")
    report = Report.model_validate_json(done.out)
    assert (done.code, report.verdict.decision) == (1, "request_changes")


def test_the_help_and_the_documents_say_what_counts_in_the_same_words(tmp_path: Path) -> None:
    help_text = " ".join(affidavit("review", "--help", cwd=tmp_path).out.split())
    assert WHAT_COUNTS in help_text
    assert WHAT_COUNTS in (Path(__file__).parents[2] / "docs" / "ci.md").read_text()
