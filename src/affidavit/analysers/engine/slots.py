"""How many analysers run at once: as many as the machine has cores, over all specialists and sides."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
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

    @asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        """Wait for a place and hold it."""
        loop = asyncio.get_running_loop()
        async with self._by_loop.setdefault(loop, asyncio.Semaphore(self._count)):
            yield
