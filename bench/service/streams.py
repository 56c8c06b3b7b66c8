"""Many who listen to one server: each hears the whole story once, and the last hears its end soon."""

import asyncio
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from bench.row import Row
from bench.service.load import SLOWEST_ANSWER_SECONDS, change_text, database, limits_of, watching
from bench.service.sizes import Sizes
from bench.slow_model import serving as model_serving

sys.path[:0] = [str(Path(__file__).parents[2] / "tests" / "support")]
from service_process import serving, working  # noqa: E402 - as the tests start it

REVIEWS = 10
BEHIND_SECONDS = 1.0
COMING_SECONDS = 2.0
"""All of them come in the same moment."""


def stream_rows(size: Sizes, kind: str) -> list[Row]:
    """How far the last listener is behind the first, and how fast others are answered meanwhile."""
    with ExitStack() as stack:
        address = stack.enter_context(model_serving("bench.service.model", size.latency_seconds))
        url = stack.enter_context(database(kind))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        arguments = limits_of(size, address, url)
        client, _ = stack.enter_context(serving(folder, "--no-work", *arguments, is_started=True))
        crew = [stack.enter_context(working(folder, *arguments, is_started=True))]
        names = [
            client.submit(diff_text=change_text("stream", number, analysers=False))
            for number in range(REVIEWS)
        ]
        listeners = [names[number % REVIEWS] for number in range(size.clients)]
        with asyncio.Runner() as runner:
            with watching(client, crew) as coming:
                streams = runner.run(_connect(client.url, listeners))
            with watching(client, crew) as watched:
                heard = runner.run(_listen(streams))
        events = {name: client.get(f"/api/review/{name}/summary").json["events"] for name in names}
    for name, numbers, _ in heard:
        if numbers != list(range(1, events[name] + 1)):
            raise SystemExit(f"a listener of {events[name]} events heard {numbers}")
    ends = {name: [end for other, _, end in heard if other == name] for name in names}
    behind = max(max(times) - min(times) for times in ends.values())
    return [
        Row(f"the last of {size.clients} listeners, {kind}", behind, "a second", BEHIND_SECONDS, 1),
        Row("  the slowest answer while they come", max(coming.answers), "two seconds", COMING_SECONDS, 1),
        Row("  an answer while they listen, p99", watched.p99_seconds, "a second", SLOWEST_ANSWER_SECONDS, 1),
    ]


@dataclass(frozen=True)
class Stream:
    """One that listens to a review."""

    name: str
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


async def _connect(url: str, names: list[str]) -> list[Stream]:
    """One for each, all at once; each has been answered."""
    return await asyncio.gather(*(_open(url, name) for name in names))


async def _open(url: str, name: str) -> Stream:
    where = urlsplit(url)
    reader, writer = await asyncio.open_connection(where.hostname, where.port)
    request = f"GET /api/review/{name}/stream HTTP/1.0\r\nHost: {where.netloc}\r\n\r\n"
    writer.write(request.encode())
    await reader.readuntil(b"\r\n\r\n")
    return Stream(name, reader, writer)


async def _listen(streams: list[Stream]) -> list[tuple[str, list[int], float]]:
    """For each: the review, the numbers of the events that came, and when the last did."""
    return await asyncio.gather(*(_hear(stream) for stream in streams))


async def _hear(stream: Stream) -> tuple[str, list[int], float]:
    numbers, last = [], 0.0
    while line := await stream.reader.readline():
        if line.startswith(b"id: "):
            numbers.append(int(line[4:]))
            last = time.perf_counter()
    stream.writer.close()
    return stream.name, numbers, last
