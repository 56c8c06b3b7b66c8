"""Scores against examples counted by hand."""

from typing import Any

import pytest
from evaluated_cases import a_case, found, problem, result, scored

from affidavit.lab.evaluation.scoring import score, score_by_category, score_by_language, stability
from affidavit.lab.records import CaseResult
from affidavit.records.diagnostics import Reason
from affidavit.records.measure import Label


def hand_counted() -> list[CaseResult]:
    """Three cases with problems, two clean ones, and one that was not run.

    Expected 4: found 2 (10 in a; 30 in b). Shown 7: true 2 and one labelled valid; wrong 1 on a clean case;
    one nit; one repeat; one unlabelled.
    """
    a = a_case(problem(10, category="correctness"), problem(20, category="security"), id="a", language="go")
    b = a_case(problem(30), id="b", language="python")
    c = a_case(problem(40, category="security"), id="c", language="python")
    labels = {"valid": Label.VALID, "nit": Label.NIT}
    return [
        result(a, found("a1", 10), found("a2", 11), found("a3", 80)),
        result(b, found("b1", 30), found("valid", 80), found("nit", 90), labels=labels),
        result(c, found("c1", 40, category="security", withheld=Reason.NIT)),
        result(a_case(id="d", language="go"), found("d1", 5)),
        result(a_case(id="e", language="go")),
        CaseResult(case=a_case(problem(1), id="f"), failure="no such commit"),
    ]


def test_the_counts_are_those_counted_by_hand() -> None:
    scores = score(hand_counted())
    assert scores.model_dump(include=set(COUNTS)) == COUNTS


COUNTS = {
    "cases": 5,
    "clean_cases": 2,
    "expected": 4,
    "found": 2,
    "shown": 7,
    "true": 3,
    "wrong": 1,
    "nits": 1,
    "repeats": 1,
    "unlabelled": 1,
    "wrong_on_clean": 1,
    "clean_cases_with_wrong": 1,
    "found_but_withheld": 1,
}


def test_the_rates_are_those_worked_out_by_hand() -> None:
    scores = score(hand_counted())
    assert scores.recall == pytest.approx(2 / 4)
    assert scores.precision == pytest.approx(3 / 5)
    assert scores.wrong_rate == pytest.approx(1 / 5)
    assert scores.f1 == pytest.approx(2 * 0.6 * 0.5 / 1.1)
    assert scores.wrong_per_clean_case == pytest.approx(1 / 2)


def test_an_interval_holds_its_rate_and_says_of_how_many() -> None:
    interval = score(hand_counted()).recall_interval
    assert interval is not None
    assert interval.low < 0.5 < interval.high
    assert interval.n == 4


@pytest.mark.parametrize("results", [[], [result(a_case())]])
def test_a_rate_of_nothing_is_no_number(results: list[CaseResult]) -> None:
    scores = score(results)
    assert (scores.recall, scores.precision, scores.f1, scores.wrong_rate) == (None, None, None, None)


def test_finding_nothing_at_all_is_a_recall_of_zero_and_no_precision() -> None:
    scores = score([result(a_case(problem(1)))])
    assert (scores.recall, scores.precision) == (0, None)


def test_f1_is_zero_where_recall_and_precision_are() -> None:
    missed = result(a_case(problem(1), id="a"))
    assert score([missed, result(a_case(id="b"), found("f", 1))]).f1 == 0


def test_each_language_has_its_own_scores_and_together_they_are_the_whole() -> None:
    by_language = score_by_language(hand_counted())
    assert list(by_language) == ["go", "python"]
    assert (by_language["go"].found, by_language["go"].expected, by_language["go"].wrong) == (1, 2, 1)
    assert (by_language["python"].found, by_language["python"].expected) == (1, 2)


def test_a_language_in_capitals_is_the_same_language() -> None:
    cases = [a_case(id=name, language=name) for name in ("Python", "python", " PYTHON ")]
    assert {name: one.cases for name, one in score_by_language([result(one) for one in cases]).items()} == {
        "python": 3
    }


def test_recall_is_by_the_category_of_the_problem_and_wrong_by_that_of_the_finding() -> None:
    by_category = score_by_category(hand_counted())
    assert {name: (one.found, one.expected) for name, one in by_category.items()} == {
        "correctness": (1, 1),
        "security": (0, 2),
        "not stated": (1, 1),
    }
    assert by_category["correctness"].wrong == 1
    assert sum(one.shown for one in by_category.values()) == 7


def runs_of(*shown: tuple[Any, ...], **fields: Any) -> CaseResult:
    case = a_case(problem(10), problem(50), **fields)
    runs = [scored(case, *candidates, number=number) for number, candidates in enumerate(shown, 1)]
    return CaseResult(case=case, runs=tuple(runs))


def test_stability_counts_in_how_many_runs_each_was_seen() -> None:
    seen = stability([runs_of((found("x", 10), found("y", 90)), (found("x", 10),), (found("x", 10),))], 3)
    assert [(one.times, one.findings, one.expected) for one in seen] == [
        (0, 0, 1),
        (1, 1, 0),
        (2, 0, 0),
        (3, 1, 1),
    ]


def test_one_run_says_nothing_about_stability() -> None:
    assert stability([runs_of((found("x", 10),))], 1) == ()


def test_more_runs_of_the_same_cases_do_not_narrow_the_interval() -> None:
    once = score([runs_of((found("x", 10),))])
    often = score([runs_of(*[(found("x", 10),)] * 5)])
    assert often.recall == once.recall == 0.5
    assert often.recall_interval == once.recall_interval
