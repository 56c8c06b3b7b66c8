"""Whoever says the same again and again fills no log, and nothing that is said is lost."""

import logging
from collections.abc import Iterator
from uuid import uuid4

import pytest

from affidavit.service.logs import OncePerMinute


class Clock:
    """Stands still until it is moved."""

    now = 1_000.0

    def __call__(self) -> float:
        return self.now


class Written(logging.Handler):
    """What comes through."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[tuple[str, int]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append((record.getMessage(), getattr(record, "times", 1)))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def log(clock: Clock) -> logging.Logger:
    log = logging.getLogger(f"library-{uuid4().hex}")
    log.addFilter(OncePerMinute(clock))
    return log


@pytest.fixture
def written(log: logging.Logger) -> Iterator[Written]:
    handler = Written()
    log.addHandler(handler)
    yield handler
    log.removeHandler(handler)


def test_the_same_words_are_written_once_and_then_each_minute_with_how_often_they_came(
    log: logging.Logger, written: Written, clock: Clock
) -> None:
    for second in range(121):
        clock.now = 1_000.0 + second
        log.warning("the database is away")
    assert written.lines == [("the database is away", times) for times in (1, 60, 60)]


def test_other_words_another_level_and_another_error_are_written_at_once(
    log: logging.Logger, written: Written
) -> None:
    log.warning("Error executing workflow %s", "review-1")
    log.warning("Error executing workflow %s", "review-2")
    log.error("Error executing workflow %s", "review-2")
    for reason in ("full", "away"):
        try:
            raise OSError(reason)
        except OSError:
            log.exception("Error executing workflow %s", "review-2")
    assert len(written.lines) == 5


def test_the_number_of_an_attempt_and_its_pause_make_no_new_words(
    log: logging.Logger, written: Written
) -> None:
    for attempt, pause in ((1, 1.02), (2, 1.97), (3, 4.5)):
        log.warning(f"Database connection failed: away. Retrying in {pause:.2f}s (attempt {attempt})")
    assert written.lines == [("Database connection failed: away. Retrying in 1.02s (attempt 1)", 1)]


def test_our_own_warning_is_repeated_for_another_reason_and_not_for_another_pause(
    log: logging.Logger, written: Written
) -> None:
    for reason, seconds in (("full", 1), ("full", 2), ("away", 2), ("full", 3)):
        log.warning({"event": "a stage is retried", "reason": reason, "seconds": seconds})
    assert [("full" in line, "away" in line) for line, _ in written.lines] == [(True, False), (False, True)]
