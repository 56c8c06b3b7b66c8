"""Use the durable-execution engine: its database and its queues."""

from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import cached_property, wraps
from typing import Any, ParamSpec, TypeVar

import structlog
from dbos import DBOS, DBOSClient, DBOSConfig, DBOSPortableJSONSerializer
from dbos import error as engine_errors
from sqlalchemy import Engine, create_engine, event, make_url
from sqlalchemy.exc import ProgrammingError, SQLAlchemyError

from affidavit.errors import StoreError
from affidavit.service.kept.postgresql import CONNECT_SECONDS, LIVING, PostgresAddress, notice_the_dead
from affidavit.service.kept.records import Posting
from affidavit.service.settings import ServiceSettings
from affidavit.store import file, sqlite
from affidavit.system.private_files import make_private_file, make_private_folder

LOG = structlog.get_logger("affidavit.worker")
APPLICATION = "affidavit"
APPLICATION_VERSION = "1"
"""The same for every program: the engine keeps no steps, so any worker can take over any review."""
QUEUE = "reviews"
WORKFLOW = "review"
POSTING_QUEUE = "postings"
POSTING = "post"
OVER = ("SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED")
"""Final states of the engine."""
FILE_NAME = "work.db"
POLLING_SECONDS = 0.5
ENDING_SECONDS = 0.25
"""How long the engine's threads may sleep; a stopping process waits for them."""
POSTING_POLLING_SECONDS = 2.0
"""Postings are not urgent, and every poll costs a query."""
Asked = ParamSpec("Asked")
Answered = TypeVar("Answered")


def engine_for(settings: ServiceSettings) -> Engine:
    """Make the engine's database: a file beside the store, or its own schema in the same database."""
    location = settings.location
    if isinstance(location, PostgresAddress):
        url = make_url(location.url.replace("postgres://", "postgresql://", 1))
        engine = create_engine(
            url.set(drivername="postgresql+psycopg"),
            pool_pre_ping=True,
            pool_size=10,
            max_overflow=10,
            connect_args={"connect_timeout": CONNECT_SECONDS, **LIVING},
        )
        notice_the_dead(engine)
        return engine
    make_private_folder(settings.data)
    path = settings.data / FILE_NAME
    if not path.exists():
        make_private_file(path)
    engine = create_engine(f"sqlite:///{path}", connect_args={"timeout": 30})
    event.listen(engine, "connect", _use_wal)
    return engine


def _use_wal(connection: Any, _record: object) -> None:
    # Readers do not wait for a writer; without it the engine is half as fast.
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA busy_timeout = 30000")
    # Overwrite deleted data; not every build of SQLite does so by default.
    connection.execute("PRAGMA secure_delete = ON")


def schema_for(settings: ServiceSettings) -> str:
    """Return the schema of the engine's tables; a store in its own schema has its own engine."""
    location = settings.location
    if not isinstance(location, PostgresAddress):
        return "dbos"
    options = str(make_url(location.url).query.get("options", ""))
    _, is_named, rest = options.partition("search_path=")
    return f"{rest.split()[0].split(',')[0]}_dbos" if is_named else "dbos"


@contextmanager
def in_our_words() -> Iterator[None]:
    """Raise StoreError for errors of the engine's database."""
    try:
        yield
    except SQLAlchemyError as error:
        cause = " ".join(str(getattr(error, "orig", None) or error).split())
        # A retry does not help without rights.
        is_over = isinstance(error, ProgrammingError)
        raise StoreError(f"the queue of reviews cannot be used: {cause}", retryable=not is_over) from error


def _explained(
    method: Callable[Asked, Coroutine[Any, Any, Answered]],
) -> Callable[Asked, Coroutine[Any, Any, Answered]]:
    @wraps(method)
    async def explained(*args: Asked.args, **kwargs: Asked.kwargs) -> Answered:
        with in_our_words():
            return await method(*args, **kwargs)

    return explained


