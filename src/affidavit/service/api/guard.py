"""Limit connections and bodies, check Host and Origin, and add headers to every answer."""

import asyncio
import ipaddress
import re
import resource
import socket
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AsyncExitStack, suppress
from typing import cast
from urllib.parse import urlsplit

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from affidavit.service.api.access import FairTurns, Pace, token_in
from affidavit.service.problems import AWAY_HEADERS, STARTING, Refusal, refused
from affidavit.service.settings import ServiceSettings

_HOST = re.compile(r"(?:\[(?P<address>[0-9A-Fa-f:.]+)\]|(?P<name>[A-Za-z0-9._-]+))(?::[0-9]{1,5})?")
LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})


class OwnHosts:
    """The host names of one server; other names are refused against DNS rebinding."""

    def __init__(self, named: Iterable[str], *, is_loopback: bool, machine: str | None = None) -> None:
        self._named = frozenset(_plain(name) for name in named if name.strip())
        self._is_loopback = is_loopback
        self._machine = _plain(socket.gethostname() if machine is None else machine)

    def has(self, host: str) -> bool:
        """Check whether a Host header names this server.

        Numeric addresses and the machine's own name are also allowed: only names can be rebound.
        """
        name = _name_in(host)
        if not name:
            return False
        if name in LOOPBACK_NAMES or self._is_named(name):
            return True
        return not self._is_loopback and (name == self._machine or _is_address(name))

    def is_own_page(self, origin: str, host: str) -> bool:
        """Check whether an origin is our own page: the Host itself, or a name from the operator."""
        netloc = _plain(urlsplit(origin).netloc) if "://" in origin else ""
        # A name without a port means the default port: a page at another port is foreign.
        return bool(netloc) and (netloc == _plain(host) or self._is_named(netloc))

    def _is_named(self, name: str) -> bool:
        below = name.partition(".")[2]
        return name in self._named or f"*.{below}" in self._named


def _plain(name: str) -> str:
    return name.strip().lower().rstrip(".")


def _name_in(host: str) -> str:
    """Return the name in a Host header without the port; empty if it is invalid."""
    found = _HOST.fullmatch(host)
    return _plain(found["address"] or found["name"]) if found else ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


LOG = structlog.get_logger("affidavit.connections")
HEADER_SECONDS = 10.0
BACKLOG = 64
"""Connections that may be accepted before the first is handled."""
MAX_CONNECTIONS = min(1_000, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)
"""The other half of the files is for the database, child processes, and connections being closed."""


