"""How the service grows with its workers, and what of PostgreSQL each review and each worker uses."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
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
IDLE_SECONDS = 10.0
DATABASE_SHARE = 0.25
COUNTERS = """
SELECT (SELECT sum(xact_commit) FROM pg_stat_database), pg_current_wal_lsn() - '0/0'::pg_lsn,
       (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
       current_setting('max_connections')::int, current_setting('data_directory')
"""


@dataclass(frozen=True)
class Used:
    """What was used of the database and the processors until a moment."""

    at: float
    transactions: int
    written_bytes: int
    connections: int
    """At this moment, but for the one that asks."""
    allowed_connections: int
    database_seconds: float
    worker_seconds: float


def growth(scale: Scale) -> Iterator[Row]:
    """Compare the throughput of one, two and four workers with the ideal, and their use of PostgreSQL."""
    for workers in CREWS:
        scale = replace(scale, reviews_at_once=min(AT_ONCE, scale.reviews_at_once))
        with started_service(scale, "PostgreSQL", workers) as loaded, _asking(loaded) as ask:
            yield from _rows(scale, workers, loaded, ask)


def _rows(scale: Scale, workers: int, loaded: Loaded, ask: psycopg.Connection[tuple[int, ...]]) -> list[Row]:
    at_once = workers * scale.reviews_at_once
    reviews = min(ROUNDS * at_once, scale.service_reviews * at_once)
    review_all(loaded.client, "warm", at_once, has_analysers=False)
    first = _used(loaded, ask)
    seconds = review_all(loaded.client, "grow", reviews, has_analysers=False)
    busy = _used(loaded, ask)
    time.sleep(min(IDLE_SECONDS, IDLE_SECONDS * scale.service_latency_seconds))
    idle = _used(loaded, ask)
    latency = scale.service_latency_seconds
    ideal = -(-reviews // at_once) * len(CHAIN) * latency
    database = busy.database_seconds - first.database_seconds
    work = busy.worker_seconds - first.worker_seconds
    transactions = (busy.transactions - first.transactions) / reviews
    written = (busy.written_bytes - first.written_bytes) / reviews / 1024
    polls = (idle.transactions - busy.transactions) / (idle.at - busy.at) / workers
    print(
        f"{workers} workers: {transactions:.0f} transactions and {written:.0f} kB of log per review;"
        f" {polls:.1f} transactions per second of an idle worker"
    )
    what = f"{reviews} reviews, {workers} workers, PostgreSQL"
    return [
        Row(
            what,
            seconds,
            f"{len(CHAIN)} calls of {latency:g} s each, {at_once} at once",
            ideal,
            THROUGHPUT_BOUND,
        ),
        Row("  processor time of the database", database, "that of the workers", work, DATABASE_SHARE),
        Row("  connections", busy.connections, "what PostgreSQL allows", busy.allowed_connections, 1, "no."),
    ]


@contextmanager
def _asking(loaded: Loaded) -> Iterator[psycopg.Connection[tuple[int, ...]]]:
    with psycopg.connect(str(loaded.database), autocommit=True) as connection:
        yield connection


def _used(loaded: Loaded, ask: psycopg.Connection[tuple[int, ...]]) -> Used:
    # PostgreSQL adds up what its processes did about once a second.
    time.sleep(1.5)
    found = ask.execute(COUNTERS).fetchone()
    assert found is not None
    transactions, written, connections, allowed, data = found
    postmaster = int(Path(str(data), "postmaster.pid").read_text().split()[0])
    return Used(
        time.monotonic(),
        int(transactions),
        int(written),
        connections - 1,
        allowed,
        seconds_of(family(postmaster)),
        processor_seconds(loaded),
    )
