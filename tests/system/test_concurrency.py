"""Work that is done side by side leaves nothing running, whether it succeeds, fails or is stopped."""

import asyncio

import pytest

from affidavit.system.concurrency import second_if_needed, side_by_side


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


class Runs:
    """Two runs, of which the second notes that it has begun and ends when it is let go."""

    def __init__(self) -> None:
        self.second = Endless()
        self.count = 0

    async def brief(self) -> str:
        self.count += 1
        return "second"


def test_the_second_is_not_begun_where_the_first_does_not_need_it() -> None:
    runs = Runs()
    found = asyncio.run(
        second_if_needed(answer("first"), runs.brief, lambda one: one != "first", seconds=None)
    )
    assert (found, runs.count) == (("first", None), 0)


def test_the_second_follows_the_first_where_it_is_needed() -> None:
    runs = Runs()
    found = asyncio.run(second_if_needed(answer("first"), runs.brief, lambda one: one == "first", seconds=60))
    assert (found, runs.count) == (("first", "second"), 1)


@pytest.mark.parametrize("is_needed", [True, False])
def test_a_slow_first_has_the_second_beside_it_and_an_unneeded_second_is_ended(is_needed: bool) -> None:
    async def ask() -> tuple[object, bool]:
        runs = Runs()

        async def first() -> str:
            # It ends only because the second has begun.
            return await answer("first", runs.second.has_begun)

        async def second() -> str:
            if not is_needed:
                return await runs.second.work()
            runs.second.has_begun.set()
            return "second"

        found = await second_if_needed(first(), second, lambda _one: is_needed, seconds=0.01)
        return found, runs.second.has_ended

    found, has_ended = asyncio.run(ask())
    assert found == ("first", "second" if is_needed else None)
    assert has_ended is not is_needed


def test_where_the_first_fails_the_second_has_ended() -> None:
    async def ask() -> bool:
        second = Endless()
        with pytest.raises(ValueError, match="it went wrong"):
            await second_if_needed(fail(second.has_begun), second.work, bool, seconds=0.01)
        return second.has_ended

    assert asyncio.run(ask())
