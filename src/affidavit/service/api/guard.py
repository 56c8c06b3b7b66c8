"""What holds for every request before any route sees it: Host, Origin, size; and headers for every answer."""

import asyncio
import ipaddress
import re
import resource
import socket
from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from typing import cast
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from affidavit.service.api.access import FairTurns, Pace, token_in
from affidavit.service.logs import SeldomLog
from affidavit.service.problems import AWAY_HEADERS, STARTING, Refusal, problem
from affidavit.service.settings import ServiceSettings

_HOST = re.compile(r"(?:\[(?P<address>[0-9A-Fa-f:.]+)\]|(?P<name>[A-Za-z0-9._-]+))(?::[0-9]{1,5})?")
LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})


class OwnHosts:
    """The names of one server. A name that somebody made to lead here is not one of them (DNS rebinding)."""

    def __init__(self, named: Iterable[str], *, is_loopback: bool, machine: str | None = None) -> None:
        self._named = frozenset(_plain(name) for name in named if name.strip())
        self._is_loopback = is_loopback
        self._machine = _plain(socket.gethostname() if machine is None else machine)

    def has(self, host: str) -> bool:
        """Whether the Host of a request is one of ours.

        Others may also use any address in figures and the machine's own name: only a name can be rebound.
        """
        name = _name_in(host)
        if not name:
            return False
        if name in LOOPBACK_NAMES or self._is_named(name):
            return True
        return not self._is_loopback and (name == self._machine or _is_address(name))

    def is_own_page(self, origin: str, host: str) -> bool:
        """Whether a page of this origin is ours: that of the Host, or of a name that the operator gave."""
        netloc = _plain(urlsplit(origin).netloc) if "://" in origin else ""
        # A name without a port means the usual one: a page at another port is another's.
        return bool(netloc) and (netloc == _plain(host) or self._is_named(netloc))

    def _is_named(self, name: str) -> bool:
        below = name.partition(".")[2]
        return name in self._named or f"*.{below}" in self._named


def _plain(name: str) -> str:
    return name.strip().lower().rstrip(".")


def _name_in(host: str) -> str:
    """The name in a Host header, without its port; empty where it is none."""
    found = _HOST.fullmatch(host)
    return _plain(found["address"] or found["name"]) if found else ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


LOG = SeldomLog("affidavit.connections")
HEADER_SECONDS = 10.0
AT_A_TIME = 64
"""So many are accepted before the first of them is looked at."""
MOST = min(1_000, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)
"""The other half of the files is for the database, cells, and connections that are being closed."""


class ClientConnection(HttpToolsProtocol):
    """A connection that is closed if it owes a request for too long, or somebody else needs its place."""

    waited_for_since = 0.0
    """When the last request was answered, or the connection was made."""

    @property
    def is_idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    @property
    def owes_request(self) -> bool:
        """Whether the next request has not arrived to its end."""
        return self.is_idle or self.cycle.more_body

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
        """Take the connection; beyond the bound, give up the one whose request is waited for longest."""
        super().connection_made(transport)
        self.waited_for_since = self.loop.time()
        if len(self.connections) > MOST:
            LOG.warning("too many connections: those that owe a request for longest are closed", most=MOST)
            owing = (one for one in _all(self.server_state) if one.owes_request)
            oldest = min(owing, key=lambda one: one.waited_for_since)
            self.connections.discard(oldest)
            oldest.transport.abort()

    def on_response_complete(self) -> None:
        """Wait for the next request, and for what is left of this one."""
        super().on_response_complete()
        self.waited_for_since = self.loop.time()


def _all(state: ServerState) -> list[ClientConnection]:
    return list(cast("set[ClientConnection]", state.connections))


def close_overdue(state: ServerState) -> None:
    """Close the connections whose headers did not arrive in time."""
    now = asyncio.get_running_loop().time()
    for one in _all(state):
        if one.is_idle and now - one.waited_for_since > HEADER_SECONDS:
            one.transport.close()


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
"""Answered also by a server that waits for its database: whoever watches it must not take it for dead."""

BODY_SECONDS = 20.0
SLOWEST_BYTES_PER_SECOND = 50_000
"""What arrives gives the rest more time, so that a long body may take longer."""
LARGE_BYTES = 256_000
LARGE_AT_ONCE, LARGE_OF_ONE = 4, 2
"""Bodies beyond that size that are in memory at once, of all callers and of one."""


