"""What holds for every request before any route sees it: Host, Origin, size; and headers for every answer."""

from collections.abc import Callable

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from affidavit.service.access.caller import token_in
from affidavit.service.access.hosts import OwnHosts
from affidavit.service.access.pace import Pace
from affidavit.service.problems import AWAY_HEADERS, STARTING, Refusal, problem
from affidavit.service.settings import ServiceSettings

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
    """Stands before the application."""

    def __init__(self, app: ASGIApp, settings: ServiceSettings, is_open: Callable[[], bool]) -> None:
        self._app, self._settings, self._is_open = app, settings, is_open
        self._pace = Pace(settings.limits.requests_per_minute)
        self._hosts = OwnHosts(settings.allowed_hosts, is_loopback=settings.is_loopback)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer it here."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        sending = _with_headers(send, scope["path"])
        try:
            self._check(scope)
            limited = _Limited(receive, self._settings.limits.request_bytes)
            await self._app(scope, limited, limited.unless_full(sending))
            if limited.is_full:
                raise too_large(self._settings.limits.request_bytes)
        except Refusal as refusal:
            answer = problem(refusal.status, refusal.detail, refusal.advice, headers=refusal.headers)
            await answer(scope, receive, sending)

    def _check(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        address = scope["client"][0] if scope.get("client") else ""
        self._pace.take(token_in(headers.get("authorization")) or address)
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


class _Limited:
    """Hands on what arrives, and stops where it becomes too much."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive, self._most, self._so_far = receive, most, 0

    async def __call__(self) -> Message:
        message = await self._receive()
        self._so_far += len(message.get("body", b""))
        if self.is_full:
            raise too_large(self._most)
        return message

    @property
    def is_full(self) -> bool:
        """Whether more has arrived than is read."""
        return self._so_far > self._most

    def unless_full(self, send: Send) -> Send:
        """What the application makes of a request that it could not read to its end is not sent."""

        async def sending(message: Message) -> None:
            if not self.is_full:
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
