"""How many analysers run at once: as many as the machine has cores, over all specialists and sides."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from weakref import WeakKeyDictionary


def usable_cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


class Slots:
    """Places for programs, shared by everybody who holds this object."""

    def __init__(self, count: int | None = None) -> None:
        self._count = count or usable_cores()
        # A semaphore belongs to one event loop; a specialist may be asked from several, one after another.
        self._by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()
        # Two who each hold some of the places would wait for each other for ever.
        self._gathering: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()

    @asynccontextmanager
    async def all(self) -> AsyncIterator[None]:
        """Wait until nobody else holds a place, and hold every one."""
        loop = asyncio.get_running_loop()
        places = self._by_loop.setdefault(loop, asyncio.Semaphore(self._count))
        async with self._gathering.setdefault(loop, asyncio.Lock()), AsyncExitStack() as held:
            for _ in range(self._count):
                await held.enter_async_context(places)
            yield

    @asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        """Wait for a place and hold it."""
        loop = asyncio.get_running_loop()
        async with self._by_loop.setdefault(loop, asyncio.Semaphore(self._count)):
            yield
