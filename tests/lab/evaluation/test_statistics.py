"""Rates with their intervals."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.quality.statistics import rate_of

COUNTS = st.integers(0, 60)


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
    with pytest.raises(ValueError, match="not a share"):
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
