"""Logs as JSON, one object a line, each with the review that it speaks of."""

import logging
import re
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import structlog
from structlog.contextvars import get_contextvars

AGAIN_SECONDS = 60.0
MOST_WORDS = 1_000
"""So many are remembered; of more, those that were written longest ago are new again."""


class Repeats:
    """Counts what is not written, so that nothing is lost but the number of lines; for many threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._written: dict[str, tuple[float, int]] = {}

    def count(self, words: str) -> int:
        """How often these words came since they were last written, with this time; 0: not to be written."""
        with self._lock:
            now = self._clock()
            at, since = self._written.get(words, (now - AGAIN_SECONDS, 0))
            if now - at < AGAIN_SECONDS:
                self._written[words] = (at, since + 1)
                return 0
            self._written.pop(words, None)
            self._written[words] = (now, 0)
            if len(self._written) > MOST_WORDS:
                del self._written[next(iter(self._written))]
            return since + 1


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


_TRACE = "Traceback (most recent call last)"
_ERROR_LINE = re.compile(r"^[\w.]*(?:Error|Exception|Failure|Timeout)\b.*$", re.MULTILINE)
"""The line of a traceback that says what went wrong."""
_COUNTED = re.compile(r"(Retrying in|attempt|polling interval to) \d+(\.\d+)?")
"""What differs each time that the engine says the same."""


def write_logs() -> None:
    """Write what this process and its libraries say to standard error."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, structlog.processors.format_exc_info, structlog.processors.JSONRenderer()],
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[*shared, structlog.stdlib.add_logger_name, structlog.stdlib.ExtraAdder(["times"])],
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
    )
    writer = logging.StreamHandler(sys.stderr)
    writer.setFormatter(formatter)
    logging.basicConfig(handlers=[writer], level=logging.WARNING, force=True)


def say(text: str) -> None:
    """Tell of the process itself: to somebody at a terminal in words, otherwise as a line of the log."""
    if sys.stderr.isatty():
        print(text, file=sys.stderr, flush=True)  # noqa: T201 - who started it reads it there
    else:
        structlog.get_logger("affidavit").info(text)


class _Expected(logging.Filter):
    """Lets through what is a fault; what was asked for, or is told elsewhere, is none."""

    def __init__(self, outcomes: Sequence[type[BaseException]], words: Sequence[str]) -> None:
        super().__init__()
        self._outcomes, self._words = tuple(outcomes), tuple(words)

    def filter(self, record: logging.LogRecord) -> bool:
        kind = record.exc_info[0] if record.exc_info else None
        is_outcome = kind is not None and issubclass(kind, self._outcomes)
        _shorten(record)
        return not is_outcome and not record.getMessage().startswith(self._words)


def _shorten(record: logging.LogRecord) -> None:
    """A traceback in the text itself is that of a call that is made again: its last word is enough."""
    before, is_traced, trace = record.getMessage().partition(_TRACE)
    if is_traced:
        said = _ERROR_LINE.findall(trace)
        record.msg, record.args = f"{before.strip().rstrip(':')}: {said[-1] if said else 'no reason'}", ()


class _Seldom(logging.Filter):
    """Lets the same words through once, and then now and then with how often they came."""

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__()
        self._repeats = Repeats(clock)

    def filter(self, record: logging.LogRecord) -> bool:
        said = _COUNTED.sub(r"\1", record.getMessage())
        error = repr(record.exc_info[1]) if record.exc_info else ""
        times = self._repeats.count(f"{record.levelno} {said} {error}")
        if times > 1:
            record.times = times
        return times > 0


def tell_as_ours(
    name: str,
    outcomes: Sequence[type[BaseException]],
    words: Sequence[str],
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Have a library's log written as ours is: no outcomes that it takes for faults, and no floods."""
    logger = logging.getLogger(name)
    for writer in list(logger.handlers):
        logger.removeHandler(writer)
    logger.propagate = True
    logger.addFilter(_Expected(outcomes, words))
    logger.addFilter(_Seldom(clock))
