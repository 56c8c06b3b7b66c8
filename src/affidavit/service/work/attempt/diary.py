"""Write down what a review does, in order and in bulk: events and exchanges go in, the store has them."""

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from affidavit.store.service.progress import NewEvent, NewExchanges, Progress, Spent

NewExchange = tuple[str, dict[str, Any]]
_CHANGING = {"timestamp", "duration_ms", "cost_usd", "input_tokens", "output_tokens", "cached_tokens"}
"""What differs from attempt to attempt; sums depend on who of several was first."""

_PAUSE_SECONDS = 0.05
"""Events of this time are written together: a tool called a hundred times is not a hundred transactions."""


class LostReview(Exception):  # noqa: N818 - somebody else has it, which is no mistake
    """Another worker has the review now, or it is over: nothing more is written about it."""


class Diary:
    """What one attempt of a review writes down; whoever has lost the review writes no more."""

    def __init__(self, progress: Progress, review_id: str, tenant: str, owner: str) -> None:
        self._progress, self._owner = progress, owner
        self._review_id, self._tenant = review_id, tenant
        self._seen: Counter[str] = Counter()
        self._stage = ""
        self._events: list[NewEvent] = []
        self._exchanges: list[NewExchange] = []
        self._turn = asyncio.Lock()
        self._wanted, self._at_once = asyncio.Event(), asyncio.Event()
        self.is_lost = False

    def begin_again(self) -> None:
        """Expect the same events once more: another cell runs the same review."""
        self._seen.clear()

    def event(self, name: str, data: dict[str, Any], attempt: int = 0) -> None:
        """Write down what happened; with an attempt, it differs from the same event of another one."""
        self._events.append(self.identified(name, data, attempt))
        self._wanted.set()

    def identified(self, name: str, data: dict[str, Any], attempt: int = 0) -> NewEvent:
        """Give an event its identity: what it says, and how often that was said before.

        A review that is taken over runs again from its beginning. The events that it repeats have the same
        identities, so the store keeps each once, and a listener sees only what is new.
        """
        same = {key: value for key, value in data.items() if key not in _CHANGING}
        text = json.dumps([attempt, name, same], sort_keys=True, ensure_ascii=True)
        self._seen[text] += 1
        return NewEvent(name, data, hashlib.sha256(f"{self._seen[text]}:{text}".encode()).hexdigest())

    def reach(self, stage: str) -> None:
        """Note how far the review is, with the next events."""
        self._stage = stage
        self._wanted.set()

    def exchange(self, key: str, body: dict[str, Any]) -> None:
        """A model replied: it was paid for, and is kept without delay."""
        self._exchanges.append((key, body))
        self._at_once.set()
        self._wanted.set()

    async def keep_writing(self) -> None:
        """Write what there is, a few times a second, until cancelled."""
        while True:
            await self._wanted.wait()
            with suppress(TimeoutError):
                async with asyncio.timeout(_PAUSE_SECONDS):
                    await self._at_once.wait()
            await self.flush()

    async def flush(self) -> None:
        """Write everything that was said so far; raises LostReview, and StoreError with nothing lost."""
        async with self._turn:
            self._wanted.clear()
            self._at_once.clear()
            events, exchanges = list(self._events), list(self._exchanges)
            if not events and not exchanges and not self._stage:
                return
            if not await asyncio.to_thread(self._write, events, exchanges, self._stage):
                self.is_lost = True
                raise LostReview
            del self._events[: len(events)], self._exchanges[: len(exchanges)]

    def _write(self, events: list[NewEvent], exchanges: list[NewExchange], stage: str) -> bool:
        paid = self._with_cost(exchanges) if exchanges else None
        return self._progress.add(self._review_id, self._owner, events, paid, stage)

    def _with_cost(self, exchanges: list[NewExchange]) -> NewExchanges:
        spent = cost_of(self._tenant, [body for _, body in exchanges])
        return NewExchanges([(key, json.dumps(body, ensure_ascii=True)) for key, body in exchanges], spent)


def cost_of(tenant: str, bodies: Sequence[dict[str, Any]]) -> Spent:
    """What exchanges cost a tenant today."""
    used = [body.get("usage", {}) for body in bodies]
    tokens = ("input_tokens", "output_tokens")
    return Spent(
        tenant,
        datetime.now(UTC).date().isoformat(),
        usd=sum(float(usage.get("cost_usd") or 0.0) for usage in used),
        tokens=sum(int(usage.get(name) or 0) for usage in used for name in tokens),
        calls=sum("request" in body for body in bodies),
    )