class Guard:
    """Stands before the application."""

    def __init__(self, app: ASGIApp, settings: ServiceSettings, is_open: Callable[[], bool]) -> None:
        self._app, self._settings, self._is_open = app, settings, is_open
        self._pace = Pace(settings.limits.requests_per_minute)
        self._large = FairTurns(LARGE_AT_ONCE, each=LARGE_OF_ONE)
        # Whose they are is known when they are there: whoever forges them must not keep users waiting.
        self._large_deliveries = FairTurns(LARGE_AT_ONCE, each=LARGE_OF_ONE)
        self._hosts = OwnHosts(settings.allowed_hosts, is_loopback=settings.is_loopback)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer it here."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        sending = _with_headers(send, scope["path"])
        try:
            caller = self._check(scope)
            is_signed = scope["path"].startswith(WEBHOOKS)
            turn = (self._large_deliveries if is_signed else self._large).of(caller)
            async with _Body(receive, self._settings.limits.request_bytes, turn) as body:
                # Who hangs up hears no answer.
                with suppress(ClientDisconnect):
                    await self._app(scope, body, body.unless_refused(sending))
            if body.refusal:
                raise body.refusal
        except Refusal as refusal:
            answer = problem(refusal.status, refusal.detail, refusal.advice, headers=refusal.headers)
            await answer(scope, receive, sending)

    def _check(self, scope: Scope) -> str:
        """Return who asks, by token or address; refuse what no route needs to see."""
        headers = Headers(scope=scope)
        caller = token_in(headers.get("authorization")) or (scope["client"][0] if scope.get("client") else "")
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
            raise too_large(self._settings.limits.request_bytes)
        return caller

    def _check_origin(self, scope: Scope, headers: Headers) -> None:
        """A page of somebody else must not act in the user's name, nor read; a link to this one may be."""
        origin = headers.get("origin")
        is_other = origin is not None and not self._hosts.is_own_page(origin, headers["host"])
        is_link = scope["method"] in READING and headers.get("sec-fetch-mode") == "navigate"
        if is_other or (headers.get("sec-fetch-site", "none") not in SAME_SITE and not is_link):
            raise Refusal(
                403,
                "this request comes from a page of another site",
                "Only this server's own page may; the operator names its address with --allowed-host.",
            )


def too_large(most: int) -> Refusal:
    """A request that is not read to its end."""
    return Refusal(413, f"a request may have {most:,} bytes", "Review the change in smaller parts.")


class _Body:
    """Hands on the body of a request: no more than may come, not too slowly, and what is large in turns."""

    def __init__(self, receive: Receive, most: int, turn: AbstractAsyncContextManager[None]) -> None:
        self._receive, self._most = receive, most
        self._turn: AbstractAsyncContextManager[None] | None = turn
        self._so_far, self._is_whole, self._is_answered = 0, False, False
        self._until = asyncio.get_running_loop().time() + BODY_SECONDS
        self._held = AsyncExitStack()
        self.refusal: Refusal | None = None
        """Why the body is not read to its end; the framework makes another answer of what is raised here."""

    async def __aenter__(self) -> "_Body":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._held.aclose()

    async def __call__(self) -> Message:
        if self._is_whole:
            return await self._receive()
        if self._so_far > LARGE_BYTES and self._turn is not None:
            turn, self._turn = self._turn, None
            await self._wait_for(turn)
        try:
            async with asyncio.timeout_at(self._until):
                message = await self._receive()
        except TimeoutError:
            return self._refuse(Refusal(408, "the body of the request did not arrive in time", "Try again."))
        size = len(message.get("body", b""))
        self._so_far, self._until = self._so_far + size, self._until + size / SLOWEST_BYTES_PER_SECOND
        self._is_whole = not message.get("more_body", False)
        return self._refuse(too_large(self._most)) if self._so_far > self._most else message

    async def _wait_for(self, turn: AbstractAsyncContextManager[None]) -> None:
        """Leave what comes in the connection, which is full soon, so that the caller waits, too."""
        clock = asyncio.get_running_loop().time
        began = clock()
        await self._held.enter_async_context(turn)
        self._until += clock() - began

    def _refuse(self, refusal: Refusal) -> Message:
        if self._is_answered:
            return {"type": "http.disconnect"}
        self.refusal = refusal
        raise refusal

    def unless_refused(self, send: Send) -> Send:
        """What the application makes of a request that it could not read to its end is not sent."""

        async def sending(message: Message) -> None:
            if self.refusal is None:
                self._is_answered = True
                await send(message)

        return sending


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
