"""Write logs as JSON, one object per line; a repeated message is written once a minute."""

import logging
import re
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import structlog

AGAIN_SECONDS = 60.0
MAX_MESSAGES = 1_000
"""How many messages are remembered."""
_COUNTED = re.compile(r"(Retrying in|attempt|polling interval to) \d+(\.\d+)?")
"""Parts of a message of the engine that differ at each attempt."""
_TRACE = "Traceback (most recent call last)"
_ERROR_LINE = re.compile(r"^[\w.]*(?:Error|Exception|Failure|Timeout)\b.*$", re.MULTILINE)
"""The line of a traceback that says what went wrong."""


def write_logs() -> None:
    """Write the logs of this process and its libraries to standard error."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
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
    writer.addFilter(OncePerMinute())
    logging.basicConfig(handlers=[writer], level=logging.WARNING, force=True)
    logging.getLogger("affidavit").setLevel(logging.INFO)


def say(text: str) -> None:
    """Report the state of the process: as text on a terminal, otherwise in the log."""
    if sys.stderr.isatty():
        print(text, file=sys.stderr, flush=True)  # noqa: T201 - for the person who started it
    else:
        structlog.get_logger("affidavit").info(text)


class OncePerMinute(logging.Filter):
    """Drops repeated messages; the next written one counts them in `times`."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._written: dict[str, tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the record is written."""
        now, key = self._clock(), _key(record)
        at, times = self._written.get(key, (now - AGAIN_SECONDS, 0))
        if now - at < AGAIN_SECONDS:
            self._written[key] = (at, times + 1)
            return False
        if len(self._written) >= MAX_MESSAGES:
            self._written.clear()
        self._written[key] = (now, 0)
        if times:
            record.times = times + 1
            if isinstance(record.msg, dict):
                record.msg["times"] = times + 1
        return True


def _key(record: logging.LogRecord) -> str:
    """Return a key for equal messages; pauses and attempts do not count."""
    if isinstance(record.msg, dict):
        counted = {
            key: str(value) for key, value in record.msg.items() if key not in ("timestamp", "seconds")
        }
        return str(sorted(counted.items()))
    error = repr(record.exc_info[1]) if record.exc_info else ""
    return f"{record.levelno} {_COUNTED.sub('', record.getMessage())} {error}"


def expect(name: str, outcomes: Sequence[type[BaseException]], words: Sequence[str]) -> None:
    """Write a library's log like ours, without normal outcomes that it logs as faults."""
    logger = logging.getLogger(name)
    for writer in list(logger.handlers):
        logger.removeHandler(writer)
    logger.propagate = True

    def is_fault(record: logging.LogRecord) -> bool:
        _shorten(record)
        kind = record.exc_info[0] if record.exc_info else None
        is_outcome = kind is not None and issubclass(kind, tuple(outcomes))
        return not is_outcome and not record.getMessage().startswith(tuple(words))

    logger.addFilter(is_fault)


def _shorten(record: logging.LogRecord) -> None:
    """Replace a traceback in the text, which belongs to a call that is retried, by its last line."""
    before, is_traced, trace = record.getMessage().partition(_TRACE)
    if is_traced:
        said = _ERROR_LINE.findall(trace)
        record.msg, record.args = f"{before.strip().rstrip(':')}: {said[-1] if said else 'no reason'}", ()
