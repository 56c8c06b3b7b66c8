import asyncio
from typing import Any

import pytest

from affidavit.events import Event, ignore_events
from affidavit.records.candidate import Candidate, Judgement, Status, Worth
from affidavit.records.diagnostics import Code
from affidavit.records.evidence import QuoteCheck
from affidavit.stages.verify import verify_candidates
from claims import candidate, finding

EXACT = QuoteCheck(outcome="exact", file="app.py", side="head")


class Answers:
    """A verifier with a fixed answer."""

    def __init__(self, **answer: Any) -> None:
        self.answer = Judgement(by="verifier", **answer)
        self.asked = 0

    async def judge(self, candidate: Candidate) -> Judgement:
        self.asked += 1
        return self.answer


def verify(item: Candidate, verifier: Any = None, emit: Any = ignore_events) -> Candidate:
    done = verify_candidates(
        [item],
        verifier=verifier,
        worth_of=lambda rule: Worth.NIT if rule == "ruff/F401" else Worth.ACT,
        emit=emit,
    )
    return asyncio.run(done)[0]


def test_what_the_machine_found_is_verified_and_worth_what_its_rule_says() -> None:
    act = verify(candidate(finding(rule_id="ruff/F821"), kind="mechanical", quote=EXACT))
    nit = verify(candidate(finding(rule_id="ruff/F401"), kind="mechanical", quote=EXACT))
    assert (act.status, act.worth, act.confidence) == (Status.VERIFIED, Worth.ACT, "high")
    assert (nit.status, nit.worth) == (Status.VERIFIED, Worth.NIT)


def test_with_a_verifier_only_the_worth_of_a_mechanical_finding_is_asked() -> None:
    found = candidate(finding(rule_id="ruff/F821"), kind="mechanical", quote=EXACT)
    doubted = verify(found, Answers(judgment="REFUTED", worth="maybe"))
    assert (doubted.status, doubted.worth, doubted.withheld) == (Status.VERIFIED, Worth.MAYBE, None)
    silent = verify(found, Answers(outcome="failed"))
    assert (silent.status, silent.worth) == (Status.VERIFIED, Worth.ACT)


def test_without_a_verifier_a_models_finding_is_unverified_and_stays() -> None:
    result = verify(candidate(quote=EXACT))
    assert (result.status, result.withheld, result.confidence) == (Status.UNVERIFIED, None, "low")


def test_a_confirmed_finding_is_verified() -> None:
    result = verify(candidate(quote=EXACT), Answers(judgment="CONFIRMED", worth="act"))
    assert (result.status, result.worth, result.confidence) == (Status.VERIFIED, Worth.ACT, "high")


def test_a_qualified_confirmation_is_only_likely() -> None:
    result = verify(candidate(quote=EXACT), Answers(judgment="CONFIRMED", worth="act", qualified=True))
    assert (result.status, result.confidence) == (Status.LIKELY, "medium")


def test_a_confirmation_that_leaves_the_worth_out_is_a_maybe() -> None:
    assert verify(candidate(quote=EXACT), Answers(judgment="CONFIRMED")).worth is Worth.MAYBE


def test_a_refuted_finding_is_withheld_as_a_false_positive() -> None:
    result = verify(candidate(quote=EXACT), Answers(judgment="REFUTED", reason="app.py:3 guards it"))
    assert result.withheld is not None
    assert (result.withheld.code, result.withheld.detail) == (Code.REFUTED, "app.py:3 guards it")
    assert result.status is Status.FALSE_POSITIVE


@pytest.mark.parametrize("outcome", ["cut_off", "failed", "refused", "skipped"])
def test_a_verifier_without_an_answer_refutes_nothing(outcome: str) -> None:
    result = verify(candidate(quote=EXACT), Answers(outcome=outcome))
    assert (result.status, result.withheld) == (Status.UNVERIFIED, None)


def test_a_finding_that_has_ended_is_not_judged() -> None:
    verifier = Answers(judgment="CONFIRMED")
    verify(candidate().withhold("evidence", Code.EVIDENCE_NOT_FOUND), verifier)
    assert verifier.asked == 0


def test_agreement_raises_the_confidence_in_an_unverified_finding() -> None:
    assert verify(candidate(quote=EXACT, agreed_by=("security",))).confidence == "medium"


def test_each_judged_finding_is_told() -> None:
    told: list[Event] = []
    verify(candidate(quote=EXACT), Answers(judgment="CONFIRMED", worth="act"), told.append)
    (event,) = told
    assert event.name == "finding.verified"
    assert {"title", "status", "confidence", "finding_id", "specialist", "timestamp"} <= event.data.keys()
