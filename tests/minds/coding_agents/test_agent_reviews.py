"""A whole review, and an agent's submission over MCP, with a coding agent as the model."""

import asyncio
import json
from pathlib import Path

import pytest

from affidavit.cli.init import _choices
from affidavit.errors import SettingsError
from affidavit.events import ignore_events
from affidavit.mcp.changes import Changes, WantedChange
from affidavit.mcp.tools import judge
from affidavit.minds.choice import choose_model
from affidavit.records.report import Report
from affidavit.reviewing.models import models_of
from affidavit.reviewing.options import ReviewOptions
from affidavit.service.settings import ServiceSettings
from affidavit.stages.review import not_independent
from agent_client import AFTER, BEFORE, OFF, review_result
from agent_provider import Act, CallTool, Say, provider
from agents import AGENTS, REAL, environment, installed
from commands import Done, affidavit
from repositories import Repo
from scripted_model import CONFIRMED, FINDING, JOINING, PLAN, REVIEW, WORDS

BASE = {"app.py": "def total(items):\n    return sum(items)\n"}
LOOP = "    result = 1\n    for item in items:\n        result += item\n    return result\n"
HEAD = {"app.py": f"def total(items):\n{LOOP}"}
READING = CallTool("get_file_context", {"file_path": "app.py", "start_line": 1, "end_line": 5})


def minds(text: str, results: int) -> Act:
    """Read one file, then hand in what the role asks for."""
    if JOINING in text:
        return Say(json.dumps({"groups": []}))
    if "positive_notes" in text:
        return Say(json.dumps(WORDS))
    if "judgment" in text:
        return Say(json.dumps(CONFIRMED)) if results or "get_file_context" not in text else READING
    if "schema_version" in text:
        return READING if not results else Say(json.dumps(REVIEW))
    return Say(json.dumps(PLAN))


def review(repo: Repo, folder: Path, address: str, *options: str) -> Done:
    return affidavit(
        *("review", "HEAD", "--no-store", "--format", "report", "--analysers-off", "ty", *options),
        cwd=repo.path,
        env=environment(folder, address),
    )


@pytest.fixture
def changed(repo: Repo) -> Repo:
    repo.commit("base", BASE)
    repo.commit("Sum by hand", HEAD)
    return repo


@pytest.mark.parametrize("name", [*AGENTS, *REAL])
def test_a_finding_goes_from_an_agent_to_a_verified_report(changed: Repo, tmp_path: Path, name: str) -> None:
    agent = installed(tmp_path, name)
    with provider(minds) as kept:
        done = review(changed, tmp_path, kept.address, "--model", f"agent:{agent}")
    report = Report.model_validate_json(done.out)
    (found,) = report.shown
    assert (done.code, found.title if hasattr(found, "title") else found.finding.title) == (
        1,
        FINDING["title"],
    )
    assert found.status == "verified"
    assert report.incomplete == ()
    assert f"not independent: {agent} found and verified" in [one.reason for one in report.not_run]
    assert all(one.estimated_requests == one.requests for one in report.usage)
    reading = next(one for one in report.replies if one.kind == "model")
    assert reading.files_read == ("app.py",)


def test_a_refused_agent_ends_the_review_before_anything_is_sent(changed: Repo, tmp_path: Path) -> None:
    agent = installed(tmp_path, "claude", "EXTRA = ['Bash']")
    with provider(minds) as kept:
        done = review(changed, tmp_path, kept.address, "--model", f"agent:{agent}")
    assert done.code == 2
    assert "affidavit: agent:claude is refused: " in done.err
    assert "Bash" in done.err
    assert kept.requests == []


def test_what_leaves_estimates_and_doctor_know_agents(changed: Repo, tmp_path: Path) -> None:
    address = "http://127.0.0.1:1"
    asked = ("review", "HEAD", "--model", "agent:claude")
    for option in ("--what-leaves", "--estimate"):
        done = affidavit(*asked, option, cwd=changed.path, env=environment(tmp_path, address))
        assert (done.code, "agent:claude" in done.out) == (0, True), done.err
    env = environment(tmp_path, address) | {"AFFIDAVIT_MODEL": "agent:claude", "PATH": "/nowhere"}
    assert "there is no `claude` on PATH" in affidavit("doctor", cwd=changed.path, env=env).out


def test_the_doctor_asks_an_agent(tmp_path: Path) -> None:
    agent = installed(tmp_path, "claude")
    with provider(minds) as kept:
        env = environment(tmp_path, kept.address) | {"AFFIDAVIT_MODEL": f"agent:{agent}"}
        done = affidavit("doctor", "--ask", cwd=tmp_path, env=env)
    assert (done.code, "asked agent:claude   ok       answered; " in done.out) == (0, True), done.out


