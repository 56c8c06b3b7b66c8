"""What a conversation costs beyond the time of the model: a mind against a server of fixed latency."""

import asyncio
import sys
import time
from typing import Any

from affidavit.events import ignore_events
from affidavit.minds.choice import CallLimits, choose_model
from affidavit.minds.mind import PydanticMind
from affidavit.ports import Talk
from bench import model_review
from bench.row import Row
from bench.slow_model import SlowModel, serve, serving, tool_call

LATENCY_SECONDS = 1.0
TURNS = 3
TALKS = 8
BOUND = 1.15
SCHEMA = {"type": "object", "properties": {"done": {"type": "boolean"}}, "required": ["done"]}
READ = {
    "type": "function",
    "function": {"name": "read", "description": "Read.", "parameters": {"type": "object", "properties": {}}},
}


class Caller(SlowModel):
    """Calls a tool some times, then answers."""

    def reply(self, body: dict[str, Any]) -> dict[str, Any]:
        turn = sum(message["role"] == "tool" for message in body["messages"]) + 1
        return tool_call("read", {}, turn) if turn < TURNS else tool_call("result", {"done": True}, turn)


class Nothing:
    """A tool that takes no time."""

    descriptions = (READ,)

    def call(self, _name: str, _arguments: object) -> dict[str, Any]:
        return {"text": "x" * 2000}


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
    mind = PydanticMind("specialist", choice, limits=CallLimits(at_once=TALKS))
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
    with serving("bench.minds", LATENCY_SECONDS) as url:
        one, several = asyncio.run(hold(url, 1)), asyncio.run(hold(url, TALKS))
    against = f"{TURNS} calls of {LATENCY_SECONDS:g} s"
    return [
        Row(f"a talk of {TURNS} turns", one, against, chain, BOUND),
        Row(f"{TALKS} such talks at once", several, against, chain, BOUND),
        *model_review.rows(),
    ]


if __name__ == "__main__":
    if "serve" in sys.argv:
        serve(Caller, float(sys.argv[-1]))
    for row in rows():
        print(row.line())