class ClientConnection(HttpToolsProtocol):
    """A connection that is closed if its request takes too long, or if another needs its place."""

    waiting_since = 0.0
    """When the last request was answered, or the connection was made."""

    @property
    def is_idle(self) -> bool:
        """Check whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    @property
    def owes_request(self) -> bool:
        """Check whether the next request has not arrived completely."""
        return self.is_idle or self.cycle.more_body

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
        """Accept the connection; beyond the limit, close the one that has owed a request longest."""
        super().connection_made(transport)
        self._wait()
        connections = cast("set[ClientConnection]", self.connections)
        if len(connections) > MAX_CONNECTIONS:
            LOG.warning(
                "too many connections: closing those that owe a request longest", most=MAX_CONNECTIONS
            )
            owing = (one for one in connections if one.owes_request)
            oldest = min(owing, key=lambda one: one.waiting_since)
            connections.discard(oldest)
            oldest.transport.abort()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._wait()

    def _wait(self) -> None:
        self.waiting_since = self.loop.time()
        self.loop.call_later(HEADER_SECONDS, self._close_overdue, self.waiting_since)

    def _close_overdue(self, since: float) -> None:
        if self.is_idle and since == self.waiting_since:
            self.transport.close()


CSP = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
)
HEADERS = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
READING = ("GET", "HEAD", "OPTIONS")
SAME_SITE = ("same-origin", "none")
WEBHOOKS = "/api/webhook/"
PROBES = ("/api/health", "/api/ready")
"""Answered even while the server waits for its database, so that monitors do not restart it."""

BODY_SECONDS = 20.0
SLOWEST_BYTES_PER_SECOND = 50_000
"""A body that arrives faster has no time limit."""
LARGE_BYTES = 256_000
LARGE_AT_ONCE, LARGE_OF_ONE = 4, 2
"""Larger bodies in memory at once, of all callers and of one."""


class Guard:
    """The middleware in front of the application."""

    def __init__(
        self, app: ASGIApp, settings: ServiceSettings, pace: Pace, is_open: Callable[[], bool]
    ) -> None:
        self._app, self._settings, self._pace, self._is_open = app, settings, pace, is_open
        self._hosts = OwnHosts(settings.allowed_hosts, is_loopback=settings.is_loopback)
        self._large = FairTurns(LARGE_AT_ONCE, each=LARGE_OF_ONE)
        # Signatures are checked on complete bodies; forged ones must not keep users waiting.
        self._large_deliveries = FairTurns(LARGE_AT_ONCE, each=LARGE_OF_ONE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        sending = _with_headers(send, scope["path"])
        try:
            caller = self._check(scope)
            turns = self._large_deliveries if scope["path"].startswith(WEBHOOKS) else self._large
            async with AsyncExitStack() as held:
                most = self._settings.limits.request_bytes
                body = _Body(receive, sending, most, lambda: held.enter_async_context(turns.of(caller)))
                with suppress(ClientDisconnect):
                    await self._app(scope, body.receive, body.answer)
        except Refusal as refusal:
            await refused(Request(scope), refusal)(scope, receive, sending)

    def _check(self, scope: Scope) -> str:
        """Return the caller's token or address; refuse requests that no route should see."""
        headers = Headers(scope=scope)
        caller = token_in(headers.get("authorization")) or (scope["client"] or ("",))[0]
        self._pace.take(caller)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._hosts.has(hosts[0]):
            raise Refusal(
                421,
                f"this server is not called {' and '.join(hosts) or 'nothing'!r}",
                "Use its own name; the operator adds one with --allowed-host or AFFIDAVIT_ALLOWED_HOSTS.",
            )
        if not scope["path"].startswith(WEBHOOKS):
            self._check_origin(scope, headers)
        if scope["path"] not in PROBES and not self._is_open():
            raise Refusal(503, STARTING, "Try again.", AWAY_HEADERS)
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length) > self._settings.limits.request_bytes:
            raise _too_large(self._settings.limits.request_bytes)
        return str(caller)

    def _check_origin(self, scope: Scope, headers: Headers) -> None:
        """Refuse requests from pages of other sites, except plain links to this one."""
        origin = headers.get("origin")
        is_other = origin is not None and not self._hosts.is_own_page(origin, headers["host"])
        is_link = scope["method"] in READING and headers.get("sec-fetch-mode") == "navigate"
        if is_other or (headers.get("sec-fetch-site", "none") not in SAME_SITE and not is_link):
            raise Refusal(
                403,
                "this request comes from a page of another site",
                "Only this server's own page may; the operator names its address with --allowed-host.",
            )


def _too_large(most: int) -> Refusal:
    return Refusal(413, f"a request may have {most:,} bytes", "Review the change in smaller parts.")


class _Body:
    """A body limited in size and time; large ones wait for their turn."""

    def __init__(
        self, receive: Receive, send: Send, most: int, wait_for_turn: Callable[[], Awaitable[None]]
    ) -> None:
        self._receive, self._send, self._most, self._wait_for_turn = receive, send, most, wait_for_turn
        self._size, self._has_turn, self._is_whole, self._is_answered = 0, False, False, False
        self._clock = asyncio.get_running_loop().time
        self._until = self._clock() + BODY_SECONDS

    async def receive(self) -> Message:
        """Return the next part."""
        if self._is_whole:
            return await self._receive()
        if self._size > LARGE_BYTES and not self._has_turn:
            began = self._clock()
            # Meanwhile the connection fills up, so that the caller waits, too.
            await self._wait_for_turn()
            self._has_turn = True
            self._until += self._clock() - began
        try:
            async with asyncio.timeout_at(self._until):
                message = await self._receive()
        except TimeoutError:
            return self._refuse(Refusal(408, "the body of the request did not arrive in time", "Try again."))
        size = len(message.get("body", b""))
        self._size, self._until = self._size + size, self._until + size / SLOWEST_BYTES_PER_SECOND
        self._is_whole = not message.get("more_body", False)
        return self._refuse(_too_large(self._most)) if self._size > self._most else message

    async def answer(self, message: Message) -> None:
        """Send a part of the answer."""
        self._is_answered = True
        await self._send(message)

    def _refuse(self, refusal: Refusal) -> Message:
        if self._is_answered:
            return {"type": "http.disconnect"}
        raise refusal


def _with_headers(send: Send, path: str) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            if path.startswith("/api/"):
                headers.setdefault("Cache-Control", "no-store")
        await send(message)

    return sending
