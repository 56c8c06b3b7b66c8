"""Evaluations and comparisons on a terminal: complete, and no text of a case is obeyed."""

from io import StringIO
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.console import Console

from affidavit.lab.evaluation.view import render_evaluation
from affidavit.lab.records import (
    CaseMatch,
    CaseResult,
    CaseRun,
    Evaluation,
    ExpectedProblem,
    LabelledCase,
    Miss,
    NearMiss,
    ScoredFinding,
    Scores,
)
from affidavit.records.diagnostics import Reason
from affidavit.records.measure import Rate
from affidavit.records.report import Report
from hostile import hostile_reports, some_text
from reports import a_candidate, a_report, a_withheld

INVISIBLE = ("\x1b", "\u202e", "\u200b", "\x07", "\r")


def a_scored(report: Report, number: int = 0, **fields: Any) -> ScoredFinding:
    candidate = report.candidates[number]
    assert candidate.finding is not None
    told = {
        "candidate": candidate.id,
        "fingerprint": candidate.fingerprint,
        "title": candidate.finding.title,
        "file": candidate.finding.file,
        "line": candidate.finding.line,
        "severity": candidate.finding.severity,
        "category": candidate.finding.category,
        "specialist": candidate.specialist,
        "outcome": "true",
        "why": "the same place",
    }
    return ScoredFinding(**{**told, **fields})


def an_evaluation(report: Report, text: str = "The total is never set", **fields: Any) -> Evaluation:
    """One problem found, one missed beside a withheld finding; one wrong finding; one case not run."""
    expected = (
        ExpectedProblem(file="shop/cart.py", line=12, description=text),
        ExpectedProblem(file="shop/cart.py", line=80, description=f"second {text}"),
    )
    sides = {"repository": "../r", "base": "base", "head": "head"}
    bug = LabelledCase(
        id=f"bug {text}", title=text, description=text, language=text, expected=expected, **sides
    )
    run = CaseRun(
        report_id=report.id,
        matches=(CaseMatch(expected=0, candidate=report.candidates[0].id, basis="place", distance=0),),
        findings=(a_scored(report, expected=0),),
        misses=(
            Miss(expected=1, near=(NearMiss(candidate="x", title=text, withheld=Reason.REFUTED, why=text),)),
        ),
        incomplete=(text,),
    )
    wrong = CaseRun(report_id=report.id, findings=(a_scored(report, outcome="wrong", why=text),))
    told: dict[str, Any] = {
        "affidavit_version": "1.0",
        "created_at": "2026-01-01",
        "prompt_version": "1.0.0",
        "cases": 2,
        "clean_cases": 1,
        "expected": 2,
        "found": 1,
        "recall": Rate(count=1, n=2, share=0.5, low=0.095, high=0.905),
        "not_run": 1,
        "models": {"verifier": text},
        "judge": text,
        "by_language": {text: Scores(cases=1)},
        "results": (
            CaseResult(case=bug, run=run),
            CaseResult(case=LabelledCase(id=f"clean {text}", clean=True, **sides), run=wrong),
            CaseResult(case=LabelledCase(id=f"lost {text}", clean=True, **sides), failure=text),
        ),
    }
    return Evaluation(**{**told, **fields})


def plain_report() -> Report:
    return a_report(a_candidate(0), a_withheld(1, Reason.REFUTED, "it cannot happen"))


def as_text(evaluation: Evaluation, width: int = 100) -> str:
    page = StringIO()
    console = Console(file=page, width=width, force_terminal=False, color_system=None)
    render_evaluation(evaluation, console=console)
    return page.getvalue()


def test_the_text_tells_found_missed_wrong_and_not_run() -> None:
    told = " ".join(as_text(an_evaluation(plain_report())).split())
    assert "recall 50.0% [9.5–90.5], n=2 (1 of 2 expected problems found)" in told  # noqa: RUF001
    assert "found: shop/cart.py:12 The total is never set - shop/cart.py:12 ruff: `total` is not" in told
    assert "missed: shop/cart.py:80 second The total is never set" in told
    assert "wrong: shop/cart.py:12 ruff: `total` is not defined" in told
    assert "failure: The total is never set" in told
    assert "1 case could not be run: no score counts it" in told


def test_a_narrow_terminal_gets_every_number() -> None:
    wide, narrow = (as_text(an_evaluation(plain_report()), width) for width in (100, 50))
    assert max(map(len, narrow.splitlines())) <= 50
    assert "\N{HORIZONTAL ELLIPSIS}" not in wide.partition("Cases")[0] + narrow.partition("Cases")[0]


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (1, ["1 case could not be run: no score counts it", "1 finding has no label"]),
        (2, ["2 cases could not be run: no score counts them", "2 findings have no label"]),
    ],
)
def test_notices_count_in_plain_english(count: int, said: list[str]) -> None:
    evaluation = an_evaluation(plain_report(), not_run=count, unlabelled=count)
    assert all(sentence in as_text(evaluation, 300) for sentence in said)


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=25)
@given(st.data())
def test_no_text_obeys_what_a_change_or_a_case_says(data: st.DataObject) -> None:
    report, text = data.draw(hostile_reports()), data.draw(some_text)
    shown = as_text(an_evaluation(report, text))
    assert not [sign for sign in INVISIBLE if sign in shown]
