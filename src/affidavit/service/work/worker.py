"""Take reviews from the queue, send heartbeats, and take over the work of dead workers."""

import asyncio
import os
import socket
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import structlog
from dbos import DBOS
from dbos import error as engine_errors

from affidavit.errors import StoreError
from affidavit.events import iso, now_iso
from affidavit.service.child.spawner import Spawner
from affidavit.service.kept.access import Access, KeptWorker, Workers
from affidavit.service.kept.records import KeptReview
from affidavit.service.logs import expect
from affidavit.service.metrics import span
from affidavit.service.settings import ServiceSettings
from affidavit.service.work.attempt import LostReview
from affidavit.service.work.calls import Calls
from affidavit.service.work.engine import (
    OVER,
    POLLING_SECONDS,
    POSTING,
    POSTING_POLLING_SECONDS,
    POSTING_QUEUE,
    QUEUE,
    WORKFLOW,
    Work,
    engine_config,
    engine_for,
    in_our_words,
    posting_name,
)
from affidavit.service.work.forgetting import Caches, Forgetting
from affidavit.service.work.posting import PostOffice
from affidavit.service.work.waiting import until_it_answers
from affidavit.service.work.workplace import FailedReview, ReviewRunner
from affidavit.store.open import Store

Clock = Callable[[], float]


