"""Events on the wire: signs of life between them, and an end when nobody listens."""

import asyncio
from collections.abc import AsyncIterator

from structlog.testing import capture_logs

from affidavit.errors import StoreError
from affidavit.service.kept.records import KeptEvent
from affidavit.service.streaming import HEARTBEAT, while_allowed, with_heartbeats, written


class Source:
    """Says one thing when it is let, and knows whether it was closed."""

    def __init__(self) -> None:
        self.may_speak, self.closed = asyncio.Event(), asyncio.Event()

    async def chunks(self) -> AsyncIterator[bytes]:
        try:
            await self.may_speak.wait()
            yield b"said"
        finally:
            self.closed.set()


def test_a_stream_in_which_nothing_happens_gives_signs_of_life_and_loses_nothing() -> None:
    async def hear() -> list[bytes]:
        source, heard = Source(), []
        async for chunk in with_heartbeats(source.chunks(), 0.01):
            heard.append(chunk)
            if len(heard) == 3:
                source.may_speak.set()
        return heard

    heard = asyncio.run(hear())
    assert heard[:3] == [HEARTBEAT] * 3
    assert heard[-1] == b"said"
    assert set(heard[3:-1]) <= {HEARTBEAT}


def test_who_hangs_up_leaves_nothing_waiting() -> None:
    async def hang_up() -> bool:
        source = Source()
        heard = with_heartbeats(source.chunks(), 0.01)
        assert await anext(heard) == HEARTBEAT
        await heard.aclose()  # type: ignore[attr-defined]
        async with asyncio.timeout(60):
            return await source.closed.wait()

    assert asyncio.run(hang_up())


def test_a_stream_whose_token_cannot_be_checked_ends_and_says_why_once() -> None:
    async def may_stay() -> bool:
        raise StoreError("the database is away", retryable=True)

    async def hear() -> list[bytes]:
        source = Source()
        source.may_speak.set()
        return [chunk async for chunk in with_heartbeats(while_allowed(source.chunks(), may_stay))]

    with capture_logs() as logs:
        assert asyncio.run(hear()) == []
    assert [one["reason"] for one in logs] == ["the database is away"]


def test_events_are_written_one_after_the_other_each_with_its_name_and_number() -> None:
    events = [KeptEvent(number=one, name="tool.called", data={"text": "a\nb"}) for one in (7, 8)]
    text = 'event: tool.called\ndata: {"text": "a\\nb"}\nid: %d\nretry: 1000\n\n'
    assert b"".join(map(written, events)).decode() == text % 7 + text % 8
