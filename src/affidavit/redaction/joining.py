"""Join strings that are written in parts."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise

from affidavit.redaction.linear import linear
from affidavit.redaction.spans import merged

_QUOTE = r"[\"'\x60]"
_OPENS = rf"[bBfFrRuU$@]{{0,2}}{_QUOTE}"
_FORMAT = r"(?:%[sv]|\$?\{\w{0,10}\})"
_COMMENT = r"(?:\s*(?:(?:#|//)[^\n]*\n|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/))*"
_LETTER = r"[\w+/=.~-]"
JOINT = linear(
    rf"{_QUOTE}{_COMMENT}[\s\\]*(?:[)\]]?\s*(?:[+&~]|\.{{1,2}}|<<|\|\|)\s*{_COMMENT}[\s(\[\\]*)?{_OPENS}"
    rf"|{_QUOTE}\s*;?\s+[\w.$]{{1,60}}\s*(?:[+.]=|<<)\s*{_OPENS}"
    rf"|{_QUOTE}\.concat\(\s*{_OPENS}"
    rf"|{_FORMAT}{{1,20}}{_QUOTE}\s*(?:%\s*\(?|\.format\(|,)\s*{_OPENS}"
    rf"|{_QUOTE}\}}\$?\{{{_QUOTE}"
    r"|\\\r?\n[ \t]*"
    r"|\xe2\x80[\x8b-\x8f\xaa-\xae]|\xe2\x81[\xa0-\xa9]|\xef\xbb\xbf|\xc2\xad|\xcd\x8f|\xd8\x9c|\xe1\xa0\x8e"
    r"|\xef\xb8[\x80-\x8f]|\xf3\xa0[\x80-\x87][\x80-\xbf]"
)
"""The joint between two parts of a string: quotes, a continued line, characters without width."""
BRACED = (
    linear(rf"(?:{_QUOTE}|\}}){_LETTER}{{1,80}}([$#]?\{{\s{{0,20}}{_QUOTE})"),
    linear(rf"({_QUOTE}(?:![sra])?\s{{0,20}}\}}){_LETTER}"),
)
"""The edges of a string inside of a formatted one: `f"a{'b'}c"`, `${'b'}` and `#{'b'}`."""
LISTED = linear(
    rf"{_QUOTE}{{2}}\.join\(\s{{0,60}}[\[({{]?"
    rf"|{_FORMAT}{{2,20}}{_QUOTE}\s{{0,20}}(?:%\s{{0,20}}\(|\.format\(|,)"
    r"|\bstrings\.Join\(\[\]string\{|\bimplode\(|(?i:\bconcat(?:_ws)?\()"
)
"""The start of a list whose strings are joined."""
LISTED_BEFORE = linear(rf"\]\s{{0,20}}\.join(?:\(\s{{0,5}}{_QUOTE}{{2}}|\b[^(])")
"""The call that joins a list, after the list."""
COMMA = linear(rf"{_QUOTE}\s*,{_COMMENT}\s*{_OPENS}")
FOLDED = linear(r"(?m):[ \t]{1,20}[>|][-+0-9]{0,3}[ \t]{0,20}(?:#[^\n]{0,200})?\r?\n")
"""The head of a text of YAML that goes over several lines."""
WORD_LINE = linear(r"[ \t]{1,80}([\w+/=.~-]{1,500})[ \t]{0,80}(?:\r?\n|$)")
QUOTES = frozenset(b"\"'`")
MAX_LISTED = 4000
MAX_LINES = 64

Joint = tuple[int, int]


@dataclass(frozen=True)
class Joined:
    """A text put together, and the places of its parts."""

    text: bytes
    parts: tuple[Joint, ...]
    offsets: tuple[int, ...]
    """Where each part begins in the text, and where the last one ends."""

    def place(self, at: int) -> int:
        """Return where a byte of the text was."""
        number = min(bisect_right(self.offsets, at), len(self.parts)) - 1
        return self.parts[number][0] + at - self.offsets[number]

    def is_split(self, start: int, end: int) -> bool:
        """Return whether some bytes of the text come from several parts."""
        return bisect_right(self.offsets, start) != bisect_right(self.offsets, end - 1)


def join_parts(data: bytes) -> Joined | None:
    """Put the parts of every text together; None if each has one part."""
    joints = merged((*_spans(data), *_listed(data), *_folded(data)))
    if not joints:
        return None
    edges = [0, *(edge for joint in joints for edge in joint), len(data)]
    parts = tuple(zip(edges[::2], edges[1::2], strict=True))
    offsets = accumulate((end - start for start, end in parts), initial=0)
    return Joined(b"".join(data[start:end] for start, end in parts), parts, tuple(offsets))


def _spans(data: bytes) -> Iterator[Joint]:
    for found in JOINT.finditer(data):
        start, end = found.span()
        # Two quotes with nothing between them join words, and are an empty text everywhere else.
        is_empty = end - start == 2 and data[start] in QUOTES
        if not is_empty or (data[start - 1 : start].isalnum() and data[end : end + 1].isalnum()):
            yield start, end
    for edge in BRACED:
        yield from (found.span(1) for found in edge.finditer(data))


def _listed(data: bytes) -> Iterator[Joint]:
    """Find the commas in joined lists; no byte is searched for two lists."""
    done = 0
    for found in LISTED.finditer(data):
        start = max(done, found.span()[1])
        ends = [data.find(sign, start, start + MAX_LISTED) for sign in (b"]", b")", b"}")]
        done = min((end for end in ends if end >= 0), default=start)
        yield from _commas(data, start, done)
    done = 0
    for found in LISTED_BEFORE.finditer(data):
        end = found.span()[0]
        start = data.rfind(b"[", max(done, end - MAX_LISTED), end)
        done = end
        if start >= 0:
            yield from _commas(data, start, end)


def _commas(data: bytes, start: int, end: int) -> Iterator[Joint]:
    yield from (found.span() for found in COMMA.finditer(data, start, end))


def _folded(data: bytes) -> Iterator[Joint]:
    """Find the line ends of a folded text whose lines are single words."""
    for found in FOLDED.finditer(data):
        words: list[Joint] = []
        at = found.span()[1]
        while len(words) < MAX_LINES and (line := WORD_LINE.match(data, at)):
            words.append(line.span(1))
            at = line.span()[1]
        yield from ((first[1], second[0]) for first, second in pairwise(words))
