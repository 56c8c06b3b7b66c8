"""How often one caller may ask: a name in, a refusal out where it asks faster than it may."""

import time
from collections import OrderedDict
from collections.abc import Callable

from affidavit.service.problems import Refusal

MOST_CALLERS = 10_000
"""Whoever has not asked for longest is forgotten first."""


class Pace:
    """A bucket for each caller: it fills evenly, and a request takes from it."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_minute, self._clock = per_minute, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, caller: str) -> None:
        """Count a request; raises Refusal."""
        now, full = self._clock(), float(self._per_minute)
        left, since = self._buckets.pop(caller, (full, now))
        left = min(full, left + (now - since) * full / 60)
        if left < 1:
            self._buckets[caller] = (left, now)
            seconds = max(1, round((1 - left) * 60 / full))
            raise Refusal(
                429,
                f"more than {self._per_minute:,} requests a minute",
                f"Try again in {seconds} seconds.",
                headers={"Retry-After": str(seconds)},
            )
        self._buckets[caller] = (left - 1, now)
        if len(self._buckets) > MOST_CALLERS:
            self._buckets.popitem(last=False)
