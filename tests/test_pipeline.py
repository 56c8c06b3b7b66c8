"""The whole line of stages, with specialists that say anything at all."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from affidavit.agents.panel import Panel
from affidavit.config.settings import Settings
from affidavit.events import Emit, Event
from affidavit.pipeline import look, review
from affidavit.ports import Case, Role, Talk
from affidavit.records.change import FileChange
from affidavit.records.docket import Docket
from affidavit.records.report import Answer, Gap, Reply, Report, RoleUsage
from affidavit.stages.evidence import CHECKS
from affidavit.stages.intake import ChangeRequest, OpenedChange, open_change
from affidavit.stages.merge import merge
from affidavit.stages.review import Crew, begin_case
from claims import verification
from repositories import Repo

APP = "def total(items):\n    result = 0\n    for item in items:\n        result += item\n    return result\n"
ODD_NAMES = [
    "weird \u202e name.py",
    "tab\there.py",
    'quo"te.py',
    "back\\slash.py",
    "ünï.py",
    "-dash.py",
    "a/..b/c.py",
]


class Says:
    """A specialist with a fixed reply."""

    def __init__(self, text: str | None, name: str = "logic", kind: Any = "model", **parts: Any) -> None:
        self.name, self.kind = name, kind
        self.reply = Reply(specialist=name, kind=kind, text=text, **parts)

    def examines(self, file: FileChange) -> bool:
        return True

    async def examine(self, case: Case) -> Reply:
        return self.reply


class Scripted:
    """A mind that gives the same answer to everybody."""

    model = "scripted"

    def __init__(self, role: Role, text: str | None, outcome: Any = "answered") -> None:
        self.role: Role = role
        self.text, self.outcome = text, outcome
        self.heard: list[Talk] = []

    async def converse(self, talk: Talk, emit: Emit) -> Answer:
        self.heard.append(talk)
        usage = RoleUsage(role=self.role, model=self.model, requests=1, input_tokens=10)
        return Answer(outcome=self.outcome, text=self.text, usage=usage)


PLAN = json.dumps(
    {"goal": "This change is trying to add", "approach": "a", "impact": "i", "questions": {"logic": ["q?"]}}
)
CONFIRMED = json.dumps({"judgment": "CONFIRMED", "qualified": False, "worth": "act", "reason": "app.py:4"})


def panel(
    said: str | None = None, judged: str | None = CONFIRMED, planned: str | None = PLAN, **outcomes: Any
) -> Panel:
    """Models that say this as specialists, as verifier and as planner."""
    texts: dict[Role, str | None] = {
        "planner": planned,
        "specialist": reply() if said is None else said,
        "verifier": judged,
    }
    minds = {role: Scripted(role, text, outcomes.get(role, "answered")) for role, text in texts.items()}
    return Panel(minds, reads_dependencies=False)


def claim(**fields: Any) -> dict[str, Any]:
    evidence = verification(
        **{"code_examined": "result += item", "line_range_examined": [1, 5]} | fields.pop("evidence", {})
    )
    claim = {
        "id": "f",
        "severity": "high",
        "category": "correctness",
        "title": "t",
        "file": "app.py",
        "line": 4,
    }
    return {**claim, "message": "m", "verification": evidence, **fields}


def reply(*findings: Any) -> str:
    return json.dumps({"schema_version": "1.1", "prompt_version": "2.0.0", "findings": findings})


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenedChange]:
    repo = Repo(tmp_path_factory.mktemp("pipeline") / "repo")
    repo.commit("base", {"app.py": "def total(items):\n    return sum(items)\n"})
    repo.commit("head", {"app.py": APP, **dict.fromkeys(ODD_NAMES, "x = 1\n")})
    with open_change(ChangeRequest(target="HEAD", repo=repo.path)) as change:
        yield change


@pytest.fixture(scope="module")
def longer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenedChange]:
    """A change of so many lines that more than one conversation looks at it."""
    repo = Repo(tmp_path_factory.mktemp("longer") / "repo")
    repo.commit("base", {"app.py": "def total(items):\n    return sum(items)\n"})
    repo.commit("head", {"app.py": APP, "more.py": "".join(f"x{n} = {n}\n" for n in range(140))})
    with open_change(ChangeRequest(target="HEAD", repo=repo.path)) as change:
        yield change


def run(
    opened: OpenedChange,
    specialists: Sequence[Says] = (),
    told: list[Event] | None = None,
    models: Panel | None = None,
) -> Report:
    everyone = Crew(specialists, panel=models)
    emit = (told if told is not None else []).append
    return asyncio.run(review(opened.change, opened.repository, Settings(), everyone, emit))


def test_a_proven_finding_asks_for_changes(opened: OpenedChange) -> None:
    report = run(opened, models=panel(reply(claim())))
    assert (report.verdict.decision, report.gate.exit_code) == ("request_changes", 1)
    assert report.models == {"planner": "scripted", "specialist": "scripted", "verifier": "scripted"}


def test_a_clean_reply_of_a_whole_crew_approves(opened: OpenedChange) -> None:
    report = run(opened, [Says(reply(), "ruff", "mechanical")], models=panel())
    assert (report.verdict.decision, report.gate.exit_code) == ("approve", 0)


@pytest.mark.parametrize(
    "text",
    ["", "LGTM", reply(claim(severity="bad")), reply(claim())[:-200], '{"findings": []}', reply()[:-3]],
)
def test_a_reply_that_cannot_be_read_is_no_approval(opened: OpenedChange, text: str) -> None:
    report = run(opened, models=panel(text))
    assert (report.verdict.decision, report.gate.exit_code) == ("comment", 3)
    assert "logic" in [part.name for part in report.incomplete]


@pytest.mark.parametrize("outcome", ["cut_off", "failed", "refused", "timed_out", "budget_exhausted"])
@pytest.mark.parametrize("role", ["planner", "specialist", "verifier"])
def test_a_model_that_does_not_answer_is_no_approval(opened: OpenedChange, role: str, outcome: str) -> None:
    silent = {"planner": "planned", "specialist": "said", "verifier": "judged"}[role]
    said = reply(claim()) if role == "verifier" else None
    report = run(opened, models=panel(**{"said": said, silent: None} | {role: outcome}))
    assert (report.verdict.decision, report.gate.exit_code) == ("comment", 3)


def test_a_verifier_that_does_not_answer_refutes_nothing(opened: OpenedChange) -> None:
    report = run(opened, models=panel(reply(claim()), "I cannot say."))
    assert [item.status for item in report.shown] == ["unverified"]


def test_a_refuted_finding_is_withheld_with_the_verifiers_reason(opened: OpenedChange) -> None:
    no = json.dumps(
        {"judgment": "REFUTED", "qualified": False, "worth": "nit", "reason": "app.py:2 starts at zero"}
    )
    report = run(opened, models=panel(reply(claim()), no))
    assert report.shown == []
    assert report.verdict.decision == "approve"
    assert "app.py:2 starts at zero" in [item.withheld.detail for item in report.withheld if item.withheld]


def test_specialists_of_one_model_that_find_the_same_are_one_finding_and_one_voice(
    longer: OpenedChange,
) -> None:
    report = run(longer, models=panel(reply(claim())))
    (found,) = report.shown
    assert {one.specialist for one in report.candidates} == {"logic", "quality"}
    assert found.agreed_by == ()


def test_all_specialists_read_the_same_words_before_their_own_task(longer: OpenedChange) -> None:
    models = panel()
    run(longer, models=models)
    mind = models.minds["specialist"]
    assert isinstance(mind, Scripted)
    assert len({(talk.instructions, talk.prefix) for talk in mind.heard}) == 1
    assert len({talk.task for talk in mind.heard}) == len(mind.heard) > 1


def test_the_verifier_does_not_see_the_specialists_reasoning(opened: OpenedChange) -> None:
    models = panel(reply(claim(evidence={"verification_method": "SECRET REASONING"})))
    run(opened, models=models)
    mind = models.minds["verifier"]
    assert isinstance(mind, Scripted)
    (talk,) = mind.heard
    assert talk.schema_name == "verification_judgment"
    assert "SECRET REASONING" not in talk.prefix + talk.task
    assert "4:         result += item" in talk.task


def test_a_reporter_that_fails_leaves_the_review_complete(opened: OpenedChange) -> None:
    models = panel(reply(claim()))
    reporter = Scripted("reporter", None, "timed_out")
    report = run(opened, models=replace(models, minds={**models.minds, "reporter": reporter}))
    (talk,) = reporter.heard
    assert "Verdict: request_changes." in talk.task
    assert (report.words, report.incomplete, report.verdict.decision) == (None, (), "request_changes")
    assert [usage.role for usage in report.usage][-1] == "reporter"


@pytest.mark.parametrize("outcome", ["failed", "refused", "timed_out"])
def test_a_verifier_that_cannot_be_asked_is_found_before_specialists_start(
    opened: OpenedChange, outcome: str
) -> None:
    models = panel(judged=None, verifier=outcome)
    crew = Crew([], panel=models, probes_verifier=True)
    report = asyncio.run(review(opened.change, opened.repository, Settings(), crew))
    assert (report.verdict.decision, report.gate.exit_code) == ("comment", 3)
    assert report.incomplete[0].reason.startswith("scripted cannot be asked, so no model reviewed")
    assert [part.name for part in report.not_run] == ["model specialists"]
    assert [heard(models, role) for role in ("specialist", "verifier")] == [0, 1]


@pytest.mark.parametrize(("text", "outcome"), [(CONFIRMED, "answered"), ("?", "answered"), (None, "cut_off")])
def test_a_verifier_that_answers_at_all_is_let_through_and_the_question_is_paid_for(
    opened: OpenedChange, text: str | None, outcome: str
) -> None:
    models = panel(judged=text, verifier=outcome)
    crew = Crew([], panel=models, probes_verifier=True)
    report = asyncio.run(review(opened.change, opened.repository, Settings(), crew))
    assert heard(models, "specialist") > 0
    assert [usage.role for usage in report.usage].count("verifier") == heard(models, "verifier") == 1


def test_where_a_verifier_cannot_be_asked_the_plan_is_not_waited_for(opened: OpenedChange) -> None:
    class Endless(Scripted):
        was_ended = False

        async def converse(self, talk: Talk, emit: Emit) -> Answer:
            try:
                await asyncio.sleep(3600)
            finally:
                self.was_ended = True
            return await super().converse(talk, emit)

    models, planner = panel(judged=None, verifier="failed"), Endless("planner", PLAN)
    crew = Crew([], panel=replace(models, minds={**models.minds, "planner": planner}), probes_verifier=True)
    reviewing = review(opened.change, opened.repository, Settings(), crew)
    report = asyncio.run(asyncio.wait_for(reviewing, timeout=30))
    assert planner.was_ended
    assert (report.plan, [usage.role for usage in report.usage]) == (None, ["verifier"])


def test_every_check_hands_on_what_another_process_can_go_on_with(opened: OpenedChange) -> None:
    said = reply(claim(), claim(id="g"), claim(id="h", evidence={"code_examined": "no such code"}))
    crew = Crew([Says(reply(claim()), "ruff", "mechanical")], panel=panel(said))
    looked = asyncio.run(look(begin_case(opened.change, opened.repository, Settings()), crew))
    once = again = looked.docket
    for each in CHECKS:
        once = each(once, looked.case)
        again = each(Docket.model_validate_json(again.model_dump_json()), looked.case)
        assert again == once
    merged, _ = asyncio.run(merge(once, looked.case))
    assert Docket.model_validate_json(merged.model_dump_json()) == merged
    assert merged.groups


def test_a_reply_is_parsed_once_whoever_wrote_it(opened: OpenedChange) -> None:
    report = run(opened, [Says(reply(claim()), "ruff", "mechanical")], models=panel(reply(claim())))
    assert len({one.id for one in report.candidates}) == len(report.candidates)
    assert len(report.candidates) == sum(one.findings + one.dropped for one in report.replies)


def heard(models: Panel, role: Role) -> int:
    mind = models.minds[role]
    assert isinstance(mind, Scripted)
    return len(mind.heard)


def test_a_specialist_that_failed_leaves_the_others_findings(opened: OpenedChange) -> None:
    failed = Says(None, "ty", "mechanical", incomplete=(Gap(name="ty", reason="it crashed"),))
    report = run(opened, [failed], models=panel(reply(claim())))
    assert len(report.shown) == 1
    assert report.incomplete == (Gap(name="ty", reason="it crashed"),)


def test_the_verifier_is_not_asked_about_what_the_machine_refuted(opened: OpenedChange) -> None:
    report = run(opened, models=panel(reply(claim(evidence={"code_examined": "no such code"}))))
    assert {item.withheld.code for item in report.candidates if item.withheld} == {"evidence_not_found"}
    assert all(item.judgements == () for item in report.candidates)


def test_the_events_of_a_review_come_in_their_order(opened: OpenedChange) -> None:
    told: list[Event] = []
    report = run(opened, [Says(reply(claim()), "ruff", "mechanical")], told)
    names = [event.name for event in told]
    assert names == [
        "pipeline.started",
        "agent.handoff",
        "agent.started",
        "specialist.finished",
        "finding.detected",
        "agent.handoff",
        "finding.verified",
        "agent.handoff",
        "pipeline.completed",
    ]
    assert [event.data["outcome"] for event in told if event.name == "specialist.finished"] == ["looked"]
    (detected,) = [event for event in told if event.name == "finding.detected"]
    assert (detected.data["severity"], detected.data["finding_id"]) == ("warning", report.candidates[0].id)
    assert told[0].data["review_id"] == told[-1].data["review_id"] == report.id
    assert [event.data["to"] for event in told if event.name == "agent.handoff"] == [
        "reviewer",
        "verifier",
        "reporter",
    ]


def test_the_time_of_a_review_counts_the_reporter(opened: OpenedChange) -> None:
    class Slow(Scripted):
        async def converse(self, talk: Talk, emit: Emit) -> Answer:
            await asyncio.sleep(0.2)
            return await super().converse(talk, emit)

    models = panel(reply(claim()))
    reporter = Slow("reporter", "{}", "answered")
    told: list[Event] = []
    report = run(opened, told=told, models=replace(models, minds={**models.minds, "reporter": reporter}))
    assert told[-1].data["duration_ms"] == report.duration_ms >= 200


def test_what_a_role_spent_in_several_talks_is_one_sum(opened: OpenedChange) -> None:
    other = claim(
        id="g",
        line=1,
        category="performance",
        title="Every name is imported twice",
        message="Slow to load.",
        evidence={
            "code_examined": "def total(items):",
            "line_range_examined": [1, 1],
            "failing_input": "a cold start",
            "wrong_outcome": "seconds of waiting",
        },
    )
    models = panel(reply(claim(), other))
    report = run(opened, models=models)
    (spent,) = [usage for usage in report.usage if usage.role == "verifier"]
    assert (spent.requests, spent.input_tokens) == (2, 20) == (heard(models, "verifier"), 20)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
odd_claims = st.builds(
    lambda base, name, value: {**base, name: value},
    st.just(claim()),
    st.sampled_from([*claim(), "end_line", "rule_id", "surprise"]),
    json_values | st.sampled_from(ODD_NAMES),
)
odd_evidence = st.builds(
    lambda name, value: claim(evidence={name: value}),
    st.sampled_from([*verification(), "searches", "side"]),
    json_values,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(findings=st.lists(odd_claims | odd_evidence | json_values, max_size=5))
def test_no_finding_is_lost_whatever_a_specialist_says(opened: OpenedChange, findings: list[Any]) -> None:
    report = run(opened, [Says(reply(*findings))])
    counts = report.verdict.counts
    assert counts.candidates == len(findings) == counts.shown + counts.withheld
    assert Report.model_validate_json(report.model_dump_json()).candidates == report.candidates


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(path=st.text(), line=st.integers(1, 10**9))
def test_any_path_in_a_finding_is_a_clear_result(opened: OpenedChange, path: str, line: int) -> None:
    impact = {"is_impact_finding": True, "caused_by": {"file": "app.py", "symbol": "total"}}
    report = run(
        opened, [Says(reply(claim(file=path, line=line), claim(file=path, line=line, evidence=impact)))]
    )
    assert report.verdict.counts.candidates == 2
    assert all(
        item.finding is None or item.finding.file in opened.change.changed_files for item in report.shown
    )


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_finding_in_a_file_with_an_odd_name_is_proven(opened: OpenedChange, name: str) -> None:
    odd = claim(file=name, line=1, evidence={"code_examined": "x = 1", "line_range_examined": [1, 1]})
    report = run(opened, [Says(reply(odd))])
    assert [item.finding.file for item in report.shown if item.finding] == [name]


def test_a_link_in_the_place_of_source_is_never_approved_even_below_a_vendored_folder(repo: Repo) -> None:
    repo.commit("base", {"app.py": APP, "vendor/a.py": "x = 1\n"})
    for path in ("app.py", "vendor/b.py"):
        (repo.path / path).unlink(missing_ok=True)
        (repo.path / path).symlink_to("/etc/passwd")
    repo.commit("head", {})
    with open_change(ChangeRequest(target="HEAD", repo=repo.path)) as opened:
        report = run(opened, models=panel())
    assert (report.verdict.decision, report.verdict.confidence) == ("comment", 0.3)
    assert "app.py (a link to /etc/passwd" in report.verdict.summary
    assert "vendor/b.py (vendored)" in report.verdict.summary


def test_a_file_whose_name_holds_a_secret_was_shown_under_another(repo: Repo) -> None:
    path = f"d/ghp_{'16C7e42F292c6912E7710c838347Ae178B4a'}.txt"
    repo.commit("base", {"app.py": APP})
    repo.commit("head", {path: "hello\n"})
    with open_change(ChangeRequest(target="HEAD", repo=repo.path)) as opened:
        report = run(opened, models=panel())
    assert report.plan
    assert [chunk.paths for chunk in report.plan.chunks] == [("d/REDACTED_token_0.txt",)]
    (file,) = report.coverage
    assert (file.state, file.reason, file.hunks[0].examined_by) == ("examined", "", ("logic",))
