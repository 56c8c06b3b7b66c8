"""The streams of a server: how late many listeners get events, and what they cost."""

import asyncio
import json
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import psycopg

from affidavit.service.kept.postgresql import open_store
from affidavit.service.kept.progress import NewEvent, ReviewProgress
from affidavit.service.kept.reviews import Reviews
from affidavit.service.streaming import LOOK_SECONDS
from affidavit.store.open import Store
from bench.measure import Row, Scale, Section
from bench.service import EVENT, Loaded, seconds_of, started_database, want, watching
from service_process import serving

STREAMED_REVIEWS = 10
STREAMED_EVENTS = 40
TELL_SECONDS = 0.25
LOOKS_BOUND = 0.1
BEHIND_SECONDS = 1.0
CONNECT_SECONDS = 2.0
"""All listeners connect in the same moment."""


def parts() -> dict[str, Section]:
    """Return what can be measured by itself, by its name."""
    return {
        f"service-streams-{kind.lower()}": partial(stream_rows, kind=kind)
        for kind in ("SQLite", "PostgreSQL")
    }


def stream_rows(scale: Scale, kind: str) -> Iterator[Row]:
    """Measure what many listeners of one review, and of several, cost a server."""
    for reviews in (1, min(STREAMED_REVIEWS, scale.listeners)):
        with ExitStack() as stack, asyncio.Runner() as runner:
            where = stack.enter_context(started_database(kind))
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            client, service = stack.enter_context(
                serving(folder, "--no-work", *where, is_started=scale.is_started)
            )
            store = stack.enter_context(open_store(where[-1] if where else folder))
            names = [str(uuid4()) for _ in range(reviews)]
            for name in names:
                want(Reviews(store.database), name, "2026-01-01T00:00:00.000Z")
            loaded = Loaded(client, [], "", where[-1] if where else None)
            yield from _stream_rows(scale, kind, loaded, runner, store, names, service.process.pid)


def _stream_rows(
    scale: Scale,
    kind: str,
    loaded: Loaded,
    runner: asyncio.Runner,
    store: Store,
    names: list[str],
    server: int,
) -> list[Row]:
    listeners = [names[number % len(names)] for number in range(scale.listeners)]
    with watching(loaded) as connecting:
        streams = runner.run(_connect_all(loaded.client.url, listeners))
    asked, began, used = transactions(loaded.database), time.monotonic(), seconds_of([server])
    pause = min(TELL_SECONDS, scale.service_latency_seconds)
    telling = threading.Thread(target=_tell, args=(store, names, pause))
    with watching(loaded) as listening:
        telling.start()
        heard = runner.run(_listen_all(streams))
        telling.join()
    seconds, used = time.monotonic() - began, seconds_of([server]) - used
    asked = transactions(loaded.database) - asked
    for name, numbers, _ in heard:
        if numbers != list(range(1, STREAMED_EVENTS + 1)):
            raise RuntimeError(f"a listener of {STREAMED_EVENTS} events of {name} heard {numbers}")
    delays = sorted(delay for _, _, delays in heard for delay in delays)
    what = f"an event to {scale.listeners} listeners, {len(names)} reviews, {kind}, p99"
    looks = scale.listeners * seconds / LOOK_SECONDS
    asking = [Row("  transactions", asked, "if each listener looked", looks, LOOKS_BOUND, "no.")]
    return [
        Row(what, delays[len(delays) * 99 // 100], "a second", BEHIND_SECONDS, 1),
        Row("  processor time of the server", used, "half a core", seconds / 2, 1),
        *(asking if loaded.database else []),
        Row(
            "  slowest answer while they connect", max(connecting.answers), "two seconds", CONNECT_SECONDS, 1
        ),
        Row("  an answer while they listen, p99", listening.p99_seconds, "a second", BEHIND_SECONDS, 1),
    ]


def transactions(database: str | None) -> int:
    """Return how many transactions a PostgreSQL server has made; 0 without a server."""
    if database is None:
        return 0
    # It adds up what its processes did about once a second.
    time.sleep(1.5)
    with psycopg.connect(database, autocommit=True) as connection:
        (count,) = connection.execute("SELECT sum(xact_commit) FROM pg_stat_database").fetchone() or (0,)
    return int(count)


def _tell(store: Store, names: list[str], pause_seconds: float) -> None:
    """Let events happen in each review, which say when they happened."""
    reviews, progress = Reviews(store.database), ReviewProgress(store.database)
    for number in range(1, STREAMED_EVENTS + 1):
        time.sleep(pause_seconds)
        what = "pipeline.completed" if number == STREAMED_EVENTS else "tool.called"
        for name in names:
            story = [NewEvent(what, {**EVENT, "timestamp": time.time()}, str(number))]
            progress.add_events(name, story, None)
    for name in names:
        reviews.finish(name, "completed", "2026-01-02T00:00:00.000Z")


@dataclass(frozen=True)
class Stream:
    """A connection that listens to a review."""

    name: str
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


async def _connect_all(url: str, names: list[str]) -> list[Stream]:
    return await asyncio.gather(*(_connect(url, name) for name in names))


async def _connect(url: str, name: str) -> Stream:
    where = urlsplit(url)
    reader, writer = await asyncio.open_connection(where.hostname, where.port)
    request = f"GET /api/review/{name}/stream HTTP/1.0\r\nHost: {where.netloc}\r\n\r\n"
    writer.write(request.encode())
    await reader.readuntil(b"\r\n\r\n")
    return Stream(name, reader, writer)


async def _listen_all(streams: list[Stream]) -> list[tuple[str, list[int], list[float]]]:
    """Return for each stream: the review, the numbers of its events, and how late each came."""
    return await asyncio.gather(*map(_listen, streams))


async def _listen(stream: Stream) -> tuple[str, list[int], list[float]]:
    numbers, delays = [], []
    while line := await stream.reader.readline():
        if line.startswith(b"id: "):
            numbers.append(int(line[4:]))
        elif line.startswith(b"data: "):
            delays.append(time.time() - json.loads(line[6:])["timestamp"])
    stream.writer.close()
    return stream.name, numbers, delays
