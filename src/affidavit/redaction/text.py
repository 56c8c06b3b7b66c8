"""Redact a text or the content of a file: each secret becomes a marker such as `REDACTED_token_1`.

The same content is always redacted in the same way, and lines keep their numbers.
"""

import re
import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import accumulate
from typing import Any, TypeVar

from pydantic import BaseModel

from affidavit.redaction.assignments import find_assigned
from affidavit.redaction.blocks import find_blocks
from affidavit.redaction.forms import encoded_texts, find_forms
from affidavit.redaction.joining import join_parts
from affidavit.redaction.linear import Match, compile_linear, linear, once
from affidavit.redaction.nearby import find_nearby
from affidavit.redaction.shapes import find_shapes
from affidavit.redaction.spans import (
    MARKER_BYTES,
    Hidden,
    Ranges,
    SecretNumbers,
    Span,
    hidden_parts,
    merged,
    without_parts,
)
from affidavit.redaction.values import is_random

Record = TypeVar("Record", bound=BaseModel)

ESCAPE = linear(
    r"\\{1,8}(?:u00(?:0[ad]|2[0267f]|3[acde])|x(?:0[ad]|2[027])|[nrtbfv0\"'\x60/])"
    r"|%(?:0[AaDd]|2[0267Ff]|3[AaDd])|&(?:quot|apos|amp|lt|gt|#3[49]|#10);"
)
WRITTEN = {
    b"22": b'"',
    b"27": b"'",
    b"3d": b"=",
    b"3a": b":",
    b"26": b"&",
    b"2f": b"/",
    b"quot;": b'"',
    b"apos;": b"'",
}
"""The meaning of an escape by its end; any other only ends a word."""
HUNK = linear(r"(?m)^@@ -\d{1,9}(?:,\d{1,9})? \+\d{1,9}")
"""The beginning of a part of a diff."""
MIN_REPEATED = 8
MAX_REPEATED = 500
MIN_QUOTED = 6
MAX_VALUES = 5000
MAX_ROUNDS, FEW_ROUNDS = 8, 2
LONG = 50_000
"""So long a text is searched fewer times: a hostile one could hide something new each time."""
BYTES_AT_ONCE = 20_000
FEW_ZEROS, MANY_ZEROS = 0.02, 0.2
"""Shares of zero bytes: text with fewer has stray bytes; text with more is UTF-16."""
OF_COMMANDS = ("curl-auth-header", "curl-auth-user")
"""Rules for commands, whose words do not form one text."""


