"""Linters that a settings file names: run only where the user allowed it."""

import asyncio
import json

import pytest

from affidavit.config.settings import load_settings
from affidavit.errors import SettingsError
from affidavit.pipeline import review
from affidavit.reviewing.hold import assemble_crew
from secret_corpus import ALNUM, Draw

ENTRY = """\
[[linters]]
name = "mine"
command = ["{program}", "{{files}}"]
patterns = ["*.txt"]
"""


def reviewed(case, tmp_path, flags):
    """A review of a small change whose base commit names a linter that leaves a mark."""
    program = tmp_path / "mine"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\necho '{{\"runs\": []}}'\n")
    program.chmod(0o755)
    one = case({"affidavit.toml": ENTRY.format(program=program)}, {"a.txt": "1\n"})
    # There are no secrets here, and to look for them takes longest.
    off = ",".join(["kingfisher", flags.get("analysers_off", "")])
    settings = load_settings(one.repository.base, {}, {**flags, "analysers_off": off})
    return asyncio.run(review(one.change, one.repository, settings, assemble_crew(settings, None)))


def test_a_linter_of_the_base_commit_is_named_and_not_run(case, tmp_path):
    report = reviewed(case, tmp_path, {})
    assert any(part.name == "mine" and "not allowed" in part.reason for part in report.not_run)
    assert report.incomplete == ()
    assert not (tmp_path / "ran").exists()


def test_a_linter_that_the_user_allowed_runs_on_both_sides(case, tmp_path):
    report = reviewed(case, tmp_path, {"allow_linters": True})
    runs = {run.side: run.state for run in report.analyser_runs if run.analyser == "mine"}
    assert runs == {"base": "nothing_to_do", "head": "completed"}
    assert (tmp_path / "ran").exists()


def test_a_linter_can_be_left_out_by_name(case, tmp_path):
    report = reviewed(case, tmp_path, {"allow_linters": True, "analysers_off": "mine"})
    assert not (tmp_path / "ran").exists()
    assert all(part.name != "mine" for part in report.not_run)


def test_no_file_can_allow_linters():
    with pytest.raises(SettingsError, match="only as a flag or in the environment"):
        load_settings(None, {}, {}, ("mine.toml", b"allow_linters = true\n"))
    assert load_settings(None, {"AFFIDAVIT_ALLOW_LINTERS": "1"}, {}).allow_linters


@pytest.mark.parametrize(
    ("entry", "complaint"),
    [
        ('name = "x"', "command"),
        ('name = "X Y"\ncommand = ["a"]\npatterns = ["*"]', "name"),
        ('name = "x"\ncommand = []\npatterns = ["*"]', "command"),
        ('name = "x"\ncommand = ["a"]\npatterns = ["*"]\nshell = true', "shell"),
    ],
)
def test_a_bad_entry_is_an_error_that_says_where(entry, complaint):
    with pytest.raises(SettingsError, match=f"mine.toml: linters: .*{complaint}"):
        load_settings(None, {}, {}, ("mine.toml", f"[[linters]]\n{entry}\n".encode()))


def test_the_same_name_twice_is_an_error():
    entry = ENTRY.format(program="a") * 2
    with pytest.raises(SettingsError, match="twice"):
        load_settings(None, {}, {}, ("mine.toml", entry.encode()))


def test_a_rule_that_is_off_in_a_folder_is_no_finding_there(case):
    undefined = {"old/a.py": "print(total)\n", "new/a.py": "print(total)\n"}
    one = case({"old/affidavit.toml": 'rules_off = ["ruff/F821", "ty/unresolved-reference"]\n'}, undefined)
    settings = load_settings(one.repository.base, {}, {"analysers_off": "kingfisher"})
    report = asyncio.run(review(one.change, one.repository, settings, assemble_crew(settings, None)))
    found = {item.finding.file for item in report.candidates if item.finding}
    assert found == {"new/a.py"}
    assert any("ruff/F821 at old/a.py:1" in item.detail for item in report.diagnostics)


def test_what_a_linter_repeats_of_a_secret_stands_in_no_finding(case, tmp_path):
    secret = Draw(5).of(ALNUM, 28)
    said = {
        "ruleId": "loud",
        "message": {"text": f"do not write {secret}"},
        "locations": [
            {"physicalLocation": {"artifactLocation": {"uri": "a.txt"}, "region": {"startLine": 1}}},
        ],
    }
    log = {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "mine"}}, "results": [said]}]}
    program = tmp_path / "mine"
    program.write_text(f"#!/bin/sh\ncat <<'END'\n{json.dumps(log)}\nEND\n")
    program.chmod(0o755)
    one = case({"affidavit.toml": ENTRY.format(program=program)}, {"a.txt": f"api_token = {secret}\n"})
    settings = load_settings(one.repository.base, {}, {"allow_linters": True})
    report = asyncio.run(review(one.change, one.repository, settings, assemble_crew(settings, None)))
    (found,) = [one for one in report.candidates if one.specialist == "mine"]
    assert "do not write REDACTED_secret_1" in found.model_dump_json()
    kept = report.model_dump_json(exclude={"change"})
    assert secret not in kept
