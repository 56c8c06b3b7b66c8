"""One attempt at a review: a child does the work; the worker stores its events and pays."""

import asyncio
import hashlib
import json
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from opentelemetry.trace import INVALID_SPAN, Span, use_span

from affidavit.events import EventName
from affidavit.records.iteration import StoredIteration
from affidavit.service import metrics
from affidavit.service.child.channel import Channel, Served
from affidavit.service.child.spawner import Spawner
from affidavit.service.kept.progress import NewEvent, NewExchange, ReviewProgress
from affidavit.service.kept.records import KeptReview, WantedReview
from affidavit.service.work.calls import Calls

_CHANGING = {"timestamp", "duration_ms", "cost_usd", "input_tokens", "output_tokens", "cached_tokens"}
"""Fields that differ between attempts; sums depend on the order of concurrent calls."""

_PAUSE_SECONDS = 0.05
"""Events within this time are stored in one transaction."""


class LostReview(Exception):  # noqa: N818 - not a mistake
    """Another worker has the review now, or it is finished; nothing more is stored."""


class Diary:
    """Stores the events and exchanges of one attempt, unless the review is lost."""

    def __init__(self, progress: ReviewProgress, review_id: str, owner: str) -> None:
        self._progress, self._review_id, self._owner = progress, review_id, owner
        self._seen: Counter[str] = Counter()
        self._stage = ""
        self._events: list[NewEvent] = []
        self._exchanges: list[NewExchange] = []
        self._turn = asyncio.Lock()
        self._wanted, self._at_once = asyncio.Event(), asyncio.Event()
        self.is_lost = False

    def begin_again(self) -> None:
        """Expect the same events again from a new child."""
        self._seen.clear()

    def event(self, name: str, data: dict[str, Any], attempt: int = 0) -> None:
        """Store an event; `attempt` tells it apart from the same event of another attempt."""
        self._events.append(self.identified(name, data, attempt))
        self._wanted.set()

    def identified(self, name: str, data: dict[str, Any], attempt: int = 0) -> NewEvent:
        """Give an event its identity: its content, and how often it occurred before.

        A review that is taken over runs again from its beginning. The events that it repeats have the same
        identities, so the store keeps each once, and a listener sees only what is new.
        """
        same = {key: value for key, value in data.items() if key not in _CHANGING}
        text = json.dumps([attempt, name, same], sort_keys=True, ensure_ascii=True)
        self._seen[text] += 1
        return NewEvent(name, data, hashlib.sha256(f"{self._seen[text]}:{text}".encode()).hexdigest())

    def reach(self, stage: str) -> None:
        """Store the stage with the next events."""
        self._stage = stage
        self._wanted.set()

    def exchange(self, key: str, body: dict[str, Any]) -> None:
        """Store a paid reply without delay."""
        self._exchanges.append((key, body))
        self._at_once.set()
        self._wanted.set()

    async def keep_writing(self) -> None:
        """Store new events and exchanges several times a second, until cancelled."""
        while True:
            await self._wanted.wait()
            with suppress(TimeoutError):
                async with asyncio.timeout(_PAUSE_SECONDS):
                    await self._at_once.wait()
            await self.flush()

    async def flush(self) -> None:
        """Store everything so far; raise LostReview, or StoreError without losing anything."""
        async with self._turn:
            self._wanted.clear()
            self._at_once.clear()
            events, exchanges = list(self._events), list(self._exchanges)
            if not events and not exchanges and not self._stage:
                return
            review, owner, stage = self._review_id, self._owner, self._stage
            if not await asyncio.to_thread(self._progress.add, review, owner, events, exchanges, stage):
                self.is_lost = True
                raise LostReview
            del self._events[: len(events)], self._exchanges[: len(exchanges)]


OPENING = "open"


