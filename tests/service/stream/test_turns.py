"""Many who ask for streams at once: a few begin at a time, and who asks for something else passes them."""

import asyncio
from typing import Any

from starlette.types import Message, Receive, Scope, Send

from affidavit.service.streaming import Turns

START: Message = {"type": "http.response.start", "status": 200, "headers": []}


class Routes:
    """Knows who has come in; each is answered when it is let, and then goes on for ever."""

    def __init__(self) -> None:
        self.inside: list[str] = []
        self.answers, self.goes_on = asyncio.Semaphore(0), asyncio.Event()

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        self.inside.append(scope["path"])
        if scope["path"].endswith("/stream"):
            await self.answers.acquire()
            if "broken" in scope["path"]:
                raise OSError(scope["path"])
            await send(START)
            await self.goes_on.wait()


def asked(turns: Turns, path: str) -> "asyncio.Task[None]":
    async def nothing(*_message: object) -> Any:
        return {}

    async def ask() -> None:
        await turns({"type": "http", "path": path}, nothing, nothing)

    return asyncio.create_task(ask())


async def settled() -> None:
    """Everybody has gone as far as they can: nothing here waits for anything outside the loop."""
    for _ in range(20):
        await asyncio.sleep(0)


def test_streams_begin_a_few_at_a_time_and_who_asks_for_something_else_passes_them() -> None:
    async def crowd() -> None:
        routes = Routes()
        turns = Turns(routes, at_once=2)
        streams = [asked(turns, f"/{number}/stream") for number in range(5)]
        await settled()
        assert routes.inside == ["/0/stream", "/1/stream"]
        await asked(turns, "/api/review")
        assert routes.inside[2:] == ["/api/review"]
        routes.answers.release()
        await settled()
        # One has begun and goes on; the next has its turn.
        assert routes.inside[3:] == ["/2/stream"]
        for stream in streams:
            stream.cancel()

    asyncio.run(crowd())


def test_a_stream_that_fails_before_it_begins_gives_its_turn_back() -> None:
    async def fail() -> None:
        routes = Routes()
        turns = Turns(routes, at_once=2)
        broken = [asked(turns, "/broken/stream") for _ in range(4)]
        for _ in broken:
            routes.answers.release()
        assert all(isinstance(one, OSError) for one in await asyncio.gather(*broken, return_exceptions=True))
        stream = asked(turns, "/0/stream")
        await settled()
        assert routes.inside[-1] == "/0/stream"
        stream.cancel()

    asyncio.run(fail())