class Work:
    """The queue of reviews, seen from outside a worker."""

    def __init__(self, settings: ServiceSettings) -> None:
        self._settings = settings
        self._engine = engine_for(settings)

    @cached_property
    def client(self) -> DBOSClient:
        """The engine's client."""
        return DBOSClient(
            system_database_engine=self._engine,
            dbos_system_schema=schema_for(self._settings),
            serializer=DBOSPortableJSONSerializer(),
            application_name=APPLICATION,
            retry_connection_errors=False,
        )

    @in_our_words()
    def prepare(self) -> None:
        """Make the engine's tables: a server may start before any worker."""
        url = self._engine.url.render_as_string(hide_password=False)
        DBOS.migrate(url, schema=schema_for(self._settings))

    @_explained
    async def enqueue(self, review_id: str, tenant: str) -> None:
        """Queue a review; a second time has no effect."""
        await self.client.enqueue_async(
            {
                "workflow_name": WORKFLOW,
                "queue_name": QUEUE,
                "workflow_id": review_id,
                "queue_partition_key": tenant,
                "app_version": APPLICATION_VERSION,
            },
            review_id,
        )

    @_explained
    async def enqueue_posting(self, posting: Posting) -> None:
        """Queue a posting; a second time has no effect."""
        await self.client.enqueue_async(
            {
                "workflow_name": POSTING,
                "queue_name": POSTING_QUEUE,
                "workflow_id": posting_name(posting),
                "app_version": APPLICATION_VERSION,
            },
            posting.review_id,
        )

    @_explained
    async def states(self, review_ids: list[str]) -> dict[str, str]:
        """Return the engine's state of each review that it knows."""
        if not review_ids:
            return {}
        known = await self.client.list_workflows_async(
            workflow_ids=review_ids, load_input=False, load_output=False
        )
        return {one.workflow_id: one.status for one in known}

    @_explained
    async def cancel(self, review_id: str) -> None:
        """Cancel a review."""
        await self.client.cancel_workflow_async(review_id)

    @_explained
    async def retry(self, review_id: str, tenant: str) -> None:
        """Requeue a review that the engine takes for finished."""
        known = await self.client.list_workflows_async(
            workflow_ids=[review_id], load_input=False, load_output=False
        )
        if not known:
            # Cancelled or lost before it was queued.
            await self.enqueue(review_id, tenant)
            return
        try:
            await self.client.rewind_workflow_async(
                review_id,
                start_step=1,
                application_version=APPLICATION_VERSION,
                queue_name=QUEUE,
                queue_partition_key=tenant,
            )
        except engine_errors.DBOSException as error:
            # Requeued by another, or its last attempt is just ending: a worker's next round finds it.
            LOG.info("not put back", review=review_id, reason=str(error))

    @_explained
    async def forget(self, names: list[str]) -> None:
        """Delete workflows, so that they can start again."""
        if names:
            await self.client.delete_workflows_async(names)

    @_explained
    async def delete(self, review_ids: list[str]) -> None:
        """Delete the workflows of reviews and their postings."""
        await self.client.delete_workflows_async(review_ids)
        for review_id in review_ids:
            posted = await self.client.list_workflows_async(
                workflow_id_prefix=f"{review_id} ", load_input=False, load_output=False
            )
            if posted:
                await self.client.delete_workflows_async([one.workflow_id for one in posted])

    @in_our_words()
    def empty_log(self) -> bool:
        """Truncate the write-ahead log, so that no deleted data remains; False if it is in use."""
        if self._engine.dialect.name != "sqlite":
            return True
        with self._engine.connect() as connection:
            return file.empty_log(sqlite.driven(connection))

    @in_our_words()
    def hand_on(self, worker_id: str) -> list[str]:
        """Requeue the work of a dead worker."""
        running = self.client.list_workflows(
            status="PENDING", executor_id=worker_id, load_input=False, load_output=False
        )
        queues = {one.workflow_id: one.queue_name or QUEUE for one in running}
        names = list(queues)
        for name in names:
            self.client.resume_workflow(name, queue_name=queues[name])
        return names

    @in_our_words()
    def executors(self) -> set[str]:
        """Return the ids of workers with work in progress."""
        running = self.client.list_workflows(status="PENDING", load_input=False, load_output=False)
        return {one.executor_id for one in running if one.executor_id}

    def close(self) -> None:
        """Close the connections."""
        if "client" in self.__dict__:
            self.client.destroy()
        self._engine.dispose()


def posting_name(posting: Posting) -> str:
    """Return the workflow id of a posting; each request has its own."""
    return f"{posting.review_id} post {posting.number}"


def engine_config(settings: ServiceSettings, engine: Engine) -> DBOSConfig:
    """Configure the engine of a worker: readable JSON, no telemetry."""
    return {
        "name": APPLICATION,
        "system_database_engine": engine,
        "dbos_system_schema": schema_for(settings),
        "serializer": DBOSPortableJSONSerializer(),
        "executor_id": settings.worker_id,
        "application_version": APPLICATION_VERSION,
        "log_level": "WARNING",
        "max_executor_threads": 64,
        # We use no notifications of the engine: its listener may poll seldom and end soon.
        "notification_listener_polling_interval_sec": ENDING_SECONDS,
        "notification_coalesce_sec": ENDING_SECONDS,
    }
