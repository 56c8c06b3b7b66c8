"""Many findings, and the same one many times: how often the verifier is asked."""

from typing import Any

import pytest
from scripted_verifiers import EXACT, SPENT, Answers, ByTitle, judged

from affidavit.events import ignore_events
from affidavit.records.candidate import Candidate, Status, Worth
from affidavit.records.docket import Group
from affidavit.records.finding import Search
from claims import candidate, finding


def reported(index: int, **fields: Any) -> Candidate:
    claim = finding(**{"rule_id": "ruff/F821", "severity": "medium", "line": index + 1, **fields})
    return candidate(
        claim, id=f"ruff-{index}", index=index, specialist="ruff", kind="mechanical", quote=EXACT
    )


def test_the_verifier_is_not_asked_about_what_an_analyser_proved() -> None:
    verifier = Answers(answer="REFUTED", worth="nit", reason="taste")
    proven = [reported(0, severity="low"), reported(1), reported(2, file="lib.py", severity="high")]
    claimed = candidate(finding(title="The total is wrong"), quote=EXACT)
    docket = judged([*proven, claimed], verifier, ignore_events)
    assert verifier.asked == 1
    assert [one.withheld is None for one in docket.candidates] == [True, True, True, False]
    assert {(one.status, one.worth) for one in docket.candidates[:3]} == {(Status.VERIFIED, Worth.ACT)}
    assert {one.by for found in docket.candidates[:3] for one in found.judgements} == {"machine"}
    assert docket.usage == (SPENT,)


def test_what_analysers_proved_takes_no_turn_from_what_models_found() -> None:
    items = [candidate(finding(title=str(at)), id=f"logic-{at}", index=at, quote=EXACT) for at in range(24)]
    verifier = ByTitle()
    docket = judged([*(reported(number) for number in range(900)), *items], verifier, ignore_events)
    assert len(verifier.asked) == 24
    assert docket.incomplete == ()


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
