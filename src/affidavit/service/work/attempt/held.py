"""One attempt at a review: a cell does the work, and each step that it takes is kept by the engine."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
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
from affidavit.service.work.attempt.diary import Diary, LostReview
from affidavit.service.work.calls import Calls, ended

KeepStep = Callable[[str, Callable[[], Awaitable[Any]]], Awaitable[Any]]
"""Takes the name of a step and the way to its result, which is kept; raises LostReview."""
NoteStage = Callable[[str], Awaitable[None]]
CheckMoney = Callable[[], Awaitable[None]]
"""Raises BudgetError where the tenant may pay for nothing more today."""


class HeldReview:
    """A review in the hands of a worker; the results of its steps outlive the cell."""

    def __init__(
        self,
        review: KeptReview,
        calls: Calls,
        diary: Diary,
        keep: KeepStep,
        note_stage: NoteStage,
        kept: Mapping[str, Any],
        check_money: CheckMoney,
    ) -> None:
        self.review, self.diary = review, diary
        self._note_stage, self._check_money = note_stage, check_money
        self.stage = "open"
        self._calls, self._keep = calls, keep
        self._results: dict[str, Any] = dict(kept)
        """Of steps, by their names: in which order they were taken, and how often, does not matter."""
        self.is_let_go = asyncio.Event()
        """Set when nobody here has it in hand any more."""
        self._ended = asyncio.Event()
        self._channel: Channel | None = None
        self._is_made_here: set[str] = set()
        self.cache = Path()
        """Where the cell keeps what can be made again."""
        self.completed: dict[str, Any] | None = None
        """The last event: nobody hears of it before the report can be read."""

    async def work(self, nursery: Nursery, hold: "Callable[[HeldReview], Awaitable[Any]]") -> Any:
        """Have a cell for as long as `hold` takes."""
        connection, number = await nursery.bear()
        self.diary.begin_again()
        reader, writer = await asyncio.open_connection(sock=connection)
        self._channel = Channel(reader, writer)
        calls: dict[str, Served] = {"step": self._step, "ask": self._ask}
        serving = asyncio.create_task(
            self._channel.serve(calls, {"event": self._event, "exchange": self._exchange})
        )
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

    async def draw(self, name: str, work: Callable[[], Awaitable[Any]]) -> Any:
        """A step that the worker takes itself, once."""
        await self._have(name, work)
        return self._results[name]

    async def _have(self, name: str, work: Callable[[], Awaitable[Any]]) -> None:
        """Have the result of a step: as it was kept, or as it is made now."""
        try:
            await self._reach(name)
            if name not in self._results:
                self._results[name] = await self._keep(name, work)
        except LostReview:
            # Whoever asked for the step would take it for a fault, and the review would fail for it.
            self.stop()
            raise

    async def _reach(self, stage: str) -> None:
        """A stage begins; whoever asks how the review stands is told so."""
        self.stage = stage
        await self._note_stage(stage)

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

    async def _step(self, name: str) -> Any:
        """What the cell's pipeline asks before it takes a step."""
        await self._have(name, lambda: self._take(name))
        made_here = name in self._is_made_here
        self._is_made_here.discard(name)
        return None if made_here else self._results[name]

    async def _take(self, name: str) -> Any:
        result = await self._cell.call("take", name=name)
        # What the step said and paid is kept before the step counts as taken.
        await self.diary.flush()
        self._is_made_here.add(name)
        return result

    async def _ask(self, number: int, role: Any, messages: list[Any], question: dict[str, Any]) -> Any:
        async def pay(reply: Any) -> bool:
            return bool(await self._cell.call("pay", number=number, reply=reply))

        try:
            # Every call anew: all reviews of a tenant, whoever works on them, pay from the same money.
            await self._check_money()
        except BudgetError as error:
            return ended(CallEnded("budget_exhausted", str(error), was_read=False))
        return await self._calls.ask(role, messages, question, pay)

    async def _event(self, name: str, data: dict[str, Any], step: str) -> None:
        if name == str(EventName.PIPELINE_COMPLETED):
            self.completed = data
        else:
            self.diary.event(name, data, step)

    async def _exchange(self, key: str, body: dict[str, Any]) -> None:
        self.diary.exchange(key, body)


def _seconds_of(text: str | None) -> float:
    return datetime.fromisoformat(text).timestamp() if text else time.time()