@pytest.mark.parametrize("setting", ["model", "specialist_model", "verifier_model"])
@pytest.mark.parametrize("name", ["affidavit.toml", "pyproject.toml"])
def test_a_file_of_a_repository_starts_no_program(
    repo: Repo, tmp_path: Path, name: str, setting: str
) -> None:
    started = tmp_path / "started"
    installed(tmp_path, "claude", f"open({str(started)!r}, 'w')")
    table = "[tool.affidavit]\n" if name == "pyproject.toml" else ""
    repo.commit("base", {**BASE, name: f'{table}{setting} = " agent:claude"\n'})
    repo.commit("Sum by hand", HEAD)
    with provider(minds) as kept:
        done = review(repo, tmp_path, kept.address)
    report = Report.model_validate_json(done.out)
    (gap,) = [one for one in report.incomplete if one.name == "settings"]
    assert f"{name}: {setting} = 'agent:claude' can be set only as a flag or in the environment" in gap.reason
    assert (done.code, report.models, started.exists(), kept.requests) == (3, {}, False, [])


def test_a_change_brings_no_program(changed: Repo, tmp_path: Path) -> None:
    started = tmp_path / "started"
    place = installed(changed.path, "claude", f"open({str(started)!r}, 'w')")
    assert place == "claude"
    env = environment(tmp_path, "http://127.0.0.1:1")
    env["PATH"] = f"{changed.path / 'bin'}:{env['PATH']}"
    installed(tmp_path, "claude", "EXTRA = ['Bash']")
    asked = ("review", "--no-store", "--model", "agent:claude", "--analysers-off", "ty")
    done = affidavit(*asked, cwd=changed.path, env=env)
    assert (done.code, started.exists()) == (2, False)


def test_a_named_settings_file_starts_no_program_either(changed: Repo, tmp_path: Path) -> None:
    (changed.path / "own.toml").write_text('model = "agent:claude"\n')
    done = review(changed, tmp_path, "http://127.0.0.1:1", "--config", "own.toml")
    assert done.code == 2
    assert "can be set only as a flag" in done.err


@pytest.mark.parametrize(
    "text", ["agent:bash", "agent:claude --dangerously", "agent:claude/-x", "agent:../claude"]
)
def test_no_other_program_can_be_named(text: str) -> None:
    with pytest.raises(SettingsError, match="write agent:claude, agent:codex"):
        choose_model(text, "verifier")


def test_an_agent_takes_no_address() -> None:
    with pytest.raises(SettingsError, match="leave out --base-url"):
        choose_model("agent:claude", "verifier", base_url="http://127.0.0.1/v1")


def test_the_service_and_ci_take_no_agents(tmp_path: Path) -> None:
    settings = ServiceSettings(tmp_path, environment={"AFFIDAVIT_MODEL": "agent:claude"})
    with pytest.raises(SettingsError, match="the service takes no agents"):
        _ = settings.models
    with pytest.raises(SettingsError, match="a CI job lacks"):
        _choices("agent:claude", None, None, (), inline=False, private=False)


@pytest.mark.parametrize(
    ("specialist", "verifier", "submitted_by", "is_said"),
    [
        ("agent:claude", "agent:claude", "", True),
        ("agent:claude/opus", "agent:claude", "", True),
        ("agent:claude/opus", "agent:claude/sonnet", "", False),
        ("agent:codex", "agent:claude", "", False),
        ("agent:claude", "anthropic:claude-sonnet-5", "", False),
        ("agent:claude", "agent:claude", "claude-code 2.1", True),
        ("agent:claude", "agent:claude", "an editor 3", False),
    ],
)
def test_the_same_agent_in_both_roles_is_not_independent(
    specialist: str, verifier: str, submitted_by: str, *, is_said: bool
) -> None:
    models = {"specialist": specialist, "verifier": verifier}
    assert bool(not_independent(models, submitted_by)) is is_said
    assert not_independent(models | {"second_verifier": "openai:x"}, submitted_by) == ()


@pytest.mark.parametrize("name", [*AGENTS, *REAL])
def test_findings_that_an_agent_submits_are_verified_by_an_agent(
    repo: Repo, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = installed(tmp_path, name)
    repo.commit("base", {"mean.py": BEFORE})
    repo.commit("change", {"mean.py": AFTER})
    with provider(lambda *_: Say(json.dumps(CONFIRMED))) as kept:
        for variable, value in environment(tmp_path, kept.address).items():
            monkeypatch.setenv(variable, value)
        options = ReviewOptions(analysers_off=OFF["AFFIDAVIT_ANALYSERS_OFF"], model=f"agent:{agent}")
        with Changes(repo.path, options) as changes:
            change = changes.open(WantedChange(target="HEAD"))
            assert models_of(change.settings, options)
            judging = judge(change, review_result(), "codex-mcp-client 1", options, ignore_events)
            report = asyncio.run(judging)
    (found,) = report.shown
    assert (found.status, found.judgements[-1].model) == ("verified", f"agent:{agent}")
    said = [one.reason for one in report.not_run]
    assert ("not independent: codex found and verified" in said) is (agent == "codex")
