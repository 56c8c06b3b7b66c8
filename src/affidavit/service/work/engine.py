"""The durable-execution engine: its database, its queue, and what the service asks of it."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from dbos import DBOS, DBOSClient, DBOSConfig, DBOSPortableJSONSerializer
from sqlalchemy import Engine, create_engine, event, make_url

from affidavit.records.review import KeptReview
from affidavit.service.settings import ServiceSettings
from affidavit.store.location import PostgresDatabase
from affidavit.system.private_files import make_private_file, make_private_folder

APPLICATION = "affidavit"
APPLICATION_VERSION = "1"
"""Grows when a review that was begun by an older program cannot be continued by a newer one."""
QUEUE = "reviews"
WORKFLOW = "review"
FILE_NAME = "work.db"
POLLING_SECONDS = 0.25


def engine_for(settings: ServiceSettings) -> Engine:
    """The engine's database: a file beside the store's, or tables of their own in the same database."""
    location = settings.location
    if isinstance(location, PostgresDatabase):
        url = make_url(location.url.replace("postgres://", "postgresql://", 1))
        return create_engine(
            url.set(drivername="postgresql+psycopg"), pool_pre_ping=True, pool_size=10, max_overflow=10
        )
    make_private_folder(settings.data)
    path = settings.data / FILE_NAME
    if not path.exists():
        make_private_file(path)
    engine = create_engine(f"sqlite:///{path}", connect_args={"timeout": 30})
    event.listen(engine, "connect", _use_wal)
    return engine


def _use_wal(connection: Any, _record: object) -> None:
    # Readers go on while one writes; without it the engine is half as fast.
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA busy_timeout = 30000")


def schema_for(settings: ServiceSettings) -> str:
    """The engine's tables in a PostgreSQL database; a store in a schema of its own has its own engine."""
    location = settings.location
    if not isinstance(location, PostgresDatabase):
        return "dbos"
    options = str(make_url(location.url).query.get("options", ""))
    _, is_named, rest = options.partition("search_path=")
    return f"{rest.split()[0].split(',')[0]}_dbos" if is_named else "dbos"


class Work:
    """The queue of reviews, for whoever asks for work and does none."""

    def __init__(self, settings: ServiceSettings) -> None:
        self._settings = settings
        self._engine = engine_for(settings)

    @cached_property
    def client(self) -> DBOSClient:
        """The engine, from outside."""
        return DBOSClient(
            system_database_engine=self._engine,
            dbos_system_schema=schema_for(self._settings),
            serializer=DBOSPortableJSONSerializer(),
            application_name=APPLICATION,
            retry_connection_errors=False,
        )

    def prepare(self) -> None:
        """Make the engine's tables, for a server that starts before any worker."""
        url = self._engine.url.render_as_string(hide_password=False)
        DBOS.migrate(url, schema=schema_for(self._settings))

    async def enqueue(self, review_id: str, tenant: str) -> None:
        """Put a review into the queue; the same review twice is there once."""
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

    async def enqueue_missing(self, reviews: Sequence[KeptReview]) -> list[str]:
        """Put those into the queue that never came there: their server died in between."""
        names = [one.id for one in reviews]
        known = await self.client.list_workflows_async(
            workflow_ids=names, load_input=False, load_output=False
        )
        missing = set(names) - {one.workflow_id for one in known}
        for review in reviews:
            if review.id in missing:
                await self.enqueue(review.id, review.tenant)
        return sorted(missing)

    async def cancel(self, review_id: str) -> None:
        """Let a review go no further."""
        await self.client.cancel_workflow_async(review_id)

    async def retry(self, review_id: str, tenant: str) -> None:
        """Let a review go on from the step at which it ended."""
        steps = await self.client.list_workflow_steps_async(review_id)
        failed = [step["function_id"] for step in steps if step["error"] is not None]
        done = [step["function_id"] for step in steps]
        start = min(failed) if failed else max(done, default=0) + 1
        await self.client.rewind_workflow_async(
            review_id, start_step=start, queue_name=QUEUE, queue_partition_key=tenant
        )

    async def delete(self, review_ids: list[str]) -> None:
        """Forget what the engine has kept of reviews."""
        await self.client.delete_workflows_async(review_ids)

    def hand_on(self, worker_id: str) -> list[str]:
        """Put what a dead worker was doing back into the queue."""
        running = self.client.list_workflows(
            status="PENDING", executor_id=worker_id, load_input=False, load_output=False
        )
        names = [one.workflow_id for one in running]
        for name in names:
            self.client.resume_workflow(name, queue_name=QUEUE)
        return names

    def close(self) -> None:
        """Let go of the connections."""
        if "client" in self.__dict__:
            self.client.destroy()
        self._engine.dispose()


def engine_config(settings: ServiceSettings, engine: Engine) -> DBOSConfig:
    """How a worker runs the engine: its own name, JSON that people can read, and no telephone."""
    return {
        "name": APPLICATION,
        "system_database_engine": engine,
        "dbos_system_schema": schema_for(settings),
        "serializer": DBOSPortableJSONSerializer(),
        "executor_id": settings.worker_id,
        "application_version": APPLICATION_VERSION,
        "log_level": "WARNING",
        "max_executor_threads": 64,
        "notification_listener_polling_interval_sec": 1.0,
    }
