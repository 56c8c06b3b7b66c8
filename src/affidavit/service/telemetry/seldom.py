"""A log for what is said again and again: each warning in, one line and then one a minute out."""

import time
from collections.abc import Callable
from typing import Any

import structlog
from structlog.contextvars import get_contextvars

from affidavit.service.telemetry.repeats import Repeats


class SeldomLog:
    """Warns as a log does; what it said already comes again after a while, with how often it came."""

    def __init__(self, name: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._log, self._repeats = structlog.get_logger(name), Repeats(clock)

    def warning(self, words: str, *, pause: float | None = None, **told: Any) -> None:
        """Warn; how long is waited until the next time makes no new words."""
        known = sorted({**get_contextvars(), **told}.items())
        times = self._repeats.count(f"{words} {known}")
        if not times:
            return
        waits = {} if pause is None else {"seconds": round(pause, 1)}
        self._log.warning(words, **waits, **told, **({"times": times} if times > 1 else {}))
