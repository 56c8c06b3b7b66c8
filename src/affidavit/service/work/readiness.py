"""Whether the database answers: a question to it in, its answer in a short time out, or none."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

ANSWER_SECONDS = 3.0
"""Whoever watches a server asks every few seconds, and takes one that says nothing for dead."""


class Readiness:
    """One look for all who ask in the meantime, in a thread of its own: those of the others may all hang."""

    def __init__(self, ask: Callable[[], object], answer_seconds: float = ANSWER_SECONDS) -> None:
        self._ask, self._answer_seconds = ask, answer_seconds
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="readiness")
        self._looking: asyncio.Future[object] | None = None

    async def look(self) -> None:
        """Do nothing where the database answers; a look that it leaves without an answer goes on."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.get_running_loop().run_in_executor(self._thread, self._ask)
            # Where it comes after everybody has gone, nobody else takes note of it.
            self._looking.add_done_callback(asyncio.Future.exception)
        await asyncio.wait_for(asyncio.shield(self._looking), self._answer_seconds)
