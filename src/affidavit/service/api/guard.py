"""Check Host, Origin and size of every request, and add headers to every answer."""

import ipaddress
import re
import socket
from collections.abc import Callable, Iterable
from contextlib import suppress
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from affidavit.service.problems import AWAY_HEADERS, STARTING, Refusal, problem
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

        Others may also use any address in figures and the machine's own name: only a name can be rebound.
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
        # A name without a port means the usual one: a page at another port is another's.
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


class Guard:
    """The middleware in front of the application."""

    def __init__(self, app: ASGIApp, settings: ServiceSettings, is_open: Callable[[], bool]) -> None:
        self._app, self._settings, self._is_open = app, settings, is_open
        self._hosts = OwnHosts(settings.allowed_hosts, is_loopback=settings.is_loopback)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        sending = _with_headers(send, scope["path"])
        try:
            self._check(scope)
            with suppress(ClientDisconnect):
                await self._app(scope, receive, sending)
        except Refusal as refusal:
            answer = problem(refusal.status, refusal.detail, refusal.advice, headers=refusal.headers)
            await answer(scope, receive, sending)

    def _check(self, scope: Scope) -> None:
        """Refuse what no route needs to see."""
        headers = Headers(scope=scope)
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
        _check_length(headers, self._settings.limits.request_bytes)

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


def _check_length(headers: Headers, most: int) -> None:
    """Refuse a body that is too long or has no stated length; the server reads no more than that."""
    if "transfer-encoding" in headers:
        raise Refusal(411, "the request does not say how long its body is", "Send Content-Length.")
    length = headers.get("content-length", "")
    if length.isdecimal() and int(length) > most:
        raise Refusal(413, f"a request may have {most:,} bytes", "Review the change in smaller parts.")


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
