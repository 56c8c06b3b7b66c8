"""Analysers share the machine's cores."""

import asyncio

from affidavit.analysers.engine.execution import Slots
from affidavit.system.concurrency import usable_cores


def most_at_once(slots, tasks):
    running, most = 0, 0

    async def work():
        nonlocal running, most
        async with slots.one():
            running += 1
            most = max(most, running)
            await asyncio.sleep(0.01)
            running -= 1

    async def everybody():
        await asyncio.gather(*(work() for _ in range(tasks)))

    asyncio.run(everybody())
    return most


def test_no_more_run_at_once_than_there_are_slots():
    assert most_at_once(Slots(2), 6) == 2


def test_the_same_slots_serve_one_event_loop_after_another():
    slots = Slots(1)
    assert [most_at_once(slots, 3), most_at_once(slots, 3)] == [1, 1]


def test_the_default_is_the_number_of_cores():
    assert most_at_once(Slots(), usable_cores() * 2) == usable_cores()
