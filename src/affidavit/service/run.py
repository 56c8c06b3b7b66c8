"""Run a server or a worker until it is asked to end; then what is under way ends first."""

import asyncio
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click
import uvicorn

from affidavit.errors import SettingsError
from affidavit.service.api.app import make_app
from affidavit.service.parts import Parts
from affidavit.service.settings import ServiceSettings
from affidavit.service.telemetry.logs import write_logs
from affidavit.service.telemetry.traces import send_traces

STREAMS_END_SECONDS = 3
"""A stream has no end of its own: who listens connects again, to another server."""


def run_server(settings: ServiceSettings, *, works: bool) -> None:
    """Serve until a signal comes."""
    write_logs()
    send_traces(settings.environment, settings.version)
    parts = Parts(settings)
    _refuse_open_doors(parts)
    listening = _listen(settings)
    host, port = listening.getsockname()[:2]
    config = uvicorn.Config(
        make_app(parts, works=works),
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=STREAMS_END_SECONDS,
    )
    shown = f"[{host}]" if ":" in host else host
    click.echo(f"Affidavit listens at http://{shown}:{port}", err=True)
    asyncio.run(_serve(Server(config), listening))


class Server(uvicorn.Server):
    """A server that ends well when it is asked to end."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Its own way of taking signals would end the program by one."""
        yield


async def _serve(server: Server, listening: socket.socket) -> None:
    def end() -> None:
        server.force_exit = server.should_exit
        server.should_exit = True

    _on_signals(end)
    await server.serve(sockets=[listening])


def _on_signals(end: Callable[[], None]) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, end)


def run_worker(settings: ServiceSettings) -> None:
    """Do reviews until a signal comes."""
    write_logs()
    send_traces(settings.environment, settings.version)
    asyncio.run(_work(Parts(settings)))


async def _work(parts: Parts) -> None:
    ended = asyncio.Event()
    _on_signals(ended.set)
    async with parts:
        await parts.open(works=True)
        click.echo(f"Affidavit works as {parts.settings.worker_id}", err=True)
        await ended.wait()


def _listen(settings: ServiceSettings) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
        return socket.create_server((settings.host, settings.port), family=family, backlog=2048)
    except OSError as error:
        raise SettingsError(
            f"this server cannot listen at {settings.host}:{settings.port}: {error.strerror or error};"
            " name another --port"
        ) from error


def _refuse_open_doors(parts: Parts) -> None:
    """Whoever can be reached from elsewhere must know who asks."""
    if parts.settings.is_loopback or any(one.revoked_at is None for one in parts.access.tokens()):
        return
    raise SettingsError(
        f"{parts.settings.host} can be reached from other machines, and there is no token yet: make one with"
        " `affidavit token create NAME --role submit`, or leave --host at 127.0.0.1"
    )
