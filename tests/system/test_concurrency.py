"""Work that is done side by side leaves nothing running, whether it succeeds, fails or is stopped."""

import asyncio

import pytest

from affidavit.system.concurrency import side_by_side


class Endless:
    """Work that goes on until it is stopped, and then takes a while to clean up."""

    def __init__(self) -> None:
        self.has_begun = asyncio.Event()
        self.has_ended = False

    async def work(self) -> str:
        self.has_begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            for _ in range(5):
                await asyncio.sleep(0)
            self.has_ended = True
        return "never"


async def answer(value: str, after: asyncio.Event | None = None) -> str:
    if after is not None:
        await after.wait()
    return value


async def fail(after: asyncio.Event) -> str:
    await after.wait()
    raise ValueError("it went wrong")


def test_results_come_in_order() -> None:
    async def ask() -> list[str]:
        second = asyncio.Event()

        async def first() -> str:
            return await answer("first", second)

        async def other() -> str:
            second.set()
            return "other"

        return await side_by_side([first(), other()])

    assert asyncio.run(ask()) == ["first", "other"]


def test_where_one_fails_the_others_have_ended() -> None:
    async def ask() -> bool:
        endless = Endless()
        with pytest.raises(ValueError, match="it went wrong"):
            await side_by_side([endless.work(), fail(endless.has_begun)])
        return endless.has_ended

    assert asyncio.run(ask())


def test_where_the_whole_is_stopped_its_parts_have_ended() -> None:
    async def ask() -> bool:
        endless = Endless()
        whole = asyncio.ensure_future(side_by_side([endless.work()]))
        await endless.has_begun.wait()
        whole.cancel()
        with pytest.raises(asyncio.CancelledError):
            await whole
        return endless.has_ended

    assert asyncio.run(ask())


def test_what_cleans_up_when_the_whole_is_stopped_is_not_disturbed() -> None:
    async def ask() -> bool:
        endless, has_begun = Endless(), asyncio.Event()

        async def short() -> str:
            # It ends at once, while the other still cleans up.
            has_begun.set()
            return await answer("never", asyncio.Event())

        whole = asyncio.ensure_future(side_by_side([short(), endless.work()]))
        await asyncio.gather(has_begun.wait(), endless.has_begun.wait())
        whole.cancel()
        with pytest.raises(asyncio.CancelledError):
            await whole
        return endless.has_ended

    assert asyncio.run(ask())
