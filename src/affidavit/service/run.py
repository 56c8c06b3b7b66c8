"""Run a server until a signal comes."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from structlog.contextvars import bound_contextvars

from affidavit.errors import SettingsError
from affidavit.service.api.guard import BACKLOG, ClientConnection
from affidavit.service.app import make_app
from affidavit.service.logs import expect, say, write_logs
from affidavit.service.metrics import send_traces
from affidavit.service.parts import Parts, on_signals
from affidavit.service.settings import ServiceSettings
from affidavit.service.streaming import Watch
from affidavit.service.work.waiting import unless_ended

STREAMS_END_SECONDS = 3
"""A stream never ends by itself: clients reconnect, to another server."""

PROXIES = "FORWARDED_ALLOW_IPS"
"""uvicorn's own variable: the proxies whose X-Forwarded-For is believed. It trusts loopback without it."""


def run_server(settings: ServiceSettings, *, works: bool) -> None:
    """Serve until a signal comes."""
    write_logs()
    for library in ("asyncio", "uvicorn.error"):
        expect(library, (), ())
    send_traces(settings.environment, settings.version)
    asyncio.run(_run(Parts(settings), works=works))


async def _run(parts: Parts, *, works: bool) -> None:
    """Answer health checks at once, and all other requests when the database answers."""
    watch, ended = Watch(parts.reviews, parts.progress), asyncio.Event()
    config = uvicorn.Config(
        make_app(parts, watch),
        log_config=None,
        access_log=False,
        server_header=False,
        http=ClientConnection,
        ws="none",
        backlog=BACKLOG,
        proxy_headers=PROXIES in parts.settings.environment,
        timeout_graceful_shutdown=STREAMS_END_SECONDS,
    )
    server = ServiceServer(config)

    def end() -> None:
        ended.set()
        watch.end()
        server.force_exit = server.should_exit
        server.should_exit = True

    on_signals(end, parts)
    async with parts:
        with _listen(parts.settings) as listening:
            serving = asyncio.create_task(server.serve(sockets=[listening]))
            try:
                await _let_in(parts, _address(listening), ended, works=works)
            except BaseException:
                end()
                raise
            finally:
                await serving


class ServiceServer(uvicorn.Server):
    """A server whose signals we handle."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle no signals; uvicorn would end the process with one."""
        yield


async def _let_in(parts: Parts, address: str, ended: asyncio.Event, *, works: bool) -> None:
    with bound_contextvars(address=address):
        if not await unless_ended(parts.wait_for_database(), ended):
            return
    _refuse_open_doors(parts)
    await parts.open(works=works)
    if not ended.is_set():
        say(f"Affidavit listens at {address} (press Ctrl+C to stop)")


def _address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


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
    """Refuse to listen beyond loopback without a token."""
    if parts.settings.is_loopback or any(one.revoked_at is None for one in parts.access.tokens()):
        return
    raise SettingsError(
        f"{parts.settings.host} can be reached from other machines, and there is no token yet: make one with"
        " `affidavit token create NAME --role submit` with the same store,"
        " or leave --host at 127.0.0.1"
    )
