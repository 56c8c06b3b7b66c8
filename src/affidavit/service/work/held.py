"""One attempt at a review: a cell does the work, and each step that it takes is kept by the engine."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime
from typing import Any

from affidavit.events import EventName
from affidavit.records.review import KeptReview, WantedReview
from affidavit.service.work.calls import Calls
from affidavit.service.work.channel import Channel, Served
from affidavit.service.work.diary import Diary, LostReview
from affidavit.service.work.nursery import Nursery

KeepStep = Callable[[str, Callable[[], Awaitable[Any]]], Awaitable[Any]]
"""Takes the name of a step and the way to its result; the result comes from there, or was kept before."""
NoteStage = Callable[[str], Awaitable[None]]


class HeldReview:
    """A review in the hands of a worker; the results of its steps outlive the cell."""

    def __init__(
        self, review: KeptReview, calls: Calls, diary: Diary, keep: KeepStep, note_stage: NoteStage
    ) -> None:
        self.review, self.diary = review, diary
        self._note_stage = note_stage
        self.stage = "open"
        self._calls, self._keep = calls, keep
        self._results: dict[str, Any] = {}
        self._ended = asyncio.Event()
        self._channel: Channel | None = None
        self._is_made_here: set[str] = set()
        self.completed: dict[str, Any] | None = None
        """The last event: nobody hears of it before the report can be read."""

    async def work(self, nursery: Nursery, hold: "Callable[[HeldReview], Awaitable[Any]]") -> Any:
        """Have a cell for as long as `hold` takes."""
        connection, number = await nursery.bear()
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
        opened: dict[str, Any] = await self._cell.call("open", wanted=wanted.model_dump(mode="json"))
        return opened

    async def draw(self, name: str, work: Callable[[], Awaitable[Any]]) -> Any:
        """A step that the worker takes itself, once."""
        await self._reach(name)
        if name not in self._results:
            self._results[name] = await self._keep(name, work)
        return self._results[name]

    async def _reach(self, stage: str) -> None:
        """A stage begins; whoever asks how the review stands is told so."""
        self.stage = stage
        await self._note_stage(stage)

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
        await self._reach(name)
        if name not in self._results:
            self._results[name] = await self._keep(name, lambda: self._take(name))
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
