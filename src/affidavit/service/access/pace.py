"""How often one caller may ask, and how much of that at once: a name in, a refusal or a turn out."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

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


class FairTurns:
    """Places for what takes much: a caller with a crowd is in the line only as often as any other may be."""

    def __init__(self, at_once: int, each: int) -> None:
        self._places, self._each = asyncio.Semaphore(at_once), each
        self._own: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def of(self, caller: str) -> AsyncIterator[None]:
        """Wait for a place, and leave it at the end."""
        own = self._own.setdefault(caller, asyncio.Semaphore(self._each))
        async with own, self._places:
            yield
