"""Proofs of findings that no analyser made: quotes, searches and the confirmation they rest on."""

from collections.abc import Sequence
from typing import Any

import pytest

from affidavit.recheck.proofs import Proof, check_proofs
from affidavit.records.candidate import Candidate, Judgement, Status
from affidavit.records.docket import Docket
from affidavit.records.evidence import SearchRun
from affidavit.records.plan import Plan
from affidavit.records.report import Gate, Report, Verdict
from affidavit.stages.proving.evidence import locate_quotes, run_searches
from affidavit.stages.reporting.report import count
from claims import candidate, case_of, change_of, finding, opened
from repositories import Repo

APP: dict[str, str | bytes | None] = {"app.py": "def total(items):\n    return items[0]\n"}
ABSENT = {
    "code_examined": "return items[0]",
    "is_absence_finding": True,
    "searches": [{"pattern": "is_empty"}],
}
CONFIRMED = Judgement(by="verifier", answer="CONFIRMED", model="m-1")
REFUTED = CONFIRMED.model_copy(update={"answer": "REFUTED"})
SECOND = CONFIRMED.model_copy(update={"model": "m-2", "role": "second_verifier"})


def report_of(one: Candidate, **fields: Any) -> Report:
    blocking = (one.id,) if one.status is Status.VERIFIED else ()
    verdict = Verdict(
        decision="request_changes" if blocking else "comment",
        summary="",
        confidence=0.9,
        blocking=blocking,
        counts=count([one], blocking=len(blocking)),
    )
    defaults = {
        "affidavit_version": "0",
        "id": "r",
        "created_at": "2026-01-02T03:04:05Z",
        "duration_ms": 1,
        "schema_version": "1.1",
        "prompt_version": "1.0.0",
        "change": change_of("app.py"),
        "settings": {},
        "models": {"verifier": "m-1"},
        "candidates": (one,),
        "replies": (),
        "verdict": verdict,
        "gate": Gate(fail_on="high", failed_by=blocking, exit_code=1 if blocking else 0),
    }
    return Report(**{**defaults, **fields})


def proofs_of(repo: Repo, report_fields: dict[str, Any] | None = None, **forged: Any) -> list[Proof]:
    """The proofs of a report on one absence claim that a verifier confirmed, forged as told."""
    with opened(repo, APP, {"other.py": "x = 1\n"}) as repository:
        claimed = candidate(finding(ABSENT))
        case = case_of(change_of("app.py"), repository, plan=Plan())
        checked = run_searches(locate_quotes(Docket(candidates=(claimed,)), case), case).candidates[0]
        told = {"status": Status.VERIFIED, "judgements": (CONFIRMED,), **forged}
        report = report_of(checked.model_copy(update=told), **(report_fields or {}))
        return check_proofs(report, repository, [])


def failing(proofs: Sequence[Proof]) -> list[str]:
    return [proof.kind for proof in proofs if not proof.holds]


def test_an_honest_absence_claim_holds_with_its_quote_and_its_search(repo: Repo) -> None:
    proofs = proofs_of(repo)
    assert [proof.kind for proof in proofs] == ["quote", "search", "verdict"]
    assert failing(proofs) == []


def test_a_search_whose_outcome_was_taken_out_of_the_report_fails(repo: Repo) -> None:
    assert failing(proofs_of(repo, searches=())) == ["search"]


def test_a_search_recorded_with_another_outcome_fails(repo: Repo) -> None:
    searched = SearchRun(search={"pattern": "is_empty"}, state="hits")
    assert failing(proofs_of(repo, searches=(searched,))) == ["search"]


@pytest.mark.parametrize(
    "judgements",
    [
        (),
        (Judgement(by="machine", answer="CONFIRMED"),),
        (Judgement(by="verifier", answer="CONFIRMED", qualified=True),),
        (CONFIRMED, Judgement(by="verifier", answer="REFUTED")),
        (CONFIRMED, REFUTED, REFUTED, Judgement(by="ruling", answer="CONFIRMED")),
        (CONFIRMED, SECOND.model_copy(update={"answer": "REFUTED"})),
        (CONFIRMED, SECOND.model_copy(update={"answer": None, "outcome": "cut_off"})),
    ],
)
def test_a_finding_called_verified_that_no_verifier_confirmed_fails(
    repo: Repo, judgements: tuple[Judgement, ...]
) -> None:
    assert failing(proofs_of(repo, judgements=judgements)) == ["judgement"]


@pytest.mark.parametrize("judgements", [(CONFIRMED, REFUTED, CONFIRMED), (CONFIRMED, SECOND)])
def test_a_majority_and_two_verifiers_that_agree_confirm_again(
    repo: Repo, judgements: tuple[Judgement, ...]
) -> None:
    assert failing(proofs_of(repo, judgements=judgements)) == []


def test_a_confirmation_in_a_report_that_names_no_model_fails(repo: Repo) -> None:
    assert failing(proofs_of(repo, {"models": {}})) == ["judgement"]


def test_an_unverified_finding_needs_no_confirmation(repo: Repo) -> None:
    assert failing(proofs_of(repo, status=Status.UNVERIFIED, judgements=())) == []
