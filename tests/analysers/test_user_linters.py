"""The user's own linters: any tool that prints SARIF, under the rules that hold for ours."""

import asyncio
import json

import pytest

from affidavit.analysers.engine.execution import has_walls
from affidavit.analysers.engine.readers import read_problems
from affidavit.analysers.engine.specialist import MechanicalSpecialist
from affidavit.analysers.engine.user_linters import UnallowedLinters, user_linters
from affidavit.errors import SettingsError
from affidavit.records.finding import Severity
from affidavit.records.settings_entries import Linter

SARIF_RESULT = {
    "ruleId": "no-foo",
    "level": "error",
    "message": {"text": "foo is not allowed"},
    "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a.txt"}, "region": {"startLine": 2}}}],
}
SCRIPT = """\
#!/usr/bin/env python3
import json, os, sys
rows = []
for path in [p for p in sys.argv[1:] if not p.startswith("--")] or ["a.txt"]:
    if not os.path.exists(path):
        continue
    for number, line in enumerate(open(path), 1):
        if "foo" in line:
            region = {"startLine": number, "startColumn": 1}
            place = {"artifactLocation": {"uri": path}, "region": region}
            locations = [{"physicalLocation": place}]
            said = {"text": "foo is bad"}
            rows.append({"message": said, "locations": locations, "level": "error", "ruleId": "no-foo"})
print(json.dumps({"runs": [{"results": rows}]}))
sys.exit(bool(rows))
"""


def linter(place, script=SCRIPT, **changes):
    """A linter that is a script outside the repository."""
    place.write_text(script)
    place.chmod(0o755)
    description = {
        "name": "mine",
        "command": (str(place), "{files}"),
        "patterns": ("*.txt",),
    }
    return user_linters([Linter.model_validate({**description, **changes})])[0]


def sarif(*results, **run):
    return json.dumps({"version": "2.1.0", "runs": [{"results": list(results), **run}]})


def test_what_is_new_is_reported_and_what_was_there_is_not(case, ask, tmp_path):
    one = case({"a.txt": "foo\n", "b.txt": ""}, {"a.txt": "x\nfoo\n", "b.txt": "one\nfoo bar\n"})
    (found,) = ask(linter(tmp_path / "mine"), one)
    assert (found["file"], found["line"], found["rule_id"], found["severity"]) == (
        "b.txt",
        2,
        "mine/no-foo",
        "high",
    )
    assert found["verification"]["code_examined"] == "one\nfoo bar"


@pytest.mark.skipif(not has_walls(), reason="this system has no sandbox")
def test_a_linter_that_a_file_takes_over_writes_nothing_outside_of_its_own_folder(case, ask, tmp_path):
    script = (
        f"#!/bin/sh\n[ $1 = --version ] || echo x > {tmp_path}/evil\n"
        "echo x > own && echo '{\"runs\": []}'\n"
    )
    assert ask(linter(tmp_path / "mine", script), case({"x": ""}, {"a.txt": "foo\n"})) == []
    assert not (tmp_path / "evil").exists()


def test_the_files_are_arguments_and_never_options(case, ask, tmp_path):
    found = ask(linter(tmp_path / "mine"), case({"x": ""}, {"--rules.txt": "foo\n"}))
    assert [finding["file"] for finding in found] == ["--rules.txt"]


def test_a_project_linter_sees_every_file_and_its_configuration_from_base(case, ask, tmp_path):
    script = "#!/bin/sh\ncat a.txt b.txt >/dev/null && grep -q base mine.toml && echo '{\"runs\": []}'\n"
    mine = linter(
        tmp_path / "mine",
        script,
        command=(str(tmp_path / "mine"),),
        scope="project",
        configuration=("mine.toml",),
    )
    one = case({"a.txt": "", "b.txt": "", "mine.toml": "base"}, {"a.txt": "1", "mine.toml": "head"})
    assert ask(mine, one) == []


