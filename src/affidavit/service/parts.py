"""Everything that a server or a worker is made of: the operator's settings in, what is opened once out."""

from contextlib import AsyncExitStack
from types import TracebackType

from affidavit.minds.choice import CallLimits
from affidavit.service.cell.nursery import Nursery
from affidavit.service.settings import ServiceSettings
from affidavit.service.work.adoption import Adoption
from affidavit.service.work.caches import Caches
from affidavit.service.work.calls import Calls
from affidavit.service.work.deadline import GRACE_SECONDS, UNOPENED_SECONDS
from affidavit.service.work.engine import Work
from affidavit.service.work.forgetting import Forgetting
from affidavit.service.work.money import Money
from affidavit.service.work.readiness import Readiness, check_room
from affidavit.service.work.waiting import until_it_can_be_reached
from affidavit.service.work.worker import Worker
from affidavit.store.open import open_store
from affidavit.store.service.access import Access
from affidavit.store.service.postings import Postings
from affidavit.store.service.progress import Progress
from affidavit.store.service.reviews import Reviews

ATTEMPTS_OF_A_CALL = 6
"""A service can wait longer than somebody at a screen."""


class Parts:
    """The parts of one process of the service, open while it is entered."""

    def __init__(self, settings: ServiceSettings) -> None:
        self.settings = settings
        self.store = open_store(settings.database or settings.data, keeps_connections=True)
        self.reviews = Reviews(self.store.database)
        self.progress = Progress(self.store.database)
        self.postings = Postings(self.store.database)
        self.access = Access(self.store.database)
        self.readiness = Readiness(self._look)
        self.money = Money(settings, self.access, self.progress)
        self.caches = Caches(settings, self.access)
        self.adoption = Adoption(self.store)
        self.work = Work(settings)
        self.forgetting = Forgetting(self.store, self.work, self.caches)
        limits = CallLimits(attempts=ATTEMPTS_OF_A_CALL, at_once=settings.limits.calls_at_once)
        self.calls = Calls(settings.models, settings.environment, limits, settings.limits.calls_per_minute)
        self.nursery: Nursery
        self.worker: Worker | None = None
        self.is_open = False
        """Whether requests can be answered; until then this process waits for its database."""
        self._may_work: bool | None = None
        """Whether reviews may be under way here; None while the database is waited for."""
        self._stack = AsyncExitStack()

    def prepare(self) -> None:
        """Make the tables that are missing, ours first: whoever cannot reach them says so soon."""
        with self.store.database.transaction():
            pass
        self.work.prepare()

    def _look(self) -> None:
        self.reviews.counts()
        check_room(self.settings.data)

    async def wait_for_database(self) -> None:
        """The same, as soon as the database can be reached."""
        await until_it_can_be_reached(self.prepare)

    @property
    def ending_seconds(self) -> float:
        """How long the end of this process may take, from when it is told to end."""
        if self._may_work is None:
            return UNOPENED_SECONDS
        return GRACE_SECONDS + (self.settings.drain_seconds if self._may_work else 0.0)

    async def open(self, *, works: bool) -> None:
        """Open everything that stands on the database; with a worker, if this process does reviews itself."""
        # A worker may take its first review before all else is open.
        self._may_work = works
        self.nursery = Nursery(self.settings.cache, self.settings.environment)
        self._stack.callback(self.nursery.close)
        await self._stack.enter_async_context(self.calls)
        if works:
            worker = Worker(self.settings, self.store, self.work, self.calls, self.nursery, self.caches)
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
