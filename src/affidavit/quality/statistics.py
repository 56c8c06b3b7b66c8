"""Compute a share with its confidence interval.

The libraries that have it (scipy, statsmodels) weigh a hundred megabytes and more; the tests check published
values.
"""

import math
from statistics import NormalDist

from affidavit.records.measure import Rate

CONFIDENCE = 0.95


def rate_of(count: int, n: int, confidence: float = CONFIDENCE) -> Rate | None:
    """Return a share with its Wilson score interval; None if `n` is 0.

    Wilson, E. B. (1927), JASA 22:209-212; recommended for small n and rare events by Newcombe (1998).
    """
    if not 0 <= count <= n:
        raise ValueError(f"{count} of {n} is not a share")
    if n == 0:
        return None
    low, high = wilson(count, n, quantile(confidence))
    return Rate(count=count, n=n, share=count / n, low=low, high=high)


def quantile(confidence: float) -> float:
    """Return the normal quantile of a two-sided interval."""
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence is between 0 and 1, not {confidence}")
    return NormalDist().inv_cdf((1 + confidence) / 2)


def wilson(count: int, n: int, z: float) -> tuple[float, float]:
    """Return the limits of the Wilson score interval."""
    share, square = count / n, z * z
    middle = (share + square / (2 * n)) / (1 + square / n)
    half = z / (1 + square / n) * math.sqrt(share * (1 - share) / n + square / (4 * n * n))
    # At the ends the formula gives 0 and 1 but for rounding.
    return (0.0 if count == 0 else middle - half), (1.0 if count == n else middle + half)
