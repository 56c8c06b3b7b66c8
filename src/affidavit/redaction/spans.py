"""Replace the secrets of a text by markers."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

KINDS = ("private-key", "token", "password", "secret", "encoded-data")
"""Kinds of secrets; of several that fit, the first counts."""
MARKER = re.compile(r"\[redacted:[a-z-]+\]")
_MARKER_BYTES = re.compile(MARKER.pattern.encode())


class Span(NamedTuple):
    """A secret from one byte up to another, and its kind."""

    start: int
    end: int
    kind: str


def merged(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sort ranges, and join those that overlap or touch."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


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
