"""Make an HTTP client that reads no more than a reply can have."""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass

import httpx2

PIECE_BYTES = 4_000_000
_BYTES_PER_TOKEN = 1_000
"""A stream takes about a third of this for one token."""
_BYTES_BESIDE_TOKENS = 4_000_000
_OBJECTS_PER_TOKEN = 20
"""A stream takes about five for one token."""
_OBJECTS_BESIDE_TOKENS = 50_000
_BYTES_PER_LINE = 512
_BYTES_PER_OBJECT = 100
"""A surcharge for each line and object, which cost clients more time and memory than their bytes."""
_BLANK_LINE = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_LONGEST_BREAK = 4
_CONNECT_SECONDS = 5.0


class TooMuchSentError(Exception):
    """A server sent more than is read."""


@dataclass(frozen=True)
class SizeLimits:
    """The number of bytes that are read, as they arrive and again after decompression."""

    reply_bytes: int
    reply_objects: int
    """JSON's objects and lists: empty ones are short, and cost clients the most time."""
    piece_bytes: int = PIECE_BYTES
    """Limit for one event of a stream, or a plain reply, which is kept until complete."""
    error_bytes: int = 1_000_000
    """Limit for error responses."""


def size_limits(max_tokens: int) -> SizeLimits:
    """Return the limits for a reply that has room for that many tokens."""
    return SizeLimits(
        reply_bytes=_BYTES_BESIDE_TOKENS + max_tokens * _BYTES_PER_TOKEN,
        reply_objects=_OBJECTS_BESIDE_TOKENS + max_tokens * _OBJECTS_PER_TOKEN,
    )


def bounded_client(limits: SizeLimits, silence_seconds: float) -> httpx2.AsyncClient:
    """Return a client that raises TooMuchSentError at a response without end."""

    async def bound(response: httpx2.Response) -> None:
        response.stream = _Bounded(response, limits)
        # Decoded while counting, so that nothing decodes it again uncounted.
        response.headers.pop("content-encoding", None)

    # A hook, not a transport: with a transport of its own a client ignores the proxies of the environment.
    # It follows no redirects: what is reviewed goes to the address that the user gave, and nowhere else.
    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(silence_seconds, connect=min(_CONNECT_SECONDS, silence_seconds)),
        headers={"Accept-Encoding": "identity"},
        event_hooks={"request": [_connect_soon], "response": [bound]},
        follow_redirects=False,
    )


async def _connect_soon(request: httpx2.Request) -> None:
    """Limit the time to connect; the request's own time limit is for the reply."""
    limits = request.extensions.get("timeout", {})
    connect = min(limits.get("connect") or _CONNECT_SECONDS, _CONNECT_SECONDS)
    request.extensions = {**request.extensions, "timeout": {**limits, "connect": connect}}


class _Bounded(httpx2.AsyncByteStream):
    """The decoded body of a response, counted as it arrives and after decompression."""

    def __init__(self, response: httpx2.Response, limits: SizeLimits) -> None:
        if not isinstance(response.stream, httpx2.AsyncByteStream):
            raise TypeError("the response of an asynchronous client has an asynchronous stream")
        most = limits.reply_bytes if response.is_success else limits.error_bytes
        self._source = response.stream
        self._meter = _Meter(most, limits.reply_objects, limits.piece_bytes)
        arriving = _Counted(self._source, most)
        self._decoded = httpx2.Response(response.status_code, headers=response.headers.raw, stream=arriving)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._decoded.aiter_bytes():
            self._meter.count(piece)
            yield piece

    async def aclose(self) -> None:
        await self._source.aclose()


class _Counted(httpx2.AsyncByteStream):
    """A body as it arrives; a compressed one may be endless and contain nothing."""

    def __init__(self, source: httpx2.AsyncByteStream, most: int) -> None:
        self._source, self._left = source, most
        self._most = most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._source:
            self._left -= len(piece)
            if self._left < 0:
                raise TooMuchSentError(f"the server sent more than {self._most:,} bytes")
            yield piece

    async def aclose(self) -> None:
        await self._source.aclose()


class _Meter:
    """Adds up a body, as a whole and from one blank line to the next."""

    def __init__(self, most: int, most_objects: int, most_of_a_piece: int) -> None:
        self._most, self._most_objects, self._most_of_a_piece = most, most_objects, most_of_a_piece
        self._total = self._objects = self._weight = 0
        self._edge = b""

    def count(self, data: bytes) -> None:
        """Count the next bytes of the body; raise TooMuchSentError."""
        self._total += len(data)
        if self._total > self._most:
            raise TooMuchSentError(f"the server sent more than {self._most:,} bytes")
        self._objects += _objects_in(data)
        if self._objects > self._most_objects:
            raise TooMuchSentError(f"the server sent more than {self._most_objects:,} objects")
        # A blank line may be split between two arrivals.
        first, *others = _BLANK_LINE.split(self._edge + data)
        self._weigh(self._weight + _weight(first))
        for piece in filter(None, others):
            self._weigh(_weight(piece))
        if others and not others[-1]:
            self._weight = 0
        self._edge = data[1 - _LONGEST_BREAK :]

    def _weigh(self, weight: int) -> None:
        self._weight = weight
        if weight > self._most_of_a_piece:
            raise TooMuchSentError(
                f"the server sent more in one piece than is read, {self._most_of_a_piece:,} bytes"
            )


def _weight(piece: bytes) -> int:
    lines = piece.count(b"\n") + piece.count(b"\r")
    return len(piece) + _BYTES_PER_LINE * lines + _BYTES_PER_OBJECT * _objects_in(piece)


def _objects_in(piece: bytes) -> int:
    """Count where an object can begin; a brace in a text counts, too."""
    return piece.count(b"{") + piece.count(b"[")
