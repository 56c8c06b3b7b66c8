"""What a verifier's answer makes of a finding."""

import pytest
from scripted_verifiers import EXACT, SILENT, SPENT, YES, Answers, judged, judges, verify

from affidavit.events import Event, ignore_events
from affidavit.records.candidate import Status, Worth
from affidavit.records.diagnostics import Reason
from affidavit.records.evidence import SearchHit, SearchRun
from affidavit.records.finding import Search
from affidavit.records.report import Gap
from affidavit.stages.verify import unanswered
from claims import candidate, finding

HIT = SearchHit(path="app.py", line=3, text="guard(total)")


def test_what_the_machine_found_is_verified_and_worth_what_its_rule_says() -> None:
    act = verify(candidate(finding(rule_id="ruff/F821"), kind="mechanical", quote=EXACT))
    nit = verify(candidate(finding(rule_id="ruff/F401"), kind="mechanical", quote=EXACT))
    assert (act.status, act.worth, act.confidence) == (Status.VERIFIED, Worth.ACT, "high")
    assert (nit.status, nit.worth) == (Status.VERIFIED, Worth.NIT)


def test_without_a_verifier_a_models_finding_is_unverified_and_stays() -> None:
    result = verify(candidate(quote=EXACT))
    assert (result.status, result.withheld, result.confidence) == (Status.UNVERIFIED, None, "low")


def test_a_confirmed_finding_is_verified() -> None:
    result = verify(candidate(quote=EXACT), Answers(answer="CONFIRMED", worth="act"))
    assert (result.status, result.worth, result.confidence) == (Status.VERIFIED, Worth.ACT, "high")


def test_a_qualified_confirmation_is_only_likely() -> None:
    result = verify(candidate(quote=EXACT), Answers(answer="CONFIRMED", worth="act", qualified=True))
    assert (result.status, result.confidence) == (Status.LIKELY, "medium")


def test_a_confirmation_that_leaves_the_worth_out_is_a_maybe() -> None:
    assert verify(candidate(quote=EXACT), Answers(answer="CONFIRMED")).worth is Worth.MAYBE


@pytest.mark.parametrize(
    ("is_absence", "hits", "code"),
    [
        (True, (HIT,), Reason.ABSENCE_DISPROVED),
        (True, (), Reason.REFUTED),
        (False, (HIT,), Reason.REFUTED),
    ],
)
def test_an_absence_that_is_refuted_with_a_hit_at_hand_is_disproved(
    is_absence: bool, hits: tuple[SearchHit, ...], code: Reason
) -> None:
    search = Search(pattern="guard")
    claim = finding(evidence={"is_absence_finding": is_absence, "searches": (search,)})
    run = SearchRun(search=search, state="hits" if hits else "nothing_found", hits=hits)
    item = candidate(claim, quote=EXACT, searches=(run,))
    result = verify(item, Answers(answer="REFUTED", reason="app.py:3 guards it"))
    assert result.withheld is not None
    assert (result.withheld.code, result.withheld.detail) == (code, "app.py:3 guards it")
    assert result.status is Status.FALSE_POSITIVE


def test_a_refuted_finding_is_withheld_as_a_false_positive() -> None:
    result = verify(candidate(quote=EXACT), Answers(answer="REFUTED", reason="app.py:3 guards it"))
    assert result.withheld is not None
    assert (result.withheld.code, result.withheld.detail) == (Reason.REFUTED, "app.py:3 guards it")
    assert result.status is Status.FALSE_POSITIVE


@pytest.mark.parametrize("outcome", ["cut_off", "failed", "refused", "skipped"])
def test_a_verifier_without_an_answer_refutes_nothing(outcome: str) -> None:
    result = verify(candidate(quote=EXACT), Answers(outcome=outcome))
    assert (result.status, result.withheld) == (Status.UNVERIFIED, None)


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        ("cut_off", Reason.VERIFIER_FAILED),
        ("failed", Reason.VERIFIER_FAILED),
        ("refused", Reason.VERIFIER_FAILED),
        ("skipped", Reason.BUDGET_EXHAUSTED),
    ],
)
def test_each_judgement_that_was_not_given_is_a_diagnostic(outcome: str, code: Reason) -> None:
    silent = Answers(outcome=outcome, model="one", reason="timed out")
    (said,) = judged([candidate(quote=EXACT)], silent, ignore_events).diagnostics
    assert (said.code, said.detail, said.specialist, said.id) == (code, "timed out", "logic", "f1")


def test_a_judgement_that_was_given_is_no_diagnostic() -> None:
    given = Answers(answer="CONFIRMED", worth="act")
    assert judged([candidate(quote=EXACT)], given, ignore_events).diagnostics == ()


def test_what_judging_costs_is_in_the_docket_and_a_gap_is_said() -> None:
    docket = judged([candidate(quote=EXACT)], judges(YES, second=SILENT), ignore_events)
    assert docket.usage == (SPENT, SPENT)
    assert [gap.name for gap in docket.incomplete] == ["second verifier"]


def test_a_finding_that_has_ended_is_not_judged() -> None:
    verifier = Answers(answer="CONFIRMED")
    verify(candidate().withhold("evidence", Reason.EVIDENCE_NOT_FOUND), verifier)
    assert verifier.asked == 0


def test_agreement_raises_the_confidence_in_an_unverified_finding() -> None:
    assert verify(candidate(quote=EXACT, agreed_by=("security",))).confidence == "medium"


def test_each_judged_finding_is_told() -> None:
    told: list[Event] = []
    verify(candidate(quote=EXACT), Answers(answer="CONFIRMED", worth="act"), told.append)
    (event,) = [event for event in told if event.name == "finding.verified"]
    assert {"title", "status", "confidence", "finding_id", "specialist", "timestamp"} <= event.data.keys()


def test_a_verifier_that_did_not_answer_is_named() -> None:
    silent = verify(candidate(quote=EXACT), Answers(outcome="failed", model="one", reason="timed out"))
    assert unanswered([silent]) == [Gap(name="verifier", reason="no answer on 1 finding: timed out")]


def test_the_verifier_s_severity_counts_and_the_claimed_one_is_kept() -> None:
    verdict = Answers(answer="CONFIRMED", worth="act", severity="low")
    lower = verify(candidate(finding(severity="high"), quote=EXACT), verdict)
    assert lower.finding is not None
    assert (lower.finding.severity, lower.claimed_severity) == ("low", "high")
    same = verify(candidate(finding(severity="low"), quote=EXACT), verdict)
    assert same.claimed_severity is None


def test_a_proven_finding_keeps_the_severity_of_its_rule() -> None:
    found = candidate(finding(rule_id="ruff/F821", severity="high"), kind="mechanical", quote=EXACT)
    judged_by_all = verify(
        found, Answers(answer="CONFIRMED", worth="nit", severity="info", scenario="unchanged")
    )
    assert judged_by_all.finding is not None
    assert (judged_by_all.finding.severity, judged_by_all.claimed_severity) == ("high", None)
    assert [one.by for one in judged_by_all.judgements] == ["machine"]
