"""Replace the secrets of a text by markers."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

KINDS = ("private-key", "token", "password", "secret", "encoded-data")
"""What a secret is called; where it is several of them, the first."""
MARKER = re.compile(r"\[redacted:[a-z-]+\]")
_MARKER_BYTES = re.compile(MARKER.pattern.encode())


class Span(NamedTuple):
    """A secret from one byte up to another, and what kind of one it is."""

    start: int
    end: int
    kind: str


def without_spans(data: bytes, spans: Iterable[Span]) -> bytes:
    """Replace each secret by a marker; lines and existing markers stay."""
    pieces: list[bytes] = []
    end = 0
    marked = [found.span() for found in _MARKER_BYTES.finditer(data)]
    for span in _merged(spans):
        for start, stop in _outside(span, marked):
            pieces += [
                data[end:start],
                b"\n".join(_hidden_line(line, span.kind) for line in data[start:stop].split(b"\n")),
            ]
            end = stop
    return b"".join((*pieces, data[end:])) if pieces else data


def _merged(spans: Iterable[Span]) -> Iterator[Span]:
    """Sort the spans, and merge those that overlap."""
    current: Span | None = None
    for span in sorted(spans):
        if current is None or span.start >= current.end:
            if current is not None:
                yield current
            current = span
        else:
            kind = min(current.kind, span.kind, key=KINDS.index)
            current = Span(current.start, max(current.end, span.end), kind)
    if current is not None:
        yield current


def _outside(span: Span, marked: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Return the parts of a span that no marker of the text covers."""
    start = span.start
    for first, last in marked:
        if first < span.end and last > start:
            if first > start:
                yield start, first
            start = last
    if start < span.end:
        yield start, span.end


def _hidden_line(line: bytes, kind: str) -> bytes:
    body = line.strip()
    if not any(byte > 32 and (byte > 127 or chr(byte).isalnum()) for byte in body):
        return line
    start = line.index(body)
    return line[:start] + f"[redacted:{kind}]".encode() + line[start + len(body) :]
