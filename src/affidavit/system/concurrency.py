"""Await several coroutines at once, and leave none running; count the usable cores."""

import asyncio
import os
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, TypeVar

Result = TypeVar("Result")
First = TypeVar("First")
Second = TypeVar("Second")


async def both(
    first: Coroutine[Any, Any, First], second: Coroutine[Any, Any, Second]
) -> tuple[First, Second]:
    results: list[Any] = await side_by_side([first, second])
    return results[0], results[1]


async def side_by_side(work: Iterable[Coroutine[Any, Any, Result]]) -> list[Result]:
    """Return the results in order; if one fails, end the others before raising its error.

    At the end of the event loop they would be cancelled together with asyncio's own tasks, which would
    wait forever for a program that was just being started.
    """
    tasks = [asyncio.ensure_future(each) for each in work]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            # A task that is already ending must not be cancelled again while it cleans up.
            if not task.cancelling():
                task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def second_if_needed(
    first: Coroutine[Any, Any, First],
    second: Callable[[], Coroutine[Any, Any, Second]],
    needs_second: Callable[[First], bool],
    *,
    seconds: float | None,
) -> tuple[First, Second | None]:
    """Return the first result, and the second if the first needs it; None else, whenever it was begun.

    After some seconds the second begins beside the first: waiting longer would cost more than it may save.
    """
    one = asyncio.ensure_future(first)
    two: asyncio.Task[Second] | None = None
    try:
        done, _ = await asyncio.wait([one], timeout=seconds)
        if not done:
            two = asyncio.ensure_future(second())
        if not needs_second(await one):
            return one.result(), None
        two = two or asyncio.ensure_future(second())
        return one.result(), await two
    finally:
        tasks = [task for task in (one, two) if task is not None]
        for task in tasks:
            if not task.cancelling():
                task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1
