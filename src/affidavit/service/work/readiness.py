"""Whether a server can work: a question to its database and its disk in, an answer in a short time out."""

import asyncio
import os
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ANSWER_SECONDS = 3.0
"""Whoever watches a server asks every few seconds, and takes one that says nothing for dead."""

ROOM_BYTES = 10_000_000
"""So much must fit on the disk: with less, the next review cannot be kept."""


class Readiness:
    """One look for all who ask in the meantime, in a thread of its own: those of the others may all hang."""

    def __init__(self, ask: Callable[[], object], answer_seconds: float = ANSWER_SECONDS) -> None:
        self._ask, self._answer_seconds = ask, answer_seconds
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="readiness")
        self._looking: asyncio.Future[object] | None = None

    async def look(self) -> None:
        """Raise what keeps the server from working; a look that is left without an answer goes on."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.get_running_loop().run_in_executor(self._thread, self._ask)
            # Where it comes after everybody has gone, nobody else takes note of it.
            self._looking.add_done_callback(asyncio.Future.exception)
        await asyncio.wait_for(asyncio.shield(self._looking), self._answer_seconds)


def check_room(folder: Path) -> None:
    """Raise OSError where no more can be written to a folder's disk."""
    with tempfile.TemporaryFile(dir=folder) as file:
        os.posix_fallocate(file.fileno(), 0, ROOM_BYTES)
