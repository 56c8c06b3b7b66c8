import math
from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from affidavit.lab.evaluation.statistics import (
    bootstrap_interval,
    paired_bootstrap,
    paired_difference,
    paired_outcomes,
)
from affidavit.quality.statistics import rate_of

COUNTS = st.integers(0, 60)
SPATIAL_A = [
    *(48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6),
    *(0, 33, 28, 34, 4, 32, 24, 47, 41, 24, 26, 30, 41),
]
"""The A column of the spatial test data in Efron and Tibshirani (1993), table 14.1."""


def variance(values: Sequence[int]) -> float:
    mean = sum(values) / len(values)
    return sum((value - mean) ** 2 for value in values) / len(values)


def mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


@pytest.mark.parametrize(
    ("count", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_a_rate_has_the_interval_that_newcombe_published(count: int, n: int, low: float, high: float) -> None:
    """Newcombe (1998), Statistics in Medicine 17:857-872, table I, method 3 (Wilson's score interval)."""
    rate = rate_of(count, n)
    assert rate is not None
    assert (round(rate.low, 4), round(rate.high, 4)) == (low, high)


def test_a_rate_of_nothing_is_no_rate() -> None:
    assert rate_of(0, 0) is None


@pytest.mark.parametrize(("count", "n"), [(3, 2), (-1, 2), (0, -1)])
def test_a_share_that_cannot_be_is_refused(count: int, n: int) -> None:
    with pytest.raises(ValueError, match="no share"):
        rate_of(count, n)


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0, math.nan])
def test_a_confidence_that_cannot_be_is_refused(confidence: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        rate_of(1, 2, confidence)


@given(COUNTS, st.integers(0, 60))
def test_a_rate_lies_in_its_interval_and_that_between_nothing_and_all(count: int, more: int) -> None:
    rate = rate_of(count, count + more)
    if rate:
        assert 0 <= rate.low <= rate.share <= rate.high <= 1


@pytest.mark.parametrize(
    ("table", "low", "high"),
    [((59, 6, 16, 80), -0.119, -0.005), ((1, 1, 7, 12), -0.507, -0.026)],
    ids=["Cavo 2012", "Bentur 2009"],
)
def test_a_paired_difference_has_the_published_interval(
    table: tuple[int, int, int, int], low: float, high: float
) -> None:
    """Fagerland, Lydersen and Laake (2014), Statistics in Medicine 33:2850-2875: two worked examples, with
    Newcombe's square-and-add interval (method 10 of Newcombe 1998, Statistics in Medicine 17:2635-2650).
    """
    interval = paired_difference(*table)
    assert interval is not None
    assert (round(interval.low, 3), round(interval.high, 3)) == (low, high)


@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_a_paired_difference_turns_round_with_the_runs(both: int, first: int, second: int, no: int) -> None:
    one = paired_difference(both, first, second, no)
    other = paired_difference(both, second, first, no)
    if one is None or other is None:
        assert both + first + second + no == 0
        return
    assert -1 <= one.low <= one.estimate <= one.high <= 1
    assert one.low == pytest.approx(-other.high, abs=1e-12)


def test_runs_that_never_differ_show_no_difference() -> None:
    interval = paired_difference(30, 0, 0, 10)
    assert interval is not None
    assert interval.estimate == 0
    assert not interval.excludes_zero


def test_runs_that_agree_on_most_cases_are_told_apart_better_than_strangers() -> None:
    alike, strangers = paired_difference(50, 10, 0, 40), paired_difference(30, 30, 20, 20)
    assert alike is not None
    assert strangers is not None
    assert alike.estimate == strangers.estimate == 0.1
    assert alike.excludes_zero
    assert not strangers.excludes_zero


def test_no_cases_give_no_difference_and_fewer_than_none_are_refused() -> None:
    assert paired_difference(0, 0, 0, 0) is None
    with pytest.raises(ValueError, match="no counts"):
        paired_difference(1, -1, 1, 1)


def test_outcomes_case_by_case_are_the_same_as_their_table() -> None:
    first = [True] * 7 + [True] * 2 + [False] * 4 + [False] * 3
    second = [True] * 7 + [False] * 2 + [True] * 4 + [False] * 3
    assert paired_outcomes(first, second) == paired_difference(7, 2, 4, 3)


def test_runs_over_different_cases_are_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        paired_outcomes([True], [True, False])


def test_the_bootstrap_comes_near_the_published_interval() -> None:
    """Efron and Tibshirani (1993), section 14.3: the 90% BCa interval of the variance is 115.8 to 259.6,
    from 2000 draws, where the plain percentiles would give 100.8 to 233.9; the estimate is 171.5.
    """
    interval = bootstrap_interval(SPATIAL_A, variance, confidence=0.9, resamples=2000)
    assert interval is not None
    assert interval.estimate == pytest.approx(171.5, abs=0.05)
    # Another generator draws others: the ends move by a few units, the methods differ by more.
    assert interval.low == pytest.approx(115.8, abs=5)
    assert interval.high == pytest.approx(259.6, abs=12)


def test_the_same_cases_give_the_same_bootstrap_interval() -> None:
    assert bootstrap_interval(SPATIAL_A, variance) == bootstrap_interval(SPATIAL_A, variance)


def test_the_paired_bootstrap_agrees_with_the_formula_on_rates() -> None:
    first, second = (
        [1.0] * 45 + [1.0] * 12 + [0.0] * 3 + [0.0] * 40,
        [1.0] * 45 + [0.0] * 12 + [1.0] * 3 + [0.0] * 40,
    )
    drawn, formula = paired_bootstrap(first, second, mean), paired_difference(45, 12, 3, 40)
    assert drawn is not None
    assert formula is not None
    assert drawn.estimate == pytest.approx(formula.estimate)
    assert drawn.low == pytest.approx(formula.low, abs=0.02)
    assert drawn.high == pytest.approx(formula.high, abs=0.02)


def test_pairing_sees_a_small_difference_between_very_different_cases() -> None:
    first = [float(index) for index in range(40)]
    second = [value - 1 - (index % 3) / 10 for index, value in enumerate(first)]
    interval = paired_bootstrap(first, second, mean)
    assert interval is not None
    assert interval.excludes_zero


def test_a_score_without_a_value_has_no_interval() -> None:
    assert bootstrap_interval([], mean) is None
    assert bootstrap_interval([1.0], lambda _: math.nan) is None
    assert bootstrap_interval([1.0, 2.0], lambda drawn: 1.0 if list(drawn) == [1.0, 2.0] else None) is None


def test_cases_that_are_all_the_same_say_nothing_of_chance() -> None:
    assert bootstrap_interval([1.0], mean) is None
    assert bootstrap_interval([2.0, 2.0, 2.0], mean) is None
    assert paired_bootstrap([1.0], [0.0], mean) is None


def test_draws_without_a_value_do_not_count() -> None:
    def share_of_twos(drawn: Sequence[int]) -> float | None:
        graded = [value for value in drawn if value]
        return graded.count(2) / len(graded) if graded else None

    interval = bootstrap_interval([0, 0, 1, 2, 2], share_of_twos)
    assert interval is not None
    assert 0 <= interval.low <= interval.estimate <= interval.high <= 1


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=12))
@example([0.0, 5e-324])
@example([0.0, 1e-150, 1e-160])
@example([1e6, -1e6, 1e6])
def test_a_bootstrap_interval_holds_its_estimate(values: list[float]) -> None:
    interval = bootstrap_interval(values, mean, resamples=60)
    if interval is None:
        assert max(values) - min(values) <= 1e-9 * max(map(abs, [*values, 1.0]))
        return
    assert interval.low <= interval.estimate <= interval.high
