"""The connection between a worker and its child process keeps the order of what is sent."""

import asyncio
import json
import socket
from typing import Any

from affidavit.service.child.channel import Channel


def test_an_event_told_before_a_call_returns_is_sent_before_the_answer() -> None:
    names = asyncio.run(_sent_by_a_call_that_tells())
    assert names == ["event", "answer"]


async def _sent_by_a_call_that_tells() -> list[str]:
    ours, theirs = socket.socketpair()
    channel = Channel(*await asyncio.open_connection(sock=theirs))
    reader, writer = await asyncio.open_connection(sock=ours)

    async def review() -> Any:
        channel.tell("event", number=1)
        return "report"

    serving = asyncio.create_task(channel.serve({"review": review}, {}))
    writer.write(json.dumps({"call": 1, "name": "review", "fields": {}}).encode() + b"\n")
    frames = [json.loads(await reader.readline()) for _ in range(2)]
    writer.close()
    await serving
    return [frame.get("name", "answer") for frame in frames]
