"""Write down what a review does, in order and in bulk: events and exchanges go in, the store has them."""

import asyncio
import json
from datetime import UTC, datetime
from typing import Any

from affidavit.service.work.identity import Identities
from affidavit.store.progress import NewEvent, Progress, Spent

_PAUSE_SECONDS = 0.05
"""Events of this time are written together: a tool called a hundred times is not a hundred transactions."""


class LostReview(Exception):  # noqa: N818 - somebody else has it, which is no mistake
    """Another worker has the review now, or it is over: nothing more is written about it."""


class Diary:
    """What one attempt of a review writes down; whoever has lost the review writes no more."""

    def __init__(self, progress: Progress, review_id: str, tenant: str, owner: str) -> None:
        self._progress, self._owner = progress, owner
        self._review_id, self._tenant = review_id, tenant
        self._identities = Identities()
        self._events: list[NewEvent] = []
        self._exchanges: list[tuple[str, dict[str, Any]]] = []
        self._turn = asyncio.Lock()
        self._wanted = asyncio.Event()
        self.is_lost = False

    def event(self, name: str, data: dict[str, Any], step: str = "") -> None:
        """Something happened, in a step or between two."""
        self._events.append(self.known(name, data, step))
        self._wanted.set()

    def known(self, name: str, data: dict[str, Any], step: str = "") -> NewEvent:
        """An event as it is known again in another attempt."""
        return self._identities.event(name, data, step)

    def exchange(self, key: str, body: dict[str, Any]) -> None:
        """A model replied."""
        self._exchanges.append((key, body))
        self._wanted.set()

    async def keep_writing(self) -> None:
        """Write what there is, a few times a second, until cancelled."""
        while True:
            await self._wanted.wait()
            await asyncio.sleep(_PAUSE_SECONDS)
            await self.flush()

    async def flush(self) -> None:
        """Write everything that was said so far; raises LostReview."""
        async with self._turn:
            self._wanted.clear()
            events, self._events = self._events, []
            exchanges, self._exchanges = self._exchanges, []
            if events or exchanges:
                await asyncio.to_thread(self._write, events, exchanges)

    def _write(self, events: list[NewEvent], exchanges: list[tuple[str, dict[str, Any]]]) -> None:
        day = datetime.now(UTC).date().isoformat()
        for key, body in exchanges:
            spent = _spent(body, self._tenant, day)
            text = json.dumps(body, ensure_ascii=True)
            if not self._progress.add_exchange(self._review_id, self._owner, key, text, spent):
                self._lose()
        if events and self._progress.add_events(self._review_id, events, self._owner) is None:
            self._lose()

    def _lose(self) -> None:
        self.is_lost = True
        raise LostReview


def _spent(body: dict[str, Any], tenant: str, day: str) -> Spent:
    usage = body.get("usage", {})
    tokens = int(usage.get("input_tokens") or 0) + int(usage.get("output_tokens") or 0)
    return Spent(tenant, day, float(usage.get("cost_usd") or 0.0), tokens)