class HeldReview:
    """A review that a worker runs, in one child after the other if one dies."""

    def __init__(self, review: KeptReview, calls: Calls, diary: Diary) -> None:
        self.review, self.diary, self._calls = review, diary, calls
        self.stage = OPENING
        self._reached_ns = time.time_ns()
        self._span: Span = INVALID_SPAN
        self.released = asyncio.Event()
        """Set when this worker has stopped."""
        self._ended = asyncio.Event()
        self._channel: Channel | None = None
        self.cache = Path()
        """The cache folder of the child."""
        self.completed: dict[str, Any] | None = None
        """The last event, stored only after the report."""

    async def work(self, spawner: Spawner, hold: "Callable[[HeldReview], Awaitable[Any]]") -> Any:
        """Run `hold` with a child process."""
        self.diary.begin_again()
        self.stage, self._reached_ns = OPENING, time.time_ns()
        self._begin_span(OPENING)
        calls: dict[str, Served] = {"ask": self._ask}
        tells: dict[str, Served] = {"event": self._event, "exchange": self._exchange}
        async with spawner.child(self.cache, calls, tells) as self._channel:
            writing = asyncio.create_task(self.diary.keep_writing())
            try:
                return await self._unless_ended(hold(self), writing)
            finally:
                writing.cancel()
                with suppress(asyncio.CancelledError, Exception):
                    await writing
                self._span.end()

    def stop(self) -> None:
        """Stop: the review is finished, or another worker has it."""
        self._ended.set()

    async def rest(self, seconds: float) -> None:
        """Wait before a retry; raise LostReview if the review was stopped meanwhile."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._ended.wait(), seconds)
        if self._ended.is_set():
            raise LostReview

    async def _unless_ended(self, holding: Awaitable[Any], writing: "asyncio.Task[None]") -> Any:
        """Return the result, unless storing fails or the review is stopped first."""
        held, ended = asyncio.ensure_future(holding), asyncio.create_task(self._ended.wait())
        try:
            await asyncio.wait({held, writing, ended}, return_when=asyncio.FIRST_COMPLETED)
            if held.done():
                return await held
            if ended.done():
                raise LostReview
            return await writing
        finally:
            for task in (held, ended):
                task.cancel()
                with suppress(asyncio.CancelledError, Exception):
                    await task

    async def open(self, wanted: WantedReview) -> dict[str, Any]:
        """Open the change in the child."""
        opened: dict[str, Any] = await self._child.call("open", wanted=wanted.model_dump(mode="json"))
        return opened

    async def is_merged(self, before: StoredIteration) -> bool:
        """Check whether the head of an earlier review is part of the change's base by now."""
        return bool(await self._child.call("merged", iteration=before.model_dump(mode="json")))

    def reach(self, stage: str) -> None:
        """Begin a stage, and measure the previous one."""
        now = time.time_ns()
        metrics.STAGE_SECONDS.labels(self.stage).observe((now - self._reached_ns) / 1e9)
        self._begin_span(stage)
        self.stage, self._reached_ns = stage, now
        self.diary.reach(stage)

    def _begin_span(self, stage: str) -> None:
        self._span.end()
        self._span = metrics.stage_span(stage)

    async def conduct(self, exchanges: list[dict[str, Any]], **how: Any) -> dict[str, Any]:
        """Run the review and return its report."""
        attempt = {
            "review_id": self.review.id,
            "began": _seconds_of(self.review.started_at),
            "exchanges": exchanges,
        }
        report: dict[str, Any] = await self._child.call("review", attempt=attempt, **how)
        return report

    @property
    def _child(self) -> Channel:
        if self._channel is None:
            raise AssertionError("there is no child process")
        return self._channel

    async def _ask(self, number: int, role: Any, messages: list[Any], question: dict[str, Any]) -> Any:
        async def pay(reply: Any) -> bool:
            return bool(await self._child.call("pay", number=number, reply=reply))

        with use_span(self._span, record_exception=False, set_status_on_exception=False):
            return await self._calls.ask(role, messages, question, pay)

    async def _event(self, name: str, data: dict[str, Any]) -> None:
        if name == str(EventName.PIPELINE_COMPLETED):
            self.completed = data
            return
        self.diary.event(name, data)
        if name == str(EventName.PIPELINE_STARTED):
            self.reach(str(data["agent"]))
        elif name == str(EventName.AGENT_HANDOFF):
            self.reach(str(data["to"]))

    async def _exchange(self, key: str, body: dict[str, Any]) -> None:
        self.diary.exchange(key, body)


def _seconds_of(text: str | None) -> float:
    return datetime.fromisoformat(text).timestamp() if text else time.time()
