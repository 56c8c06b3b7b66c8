"""Many findings, and the same one many times: how often the verifier is asked."""

from typing import Any

import pytest
from scripted_verifiers import EXACT, SPENT, Answers, ByTitle, judged

from affidavit.events import ignore_events
from affidavit.proof.places import MAX_TOPICS_ASKED
from affidavit.records.candidate import Candidate, Status, Worth
from affidavit.records.docket import Group
from affidavit.records.finding import Search
from claims import candidate, finding


def reported(index: int, **fields: Any) -> Candidate:
    claim = finding(**{"rule_id": "ruff/F821", "severity": "medium", "line": index + 1, **fields})
    return candidate(
        claim, id=f"ruff-{index}", index=index, specialist="ruff", kind="mechanical", quote=EXACT
    )


def test_the_worth_of_a_rule_is_asked_once_a_file_and_the_answer_is_for_all() -> None:
    verifier = Answers(answer="CONFIRMED", worth="maybe", reason="app.py:1")
    docket = judged([reported(number) for number in range(900)], verifier, ignore_events)
    assert verifier.asked == 1
    assert {one.doubt for one in docket.candidates} == {"app.py:1"}
    assert len(docket.usage) == 1


def test_a_rule_is_asked_about_in_a_few_files_only() -> None:
    verifier = Answers(answer="CONFIRMED", worth="act")
    judged([reported(number, file=f"{number}.py") for number in range(100)], verifier, ignore_events)
    assert verifier.asked == MAX_TOPICS_ASKED


def test_the_verifier_is_not_asked_about_many_findings_that_block_whatever_it_says() -> None:
    verifier = Answers(answer="CONFIRMED", worth="nit")
    docket = judged([reported(number, severity="high") for number in range(9)], verifier, ignore_events)
    assert verifier.asked == 0
    assert {(one.status, one.worth) for one in docket.candidates} == {(Status.VERIFIED, Worth.ACT)}


def broken(index: int, severity: str) -> Candidate:
    evidence = {
        "is_impact_finding": True,
        "caused_by": {"file": "lib.py", "symbol": "helper"},
        "verification_method": "ty reports it: an argument of `helper` is missing",
    }
    return candidate(
        finding(evidence, rule_id=f"ty/rule-{index}", file=f"{index}.py", severity=severity),
        id=f"ty-{index}",
        index=index,
        specialist="ty",
        kind="mechanical",
        quote=EXACT,
    )


@pytest.mark.parametrize(("worst", "asked"), [("medium", 1), ("high", 0)])
def test_what_one_cause_breaks_is_asked_about_once_and_not_at_all_where_the_machine_decides(
    worst: str, asked: int
) -> None:
    verifier = Answers(answer="CONFIRMED", worth="maybe", reason="lib.py:1")
    judged([broken(0, "medium"), broken(1, worst), broken(2, "medium")], verifier, ignore_events)
    assert verifier.asked == asked


def test_so_many_findings_are_verified_that_the_number_grows_slower_than_they_do() -> None:
    items = [
        candidate(finding(severity="low" if at else "high", title=str(at)), id=f"logic-{at}", index=at)
        for at in range(900)
    ]
    verifier = ByTitle()
    docket = judged(items, verifier, ignore_events)
    assert len(verifier.asked) == 144
    assert "0" in verifier.asked
    unasked = [one for one in docket.candidates if one.status is Status.UNVERIFIED]
    assert len(unasked) == 900 - 144
    assert [gap.reason for gap in docket.incomplete] == [
        "756 findings not verified: there are more than are verified in one review"
    ]


REPEATED = (
    candidate(finding(title="The total is wrong"), quote=EXACT),
    candidate(finding(title="the  TOTAL is\nwrong"), id="security-0", specialist="security", quote=EXACT),
)


@pytest.mark.parametrize(("answer", "is_shown"), [("CONFIRMED", True), ("REFUTED", False)])
def test_the_same_claim_in_the_same_words_is_verified_once_and_paid_once(
    answer: Any, *, is_shown: bool
) -> None:
    verifier = Answers(answer=answer, worth="act", model="one")
    docket = judged(REPEATED, verifier, ignore_events)
    assert verifier.asked == 1
    assert [one.is_shown for one in docket.candidates] == [is_shown] * 2
    assert [len(one.judgements) for one in docket.candidates] == [1, 1]
    assert docket.usage == (SPENT,)
    said = [step.what for step in docket.candidates[1].steps]
    assert "judged with logic-0: the same claim in the same words" in said


@pytest.mark.parametrize(
    "other",
    [
        {"line": 3},
        {"title": "The total is right"},
        {"severity": "low"},
        {"evidence": {"failing_input": "a list of one"}},
        {"evidence": {"searches": (Search(pattern="x"),)}},
    ],
)
def test_another_place_other_words_or_other_proof_are_another_claim(other: dict[str, Any]) -> None:
    verifier = Answers(answer="CONFIRMED", worth="act")
    judged([REPEATED[0], candidate(finding(**other), id="security-0", quote=EXACT)], verifier, ignore_events)
    assert verifier.asked == 2


def test_a_repeated_claim_is_not_judged_again_in_its_turn() -> None:
    verifier = Answers(answer="REFUTED", worth="nit")
    judged(
        REPEATED, verifier, ignore_events, Group(leader="logic-0", members=("security-0",), cause="of both")
    )
    assert verifier.asked == 1
