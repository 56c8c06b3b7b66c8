"""Talk to one forge over HTTP: bounded, patient, and to that forge only.

Proxies and certificate authorities come from the environment, as for every program of the user's.
"""

import asyncio
import random
import ssl
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import httpx2

from affidavit import __version__
from affidavit.errors import ForgeError
from affidavit.forges.reaching.hosts import Host, origin_of
from affidavit.forges.reaching.reach import Reach

USER_AGENT = f"affidavit/{__version__}"
MAX_ANSWER_BYTES = 50_000_000
MAX_PAGES = 200
"""A hundred entries a page: nobody reads more than 20,000."""
_REDIRECTS = (301, 302, 307, 308)
_MAX_REDIRECTS = 3
_BROKEN = (500, 502, 503, 504)
_LIMITED = (403, 429)
Sleep = Callable[[float], Awaitable[None]]


@dataclass(frozen=True)
class Patience:
    """How long and how often to try again."""

    attempts: int = 4
    max_wait_seconds: float = 60.0
    first_wait_seconds: float = 1.0
    timeout_seconds: float = 30.0
    sleep: Sleep = asyncio.sleep


@cache
def _trusted_authorities() -> ssl.SSLContext:
    """Read once: a process may open many connections."""
    return httpx2.create_ssl_context()


class ForgeClient(httpx2.AsyncClient):
    """A client that asks one forge, tries again where that does no harm, and never reads without end."""

    def __init__(
        self,
        host: Host,
        patience: Patience | None = None,
        headers: Mapping[str, str] | None = None,
        reach: Reach | None = None,
    ) -> None:
        self.host = host
        self._reach = reach
        self.patience = patience or Patience()
        super().__init__(
            headers={"user-agent": USER_AGENT, **(headers or {})},
            timeout=self.patience.timeout_seconds,
            verify=_trusted_authorities(),
            follow_redirects=False,
        )

    async def send(self, request: httpx2.Request, **_options: Any) -> httpx2.Response:
        """Send a request until it is answered, refused, or patience ends."""
        for attempt in range(1, self.patience.attempts + 1):
            is_last = attempt == self.patience.attempts
            try:
                response = await self._followed(request)
            except httpx2.TransportError as error:
                if is_last or not _may_repeat(request, error):
                    raise ForgeError(self._unreachable(error), retryable=True) from error
                await self._pause(attempt, None)
                continue
            wait = _wait_seconds(request, response)
            if wait is None or is_last:
                return response
            if wait > self.patience.max_wait_seconds:
                raise ForgeError(
                    _limit_message(self.host, wait, response),
                    status=429,
                    retryable=True,
                    retry_after_seconds=wait,
                )
            await self._pause(attempt, wait)
        raise ForgeError(f"{self.host.name} gave no answer", retryable=True)

    async def _pause(self, attempt: int, wait: float | None) -> None:
        # Jitter: two builds that were refused together should not come back together.
        backoff = self.patience.first_wait_seconds * 2 ** (attempt - 1)
        jitter = 1 + random.random() / 2  # noqa: S311 - nothing is secret here
        await self.patience.sleep(max(wait or 0.0, backoff) * jitter if wait != 0.0 else 0.0)

    def _unreachable(self, error: Exception) -> str:
        why = str(error) or type(error).__name__
        return (
            f"{self.host.name} cannot be reached: {why}; a proxy is read from HTTPS_PROXY, a certificate "
            "authority from SSL_CERT_FILE"
        )

    async def download(self, address: str, headers: Mapping[str, str]) -> bytes:
        """A file; the store that the forge may keep it in is asked as nobody, once, and over TLS only."""
        response = await self._stored(self.build_request("GET", address, headers=headers))
        target = response.headers.get("location")
        if response.status_code in _REDIRECTS and target:
            elsewhere = str(response.request.url.join(target))
            if not elsewhere.startswith("https://") and origin_of(elsewhere) not in self.host.origins:
                raise ForgeError(f"{self.host.name} keeps the file at {origin_of(elsewhere)}, without TLS")
            # The address itself is what opens it: no token goes with it.
            response = await self._stored(self.build_request("GET", elsewhere))
        if response.status_code != 200:
            path = urlsplit(address).path
            raise ForgeError(
                f"{self.host.name} gives no file for GET {path} ({response.status_code}); it may have "
                "expired, or the token may not read it",
                status=response.status_code,
            )
        return response.content

    async def _stored(self, request: httpx2.Request) -> httpx2.Response:
        try:
            return await self._bounded(request)
        except httpx2.TransportError as error:
            raise ForgeError(self._unreachable(error), retryable=True) from error

    async def _followed(self, request: httpx2.Request) -> httpx2.Response:
        """The answer, after redirects within this forge: a renamed repository answers with one."""
        for _ in range(_MAX_REDIRECTS + 1):
            self._refuse_elsewhere(str(request.url))
            if self._reach is not None:
                await self._reach.check(request.url.host)
            response = await self._bounded(request)
            target = response.headers.get("location")
            if response.status_code not in _REDIRECTS or not target:
                return response
            address = str(request.url.join(target))
            self._refuse_elsewhere(address)
            if request.method not in ("GET", "HEAD") and response.status_code not in (307, 308):
                return response
            request = self.build_request(
                request.method, address, headers=request.headers, content=request.content
            )
        raise ForgeError(f"{self.host.name} redirects in a circle ({request.url.path})")

    def _refuse_elsewhere(self, address: str) -> None:
        # Whatever an answer says, the token goes to the forge that the user named.
        if origin_of(address) not in self.host.origins:
            raise ForgeError(f"{self.host.name} leads to {origin_of(address)}, which is not asked")

    async def _bounded(self, request: httpx2.Request) -> httpx2.Response:
        response = await super().send(request, stream=True)
        try:
            parts: list[bytes] = []
            size = 0
            async for part in response.aiter_bytes():
                size += len(part)
                if size > MAX_ANSWER_BYTES:
                    limit = f"{MAX_ANSWER_BYTES // 1_000_000} MB"
                    raise ForgeError(f"{self.host.name} answers {request.url.path} with more than {limit}")
                parts.append(part)
        finally:
            await response.aclose()
        coded = ("content-encoding", "content-length", "transfer-encoding")
        headers = [pair for pair in response.headers.multi_items() if pair[0].lower() not in coded]
        return httpx2.Response(
            response.status_code, headers=headers, content=b"".join(parts), request=request
        )


