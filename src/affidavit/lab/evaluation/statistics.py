"""Intervals of differences between two runs over the same cases: of paired rates, and of any two scores."""

import math
import random
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import TypeVar

from affidavit.quality.statistics import CONFIDENCE, quantile, wilson
from affidavit.records.measure import Interval

Case = TypeVar("Case")

RESAMPLES = 2000
SEED = 20260101
"""Fixed, so that the same cases give the same interval."""


def paired_difference(
    both: int, only_first: int, only_second: int, neither: int, confidence: float = CONFIDENCE
) -> Interval | None:
    """The first rate less the second, where both are measured on the same cases; None without cases.

    Newcombe, R. G. (1998), Statistics in Medicine 17:2635-2650, method 10 ("square and add"): the Wilson
    limits of the two rates, joined with the correlation of the pairs.
    """
    table = (both, only_first, only_second, neither)
    n = sum(table)
    if min(table) < 0:
        raise ValueError(f"{table} are no counts of cases")
    if n == 0:
        return None
    first, second, z = both + only_first, both + only_second, quantile(confidence)
    (low_1, high_1), (low_2, high_2) = wilson(first, n, z), wilson(second, n, z)
    share_1, share_2, phi = first / n, second / n, _correlation(*table)
    down = _joined(share_1 - low_1, high_2 - share_2, phi)
    up = _joined(high_1 - share_1, share_2 - low_2, phi)
    # Of whole numbers, so that a tie is exactly zero.
    estimate = (only_first - only_second) / n
    return Interval(estimate=estimate, low=max(-1.0, estimate - down), high=min(1.0, estimate + up))


def paired_outcomes(first: Sequence[bool], second: Sequence[bool]) -> Interval | None:
    """`paired_difference` of two runs, given case by case in the same order."""
    pairs = list(zip(first, second, strict=True))
    return paired_difference(
        both=pairs.count((True, True)),
        only_first=pairs.count((True, False)),
        only_second=pairs.count((False, True)),
        neither=pairs.count((False, False)),
    )


def bootstrap_interval(
    cases: Sequence[Case],
    score: Callable[[Sequence[Case]], float | None],
    *,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Interval | None:
    """The interval of any score over cases, by drawing the cases again (bias-corrected and accelerated).

    `score` may say None where a draw has nothing to score, such as a precision without findings; such draws
    do not count. None where the score has no value, too few draws have one, or all draws are the same: then
    they say nothing of chance, as with a single case.
    Efron, B. and Tibshirani, R. J. (1993), An Introduction to the Bootstrap, chapter 14.
    """
    estimate = score(cases)
    if estimate is None or not math.isfinite(estimate):
        return None
    # Not for secrets: the draws must be the same every time.
    draw = random.Random(seed)  # noqa: S311
    drawn = (score(draw.choices(cases, k=len(cases))) for _ in range(resamples))
    values = sorted(value for value in drawn if value is not None and math.isfinite(value))
    if len(values) < resamples / 2 or values[0] == values[-1]:
        return None
    low, high = _corrected_limits(values, estimate, _acceleration(cases, score), confidence)
    return Interval(estimate=estimate, low=min(low, estimate), high=max(high, estimate))


def paired_bootstrap(
    first: Sequence[Case],
    second: Sequence[Case],
    score: Callable[[Sequence[Case]], float | None],
    *,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Interval | None:
    """The first run's score less the second's over the same cases in the same order.

    A case is drawn with what both runs made of it, so that hard cases are hard for both.
    """

    def difference(pairs: Sequence[tuple[Case, Case]]) -> float | None:
        one, other = score([pair[0] for pair in pairs]), score([pair[1] for pair in pairs])
        return None if one is None or other is None else one - other

    pairs = list(zip(first, second, strict=True))
    return bootstrap_interval(pairs, difference, confidence=confidence, resamples=resamples, seed=seed)


def _correlation(both: int, only_first: int, only_second: int, neither: int) -> float:
    """The correlation of the pairs, taken towards zero by half a case where it is positive."""
    n = both + only_first + only_second + neither
    margins = (both + only_first) * (only_second + neither) * (both + only_second) * (only_first + neither)
    if margins == 0:
        return 0.0
    product = both * neither - only_first * only_second
    return (max(product - n / 2, 0) if product > 0 else product) / math.sqrt(margins)


def _joined(one: float, other: float, phi: float) -> float:
    return math.sqrt(max(0.0, one * one - 2 * phi * one * other + other * other))


def _acceleration(cases: Sequence[Case], score: Callable[[Sequence[Case]], float | None]) -> float:
    """How the score's spread changes with the score, from leaving out one case at a time."""
    without = [score([*cases[:index], *cases[index + 1 :]]) for index in range(len(cases))]
    values = [value for value in without if value is not None and math.isfinite(value)]
    if not values:
        return 0.0
    mean = sum(values) / len(values)
    widest = max(abs(mean - value) for value in values)
    if widest == 0:
        return 0.0
    # In units of the widest, so that no power of it is too small or too large for a number.
    apart = [(mean - value) / widest for value in values]
    squares = sum(one * one for one in apart)
    return sum(one * one * one for one in apart) / (6 * squares * math.sqrt(squares))


def _corrected_limits(
    values: Sequence[float], estimate: float, acceleration: float, confidence: float
) -> tuple[float, float]:
    """The percentiles of the draws, moved by bias and acceleration."""
    normal, count = NormalDist(), len(values)
    # Draws equal to the estimate are half below it: scores of few cases have many ties.
    below = sum(value < estimate for value in values) + sum(value == estimate for value in values) / 2
    bias = normal.inv_cdf(min(max(below / count, 0.5 / count), 1 - 0.5 / count))

    def limit(side: float) -> float:
        shifted = bias + side * quantile(confidence)
        rank = normal.cdf(bias + shifted / max(1 - acceleration * shifted, 1e-9))
        return values[min(max(round(rank * (count + 1)) - 1, 0), count - 1)]

    return limit(-1), limit(1)
