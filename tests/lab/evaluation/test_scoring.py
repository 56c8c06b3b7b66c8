"""Scores against examples counted by hand."""

import pytest
from evaluated_cases import a_case, found, problem, result

from affidavit.lab.evaluation.scoring import score, score_by_language
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
    assert scores.recall
    assert (scores.recall.count, scores.recall.n) == (2, 4)
    assert scores.recall.low < 0.5 < scores.recall.high
    assert scores.precision
    assert (scores.precision.count, scores.precision.n) == (3, 5)
    assert scores.wrong_rate
    assert (scores.wrong_rate.count, scores.wrong_rate.n) == (1, 5)


@pytest.mark.parametrize("results", [[], [result(a_case())]])
def test_a_rate_of_nothing_is_no_number(results: list[CaseResult]) -> None:
    scores = score(results)
    assert (scores.recall, scores.precision, scores.wrong_rate) == (None, None, None)


def test_finding_nothing_at_all_is_a_recall_of_zero_and_no_precision() -> None:
    scores = score([result(a_case(problem(1)))])
    assert scores.recall is not None
    assert (scores.recall.share, scores.precision) == (0, None)


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
