"""Two verifiers and checks in `affidavit review` as a user runs it, over the real wire protocol."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from test_whole_review import review

from affidavit.agents.panel import Panel
from affidavit.analysers.engine.specialist import mechanical_specialists
from affidavit.config.settings import Settings
from affidavit.minds.choice import choose_model
from affidavit.minds.conversation_log import ConversationLog
from affidavit.minds.ledger import Ledger
from affidavit.minds.roles import kept_open, minds_from
from affidavit.pipeline import review as review_change
from affidavit.ports import Role, Specialist
from affidavit.records.report import Report
from affidavit.stages.intake import ChangeRequest, OpenedChange, open_change
from affidavit.stages.review import Crew
from commands import affidavit
from model_server import Act, Exchange, Script, breaks_off, calls, fails, refuses, says, serving
from repositories import Repo
from scripted_model import FINDING, REVIEW, model
from talks import QUICK

BASE = {"app.py": "def total(items):\n    return sum(items)\n"}
LOOP = (
    "def total(items):\n    result = 1\n    for item in items:\n        result += item\n    return result\n"
)
REFUTED = {"judgment": "REFUTED", "qualified": False, "worth": "nit", "reason": "app.py:3 guards it"}
SECRET = "AKIA" + "IOSFODNN7QX3MPLE"
JUDGE = "verification_judgment"


FAULTS = pytest.mark.parametrize(
    "fault",
    [
        says('{"judgment": "REFU', finish="length"),
        refuses("I will not"),
        fails(400, "no"),
        says("I think it is fine."),
        says(""),
        breaks_off('{"judgment": "REFUTED"'),
        calls(("get_file_context", '{"file_path": "app.py", "start_line": 1, "end_line": 2}')),
        calls((JUDGE, '{"judgment": "PERHAPS"}')),
        calls((JUDGE, "[1]")),
    ],
    ids=[
        "cut off",
        "refusal",
        "status 400",
        "prose",
        "empty",
        "broken off",
        "endless",
        "bad word",
        "no object",
    ],
)


@pytest.fixture
def changed(repo: Repo) -> Repo:
    repo.commit("base", BASE)
    repo.commit("Sum by hand", {"app.py": LOOP})
    return repo


def reported(text: str) -> Report:
    return Report.model_validate_json(text)


def judging(body: dict[str, Any]) -> bool:
    """The request is about a finding, not the trial question."""
    names = {tool["function"]["name"] for tool in body.get("tools", ())}
    return JUDGE in names and "get_file_context" in names


def answers_finding(act: Act) -> Act:
    """A model that does this when it is asked about a finding, and all else well."""

    def answered(exchange: Exchange) -> None:
        (act if judging(exchange.body) else model())(exchange)

    return answered


def verdicts(*judgements: dict[str, Any]) -> Act:
    """One judgement after the other; the last is repeated."""
    given = iter(judgements)
    last: list[dict[str, Any]] = []

    def act(exchange: Exchange) -> None:
        last[:] = [next(given, last[0] if last else judgements[-1])]
        calls((JUDGE, json.dumps(last[0])))(exchange)

    return act


def judged(script: Script) -> int:
    return sum(judging(body) for body in script.requests)


def reviewed(
    repo: Repo,
    address: str,
    second: str | None = None,
    *,
    log: ConversationLog | None = None,
    specialists: Sequence[Specialist] = (),
    **settings: Any,
) -> Report:
    """A review of the last commit with real clients, and nobody but models to look."""
    roles: tuple[Role, ...] = ("planner", "specialist", "verifier", "reporter")
    choices = {role: choose_model("scripted", role, base_url=address) for role in roles}
    if second:
        choices["second_verifier"] = choose_model("other", "second_verifier", base_url=second)
    minds = minds_from(choices, ledger=Ledger(), log=log, limits=QUICK, environment={})
    panel = Panel(minds)
    probes = log is None or not log.is_replay
    crew = Crew(specialists, panel=panel, probes_verifier=probes)

    async def run(opened: OpenedChange) -> Report:
        async with kept_open(minds.values()):
            return await review_change(opened.change, opened.repository, Settings(**settings), crew)

    with open_change(ChangeRequest(target="HEAD", repo=repo.path)) as opened:
        return asyncio.run(run(opened))


def with_second(repo: Repo, first: Act, second: Act) -> tuple[Report, Script, int]:
    with serving(first) as (address, _), serving(second) as (other, script):
        report = reviewed(repo, address, other)
    return report, script, report.gate.exit_code


def test_what_a_second_model_refutes_is_withheld_and_both_judgements_are_kept(changed: Repo) -> None:
    report, script, code = with_second(changed, model(), answers_finding(verdicts(REFUTED)))
    (found,) = report.candidates
    assert (code, found.status, found.withheld and found.withheld.code) == (0, "false_positive", "refuted")
    said = [(one.by, one.role, one.model, one.answer) for one in found.judgements]
    assert said == [
        ("verifier", "verifier", "scripted", "CONFIRMED"),
        ("verifier", "second_verifier", "other", "REFUTED"),
        ("ruling", "verifier", None, "REFUTED"),
    ]
    assert report.models["second_verifier"] == "other"
    assert {usage.model for usage in report.usage if usage.role == "second_verifier"} == {"other"}
    assert {body["model"] for body in script.requests} == {"other"}


def test_what_both_models_confirm_blocks(changed: Repo) -> None:
    report, _, code = with_second(changed, model(), model())
    assert (code, report.verdict.decision) == (1, "request_changes")


@FAULTS
def test_a_verifier_without_an_answer_leaves_the_finding_unverified_and_approves_nothing(
    changed: Repo, fault: Act
) -> None:
    with serving(answers_finding(fault)) as (address, _):
        report = reviewed(changed, address)
    (found,) = report.shown
    assert (found.status, report.verdict.decision, report.gate.exit_code) == ("unverified", "comment", 3)
    assert [part.name for part in report.incomplete] == ["verifier"]
    assert report.incomplete[0].reason.startswith("no answer on 1 finding: ")


@FAULTS
def test_a_second_verifier_without_an_answer_neither_refutes_nor_approves(changed: Repo, fault: Act) -> None:
    report, _, code = with_second(changed, model(), answers_finding(fault))
    (found,) = report.shown
    assert (code, report.verdict.decision, found.status) == (3, "comment", "likely")
    assert [part.name for part in report.incomplete] == ["second verifier"]


def test_a_second_verifier_that_cannot_be_asked_stops_the_specialists(changed: Repo) -> None:
    report, _, code = with_second(changed, model(), fails(401, "bad key"))
    assert (code, report.candidates) == (3, ())
    assert [part.name for part in report.incomplete] == ["second verifier"]
    assert "--second-verifier-model" in report.incomplete[0].advice


def test_where_no_verifier_can_be_asked_the_gate_still_holds_for_what_is_proven(repo: Repo) -> None:
    repo.commit("base", BASE)
    repo.commit("Sum by hand", {"app.py": LOOP + "print(undefined)\n"})
    ruff = [one for one in mechanical_specialists() if one.name == "ruff"]
    with serving(fails(401, "bad key")) as (address, _):
        report = reviewed(repo, address, specialists=ruff)
    assert (report.gate.exit_code, report.verdict.decision) == (1, "request_changes")
    assert [part.name for part in report.incomplete] == ["verifier"]


def test_the_verifier_runs_a_linter_and_reads_what_it_says(repo: Repo) -> None:
    repo.commit("base", BASE)
    repo.commit("Sum by hand", {"app.py": LOOP + "print(undefined)\n"})
    checks = calls(
        ("lint_check", '{"file_path": "app.py"}'),
        ("type_check", '{"file_path": "app.py", "branch": "base"}'),
        ("lint_check", '{"file_path": "../../etc/passwd"}'),
    )

    def act(exchange: Exchange) -> None:
        asked = any(message["role"] == "tool" for message in exchange.body["messages"])
        (checks if judging(exchange.body) and not asked else model())(exchange)

    with serving(act) as (address, script):
        reviewed(repo, address)
    told = [
        message["content"]
        for body in script.requests
        if judging(body)
        for message in body["messages"]
        if message["role"] == "tool"
    ]
    assert "diagnostics:\n6: ruff/F821" in told[0]
    assert "diagnostics: (none)" in told[1]
    assert told[2].startswith("error: ")
    assert "leaves the repository" in told[2]
    specialists = [body for body in script.requests if "review_result" in json.dumps(body.get("tools", ""))]
    assert "lint_check" not in json.dumps([body["tools"] for body in specialists])


def test_a_finding_on_a_line_with_a_secret_is_proven_and_the_secret_is_in_no_format(
    repo: Repo, tmp_path: Path
) -> None:
    repo.commit("base", BASE)
    repo.commit("Sum by hand", {"app.py": f'KEY = "{SECRET}"\n' + LOOP})
    proof = {
        **FINDING["verification"],  # type: ignore[dict-item]
        "code_examined": 'KEY = "REDACTED_token_0"',
        "line_range_examined": [1, 1],
    }
    found = {**FINDING, "line": 1, "title": "A key in the code", "verification": proof}
    formats = ("markdown", "sarif", "review-result", "verdict", "junit", "gitlab")
    files = [tmp_path / f"out.{name}" for name in formats]
    outputs = [
        part for name, file in zip(formats, files, strict=True) for part in ("--format", f"{name}={file}")
    ]
    with serving(model(review_result={**REVIEW, "findings": [found]})) as (address, script):
        done = review(repo, address, "--analysers-off", "ty,kingfisher", *outputs)
    report = reported(done.out)
    (shown,) = report.shown
    assert (shown.status, shown.quote and shown.quote.outcome) == ("verified", "exact")
    assert SECRET not in json.dumps(script.requests)
    assert SECRET not in json.dumps([one.model_dump(mode="json") for one in report.candidates])
    assert [file.name for file in files if SECRET in file.read_text()] == []


def test_each_role_is_asked_where_its_address_says(changed: Repo) -> None:
    with serving(model()) as (address, general), serving(model()) as (own, script):
        done = affidavit(
            *("review", "HEAD", "--model", "large", "--base-url", address, "--verifier-model", "careful"),
            *("--verifier-base-url", own, "--format", "report"),
            cwd=changed.path,
            env={"AFFIDAVIT_API_KEY": "key-one", "AFFIDAVIT_VERIFIER_API_KEY": "key-two"},
        )
    assert done.code == 1
    sent = [{headers["authorization"] for headers in each.headers} for each in (general, script)]
    assert sent == [{"Bearer key-one"}, {"Bearer key-two"}]
    assert {body["model"] for body in script.requests} == {"careful"}
    assert "key-one" not in done.out + done.err
    assert "key-two" not in done.out + done.err
