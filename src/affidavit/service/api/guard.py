"""What holds for every request before any route sees it: Host, Origin, size; and headers for every answer."""

from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from affidavit.service.access.pace import Pace
from affidavit.service.problems import Refusal, problem
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
LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]", "::1")
WEBHOOKS = "/api/webhook/"


class Guard:
    """Stands before the application."""

    def __init__(self, app: ASGIApp, settings: ServiceSettings) -> None:
        self._app, self._settings = app, settings
        self._pace = Pace(settings.limits.requests_per_minute)

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
        self._pace.take(headers.get("authorization") or address)
        host = _name_in(headers.get("host", ""))
        if not self._is_ours(host):
            raise Refusal(
                421,
                f"this server is not called {host or 'nothing'!r}",
                "Use its own name; the operator adds one with --served-name.",
            )
        if scope["method"] not in READING and not scope["path"].startswith(WEBHOOKS):
            self._check_origin(headers)
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length) > self._settings.limits.request_bytes:
            raise too_large(self._settings.limits.request_bytes)

    def _is_ours(self, host: str) -> bool:
        """Whether a name leads here on purpose: another's name that was made to lead here does not."""
        settings = self._settings
        if settings.is_loopback or not settings.served_names:
            return not settings.is_loopback or host in LOOPBACK_NAMES or host in settings.served_names
        return host in (*settings.served_names, settings.host, *LOOPBACK_NAMES)

    def _check_origin(self, headers: Headers) -> None:
        """A page of somebody else must not act in the user's name."""
        origin = headers.get("origin")
        site = headers.get("sec-fetch-site", "same-origin")
        is_other = origin is not None and urlsplit(origin).netloc != headers.get("host", "")
        if is_other or site not in ("same-origin", "none"):
            raise Refusal(
                403, "this request comes from a page of another site", "Only this server's own page may."
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


def _name_in(host: str) -> str:
    """The name in a Host header, without its port."""
    if host.startswith("["):
        name, _, port = host.partition("]")
        return f"{name}]" if not port or port.startswith(":") else host
    return host.rpartition(":")[0] or host if host.count(":") == 1 else host