def this_place() -> str:
    """Identify the machine and its process-number namespace."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        space = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        boot, space = "", ""
    return f"{socket.gethostname()} {boot} {space}"


class Heartbeat:
    """Sends the heartbeat of one worker and watches those of the others."""

    def __init__(
        self,
        store: Store,
        work: Work,
        worker_id: str,
        dead_after_seconds: float,
        clock: Clock = time.monotonic,
    ) -> None:
        self._workers = Workers(store.database)
        self._database = store.database
        self._work, self._worker_id = work, worker_id
        self._dead_after, self._clock = dead_after_seconds, clock
        self._place = this_place()
        self._seen: dict[str, tuple[int, float]] = {}
        self._beaten = clock()

    def begin(self) -> None:
        """Register this worker."""
        worker = KeptWorker(self._worker_id, self._place, os.getpid(), 0)
        self._workers.add(worker, now_iso())

    def beat(self) -> list[str]:
        """Send a heartbeat; return the reviews that were taken from dead workers."""
        if not self._workers.beat(self._worker_id):
            # Others took it for dead while it was delayed.
            self.begin()
        now = self._clock()
        if now - self._beaten > self._dead_after / 2:
            # Perhaps the database was away, so that nobody could beat: restart the clock for all.
            self._seen.clear()
        self._beaten = now
        return [review for dead in self._dead() for review in self._hand_on(dead)]

    def adopt(self) -> list[str]:
        """Requeue the work of unregistered workers.

        A delayed worker that was taken for dead may take work before it registers again, and then die.
        """
        unknown = self._work.executors() - {one.id for one in self._workers.all()} - {self._worker_id}
        return [review for each in sorted(unknown) for review in self._hand_on(each)]

    def end(self) -> list[str]:
        """Requeue the unfinished work of this worker."""
        return self._hand_on(self._worker_id)

    def _dead(self) -> list[str]:
        now = self._clock()
        others = {one.id: one for one in self._workers.all() if one.id != self._worker_id}
        self._seen = {name: seen for name, seen in self._seen.items() if name in others}
        for name, other in others.items():
            if self._seen.get(name, (-1, 0.0))[0] != other.beat:
                self._seen[name] = (other.beat, now)
        return [name for name, other in others.items() if self._is_dead(other, now)]

    def _is_dead(self, other: KeptWorker, now: float) -> bool:
        if other.place == self._place and not _is_running(other.process):
            return True
        return now - self._seen[other.id][1] > self._dead_after

    def _hand_on(self, dead: str) -> list[str]:
        # One worker at a time: nothing may be requeued twice.
        with self._database.alone():
            handed_on = self._work.hand_on(dead)
        self._workers.remove(dead)
        return handed_on


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


LOG = structlog.get_logger("affidavit.worker")
BEATS_BETWEEN_ROUNDS = 10
WAITING_SECONDS = 5.0
MOST_ATTEMPTS = 20
"""For a review that ends in the engine again and again without a reason."""
RELEASE_SECONDS = 5.0
ENDINGS = (
    FailedReview,
    engine_errors.DBOSWorkflowCancelledError,
    engine_errors.DBOSAwaitedWorkflowCancelledError,
    # Deleted while a worker ran it.
    engine_errors.DBOSNonExistentWorkflowError,
)
"""Normal endings of a workflow; the review stores the reason itself."""
ENDING_WORDS = ("Asyncio task cancelled for workflow or step", "Step being automatically retried")
_WORKING: list["Worker"] = []
"""The worker of this process: the engine calls module functions, which need it."""


@DBOS.workflow(name=WORKFLOW)
async def do_review(review_id: str) -> str:
    """Run one review; the engine runs this again elsewhere if the worker dies."""
    with _WORKING[-1].doing(review_id), span("review", review=review_id):
        LOG.info("review begins")
        with suppress(LostReview):
            await _WORKING[-1].place.do(review_id)
        await _WORKING[-1].post_if_wanted(review_id)
        LOG.info("review ends")
    return review_id


@DBOS.workflow(name=POSTING)
async def do_posting(review_id: str) -> str:
    """Post one review; a second run recognises its own comments by their marks."""
    with _WORKING[-1].doing(review_id), span("posting", review=review_id):
        await _WORKING[-1].office.do(review_id)
    return review_id


async def again_and_again(
    work: Callable[[], Awaitable[None]], pause: float, is_ending: Callable[[], bool] = lambda: False
) -> None:
    """Repeat until cancelled, despite errors: without a heartbeat others would take this worker for dead."""
    while True:
        try:
            await work()
        except StoreError as error:
            # The database may come back; until then no other worker can take over either.
            LOG.warning("no heartbeat", reason=str(error))
        except Exception:
            if is_ending():
                # The engine has shut down the threads of this loop.
                return
            LOG.exception("a fault in Affidavit")
        await asyncio.sleep(pause)


class Worker:
    """The worker of this process; an async context manager."""

    def __init__(
        self,
        settings: ServiceSettings,
        store: Store,
        work: Work,
        calls: Calls,
        spawner: Spawner,
        caches: Caches,
    ) -> None:
        self._settings, self._work, self._caches = settings, work, caches
        self._access = Access(store.database)
        self._under_way = 0
        self._stack = AsyncExitStack()
        self._forgetting = Forgetting(store, work, caches)
        self.place = ReviewRunner(settings, store, calls, spawner, caches)
        self.office = PostOffice(settings, store)
        self._over: set[str] = set()
        """Unfinished reviews that the engine took for finished in the last round."""
        self._heartbeat = Heartbeat(store, work, settings.worker_id, settings.dead_after_seconds)

    async def __aenter__(self) -> "Worker":
        settings = self._settings
        _WORKING.append(self)
        await until_it_answers(self._heartbeat.begin)
        engine = engine_for(settings)
        self._stack.callback(engine.dispose)
        DBOS(config=engine_config(settings, engine))
        expect("dbos", ENDINGS, ENDING_WORDS)
        with in_our_words():
            DBOS.launch()
            await self._take_from_queues()
        pause = min(1.0, settings.dead_after_seconds / 5)
        # Separate tasks: a long round must not delay the heartbeat.
        self._lives = [
            asyncio.create_task(again_and_again(work, seconds, lambda: self.place.is_ending))
            for work, seconds in ((self._beat, pause), (self._go_round, pause * BEATS_BETWEEN_ROUNDS))
        ]
        return self

    async def _take_from_queues(self) -> None:
        limits = self._settings.limits
        await DBOS.register_queue_async(
            QUEUE,
            worker_concurrency=limits.reviews_at_once,
            partition_concurrency=limits.reviews_at_once_per_tenant,
            polling_interval_sec=POLLING_SECONDS,
            on_conflict="always_update",
        )
        await DBOS.register_queue_async(
            POSTING_QUEUE,
            worker_concurrency=limits.reviews_at_once,
            polling_interval_sec=POSTING_POLLING_SECONDS,
            on_conflict="always_update",
        )

    async def __aexit__(self, *_: object) -> None:
        """Take no new work, drain, and leave the rest to other workers."""
        self.place.is_ending = True
        # The engine waits at least a second unless the limit is 0.
        seconds = round(self._settings.drain_seconds) if self._under_way else 0
        await asyncio.to_thread(DBOS.destroy, workflow_completion_timeout_sec=seconds)
        # The engine has shut down the threads of this loop.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(max_workers=8))
        for life in self._lives:
            life.cancel()
        await asyncio.gather(*self._lives, return_exceptions=True)
        left = await asyncio.to_thread(self._heartbeat.end)
        if left:
            LOG.info("left to others", reviews=left)
        _WORKING.pop()
        await self._stack.aclose()

    @contextmanager
    def doing(self, review_id: str) -> Iterator[None]:
        """Count work in progress, and add the review to every log line."""
        self._under_way += 1
        try:
            with structlog.contextvars.bound_contextvars(review=review_id):
                yield
        finally:
            self._under_way -= 1

    async def post_if_wanted(self, review_id: str) -> None:
        """Queue the posting of a completed review, if one was requested."""
        posting = await until_it_answers(lambda: self.office.postings.find(review_id))
        review = await until_it_answers(lambda: self.place.reviews.find(review_id, None))
        if posting and posting.state == "waiting" and review and review.status == "completed":
            await self._work.enqueue_posting(posting)

    async def _beat(self) -> None:
        """Send a heartbeat, take over from dead workers, and release lost reviews."""
        handed_on = await asyncio.to_thread(self._heartbeat.beat)
        if handed_on:
            LOG.warning("took over from a dead worker", reviews=handed_on)
        await self.place.release_lost()

    async def _go_round(self) -> None:
        """Repair the queue and delete old reviews."""
        if adopted := await asyncio.to_thread(self._heartbeat.adopt):
            LOG.warning("took over from nobody", reviews=adopted)
        await self._go_through_unfinished()
        await self._go_through_postings()
        await self._forget_old()
        await asyncio.to_thread(self._caches.sweep)

    async def _go_through_unfinished(self) -> None:
        """Queue unfinished reviews that the engine does not know or takes for finished."""
        waiting = datetime.now(UTC) - timedelta(seconds=WAITING_SECONDS)
        reviews = await asyncio.to_thread(self.place.reviews.unfinished_since, iso(waiting))
        states = await self._work.states([one.id for one in reviews])
        over = {one.id for one in reviews if states.get(one.id, "") in OVER}
        for review in reviews:
            if review.id not in states:
                LOG.warning("put into the queue what was not there", review=review.id)
                await self._work.enqueue(review.id, review.tenant)
            # Seen twice: a review being retried is finished for the engine for a moment.
            elif review.id in over & self._over:
                await self._put_back(review)
        self._over = over - self._over

    async def _put_back(self, review: KeptReview) -> None:
        if review.attempt < MOST_ATTEMPTS:
            LOG.warning("put back into the queue what was not done", review=review.id)
            await self._work.retry(review.id, review.tenant)
            return
        reason = f"nobody could do it in {review.attempt} attempts; the workers' logs say why"
        LOG.error("given up", review=review.id, attempts=review.attempt)
        await asyncio.to_thread(self.place.reviews.finish, review.id, "failed", now_iso(), reason=reason)

    async def _go_through_postings(self) -> None:
        """Queue overdue postings; restart those that the engine takes for finished."""
        postings = {posting_name(one): one for one in await asyncio.to_thread(self.office.postings.overdue)}
        states = await self._work.states(list(postings))
        await self._work.forget([name for name, state in states.items() if state in OVER])
        for posting in postings.values():
            await self._work.enqueue_posting(posting)

    async def _forget_old(self) -> None:
        days = self._settings.retention_days
        if not days:
            return
        before = iso(datetime.now(UTC) - timedelta(days=days))
        if deleted := await self._forgetting.forget_before(before):
            LOG.info("deleted what is too old", reviews=deleted)
        await asyncio.to_thread(self._access.forget_deliveries, before)

    async def release(self, review_id: str) -> None:
        """Stop work on a finished review, and wait until it is released."""
        held = self.place.held.get(review_id)
        if held is None:
            return
        held.stop()
        with suppress(TimeoutError):
            await asyncio.wait_for(held.released.wait(), RELEASE_SECONDS)
