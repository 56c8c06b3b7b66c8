"""Run a worker until it is asked to end; it loads nothing that only a server needs."""

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from prometheus_client import start_http_server

from affidavit.errors import SettingsError
from affidavit.service.parts import Parts
from affidavit.service.settings import ServiceSettings
from affidavit.service.telemetry.logs import say, write_logs
from affidavit.service.telemetry.metrics import REGISTRY
from affidavit.service.telemetry.traces import send_traces
from affidavit.service.work.deadline import Deadline
from affidavit.service.work.waiting import unless_ended


def on_signals(end: Callable[[], None], parts: Parts) -> None:
    """Call `end` when an operator or a terminal asks this process to end, which then has its time for it."""
    deadline = Deadline()

    def told() -> None:
        deadline.begin(parts.ending_seconds)
        end()

    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, told)


def run_worker(settings: ServiceSettings) -> None:
    """Do reviews until a signal comes."""
    write_logs()
    send_traces(settings.environment, settings.version)
    asyncio.run(_work(Parts(settings)))


async def _work(parts: Parts) -> None:
    ended = asyncio.Event()
    on_signals(ended.set, parts)
    with _told_metrics(parts.settings):
        await _work_until(ended, parts)


@contextmanager
def _told_metrics(settings: ServiceSettings) -> Iterator[None]:
    """A worker has no server: what it counts is told by one of its own, to whomever can reach it."""
    if settings.metrics_port is None:
        yield
        return
    try:
        server, thread = start_http_server(settings.metrics_port, settings.metrics_host, REGISTRY)
    except OSError as error:
        raise SettingsError(
            f"metrics cannot be told at {settings.metrics_host}:{settings.metrics_port}:"
            f" {error.strerror or error}; name another --metrics-port"
        ) from error
    say(f"Metrics at http://{settings.metrics_host}:{server.server_port}/metrics until it is told to end")
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
        say(f"Affidavit works as {parts.settings.worker_id} until it is told to end")
        await ended.wait()
