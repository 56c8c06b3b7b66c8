"""Open the parts of a server or worker process, and run a worker."""

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from types import TracebackType

from prometheus_client import start_http_server

from affidavit.errors import SettingsError
from affidavit.minds.choice import CallLimits
from affidavit.service.child.spawner import Spawner
from affidavit.service.kept.access import Access
from affidavit.service.kept.postgresql import open_store
from affidavit.service.kept.progress import Postings, ReviewProgress
from affidavit.service.kept.reviews import Reviews
from affidavit.service.logs import say, write_logs
from affidavit.service.metrics import REGISTRY, send_traces
from affidavit.service.settings import ServiceSettings
from affidavit.service.work.calls import Calls
from affidavit.service.work.engine import Work
from affidavit.service.work.forgetting import Caches, Forgetting
from affidavit.service.work.waiting import (
    GRACE_SECONDS,
    UNOPENED_SECONDS,
    Deadline,
    Readiness,
    check_room,
    unless_ended,
    until_it_can_be_reached,
)
from affidavit.service.work.worker import Worker
from affidavit.service.work.workplace import Adoption

ATTEMPTS_OF_A_CALL = 6
"""A service can wait longer than a person."""


class Parts:
    """The parts of one process of the service, open while it is entered."""

    def __init__(self, settings: ServiceSettings) -> None:
        self.settings = settings
        self.store = open_store(settings.database or settings.data, keeps_connections=True)
        self.reviews = Reviews(self.store.database)
        self.progress = ReviewProgress(self.store.database)
        self.postings = Postings(self.store.database)
        self.access = Access(self.store.database)
        self.readiness = Readiness(self._look)
        self.caches = Caches(settings, self.access)
        self.adoption = Adoption(self.store)
        self.work = Work(settings)
        self.forgetting = Forgetting(self.store, self.work, self.caches)
        limits = CallLimits(attempts=ATTEMPTS_OF_A_CALL, at_once=settings.limits.calls_at_once)
        self.calls = Calls(settings.models, settings.environment, limits)
        self.spawner: Spawner
        self.worker: Worker | None = None
        self.is_open = False
        """Whether requests can be answered; until then this process waits for its database."""
        self._may_work: bool | None = None
        """Whether reviews may be running here; None until the database is reachable."""
        self._stack = AsyncExitStack()

    def prepare(self) -> None:
        """Make missing tables."""
        with self.store.database.transaction():
            pass
        self.work.prepare()

    def _look(self) -> None:
        self.reviews.counts()
        check_room(self.settings.data)

    async def wait_for_database(self) -> None:
        """Make missing tables as soon as the database can be reached."""
        await until_it_can_be_reached(self.prepare)

    @property
    def ending_seconds(self) -> float:
        """Return how long the shutdown of this process may take."""
        if self._may_work is None:
            return UNOPENED_SECONDS
        return GRACE_SECONDS + (self.settings.drain_seconds if self._may_work else 0.0)

    async def open(self, *, works: bool) -> None:
        """Open everything that needs the database, and a worker if this process runs reviews itself."""
        # A worker may take its first review before the rest is open.
        self._may_work = works
        self.spawner = Spawner(self.settings.cache, self.settings.environment)
        self._stack.callback(self.spawner.close)
        await self._stack.enter_async_context(self.calls)
        if works:
            worker = Worker(self.settings, self.store, self.work, self.calls, self.spawner, self.caches)
            self.worker = await self._stack.enter_async_context(worker)
        self.is_open = True

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    async def __aenter__(self) -> "Parts":
        self._stack.callback(self.store.close)
        self._stack.callback(self.work.close)
        return self


def on_signals(end: Callable[[], None], parts: Parts) -> None:
    """Call `end` on SIGTERM or SIGINT, and limit the time of the shutdown."""
    deadline = Deadline()

    def on_signal() -> None:
        deadline.begin(parts.ending_seconds)
        end()

    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, on_signal)


def run_worker(settings: ServiceSettings) -> None:
    """Run reviews until a signal comes."""
    write_logs()
    send_traces(settings.environment, settings.version)
    asyncio.run(_work(Parts(settings)))


async def _work(parts: Parts) -> None:
    ended = asyncio.Event()
    on_signals(ended.set, parts)
    with _serve_metrics(parts.settings):
        await _work_until(ended, parts)


@contextmanager
def _serve_metrics(settings: ServiceSettings) -> Iterator[None]:
    """Serve the metrics of a worker on a port of their own."""
    if settings.metrics_port is None:
        yield
        return
    try:
        server, thread = start_http_server(settings.metrics_port, settings.metrics_host, REGISTRY)
    except OSError as error:
        raise SettingsError(
            f"metrics cannot be served at {settings.metrics_host}:{settings.metrics_port}:"
            f" {error.strerror or error}; name another --metrics-port"
        ) from error
    say(f"Metrics at http://{settings.metrics_host}:{server.server_port}/metrics (press Ctrl+C to stop)")
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


async def _work_until(ended: asyncio.Event, parts: Parts) -> None:
    async with parts:
        if not await unless_ended(parts.wait_for_database(), ended):
            return
        await parts.open(works=True)
        say(f"Affidavit works as {parts.settings.worker_id} (press Ctrl+C to stop)")
        await ended.wait()
