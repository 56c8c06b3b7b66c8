"""Where a model can be asked, findings are joined by cause; what it answers is checked and kept."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from affidavit.records.candidate import Candidate
from affidavit.records.diagnostics import Reason
from affidavit.records.docket import Docket, Group
from affidavit.records.evidence import QuoteCheck
from affidavit.records.report import Answer, Reply, RoleUsage
from affidavit.stages.merge import MAX_JOINED, merge
from claims import candidate, case_of, change_of, finding, opened
from repositories import Repo

EXACT = QuoteCheck(outcome="exact", file="app.py", side="head")
SPENT = RoleUsage(role="joiner", model="one", requests=1)


class Joins:
    """A joiner with these groups; what it does not name has a cause of its own."""

    def __init__(self, *groups: Sequence[str], outcome: Any = "answered", text: str | None = None) -> None:
        self.groups, self.outcome, self.text = groups, outcome, text
        self.asked: list[str] = []

    async def join(self, candidates: Sequence[Candidate]) -> Answer:
        self.asked = [one.id for one in candidates]
        named = {name for group in self.groups for name in group}
        alone = [(name,) for name in self.asked if name not in named]
        causes = [{"cause": f"of {group[0]}", "findings": group} for group in (*self.groups, *alone)]
        text = self.text if self.text is not None else json.dumps({"groups": causes})
        return Answer(outcome=self.outcome, detail="it hung up", text=text, usage=SPENT)


def of(name: str, kind: str = "model", **fields: Any) -> Candidate:
    specialist, _, index = name.partition("-")
    claim = finding(**{"id": name, **fields})
    return candidate(claim, id=name, specialist=specialist, index=int(index), kind=kind, quote=EXACT)


def merged(
    repo: Repo, joiner: Any, *candidates: Candidate, models: Mapping[str, str] | None = None
) -> tuple[Docket, Answer | None]:
    with opened(repo, {"app.py": "a\n"}, {"app.py": "a\nb\nc\nd\n"}) as repository:
        replies = tuple(reply_of(*each) for each in (models or {}).items())
        case = replace(case_of(change_of("app.py"), repository), replies=replies)
        return asyncio.run(merge(Docket(candidates=candidates), case, joiner))


def reply_of(specialist: str, model: str) -> Reply:
    usage = (RoleUsage(role="specialist", model=model, requests=1),)
    return Reply(specialist=specialist, kind="model", text=None, usage=usage)


LOGIC = of("logic-0", title="The loop starts at one", message="It begins with the wrong number.")
TESTS = of(
    "quality-0",
    line=3,
    severity="medium",
    title="Nobody would notice",
    message="The assertion compares with itself.",
)
ALIKE = of("security-0", line=3, title="The loop starts at one", message="It begins with the wrong number.")


def test_findings_in_other_words_are_one_where_they_have_one_cause(repo: Repo) -> None:
    docket, answer = merged(repo, Joins(("logic-0", "quality-0")), LOGIC, TESTS)
    assert docket.groups == (Group(leader="logic-0", members=("quality-0",), cause="of logic-0"),)
    assert [one.agreed_by for one in docket.candidates] == [("quality",), ("logic",)]
    assert any("one cause with quality-0: of logic-0" in step.what for step in docket.candidates[0].steps)
    assert answer is not None
    assert docket.usage == (SPENT,)
    assert all(one.fingerprint for one in docket.candidates)


@pytest.mark.parametrize("joiner", [None, Joins(("logic-0", "quality-0", "security-0")), Joins()])
def test_specialists_of_one_family_are_one_voice(repo: Repo, joiner: Any) -> None:
    again = ALIKE.model_copy(update={"finding": ALIKE.claim.model_copy(update={"line": LOGIC.claim.line})})
    one = {"logic": "anthropic:claude-sonnet-4-6", "security": "bedrock:eu.anthropic.claude-opus-4-1-v1:0"}
    docket, _ = merged(repo, joiner, LOGIC, again, models=one)
    assert docket.groups[0].members == ("security-0",)
    assert [found.agreed_by for found in docket.candidates] == [(), ()]
    docket, _ = merged(repo, joiner, LOGIC, again, models={**one, "security": "openai:gpt-5"})
    assert docket.candidates[0].agreed_by == ("security",)


def test_findings_in_the_same_words_are_two_where_they_have_two_causes(repo: Repo) -> None:
    docket, _ = merged(repo, Joins(), LOGIC, ALIKE)
    assert docket.groups == ()
    assert [one.agreed_by for one in docket.candidates] == [(), ()]


def test_the_joiner_reads_findings_sorted_by_id_and_only_what_stands(repo: Repo) -> None:
    gone = of("logic-1").withhold("evidence", Reason.EVIDENCE_NOT_FOUND)
    joiner = Joins()
    merged(repo, joiner, TESTS, gone, LOGIC)
    assert joiner.asked == ["logic-0", "quality-0"]


@pytest.mark.parametrize(
    "candidates",
    [
        [],
        [LOGIC],
        [of("ruff-0", "mechanical", rule_id="ruff/F821"), of("ruff-1", "mechanical", rule_id="ruff/S608")],
    ],
)
def test_nobody_is_asked_where_nothing_can_be_joined(repo: Repo, candidates: list[Candidate]) -> None:
    joiner = Joins()
    docket, answer = merged(repo, joiner, *candidates)
    assert (joiner.asked, answer, docket.usage) == ([], None, ())


@pytest.mark.parametrize(
    ("joiner", "detail"),
    [
        (Joins(outcome="failed"), "failed: it hung up"),
        (Joins(outcome="budget_exhausted"), "budget exhausted: it hung up"),
        (Joins(text="{}"), "the reply has no list of groups"),
        (Joins(("logic-0", "logic-0"), ("security-0",)), "it has twice: logic-0"),
    ],
)
def test_where_the_joiner_fails_words_decide_and_that_is_said(repo: Repo, joiner: Joins, detail: str) -> None:
    docket, answer = merged(repo, joiner, LOGIC, ALIKE)
    assert [group.members for group in docket.groups] == [("security-0",)]
    assert [(note.code, note.detail) for note in docket.diagnostics] == [(Reason.JOINER_FAILED, detail)]
    assert docket.incomplete == ()
    assert answer is not None


def test_words_join_nothing_across_lines_with_two_fixes(repo: Repo) -> None:
    first, second = (
        of(name, line=line, title="The loop starts at one", suggestion=fix)
        for name, line, fix in (("logic-0", 2, "Start at 0."), ("security-0", 4, "Return 0."))
    )
    assert merged(repo, None, first, second)[0].groups == ()
    same_fix = of("security-0", line=4, title="The loop starts at one", suggestion="Start  at 0.")
    assert merged(repo, None, first, same_fix)[0].groups != ()
    same_line = of("security-0", line=2, title="The loop starts at one", suggestion="Return 0.")
    assert merged(repo, None, first, same_line)[0].groups != ()


def test_twins_of_two_analysers_stay_one_and_a_model_s_account_comes_under_them(repo: Repo) -> None:
    ruff = of("ruff-0", "mechanical", rule_id="ruff/F821")
    ty = of("ty-0", "mechanical", rule_id="ty/unresolved-reference")
    joiner = Joins(("ruff-0", "logic-0"))
    docket, _ = merged(repo, joiner, ruff, ty, LOGIC)
    assert joiner.asked == ["logic-0", "ruff-0"]
    assert [(group.leader, group.members) for group in docket.groups] == [
        ("ruff-0", ("ty-0",)),
        ("ruff-0", ("logic-0",)),
    ]


def test_a_rule_with_many_findings_in_a_file_is_one_line_for_the_joiner(repo: Repo) -> None:
    many = [of(f"ruff-{number}", "mechanical", rule_id="ruff/F821", line=number + 1) for number in range(60)]
    joiner = Joins()
    merged(repo, joiner, *many, LOGIC)
    assert joiner.asked == ["logic-0", "ruff-0"]


def test_of_very_many_findings_the_mildest_are_not_asked_about(repo: Repo) -> None:
    many = [
        of(f"logic-{number}", severity="info" if number else "high", title=f"word{number}")
        for number in range(MAX_JOINED + 9)
    ]
    joiner = Joins()
    docket, _ = merged(repo, joiner, *many)
    assert len(joiner.asked) == MAX_JOINED
    assert "logic-0" in joiner.asked
    assert (docket.groups, docket.diagnostics) == ((), ())


SAME = of("security-0", title="The loop  starts at ONE", message="It begins with the wrong number.")


def test_what_is_said_twice_in_the_same_words_is_joined_before_anybody_is_asked(repo: Repo) -> None:
    joiner = Joins()
    docket, _ = merged(repo, joiner, LOGIC, TESTS, SAME)
    assert joiner.asked == ["logic-0", "quality-0"]
    assert docket.groups == (Group(leader="logic-0", members=("security-0",)),)
    assert {one.id: one.agreed_by for one in docket.candidates}["logic-0"] == ("security",)


def test_who_repeats_a_claim_goes_along_with_it_into_the_group_of_its_cause(repo: Repo) -> None:
    docket, _ = merged(repo, Joins(("logic-0", "quality-0")), LOGIC, TESTS, SAME)
    (group,) = docket.groups
    assert (group.leader, group.members) == ("logic-0", ("quality-0", "security-0"))
    agreed = {one.id: set(one.agreed_by) for one in docket.candidates}
    assert agreed["logic-0"] == {"security", "quality"}


def test_where_nothing_else_stands_the_joiner_is_not_asked(repo: Repo) -> None:
    joiner = Joins()
    docket, answer = merged(repo, joiner, LOGIC, SAME)
    assert (joiner.asked, answer) == ([], None)
    assert docket.groups == (Group(leader="logic-0", members=("security-0",)),)
