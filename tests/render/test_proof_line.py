"""The line of proof: whether a problem was run, proven by an analyser, or only read, in plain words."""

from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from affidavit.analysers.references import specialist as broken_references
from affidavit.forges.posting.bodies import finding_body
from affidavit.records.candidate import Candidate, Carried, Judgement
from affidavit.records.evidence import ReproductionCheck, ReproductionOutcome
from affidavit.records.program_runs import KeptRun, Program, ProgramRun
from affidavit.render import proof
from affidavit.render.markdown import render_markdown
from affidavit.render.proof import OWN_ANALYSERS, how_shown
from affidavit.render.terminal import render_terminal
from reports import a_candidate, a_finding, a_report

CONFIRMED = Judgement(by="verifier", answer="CONFIRMED", model="judge")


def of_a_model(**fields: Any) -> Candidate:
    defaults: dict[str, Any] = {"kind": "model", "specialist": "logic", "judgements": (CONFIRMED,)}
    return a_candidate(0, **{**defaults, "finding": a_finding(rule_id=None), **fields})


def ran(outcome: ReproductionOutcome) -> ReproductionCheck:
    return ReproductionCheck(outcome=outcome, head=(ProgramRun(side="head", state="exited", exit_code=1),))


def test_what_a_program_showed_says_so_first() -> None:
    said = how_shown(of_a_model(reproduction=ran("reproduced")))
    assert said == "shown by running a program: fails after the change, not before"
    new = how_shown(of_a_model(reproduction=ran("reproduced_new")))
    assert new == "shown by running a program, in code that is new"


def test_what_an_analyser_proved_says_so_with_its_rule() -> None:
    assert how_shown(a_candidate()) == "proven by an analyser (ruff F821), new with this change"


def test_what_was_proven_by_comparing_both_sides_claims_no_analyser() -> None:
    finding = a_finding(rule_id="references/removed-import")
    said = how_shown(a_candidate(specialist="references", finding=finding))
    assert said == "proven by comparing both sides (references removed-import), new with this change"


def test_the_specialists_that_compare_both_sides_themselves_are_known_by_their_names() -> None:
    assert {broken_references.NAME} == OWN_ANALYSERS


def test_what_an_analyser_proved_in_an_earlier_review_is_not_called_new() -> None:
    carried = Carried(earlier="ruff:0", key="3f9a", trace="stands")
    said = how_shown(a_candidate(carried=carried))
    assert said == "proven by an analyser (ruff F821), in an earlier review"


def test_what_a_verifier_confirmed_without_running_anything_was_only_read() -> None:
    assert how_shown(of_a_model()) == "only read, not run"


def test_a_program_that_did_not_show_it_leaves_it_only_read() -> None:
    assert how_shown(of_a_model(reproduction=ran("not_reproduced"))) == (
        "only read; its program did not show it"
    )


def test_a_program_by_which_the_verifier_confirmed_it_counts_as_shown() -> None:
    run = KeptRun(program=Program(language="python", text="print(total([]))"))
    decided = CONFIRMED.model_copy(update={"run": run})
    assert how_shown(of_a_model(judgements=(decided,))) == "shown by a program that the verifier ran"
    refuting = decided.model_copy(update={"answer": "REFUTED"})
    assert how_shown(of_a_model(judgements=(refuting, CONFIRMED))) == "only read, not run"


@pytest.mark.parametrize("kind", ["model", "outside"])
def test_who_found_it_is_told_from_who_handed_it_in(kind: str) -> None:
    named = {"model": "found by a model (logic)", "outside": "reported by logic"}
    candidate = of_a_model(kind=kind)
    assert named[kind] in proof.proof_line(candidate, a_report(candidate))


@pytest.mark.parametrize("outcome", ["cut_off", "failed", "refused", "skipped"])
def test_a_verifier_that_gave_no_answer_is_named_with_what_became_of_it(outcome: str) -> None:
    candidate = of_a_model(judgements=(Judgement.model_validate({"by": "verifier", "outcome": outcome}),))
    said = proof.proof_line(candidate, a_report(candidate))
    assert f"not verified: {proof.UNANSWERED[outcome]}" in said
    assert proof.UNANSWERED[outcome].startswith("the verifier")


def test_every_format_for_people_says_how_it_was_shown() -> None:
    candidate = of_a_model()
    report = a_report(candidate)
    page = StringIO()
    render_terminal(report, console=Console(file=page, width=200))
    posted = finding_body(candidate, report, 60_000)
    for text in (page.getvalue(), render_markdown(report), posted):
        assert "only read, not run · quote found in the commit · found by a model (logic)" in text
