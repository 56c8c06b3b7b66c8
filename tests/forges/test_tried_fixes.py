"""The fixes that analysers offer for a request's findings are tried, and then posted as suggestions."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from affidavit.config.settings import load_settings
from affidavit.forges.github.forge import LIMITS
from affidavit.forges.opening import FetchContext, open_pull_request
from affidavit.forges.posting.actions import PostOptions, PostReview
from affidavit.forges.posting.plan import plan_actions
from affidavit.forges.standing import Standing
from affidavit.judging import try_fixes
from affidavit.ports import Case
from affidavit.records.docket import Docket
from affidavit.records.report import Report
from affidavit.reviewing.hold import assemble_crew
from commands import affidavit
from forge_http import ENVIRONMENT
from github_server import GitHubServer
from posting_flow import ALL_BUT_RUFF, POSTER, QUICK, READS, read_request, reviewed

LITERAL = """\
def is_free(price):
    return price is 0
"""


def of_cart(
    github: GitHubServer, tmp_path: Path, content: str, others: Mapping[str, str] | None = None
) -> Report:
    github.push(github.origin.commit("topic", {"cart.py": content, **(others or {})}, "Ask for the price"))
    return reviewed(github.address, tmp_path / "cache")


def test_a_fix_of_ruff_is_tried_without_running_programs_and_offered(
    github: GitHubServer, tmp_path: Path
) -> None:
    report = of_cart(github, tmp_path, LITERAL)
    (candidate,) = [one for one in report.shown if one.claim.rule_id == "ruff/F632"]
    assert candidate.patch_trial
    assert [(step.name, step.passed) for step in candidate.patch_trial.steps] == [
        ("applies", True),
        ("analysers", True),
    ]
    assert candidate.patch_trial.steps[1].detail == "ruff: the finding is gone, nothing new"
    actions = plan_actions(report, Standing(account="bot"), LIMITS, PostOptions())
    (comment,) = [
        one
        for action in actions
        if isinstance(action, PostReview)
        for one in action.comments
        if one.fingerprint == candidate.fingerprint
    ]
    assert "Patch (tried, passed):\n\n```suggestion\n    return price == 0\n```" in comment.body


@pytest.mark.parametrize(
    ("line", "settings", "said"),
    [
        ("return price is 0  # free", "", "with the patch it still reports ruff/F632"),
        ("return price == nothing", "", "new with the patch: ruff/F821 at cart.py:2"),
        ("return price == nothing", 'ignore = ["F821"]', "new with the patch: ruff/F821 at cart.py:2"),
    ],
)
def test_a_fix_that_leaves_its_finding_or_brings_another_is_not_offered(
    line: str, settings: str, said: str, github: GitHubServer, tmp_path: Path
) -> None:
    report = of_cart(github, tmp_path, LITERAL, {"pyproject.toml": f"[tool.ruff.lint]\n{settings}\n"})
    (candidate,) = [one for one in report.shown if one.claim.rule_id == "ruff/F632"]
    patch = (candidate.evidence.patch or "").replace("return price == 0", line)
    evidence = candidate.evidence.model_copy(update={"patch": patch})
    finding = candidate.claim.model_copy(update={"verification": evidence})
    pull = read_request(github.address, READS, QUICK, POSTER)
    with open_pull_request(pull, FetchContext(READS, tmp_path / "cache", ENVIRONMENT)) as opened:
        chosen = load_settings(opened.repository.base, {}, {"analysers_off": ALL_BUT_RUFF})
        specialists = assemble_crew(chosen, None).specialists
        docket = Docket(candidates=(candidate.model_copy(update={"finding": finding}),))
        (tried,) = asyncio.run(
            try_fixes(docket, Case(opened.change, opened.repository), specialists)
        ).candidates
    assert tried.patch_trial
    assert not tried.patch_trial.holds
    assert said in tried.patch_trial.steps[-1].detail


def test_a_recheck_tries_the_fixes_again_and_finds_a_forged_trial(
    github: GitHubServer, tmp_path: Path
) -> None:
    github.push(github.origin.commit("topic", {"cart.py": LITERAL}, "Ask for the price"))
    env = {
        "AFFIDAVIT_ANALYSERS_OFF": ALL_BUT_RUFF,
        "AFFIDAVIT_GITHUB_HOSTS": github.url,
        "GITHUB_TOKEN": "read",
        "GITHUB_ACTIONS": "",
    }
    arguments = ("--format", "report=report.json", "-q", "--no-store")
    done = affidavit("review", github.address.url, *arguments, cwd=tmp_path, env=env)
    assert done.code in (0, 1), done.err
    again = affidavit("recheck", "report.json", "--fetch", cwd=tmp_path, env=env)
    assert again.code == 0, again.out + again.err
    forged = json.loads((tmp_path / "report.json").read_text())
    trials = [one["patch_trial"] for one in forged["candidates"] if one.get("patch_trial")]
    assert trials
    trials[0]["steps"][1]["detail"] = "ty: the finding is gone, nothing new"
    (tmp_path / "forged.json").write_text(json.dumps(forged))
    refused = affidavit("recheck", "forged.json", "--fetch", cwd=tmp_path, env=env)
    assert refused.code == 1
    assert "patch_trial" in refused.out


def test_a_change_that_is_on_no_forge_costs_no_trial(github: GitHubServer, tmp_path: Path) -> None:
    origin = github.origin
    base, head = origin.of("main"), origin.commit("topic", {"cart.py": LITERAL}, "Ask for the price")
    done = affidavit(
        "review",
        f"{base}..{head}",
        "--format",
        "report",
        "-q",
        "--no-store",
        cwd=origin.work,
        env={"AFFIDAVIT_ANALYSERS_OFF": ALL_BUT_RUFF},
    )
    candidates = json.loads(done.out)["candidates"]
    assert candidates
    assert not [one for one in candidates if one["patch_trial"]]