def test_its_environment_holds_no_secrets(case, ask, tmp_path, monkeypatch):
    monkeypatch.setenv("GITHUB_TOKEN", "do-not-tell")
    script = f"#!/bin/sh\nenv > {tmp_path}/seen\necho '{{\"runs\": []}}'\n"
    ask(linter(tmp_path / "mine", script), case({"x": ""}, {"a.txt": "1"}))
    assert "do-not-tell" not in (tmp_path / "seen").read_text()


@pytest.mark.parametrize(
    "command", ["./mine", "tools/mine", "../repo/mine", "{folder}/mine", "{folder}/tools/mine"]
)
def test_a_program_of_the_repository_is_never_run(command, case, repo, tmp_path, monkeypatch):
    trap = f"#!/bin/sh\ntouch {tmp_path}/ran\n"
    one = case({"x": ""}, {"a.txt": "1", "mine": trap, "tools/mine": trap})
    for name in ("mine", "tools/mine"):
        (repo.path / name).chmod(0o755)
    monkeypatch.chdir(repo.path)
    named = Linter(name="mine", command=(command.format(folder=repo.path),), patterns=("*.txt",))
    reply = asyncio.run(MechanicalSpecialist(user_linters([named])[0]).examine(one.case))
    assert [part.name for part in reply.not_run] == ["mine"]
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "printed",
    ["", "{}", "[]", "null", "garbage", '{"runs": 1}', '{"diagnostics": [{}]}', '{"diagnostics": 3}'],
)
def test_malformed_output_makes_the_review_incomplete(printed, case, tmp_path):
    (tmp_path / "printed").write_text(printed)
    mine = linter(tmp_path / "mine", f"#!/bin/sh\ncat {tmp_path}/printed\n")
    reply = asyncio.run(MechanicalSpecialist(mine).examine(case({"x": ""}, {"a.txt": "1"}).case))
    assert reply.text is None
    assert "cannot be read" in reply.incomplete[0].reason


def test_a_linter_that_fails_without_output_is_said_to_have_failed(case, tmp_path):
    mine = linter(tmp_path / "mine", "#!/bin/sh\nexit 70\n")
    reply = asyncio.run(MechanicalSpecialist(mine).examine(case({"x": ""}, {"a.txt": "1"}).case))
    assert "ended with exit code 70" in reply.incomplete[0].reason


def test_sarif_levels_come_from_the_result_or_its_rule():
    rules = {"driver": {"name": "t", "rules": [{"id": "r", "defaultConfiguration": {"level": "note"}}]}}
    unlevelled = {key: value for key, value in SARIF_RESULT.items() if key not in ("level", "ruleId")}
    by_rule = {**unlevelled, "ruleIndex": 0}
    found = read_problems(sarif(SARIF_RESULT, by_rule, {**unlevelled, "ruleId": "x"}, tool=rules), "t")
    assert [(one.rule, one.severity) for one in found] == [
        ("t/no-foo", Severity.HIGH),
        ("t/r", Severity.LOW),
        ("t/x", None),
    ]


@pytest.mark.parametrize(
    "quiet", [{"suppressions": [{"kind": "inSource"}]}, {"kind": "pass"}, {"level": "none"}]
)
def test_suppressed_and_passed_results_are_no_problems(quiet):
    assert read_problems(sarif({**SARIF_RESULT, **quiet}), "t") == []


def test_a_name_of_our_own_is_refused():
    mine = Linter(name="ruff", command=("ruff",), patterns=("*.py",))
    with pytest.raises(SettingsError, match="ruff"):
        user_linters([mine])


def test_linters_that_nobody_allowed_are_named_where_they_would_have_read_something(case, tmp_path):
    mine = linter(tmp_path / "mine", f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    specialist = UnallowedLinters([mine])
    read = asyncio.run(specialist.examine(case({"x": ""}, {"a.txt": "1"}).case))
    assert [(part.name, "--allow-linters" in part.advice) for part in read.not_run] == [("mine", True)]
    assert asyncio.run(specialist.examine(case({"x": "1"}, {"a.md": "1"}).case)).not_run == ()
    assert not (tmp_path / "ran").exists()
