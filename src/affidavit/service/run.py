"""Run a server until it is asked to end; then what is under way ends first."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from affidavit.errors import SettingsError
from affidavit.service.app import make_app
from affidavit.service.parts import Parts
from affidavit.service.run_worker import on_signals
from affidavit.service.settings import ServiceSettings
from affidavit.service.stream.watch import Watch
from affidavit.service.telemetry.logs import say, write_logs
from affidavit.service.telemetry.traces import send_traces
from affidavit.service.work.waiting import unless_ended

STREAMS_END_SECONDS = 3
"""A stream has no end of its own: who listens connects again, to another server."""


def run_server(settings: ServiceSettings, *, works: bool) -> None:
    """Serve until a signal comes."""
    write_logs()
    send_traces(settings.environment, settings.version)
    asyncio.run(_run(Parts(settings), works=works))


async def _run(parts: Parts, *, works: bool) -> None:
    """Nobody is let in before the database answers: whoever shares requests among servers takes another."""
    ended = asyncio.Event()
    on_signals(ended.set)
    async with parts:
        if not await unless_ended(parts.wait_for_database(), ended):
            return
        _refuse_open_doors(parts)
        watch = Watch(parts.reviews, parts.progress)
        config = uvicorn.Config(
            make_app(parts, watch),
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=STREAMS_END_SECONDS,
        )
        with _listen(parts.settings) as listening:
            await parts.open(works=works)
            if not ended.is_set():
                await _serve(Server(config), listening, watch)


class Server(uvicorn.Server):
    """A server that ends well when it is asked to end."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Its own way of taking signals would end the program by one."""
        yield


async def _serve(server: Server, listening: socket.socket, watch: Watch) -> None:
    def end() -> None:
        watch.end()
        server.force_exit = server.should_exit
        server.should_exit = True

    on_signals(end)
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    say(f"Affidavit listens at http://{shown}:{port} until it is told to end")
    await server.serve(sockets=[listening])


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