class Redactor:
    """Redacts the texts of one conversation, each of them once."""

    def __init__(self) -> None:
        self._done: dict[str, str] = {}

    def redact(self, text: str) -> str:
        """Redact a text; its lines keep their numbers."""
        if _has_no_secret(text):
            return text
        if text not in self._done:
            self._done[text] = redact_text(text)
        return self._done[text]

    def redact_all(self, value: Any) -> Any:
        """Redact every text inside JSON data."""
        if isinstance(value, str):
            return self.redact(value)
        if isinstance(value, dict):
            return {self.redact_all(key): self.redact_all(each) for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [self.redact_all(each) for each in value]
        return value


@lru_cache(maxsize=512)
def _has_no_secret(text: str) -> bool:
    """Return whether there is no secret in a text that many conversations share."""
    return redact_text(text) == text


@cache
def rules_version() -> int:
    """Return a number that changes whenever other things may be redacted."""
    folder = files("affidavit.redaction")
    parts = sorted((one.name, one.read_bytes()) for one in folder.iterdir() if one.is_file())
    return zlib.crc32(b"".join(content for _, content in parts))


def redact_text(text: str) -> str:
    data = text.encode("utf-8", "surrogatepass")
    redacted = redact_content(data)
    return text if redacted is data else redacted.decode("utf-8", "surrogatepass")


def redact_content(data: bytes) -> bytes:
    """Redact text that belongs to no file of a change; its lines keep their numbers."""
    return redact_file(data, find_secrets(data))


def redact_file(
    data: bytes,
    spans: Sequence[Span],
    numbers: SecretNumbers | None = None,
    texts_in: Callable[[bytes], Ranges | None] = lambda _: None,
) -> bytes:
    """Redact a file in which these secrets were found, until no other is found in what is left."""
    for _ in range(MAX_ROUNDS if len(data) < LONG else FEW_ROUNDS):
        hidden = hide(data, spans, numbers, texts_in(data)) if spans else ()
        if not hidden:
            break
        data = without_parts(data, hidden)
        spans = find_secrets(data)
    return data


def hide(
    data: bytes, spans: Sequence[Span], numbers: SecretNumbers | None, texts: Ranges | None
) -> list[Hidden]:
    """Return the parts of a file to hide. Without `numbers` they are 0; without `texts` all of it is text."""
    return list(hidden_parts(data, spans, numbers, texts, once(lambda: _sure(data))))


def _sure(data: bytes) -> Ranges:
    """Return what is secret wherever it stands, by its own form."""
    return merged((span.start, span.end) for span in (*find_shapes(data), *find_blocks(data)))


def values_of(data: bytes, hidden: Iterable[Hidden]) -> dict[str, str]:
    """Return the hidden texts of a file that others could repeat, with their markers; the longest first."""
    values = {data[one.start : one.end].decode("utf-8", "replace"): one.marker for one in hidden}
    told = [value for value in values if MIN_QUOTED <= len(value) <= MAX_REPEATED]
    return {value: values[value] for value in sorted(told, key=len, reverse=True)}


def redact_about(text: str, values: Mapping[str, str]) -> str:
    """Redact a text about a file: the file's secrets and its own."""
    for value, marker in values.items():
        text = text.replace(value, marker)
    return redact_text(text)


def redact_record(record: Record) -> Record:
    return type(record).model_validate(Redactor().redact_all(record.model_dump()))


def redact_lines(lines: Sequence[str]) -> list[str]:
    return redact_text("\n".join(lines)).split("\n") if lines else []


def find_secrets(data: bytes) -> list[Span]:
    # The words of a marker are no sign of a secret beside it.
    data = MARKER_BYTES.sub(lambda found: b" " * len(found[0]), data)
    spans = [*_find_plain(data), *_find_behind_escapes(data), *_find_in_diff(data)]
    spans += [*_find_encoded(data), *_find_joined(data)]
    zeros = data.count(b"\0")
    if zeros and not FEW_ZEROS <= zeros / len(data) <= MANY_ZEROS:
        spans += _find_between_zeros(data)
    return [*spans, *_repeated(data, spans)]


def _find_plain(data: bytes) -> Iterator[Span]:
    if not data:
        return
    yield from find_shapes(data)
    yield from find_assigned(data)
    yield from find_forms(data)
    yield from find_blocks(data)
    yield from find_nearby(data)


def _find_behind_escapes(data: bytes) -> Iterator[Span]:
    """Find secrets in lines with escapes, after replacing the escapes."""
    lines: dict[int, bytes] = {}
    end = -1
    for found in ESCAPE.finditer(data):
        if found.span()[0] >= end:
            start = data.rfind(b"\n", 0, found.span()[0]) + 1
            end = data.find(b"\n", start)
            end = len(data) if end < 0 else end
            lines[start] = ESCAPE.sub(_unescaped, data[start:end])
    yield from _find_in_lines(lines)


def _find_in_diff(data: bytes) -> Iterator[Span]:
    """Find secrets in a diff, without the marks of its lines."""
    if HUNK.search(data):
        lines = data.split(b"\n")
        starts = accumulate((len(line) + 1 for line in lines), initial=0)
        yield from _find_in_lines(
            {start + 1: line[1:] for start, line in zip(starts, lines, strict=False) if line}
        )


def _find_in_lines(lines: Mapping[int, bytes]) -> Iterator[Span]:
    """Find secrets in converted lines; the keys are the places where the lines start."""
    starts = list(lines)
    offsets = list(accumulate((len(line) + 1 for line in lines.values()), initial=0))
    for first, last, kind in _find_plain(b"\n".join(lines.values())):
        for number in range(bisect_right(offsets, first) - 1, bisect_right(offsets, last - 1)):
            shift = starts[number] - offsets[number]
            line_end = offsets[number + 1] - 1
            yield Span(max(first, offsets[number]) + shift, min(last, line_end) + shift, kind)


def _unescaped(found: Match) -> bytes:
    """Replace an escape by its meaning in as many bytes: after `\\n` a word begins."""
    escape: bytes = found.group()
    meant = next((sign for end, sign in WRITTEN.items() if escape.lower().endswith(end)), escape[-1:])
    return (b" " * len(escape))[len(meant) :] + (meant if not meant.isalnum() else b" ")


def _find_between_zeros(data: bytes) -> Iterator[Span]:
    """Find secrets in a text of two bytes a letter, or with zero bytes in it."""
    places = [place for place, byte in enumerate(data) if byte]
    for start, end, kind in _find_plain(data.replace(b"\0", b"")):
        yield Span(places[start], places[end - 1] + 1, kind)


def _find_joined(data: bytes) -> Iterator[Span]:
    """Find secrets that are written in parts."""
    if joined := join_parts(data):
        for first, last, kind in find_shapes(joined.text, OF_COMMANDS):
            yield Span(joined.place(first), joined.place(last - 1) + 1, kind)


def _find_encoded(data: bytes) -> Iterator[Span]:
    """Find base64 that encodes a secret; all of it is searched at once."""
    runs = list(encoded_texts(data))
    ends = list(accumulate(len(text) + 1 for _, _, text in runs))
    found = {bisect_right(ends, span.start) for span in _find_plain(b"\n".join(text for _, _, text in runs))}
    yield from (Span(runs[number][0], runs[number][1], "encoded_data") for number in sorted(found))


def _repeated(data: bytes, spans: Sequence[Span]) -> Iterator[Span]:
    """Find all other places of the values that were found."""
    kinds = {data[start:end]: kind for start, end, kind in spans if end - start <= MAX_REPEATED}
    values = [value for value in kinds if _may_be_repeated(value)]
    if len(values) > MAX_VALUES:
        # Nothing but secrets: searching for each would take forever.
        yield Span(0, len(data), "secret")
        return
    for part in _portions(values):
        pattern = compile_linear("|".join(re.escape(value.decode("latin-1")) for value in part), "latin-1")
        for found in pattern.finditer(data):
            yield Span(*found.span(), kinds[found.group()])


def _portions(values: Sequence[bytes]) -> Iterator[list[bytes]]:
    """Split the values into groups for one expression each."""
    part: list[bytes] = []
    for value in values:
        part.append(value)
        if sum(map(len, part)) > BYTES_AT_ONCE:
            yield part
            part = []
    if part:
        yield part


def _may_be_repeated(value: bytes) -> bool:
    is_one_line = len(value) >= MIN_REPEATED and b"\n" not in value
    return is_one_line and is_random(value.decode("utf-8", "replace"))
