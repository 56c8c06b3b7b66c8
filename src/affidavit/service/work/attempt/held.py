"""One attempt at a review: a cell does the work, and its worker writes down what it says and pays."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from affidavit.errors import BudgetError
from affidavit.events import EventName
from affidavit.minds.wire.connection import CallEnded
from affidavit.records.iteration import StoredIteration
from affidavit.records.service.review import KeptReview, WantedReview
from affidavit.service.cell.channel import Channel, Served
from affidavit.service.cell.nursery import Nursery
from affidavit.service.telemetry import metrics
from affidavit.service.telemetry.traces import record_span
from affidavit.service.work.attempt.diary import Diary, LostReview
from affidavit.service.work.calls import Calls, ended

OPENING = "open"
CheckMoney = Callable[[], Awaitable[None]]
"""Raises BudgetError where the tenant may pay for nothing more today."""


class HeldReview:
    """A review in the hands of a worker; what it says and pays outlives the cell."""

    def __init__(self, review: KeptReview, calls: Calls, diary: Diary, check_money: CheckMoney) -> None:
        self.review, self.diary = review, diary
        self._calls, self._check_money = calls, check_money
        self.stage = OPENING
        self._reached_ns = time.time_ns()
        self.is_let_go = asyncio.Event()
        """Set when nobody here has it in hand any more."""
        self._ended = asyncio.Event()
        self._channel: Channel | None = None
        self.cache = Path()
        """Where the cell keeps what can be made again."""
        self.completed: dict[str, Any] | None = None
        """The last event: nobody hears of it before the report can be read."""

    async def work(self, nursery: Nursery, hold: "Callable[[HeldReview], Awaitable[Any]]") -> Any:
        """Have a cell for as long as `hold` takes."""
        connection, number = await nursery.bear()
        self.diary.begin_again()
        self.stage, self._reached_ns = OPENING, time.time_ns()
        reader, writer = await asyncio.open_connection(sock=connection)
        self._channel = Channel(reader, writer)
        calls: dict[str, Served] = {"ask": self._ask}
        tells: dict[str, Served] = {"event": self._event, "exchange": self._exchange}
        serving = asyncio.create_task(self._channel.serve(calls, tells))
        writing = asyncio.create_task(self.diary.keep_writing())
        try:
            return await self._unless_ended(hold(self), writing)
        finally:
            nursery.kill(number)
            await self._channel.close()
            for task in (serving, writing):
                task.cancel()
                with suppress(asyncio.CancelledError, Exception):
                    await task
            self._channel = None

    def stop(self) -> None:
        """Let go: the review is over, or another worker has it."""
        self._ended.set()

    async def rest(self, seconds: float) -> None:
        """Wait before another try; raises LostReview where the review is let go of meanwhile."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._ended.wait(), seconds)
        if self._ended.is_set():
            raise LostReview

    async def _unless_ended(self, holding: Awaitable[Any], writing: "asyncio.Task[None]") -> Any:
        """What comes of the work; it ends where nothing can be written down any more, or nobody wants it."""
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
        """The change, opened in the cell."""
        await self._cell.call("use", cache=str(self.cache))
        opened: dict[str, Any] = await self._cell.call("open", wanted=wanted.model_dump(mode="json"))
        return opened

    async def is_merged(self, before: StoredIteration) -> bool:
        """Whether the head of an earlier review is part of the change's base by now."""
        return bool(await self._cell.call("merged", iteration=before.model_dump(mode="json")))

    def reach(self, stage: str) -> None:
        """Begin a stage, and count how long the one before it took."""
        now = time.time_ns()
        metrics.STAGE_SECONDS.labels(self.stage).observe((now - self._reached_ns) / 1e9)
        record_span("stage", self._reached_ns, now, stage=self.stage)
        self.stage, self._reached_ns = stage, now
        self.diary.reach(stage)

    async def afford(self, usd: float | None) -> None:
        """Let the review spend no more than this; None: as much as its own budget has."""
        await self._cell.call("afford", usd=usd)

    async def conduct(self, **how: Any) -> dict[str, Any]:
        """The report of the review."""
        began = _seconds_of(self.review.started_at)
        report: dict[str, Any] = await self._cell.call("review", review_id=self.review.id, began=began, **how)
        return report

    @property
    def _cell(self) -> Channel:
        if self._channel is None:
            raise AssertionError("a cell is asked while it lives")
        return self._channel

    async def _ask(self, number: int, role: Any, messages: list[Any], question: dict[str, Any]) -> Any:
        async def pay(reply: Any) -> bool:
            return bool(await self._cell.call("pay", number=number, reply=reply))

        try:
            # Every call anew: all reviews of a tenant, whoever works on them, pay from the same money.
            await self._check_money()
        except BudgetError as error:
            return ended(CallEnded("budget_exhausted", str(error), was_read=False))
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
