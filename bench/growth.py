"""How the service grows with its workers, and what of PostgreSQL each review and each worker uses."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass, replace
from pathlib import Path

import psycopg

from bench.measure import Row, Scale
from bench.service import (
    CHAIN,
    THROUGHPUT_BOUND,
    Loaded,
    family,
    processor_seconds,
    review_all,
    seconds_of,
    started_service,
)

CREWS = (1, 2, 4)
"""Numbers of workers."""
AT_ONCE = 4
"""Reviews that each worker runs at once."""
ROUNDS = 4
"""Reviews that each of these runs one after the other."""
SETTLE_SECONDS = 11.0
"""PostgreSQL adds up what an idle connection did after ten seconds."""
DATABASE_SHARE = 0.25
PAUSE_SECONDS = 0.2
CONNECTIONS = "SELECT count(*) - 1 FROM pg_stat_activity WHERE backend_type = 'client backend'"
"""Without the one that asks."""
COUNTERS = """
SELECT (SELECT sum(xact_commit) FROM pg_stat_database), pg_current_wal_lsn() - '0/0'::pg_lsn,
       pg_database_size(current_database()),
       current_setting('max_connections')::int, current_setting('data_directory')
"""
Asking = psycopg.Connection[tuple[int, ...]]


@dataclass(frozen=True)
class Used:
    """What was used of the database and the processors until a moment."""

    at: float
    transactions: int
    written_bytes: int
    stored_bytes: int
    allowed_connections: int
    database_seconds: float
    worker_seconds: float


def growth(scale: Scale) -> Iterator[Row]:
    """Compare the throughput of one, two and four workers with the ideal, and their use of PostgreSQL."""
    for workers in CREWS:
        scale = replace(scale, reviews_at_once=min(AT_ONCE, scale.reviews_at_once))
        with started_service(scale, "PostgreSQL", workers) as loaded, _asking(loaded) as ask:
            yield from _rows(scale, workers, loaded, ask)


def _rows(scale: Scale, workers: int, loaded: Loaded, ask: Asking) -> list[Row]:
    at_once = workers * scale.reviews_at_once
    reviews = min(ROUNDS * at_once, scale.service_reviews * at_once)
    review_all(loaded.client, "warm", at_once, has_analysers=False)
    settle = min(SETTLE_SECONDS, SETTLE_SECONDS * scale.service_latency_seconds)
    first = _used(loaded, ask, settle)
    with _watching_connections(ask) as connections:
        seconds = review_all(loaded.client, "grow", reviews, has_analysers=False)
    busy = _used(loaded, ask, settle)
    idle = _used(loaded, ask, settle)
    latency = scale.service_latency_seconds
    ideal = -(-reviews // at_once) * len(CHAIN) * latency
    polls = _each_second(busy, idle)
    # What the polls of the same time used is not used by the reviews.
    each = _each_second(first, busy).minus(polls).times((busy.at - first.at) / reviews)
    print(f"{workers} workers: {60 * reviews / seconds:.1f} reviews a minute")
    print(f"  of PostgreSQL, by each review: {each.line()}")
    print(f"  of PostgreSQL, by each idle worker in a second: {polls.times(1 / workers).line()}")
    what = f"{reviews} reviews, {workers} workers, PostgreSQL"
    calls = f"{len(CHAIN)} calls of {latency:g} s each, {at_once} at once"
    database, work = (
        busy.database_seconds - first.database_seconds,
        busy.worker_seconds - first.worker_seconds,
    )
    return [
        Row(what, seconds, calls, ideal, THROUGHPUT_BOUND),
        Row("  processor time of the database", database, "that of the workers", work, DATABASE_SHARE),
        Row("  connections", max(connections), "what PostgreSQL allows", busy.allowed_connections, 1, "no."),
    ]


@dataclass(frozen=True)
class Share:
    """What one review, or one second, uses of PostgreSQL."""

    transactions: float
    processor_seconds: float
    written_bytes: float
    stored_bytes: float

    def minus(self, other: "Share") -> "Share":
        return Share(*(mine - its for mine, its in zip(astuple(self), astuple(other), strict=True)))

    def times(self, factor: float) -> "Share":
        return Share(*(mine * factor for mine in astuple(self)))

    def line(self) -> str:
        """Return the figures as text."""
        return (
            f"{self.transactions:.1f} transactions, {1000 * self.processor_seconds:.1f} ms of processor time,"
            f" {self.written_bytes / 1000:.1f} kB of log, {self.stored_bytes / 1000:.1f} kB of data"
        )


def _each_second(first: Used, last: Used) -> Share:
    used = Share(
        last.transactions - first.transactions,
        last.database_seconds - first.database_seconds,
        last.written_bytes - first.written_bytes,
        last.stored_bytes - first.stored_bytes,
    )
    return used.times(1 / (last.at - first.at))


@contextmanager
def _watching_connections(ask: Asking) -> Iterator[list[int]]:
    """Count the connections again and again."""
    seen, is_over = list[int](), threading.Event()

    def count() -> None:
        while not seen or not is_over.wait(PAUSE_SECONDS):
            seen.extend(ask.execute(CONNECTIONS).fetchone() or ())

    thread = threading.Thread(target=count)
    thread.start()
    try:
        yield seen
    finally:
        is_over.set()
        thread.join()


@contextmanager
def _asking(loaded: Loaded) -> Iterator[Asking]:
    with psycopg.connect(str(loaded.database), autocommit=True) as connection:
        yield connection


def _used(loaded: Loaded, ask: Asking, settle_seconds: float = SETTLE_SECONDS) -> Used:
    time.sleep(settle_seconds)
    transactions, written, stored, allowed, data = ask.execute(COUNTERS).fetchone() or (0,) * 5
    postmaster = int(Path(str(data), "postmaster.pid").read_text().split()[0])
    return Used(
        time.monotonic(),
        int(transactions),
        int(written),
        stored,
        allowed,
        seconds_of(family(postmaster)),
        processor_seconds(loaded),
    )
