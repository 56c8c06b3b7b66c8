"""A worker: takes reviews from the queue, as many at once as it may, and leaves none undone behind."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, suppress
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import structlog
from dbos import DBOS

from affidavit.errors import StoreError
from affidavit.events import iso
from affidavit.service.settings import ServiceSettings
from affidavit.service.telemetry import metrics
from affidavit.service.telemetry.traces import span
from affidavit.service.work.calls import Calls
from affidavit.service.work.engine import (
    POLLING_SECONDS,
    QUEUE,
    WORKFLOW,
    Work,
    engine_config,
    engine_for,
)
from affidavit.service.work.heartbeat import Heartbeat
from affidavit.service.work.nursery import Nursery
from affidavit.service.work.workplace import Workplace
from affidavit.store.open import Store

LOG = structlog.get_logger("affidavit.worker")
BEATS_BETWEEN_ROUNDS = 10
WAITING_SECONDS = 5.0
_PLACES: list[Workplace] = []
"""The engine calls functions by name, so the worker of this process has a place where it is found."""


@DBOS.workflow(name=WORKFLOW)
async def do_review(review_id: str) -> str:
    """One review, from its queue to its end; the engine runs this again elsewhere when a worker dies."""
    with structlog.contextvars.bound_contextvars(review=review_id), span("review", review=review_id):
        LOG.info("review begins")
        await _PLACES[-1].do(review_id, keep_step)
        LOG.info("review ends")
    return review_id


async def keep_step(name: str, work: Callable[[], Awaitable[Any]]) -> Any:
    """The result of a step: the engine's, where it has one."""

    async def step() -> Any:
        began = time.monotonic()
        with span("stage", stage=name):
            result = await work()
        metrics.STAGE_SECONDS.labels(name).observe(time.monotonic() - began)
        return result

    return await DBOS.run_step_async({"name": name}, step)


class Worker:
    """A worker in this process, for as long as it is entered."""

    def __init__(
        self, settings: ServiceSettings, store: Store, work: Work, calls: Calls, nursery: Nursery
    ) -> None:
        self._settings, self._work = settings, work
        self._stack = AsyncExitStack()
        self.place = Workplace(settings, store, calls, nursery)
        self._heartbeat = Heartbeat(store, work, settings.worker_id, settings.dead_after_seconds)

    async def __aenter__(self) -> "Worker":
        settings, limits = self._settings, self._settings.limits
        _PLACES.append(self.place)
        await asyncio.to_thread(self._heartbeat.begin)
        engine = engine_for(settings)
        self._stack.callback(engine.dispose)
        DBOS(config=engine_config(settings, engine))
        DBOS.launch()
        await DBOS.register_queue_async(
            QUEUE,
            worker_concurrency=limits.reviews_at_once,
            partition_concurrency=limits.reviews_at_once_per_tenant,
            polling_interval_sec=POLLING_SECONDS,
            on_conflict="always_update",
        )
        self._beating = asyncio.create_task(self._beat())
        return self

    async def __aexit__(self, *_: object) -> None:
        """Take nothing new, let what is under way end, and leave the rest to the others."""
        seconds = round(self._settings.drain_seconds)
        await asyncio.to_thread(DBOS.destroy, workflow_completion_timeout_sec=seconds)
        # The engine has taken the threads of this loop with it.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(max_workers=8))
        self._beating.cancel()
        # A beat that found the engine's threads gone has nothing more to say.
        with suppress(asyncio.CancelledError, RuntimeError):
            await self._beating
        left = await asyncio.to_thread(self._heartbeat.end)
        if left:
            LOG.info("left to others", reviews=left)
        _PLACES.pop()
        await self._stack.aclose()

    async def _beat(self) -> None:
        """Live, look after the others, and let go of what is not ours any more."""
        pause = min(1.0, self._settings.dead_after_seconds / 5)
        for number in count():
            try:
                if number % BEATS_BETWEEN_ROUNDS == 0:
                    await self._go_round()
                handed_on = await asyncio.to_thread(self._heartbeat.beat)
                if handed_on:
                    LOG.warning("took over from a dead worker", reviews=handed_on)
                await self._let_go()
            except StoreError as error:
                # The database may come back; until then nobody can take anything over either.
                LOG.warning("no heartbeat", reason=str(error))
            await asyncio.sleep(pause)

    async def _go_round(self) -> None:
        """What is done now and then: reviews that never came into the queue, and those that are too old."""
        waiting = datetime.now(UTC) - timedelta(seconds=WAITING_SECONDS)
        reviews = await asyncio.to_thread(self.place.reviews.unfinished_since, iso(waiting))
        if reviews and (missing := await self._work.enqueue_missing(reviews)):
            LOG.warning("put into the queue what was not there", reviews=missing)
        await self._forget_old()

    async def _forget_old(self) -> None:
        days = self._settings.retention_days
        if not days:
            return
        before = iso(datetime.now(UTC) - timedelta(days=days))
        if names := await asyncio.to_thread(self.place.reviews.finished_before, before):
            await asyncio.to_thread(self.place.reviews.delete, names)
            await self._work.delete(names)
            LOG.info("deleted what is too old", reviews=len(names))

    async def _let_go(self) -> None:
        place = self.place
        if not place.held:
            return
        owned = await asyncio.to_thread(place.reviews.owners, list(place.held))
        for review_id, held in list(place.held.items()):
            if owned.get(review_id) != self._settings.worker_id:
                held.stop()
