"""Replace the secrets of a text by markers such as `REDACTED_token_1`."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from string import ascii_letters, digits
from typing import NamedTuple

from affidavit.redaction.linear import linear

KINDS = ("private_key", "token", "password", "secret", "encoded_data")
"""Kinds of secrets; of several that fit, the first counts."""
MARKER = re.compile(rf"REDACTED_(?:{'|'.join(KINDS)})_\d+")
"""One word, so that a file parses with it as it did with the secret."""
MARKER_BYTES = re.compile(MARKER.pattern.encode())
ESCAPE = linear(
    r"\\(?:u\{[0-9a-fA-F]{1,8}\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[0-7]{1,3}|(?s:.))"
    r"|%[0-9a-fA-F]{2}|&#?\w{1,8};"
)
"""A character that is written as several, and must stay whole."""
REST_OF_WORD = linear(r"\w+")
KEY_ALONE = linear(r"[\w+/=.~-]+")
"""A key in code; what has other signs is code between the marks of a key."""
WORD_BYTES = frozenset(f"{ascii_letters}{digits}_".encode())

Ranges = Sequence[tuple[int, int]]


class Span(NamedTuple):
    """A secret from one byte up to another, and its kind."""

    start: int
    end: int
    kind: str


class Hidden(NamedTuple):
    """A part of a secret on one line, and the marker in its place."""

    start: int
    end: int
    marker: str


class SecretNumbers:
    """Number the different secrets of each kind from 1, in the order in which they are asked for."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, bytes], int] = {}
        self._own: dict[tuple[str, bytes], int] = self._known
        self._last = dict.fromkeys(KINDS, 0)

    def of(self, kind: str, secret: bytes) -> int:
        """Return the number of a secret, a new one if it has none yet."""
        number = self._known.get((kind, secret)) or self._own.get((kind, secret))
        if number is None:
            self._last[kind] = number = self._last[kind] + 1
            self._own[kind, secret] = number
        return number

    def continued(self) -> "SecretNumbers":
        """Return numbers that know these, and count on behind them on their own."""
        found = SecretNumbers()
        found._known, found._last = self._known, dict(self._last)
        return found


def merged(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sort ranges, and join those that overlap or touch."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def without_parts(data: bytes, parts: Iterable[Hidden]) -> bytes:
    """Replace each part by its marker."""
    pieces: list[bytes] = []
    end = 0
    for part in parts:
        pieces += [data[end : part.start], part.marker.encode()]
        end = part.end
    return b"".join((*pieces, data[end:])) if pieces else data


def hidden_parts(
    data: bytes,
    spans: Iterable[Span],
    numbers: SecretNumbers | None,
    texts: Ranges | None,
    sure: Callable[[], Ranges],
) -> Iterator[Hidden]:
    """Yield what to replace, line by line; existing markers stay.

    In code, secrets are in strings and comments; only what `sure` returns is hidden elsewhere.
    """
    lines = _Lines(data)
    marked = [found.span() for found in MARKER_BYTES.finditer(data)]
    done = 0
    for span in _merged(spans):
        parts = [(span.start, span.end)] if texts is None else _common(span, texts)
        if not parts and KEY_ALONE.fullmatch(data[span.start : span.end]) and _common(span, sure()):
            parts = [lines.whole_word(span.start, span.end)]
        outside = [one for part in parts for one in _outside(*part, marked)]
        hidden = [part for one in outside for part in lines.parts(*one, marked)]
        number = numbers.of(span.kind, data[span.start : span.end]) if numbers and hidden else 0
        for start, end in hidden:
            if max(start, done) < end:
                yield Hidden(max(start, done), end, f"REDACTED_{span.kind}_{number}")
                done = end


def _overlapping(ranges: Ranges, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield those of sorted ranges that have a byte of another one."""
    at = max(0, bisect_right(ranges, (start, start)) - 1)
    while at < len(ranges) and ranges[at][0] < end:
        if ranges[at][1] > start:
            yield ranges[at]
        at += 1


def _common(span: Span, texts: Ranges) -> list[tuple[int, int]]:
    """Return the parts of a span that are in texts."""
    found = _overlapping(texts, span.start, span.end)
    return [(max(start, span.start), min(end, span.end)) for start, end in found]


def without_numbers(text: str) -> str:
    """Drop the numbers of markers, where only the kinds can be compared."""
    return MARKER.sub(lambda found: found[0].rpartition("_")[0], text)


class _Lines:
    """The lines of a text, whose escapes and words are not cut."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._escapes: dict[int, list[tuple[int, int]]] = {}

    def whole_word(self, start: int, end: int) -> tuple[int, int]:
        """Extend a range to the start of its word: `0x` before a number is a part of it."""
        while start > 0 and self._data[start - 1] in WORD_BYTES:
            start -= 1
        return start, end

    def parts(self, start: int, end: int, marked: Ranges) -> Iterator[tuple[int, int]]:
        """Divide a range into lines; leave out white space around each, and lines without letters."""
        while start < end:
            found = self._data.find(b"\n", start, end)
            stop = end if found < 0 else found
            body = self._data[start:stop]
            first = start + len(body) - len(body.lstrip())
            last = start + len(body.rstrip())
            if any(byte > 32 and (byte > 127 or chr(byte).isalnum()) for byte in body):
                first, last = self._uncut(first, last, marked)
                if first < last:
                    yield first, last
            start = stop + 1

    def _uncut(self, first: int, last: int, marked: Ranges) -> tuple[int, int]:
        """Move the ends of a range, so that no escape is cut and no word goes on behind it."""
        next_marker = bisect_right(marked, (last, -1))
        limit = marked[next_marker][0] if next_marker < len(marked) else len(self._data)
        if rest := REST_OF_WORD.match(self._data, last, limit):
            last = rest.span()[1]
        escapes = self._escapes_of(first)
        first = next((start for start, _ in _overlapping(escapes, first, first)), first)
        for start, end in _overlapping(escapes, last, last):
            last = start if self._data[start : start + 1] == b"\\" and end == start + 2 else end
        return first, last

    def _escapes_of(self, place: int) -> list[tuple[int, int]]:
        """Return the escapes of the line at a place."""
        start = self._data.rfind(b"\n", 0, place) + 1
        if start not in self._escapes:
            end = self._data.find(b"\n", start)
            found = ESCAPE.finditer(self._data, start, len(self._data) if end < 0 else end)
            self._escapes[start] = [one.span() for one in found]
        return self._escapes[start]


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Sort the spans, and join those that overlap."""
    joined: list[Span] = []
    for span in sorted(spans):
        last = joined[-1] if joined else None
        if last is None or span.start >= last.end:
            joined.append(span)
        else:
            kind = min(last.kind, span.kind, key=KINDS.index)
            joined[-1] = Span(last.start, max(last.end, span.end), kind)
    return joined


def _outside(start: int, end: int, marked: Ranges) -> Iterator[tuple[int, int]]:
    """Return the parts of a range that no marker of the text covers."""
    for first, last in _overlapping(marked, start, end):
        if first > start:
            yield start, first
        start = last
    if start < end:
        yield start, end
