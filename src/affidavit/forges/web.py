"""Talk to one forge over HTTP, with limits on size, redirects and retries."""

import asyncio
import ssl
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx2
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception,
    retry_if_result,
    stop_after_attempt,
    wait_combine,
    wait_exponential_jitter,
)

from affidavit import __version__
from affidavit.errors import ForgeError
from affidavit.forges.address import Host, PullRequestAddress, origin_of
from affidavit.forges.credentials import Credentials

T = TypeVar("T")
R = TypeVar("R")
HIDDEN = (0, 401, 403, 404)
"""Statuses of hidden data; 0 for an answer without a status."""


async def read_or_miss(reading: Awaitable[tuple[T, ...]], what: str, missed: list[str]) -> tuple[T, ...]:
    """Read something; if it is hidden, return nothing and add the reason to `missed`."""
    try:
        return await reading
    except ForgeError as error:
        if error.status not in HIDDEN or error.retryable:
            raise
        missed.append(f"{what} could not be read: {error}")
        return ()


async def read_or_none(reading: Awaitable[R]) -> R | None:
    """Read something; return None if it is hidden. An answer of a wrong shape is an error."""
    try:
        return await reading
    except ForgeError as error:
        if error.status not in (401, 403, 404):
            raise
        return None


CheckName = Callable[[str], Awaitable[None]]
"""Raises ForgeError for a name that must not be asked."""
USER_AGENT = f"affidavit/{__version__}"
MAX_ANSWER_BYTES = 50_000_000
MAX_PAGES = 200
"""With a hundred entries a page: 20,000."""
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
    """Return the certificate authorities; read once per process."""
    return httpx2.create_ssl_context()


class ForgeClient(httpx2.AsyncClient):
    """A client of one forge with retries and limits."""

    def __init__(
        self,
        host: Host,
        patience: Patience | None = None,
        headers: Mapping[str, str] | None = None,
        check_name: CheckName | None = None,
    ) -> None:
        self.host = host
        self._check_name = check_name
        self.patience = patience or Patience()
        super().__init__(
            headers={"user-agent": USER_AGENT, **(headers or {})},
            timeout=self.patience.timeout_seconds,
            verify=_trusted_authorities(),
            follow_redirects=False,
        )

    async def send(self, request: httpx2.Request, **_options: Any) -> httpx2.Response:
        """Send a request until it is answered or refused, or all attempts are used."""
        patience = self.patience
        # Jitter: two builds that were refused together should not retry together.
        backoff = wait_exponential_jitter(patience.first_wait_seconds, jitter=patience.first_wait_seconds)
        retrying = AsyncRetrying(
            sleep=patience.sleep,
            stop=stop_after_attempt(patience.attempts),
            wait=wait_combine(_asked_wait, backoff),
            retry=retry_if_result(lambda response: _wait_seconds(response) is not None)
            | retry_if_exception(lambda error: _may_repeat(request, error)),
            retry_error_callback=_outcome,
        )
        try:
            response: httpx2.Response = await retrying(self._answered, request)
        except httpx2.TransportError as error:
            raise ForgeError(self._unreachable(error), retryable=True) from error
        return response

    async def _answered(self, request: httpx2.Request) -> httpx2.Response:
        response = await self._followed(request)
        wait = _wait_seconds(response) or 0.0
        if wait > self.patience.max_wait_seconds:
            message = _limit_message(self.host, wait, response)
            raise ForgeError(message, status=429, retryable=True, retry_after_seconds=wait)
        return response

    def _unreachable(self, error: Exception) -> str:
        why = str(error) or type(error).__name__
        return (
            f"{self.host.name} cannot be reached: {why}; check the network, and set HTTPS_PROXY for a proxy "
            "or SSL_CERT_FILE for your own certificate authority"
        )

    async def download(self, address: str, headers: Mapping[str, str]) -> bytes:
        """Download a file; follow one redirect to a store, over TLS and without the token."""
        response = await self._stored(self.build_request("GET", address, headers=headers))
        target = response.headers.get("location")
        if response.status_code in _REDIRECTS and target:
            elsewhere = str(response.request.url.join(target))
            if not elsewhere.startswith("https://") and origin_of(elsewhere) not in self.host.origins:
                raise ForgeError(f"{self.host.name} keeps the file at {origin_of(elsewhere)}, without TLS")
            # The address itself grants access, so no token is sent.
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
        """Return the answer after redirects within this forge, as of a renamed repository."""
        for _ in range(_MAX_REDIRECTS + 1):
            self._refuse_elsewhere(str(request.url))
            if self._check_name is not None:
                await self._check_name(request.url.host)
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
            raise ForgeError(f"{self.host.name} redirects to {origin_of(address)}, which is not contacted")

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