def _may_repeat(request: httpx2.Request, error: httpx2.TransportError) -> bool:
    """A write that may have arrived is not sent again: whoever wrote looks first."""
    never_sent = isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.PoolTimeout)
    return never_sent or request.method in ("GET", "HEAD")


def _wait_seconds(request: httpx2.Request, response: httpx2.Response) -> float | None:
    """How long to wait before the request is sent again; None: not at all."""
    status = response.status_code
    if status in _LIMITED:
        return _limit_seconds(response)
    if status in _BROKEN and request.method in ("GET", "HEAD"):
        return _seconds_of(response.headers.get("retry-after")) or 0.001
    return None


def _limit_seconds(response: httpx2.Response) -> float | None:
    """The wait that a limit asks for; None where the refusal is about rights, not about how often."""
    named = _seconds_of(response.headers.get("retry-after"))
    if named is not None:
        return named
    headers = response.headers
    remaining = headers.get("x-ratelimit-remaining") or headers.get("ratelimit-remaining")
    reset = _seconds_of(headers.get("x-ratelimit-reset") or headers.get("ratelimit-reset"))
    if remaining == "0" and reset is not None:
        return max(reset - time.time(), 1.0)
    if response.status_code == 429:
        return 5.0
    # GitHub's secondary limit may say so in words alone, and asks for a minute.
    return 60.0 if b"secondary rate limit" in response.content[:2000].lower() else None


def _seconds_of(text: str | None) -> float | None:
    return float(text) if text and text.strip().isdigit() else None


def _limit_message(host: Host, wait: float, response: httpx2.Response) -> str:
    has_token = "authorization" in response.request.headers or "private-token" in response.request.headers
    advice = "" if has_token else f"; a token (AFFIDAVIT_{host.kind.upper()}_TOKEN) allows far more requests"
    return f"{host.name} takes no more requests for {wait / 60:.0f} minutes{advice}"
