"""When a rollout is rolled back or promoted, and when a version may go."""

from typing import Any

import pytest
from rollouts import a_review, a_rollout, reviews

from affidavit.lab.rollout.comparison import compare_versions, independent_difference
from affidavit.lab.rollout.rules import (
    find_alarm,
    why_not_promote,
    why_not_promote_alone,
    why_not_retire,
)
from affidavit.lab.statistics import rate_of


def test_findings_dropped_above_the_slo_for_certain_are_an_alarm() -> None:
    alarm = find_alarm(a_rollout(min_reviews=3), reviews(3, dropped=5))
    assert alarm is not None
    assert "findings that the contract dropped: 50.0% [33.2–66.8], 15 of 30" in alarm  # noqa: RUF001
    assert "above the SLO of 5%, in 3 of 3 reviews" in alarm


def test_rejected_replies_are_an_alarm_although_no_finding_was_dropped() -> None:
    alarm = find_alarm(a_rollout(), reviews(3, findings=0, rejected=1, incompatible=1))
    assert alarm is not None
    assert "replies rejected for any reason" in alarm


@pytest.mark.parametrize(
    ("why", "seen"),
    [
        ("the sample is too small", reviews(4, dropped=10)),
        ("one bad reply is no trend", [*reviews(9), a_review(9, findings=40, dropped=40)]),
        ("two bad replies are none either", [*reviews(9), a_review(9, dropped=9), a_review(10, dropped=9)]),
        ("the SLO may still be kept", reviews(5, findings=10, dropped=1)),
        ("the old version's drops are not the new one's", reviews(9, "old", dropped=10)),
        ("coercions are watched, not alarmed of", reviews(9, coerced=1)),
        ("nothing was handed in", reviews(9, findings=0, replies=0)),
    ],
)
def test_there_is_no_alarm_where(why: str, seen: Any) -> None:
    assert find_alarm(a_rollout(min_reviews=5), seen) is None, why


def test_a_version_within_its_slo_may_be_promoted_by_a_person() -> None:
    seen = [*reviews(3), a_review(4, dropped=1)]
    assert why_not_promote(a_rollout(), compare_versions(seen, {})) == []


@pytest.mark.parametrize(
    ("seen", "problem"),
    [
        (reviews(2), "only 2 of 3 reviews"),
        ([], "only 0 of 3 reviews"),
        (reviews(3, dropped=1), "above the SLO of 5%"),
        (reviews(3, rejected=1), "replies rejected for any reason"),
        (reviews(3, findings=0), "nothing was handed in"),
    ],
)
def test_a_person_is_told_what_speaks_against_a_promotion(seen: Any, problem: str) -> None:
    (said,) = why_not_promote(a_rollout(), compare_versions(seen, {}))
    assert problem in said


def test_without_a_person_the_slo_must_be_kept_for_certain() -> None:
    few, many = reviews(3), reviews(100)
    assert why_not_promote(a_rollout(), compare_versions(few, {})) == []
    assert "for certain" in why_not_promote_alone(a_rollout(), compare_versions(few, {}))[0]
    assert why_not_promote_alone(a_rollout(), compare_versions(many, {})) == []


def test_without_a_person_nothing_is_promoted_that_is_refuted_more_often() -> None:
    seen = [*reviews(100, judged=10, refuted=5), *reviews(100, "old", judged=10, refuted=1)]
    (problem,) = why_not_promote_alone(a_rollout(), compare_versions(seen, {}))
    assert "verifier refuted: 50.0%" in problem


def test_without_a_person_nothing_is_promoted_that_people_call_wrong_more_often() -> None:
    new = [a_review(n, shown=("f",), report_id=f"n{n}") for n in range(100)]
    old = [a_review(n, "old", shown=("f",), report_id=f"o{n}") for n in range(100)]
    labels = {(f"n{n}", "f"): "wrong" for n in range(20)} | {(f"o{n}", "f"): "valid" for n in range(20)}
    (problem,) = why_not_promote_alone(a_rollout(), compare_versions([*new, *old], labels))
    assert "called wrong: 100.0%" in problem


@pytest.mark.parametrize(
    ("first", "second", "low", "high"),
    [
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((0, 10), (0, 20), -0.1611, 0.2775),
    ],
)
def test_the_interval_of_a_difference_is_the_published_one(
    first: tuple[int, int], second: tuple[int, int], low: float, high: float
) -> None:
    """Newcombe (1998), Statistics in Medicine 17:873-890, table II, method 10."""
    interval = independent_difference(rate_of(*first), rate_of(*second))
    assert interval is not None
    assert (interval.low, interval.high) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


def test_what_was_not_measured_has_no_difference() -> None:
    comparison = compare_versions(reviews(3, dropped=1), {})
    assert comparison.share("dropped").new is not None
    assert comparison.share("dropped").old is None
    assert comparison.share("dropped").difference is None
    assert comparison.share("wrong").new is None


def test_only_labels_of_shown_findings_count_as_wrong() -> None:
    seen = [a_review(1, report_id="r", shown=("a", "b", "c"))]
    labels = {("r", "a"): "wrong", ("r", "b"): "valid", ("r", "hidden"): "wrong", ("other", "a"): "wrong"}
    wrong = compare_versions(seen, labels).share("wrong").new
    assert wrong is not None
    assert (wrong.count, wrong.n) == (1, 2)


def test_costs_and_durations_are_medians_of_what_is_known() -> None:
    costs = (0.1, 0.1, 0.2, 0.2, 0.3, 5.0, 5.0, None)
    seen = [a_review(n, cost_usd=cost, duration_ms=2_000) for n, cost in enumerate(costs)]
    cost, duration = compare_versions(seen, {}).medians
    assert cost.new is not None
    assert duration.new is not None
    assert (cost.new.n, cost.new.median) == (7, 0.2)
    assert cost.new.interval is not None
    assert cost.new.interval.low < 0.2 < cost.new.interval.high
    assert (duration.new.n, duration.new.median, duration.old) == (8, 2.0, None)


def test_a_median_of_few_values_has_no_interval() -> None:
    cost, _ = compare_versions([a_review(n, cost_usd=n) for n in range(5)], {}).medians
    assert cost.new is not None
    assert (cost.new.n, cost.new.median, cost.new.interval) == (5, 2, None)


@pytest.mark.parametrize(
    ("version", "current", "is_schema", "problem"),
    [
        ("1.1.0", "1.5.0", False, "in the next major only"),
        ("1.1.0", "1.1.0", False, "in the next major only"),
        ("2.0.0", "1.1.0", False, "in the next major only"),
        ("1.0", "1.1", True, "in the next major only"),
        ("one", "2.0.0", False, "is not a prompt version"),
        ("1.1.0", "2.0", True, "is not a schema version"),
    ],
)
def test_a_version_is_not_retired_within_its_major(
    version: str, current: str, is_schema: bool, problem: str
) -> None:
    assert problem in (why_not_retire(version, current, is_schema=is_schema) or "")


@pytest.mark.parametrize(
    ("version", "current", "is_schema"), [("1.9.9", "2.0.0", False), ("1.1", "2.0", True)]
)
def test_a_version_of_an_earlier_major_may_be_retired(version: str, current: str, is_schema: bool) -> None:
    assert why_not_retire(version, current, is_schema=is_schema) is None
