"""What a conversation costs beyond the time of the model: a mind against a server of fixed latency."""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from affidavit.events import ignore_events
from affidavit.minds.choice import choose_model
from affidavit.minds.limits import Limits
from affidavit.minds.mind import PydanticMind
from affidavit.ports import Talk
from bench import model_review
from bench.row import Row

LATENCY_SECONDS = 1.0
TURNS = 3
TALKS = 8
BOUND = 1.15
SCHEMA = {"type": "object", "properties": {"done": {"type": "boolean"}}, "required": ["done"]}
READ = {
    "type": "function",
    "function": {"name": "read", "description": "Read.", "parameters": {"type": "object", "properties": {}}},
}


class SlowModel(BaseHTTPRequestHandler):
    """Calls a tool some times, then answers; each reply takes the same time."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        time.sleep(LATENCY_SECONDS)
        turn = sum(message["role"] == "tool" for message in body["messages"]) + 1
        name, arguments = ("read", "{}") if turn < TURNS else ("result", '{"done": true}')
        call = {"index": 0, "id": f"call_{turn}", "type": "function"}
        delta = {"tool_calls": [{**call, "function": {"name": name, "arguments": arguments}}]}
        self._send([self._chunk(delta, None), self._chunk({}, "tool_calls")])

    def _chunk(self, delta: dict[str, Any], finish: str | None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}

    def _send(self, chunks: list[dict[str, Any]]) -> None:
        data = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data.encode())

    def log_message(self, *_: Any) -> None:
        """Quiet."""


class Nothing:
    """A tool that takes no time."""

    descriptions = (READ,)

    def call(self, _name: str, _arguments: object) -> dict[str, Any]:
        return {"text": "x" * 2000}


@contextmanager
def slow_server() -> Iterator[str]:
    """The address of the server; it has a process of its own, so that it takes no time from the mind."""
    command = [sys.executable, "-m", "bench.minds", "serve"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            yield (server.stdout or sys.stdin).readline().strip()
        finally:
            server.kill()


def serve() -> None:
    """Serve until killed."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), SlowModel)
    sys.stdout.write(f"http://127.0.0.1:{server.server_port}/v1\n")
    sys.stdout.flush()
    server.serve_forever()


def talk(number: int) -> Talk:
    """A talk with a prompt of ordinary size."""
    return Talk(
        speaker="logic",
        instructions="Instructions. " * 500,
        prefix="The change. " * 2000,
        task=f"Task {number}.",
        schema=SCHEMA,
        schema_name="result",
        tools=Nothing(),  # type: ignore[arg-type]
    )


async def hold(url: str, talks: int) -> float:
    """The wall time of some talks at once, after one that warms up."""
    choice = choose_model("slow", "specialist", base_url=url)
    mind = PydanticMind("specialist", choice, limits=Limits(at_once=TALKS))
    async with mind.kept_open():
        await mind.converse(talk(-1), ignore_events)
        started = time.perf_counter()
        held = (mind.converse(talk(number), ignore_events) for number in range(talks))
        answers = await asyncio.gather(*held)
        seconds = time.perf_counter() - started
    if {answer.outcome for answer in answers} != {"answered"}:
        raise SystemExit(f"the talks did not end well: {answers}")
    return seconds


def rows() -> list[Row]:
    """One talk, several at once, and a whole review, against the longest chain of calls."""
    chain = TURNS * LATENCY_SECONDS
    with slow_server() as url:
        one, several = asyncio.run(hold(url, 1)), asyncio.run(hold(url, TALKS))
    against = f"{TURNS} calls of {LATENCY_SECONDS:g} s"
    return [
        Row(f"a talk of {TURNS} turns", one, against, chain, BOUND),
        Row(f"{TALKS} such talks at once", several, against, chain, BOUND),
        *model_review.rows(),
    ]


if __name__ == "__main__":
    if "serve" in sys.argv:
        serve()
    for row in rows():
        print(row.line())