def _outcome(state: RetryCallState) -> Any:
    """Return or raise what the last attempt came to."""
    return state.outcome.result() if state.outcome else None


def _asked_wait(state: RetryCallState) -> float:
    """Return the wait that the forge asked for, in seconds."""
    if state.outcome is None or state.outcome.failed:
        return 0.0
    return _wait_seconds(state.outcome.result()) or 0.0


def _may_repeat(request: httpx2.Request, error: BaseException) -> bool:
    """Check whether a request may be sent again; a write that may have arrived may not."""
    if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.PoolTimeout):
        return True
    return isinstance(error, httpx2.TransportError) and request.method in ("GET", "HEAD")


def _wait_seconds(response: httpx2.Response) -> float | None:
    """Return how long the forge asks to wait before the next attempt; None if there should be none."""
    status = response.status_code
    if status in _LIMITED:
        return _limit_seconds(response)
    if status in _BROKEN and response.request.method in ("GET", "HEAD"):
        return _seconds_of(response.headers.get("retry-after")) or 0.0
    return None


def _limit_seconds(response: httpx2.Response) -> float | None:
    """Return the wait that a rate limit asks for; None if the refusal is about rights."""
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


PAGE = 100
PUBLIC_ONLY = "without a token only what is public can be read"
_NAMES = {"github": "GitHub", "gitlab": "GitLab"}
_REFUSALS = {
    401: "the token is not valid (any more)",
    403: "the token may not do this",
    404: "there is none, or the token may not see it",
}


@dataclass
class Connection:
    """A connection to the API of a forge, about one pull request."""

    address: PullRequestAddress
    web: ForgeClient
    credentials: Credentials
    account: str = ""
    """The posting account, if the user names it; else the forge is asked."""

    @property
    def name(self) -> str:
        return _NAMES[self.address.host.kind]

    def refused(self, method: str, path: str, status: int, said: str, why: str = "") -> ForgeError:
        """Return the error for a refusal; it never shows the headers of the request."""
        shown = " ".join(said.split())[:300]
        message = f"{self.name} refuses {method} {plain(path)} ({status or 'no status'}): {shown}"
        advice = why or _REFUSALS.get(status, "")
        return ForgeError(message + (f"; {advice}" if advice else ""), status=status, retryable=status >= 500)

    def one(self, path: str, answer: Any) -> dict[str, Any]:
        """Return an answer that must be an object; raise ForgeError for any other shape."""
        if isinstance(answer, dict):
            return answer
        raise self.unexpected(path, "an object")

    def unexpected(self, path: str, expected: str) -> ForgeError:
        """Return the error for an answer of another shape."""
        return ForgeError(
            f"{self.name} at {self.address.host.name} did not answer GET {plain(path)} with"
            f" {expected}; is there a proxy or another program in front of it?"
        )

    async def close(self) -> None:
        await self.web.aclose()


def plain(path: str) -> str:
    return path.partition("?")[0]


def paged(path: str) -> str:
    """Return a path that asks for a hundred entries a page."""
    return f"{path}{'&' if '?' in path else '?'}per_page={PAGE}"
