"""Find secrets of several lines or in an encoding: private keys, Kubernetes secrets, base64."""

from collections.abc import Iterator
from itertools import pairwise

from affidavit.redaction.linear import Match, linear
from affidavit.redaction.spans import Span

BEGIN = linear(r"-{4,5} ?BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)? ?-{4,5}")
END = linear(r"-{4,5} ?(?:END|BEGIN) ")
END_OF_KEY = linear(r"-{4,5} ?END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY")
MAX_KEY = 20_000
_BEFORE = r"(?:[+\-\s>|#*/;\"'\x60(\[.]|\d{1,9}\s?[:|])*"
_AFTER = r"(?:[\s\"'\x60,;+)\].&]|\\[nr])*\\?"
BODY_LINE = linear(rf"{_BEFORE}(\S(?:.*[^\s\"'\x60,;+)\].&\\])?){_AFTER}")
NO_BODY = linear(_BEFORE)
KEY_LINE = linear(rf"{_BEFORE}([A-Za-z0-9+/=]{{4,200}}){_AFTER}")
OPEN_RUN = linear(r"(?:\\[nr]|[\sA-Za-z0-9+/=]){20,}")
ENCODED_LINE = linear(
    r"(?m)^(?:[+\-\s>|#*;\"'\x60(\[,]|\d{1,9}\s?[:|])*"
    r"([A-Za-z0-9+/]{64}|[A-Za-z0-9+/]{70}|[A-Za-z0-9+/]{76})"
    r"(?:$|(?:\\[nr])+[^\w\n]{0,8}$|[^\w\n/+=][^\w\n]{0,7}$)"
)
"""A line as long as encoders of keys make it, and nothing beside it but marks."""
MAX_KEY_LINES = 250
PUBLIC = linear(
    r"BEGIN (?:[A-Z0-9]+ ){0,3}(?:CERTIFICATE|PUBLIC KEY|MESSAGE|SIGNATURE|PARAMETERS|CRL)|base64,"
)
PICTURE = linear(r"iVBORw0KGgo|/9j/|R0lGOD|UklGR|d09G|AAEAAAA|PHN2Zy|PD94bWw|JVBERi|H4sI|UEsDB|T1RUT|AAABAA")
"""How pictures, fonts, documents and archives begin."""
MIN_LETTERS, MIN_DIGITS = 10, 2
PUTTY = linear(r"(?m)^Private-Lines: (\d{1,3})\r?$")
PUTTY_CODE = linear(r"(?m)^Private-(?:MAC|Hash): ([0-9a-f]{40,64})")
PASSWORD_HASH = linear(
    r"\$(?:2[abxy]?|apr1|1|5|6|7|y|gy|argon2id?|argon2d|scrypt|pbkdf2(?:-sha\d+)?)\$[\w./$=,+-]{20,200}"
)
JWK = linear(r"\"kty\"")
JWK_SECRET = linear(r"\"(?:d|p|q|dp|dq|qi|k)\"\s{0,4}:\s{0,4}\"([\w-]{20,})\"")
DOCKER_LOGIN = linear(r"\"(?:auth|identitytoken)\"\s{0,4}:\s{0,4}\"([\w+/=.-]{8,})\"")
KUBERNETES = linear(r"(?m)^\s*[\"']?kind[\"']?:\s*[\"']?Secret[\"']?\s*,?\s*$")
DOCUMENT = linear(r"(?m)^---\s*$")
DATA = linear(r"(?m)^( *)(?:data|stringData):\s*$")
ENTRY = linear(r"( *)([\w./-]+):[ \t]*(\S.*)?")


def find_blocks(data: bytes) -> Iterator[Span]:
    """Find keys and secrets in blocks, and hashes and encodings of them."""
    yield from _private_keys(data)
    yield from _key_ends(data)
    yield from _encoded_lines(data)
    yield from _putty(data)
    yield from (Span(*found.span(), "password") for found in PASSWORD_HASH.finditer(data))
    if JWK.search(data):
        yield from (Span(*found.span(1), "private_key") for found in JWK_SECRET.finditer(data))
    yield from (Span(*found.span(1), "password") for found in DOCKER_LOGIN.finditer(data))
    yield from _kubernetes(data)


def _private_keys(data: bytes) -> Iterator[Span]:
    """Find the lines between the marks of a key; without an end mark, as long as lines look like it."""
    for found in BEGIN.finditer(data):
        start = found.span()[1]
        end = END.search(data, start, min(len(data), start + MAX_KEY))
        if end is not None:
            yield from _body(data, start, end.span()[0])
        else:
            yield from _open_body(data, start)


def _body(data: bytes, start: int, end: int) -> Iterator[Span]:
    """Find each line of a key without quotes, line numbers and diff marks."""
    if b"\n" not in data[start:end]:
        yield Span(start, end, "private_key")
        return
    for first, last in _lines(data, start, end):
        line = data[first:last]
        found = BODY_LINE.fullmatch(line)
        if found is not None and not NO_BODY.fullmatch(line):
            yield _line_of_key(first, found)


def _line_of_key(start: int, found: Match) -> Span:
    return Span(start + found.span(1)[0], start + found.span(1)[1], "private_key")


def _open_body(data: bytes, start: int) -> Iterator[Span]:
    end = min(len(data), start + MAX_KEY)
    run = OPEN_RUN.match(data, start, end)
    line_end = data.find(b"\n", start)
    if run is not None and (line_end < 0 or run.span()[1] <= line_end):
        yield Span(*run.span(), "private_key")
        return
    for first, last in list(_lines(data, start, end))[1:]:
        found = KEY_LINE.fullmatch(data[first:last])
        if found is None:
            return
        yield _line_of_key(first, found)


def _key_ends(data: bytes) -> Iterator[Span]:
    """Find the lines above the end of a key whose start is missing."""
    for found in END_OF_KEY.finditer(data):
        above = data.rfind(b"\n", 0, found.span()[0])
        lines = list(_lines(data, max(0, above - MAX_KEY), max(0, above)))
        for first, last in reversed(lines):
            line = KEY_LINE.fullmatch(data[first:last])
            if line is None:
                break
            yield _line_of_key(first, line)


def _lines(data: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Return where each line between the two begins and ends."""
    while start <= end:
        line_end = data.find(b"\n", start, end)
        if line_end < 0:
            yield start, end
            return
        yield start, line_end
        start = line_end + 1


def _encoded_lines(data: bytes) -> Iterator[Span]:
    """Find lines of a key without its marks, but not of certificates, pictures or longer data."""
    group: list[Span] = []
    end = -1
    for found in ENCODED_LINE.finditer(data):
        start, stop = found.span()
        if start > end + 1:
            yield from _believed(data, group)
            group = []
        group.append(Span(*found.span(1), "encoded_data"))
        end = stop
    yield from _believed(data, group)


def _believed(data: bytes, group: list[Span]) -> list[Span]:
    if not group or len(group) > MAX_KEY_LINES:
        return []
    first = group[0].start
    line = data.rfind(b"\n", 0, first) + 1
    above = data[data.rfind(b"\n", 0, max(0, line - 1)) + 1 : first]
    if PUBLIC.search(above) or PICTURE.match(data, first):
        return []
    return [span for span in group if _is_encoded(data[span.start : span.end])]


def _is_encoded(value: bytes) -> bool:
    """Return whether a long run of letters and digits is base64; hexadecimal has letters of one case."""
    text = value.decode("ascii")
    counts = [sum(map(kind, text)) for kind in (str.isupper, str.islower, str.isdigit)]
    return min(counts[:2]) >= MIN_LETTERS and counts[2] >= MIN_DIGITS


def _putty(data: bytes) -> Iterator[Span]:
    for found in PUTTY.finditer(data):
        lines = list(_lines(data, found.span()[1] + 1, min(len(data), found.span()[1] + MAX_KEY)))
        yield from (Span(*line, "private_key") for line in lines[: int(found.group(1))])
    yield from (Span(*found.span(1), "private_key") for found in PUTTY_CODE.finditer(data))


def _kubernetes(data: bytes) -> Iterator[Span]:
    if not KUBERNETES.search(data):
        return
    cuts = [0, *(found.span()[0] for found in DOCUMENT.finditer(data)), len(data)]
    for start, end in pairwise(cuts):
        if KUBERNETES.search(data, start, end):
            for found in DATA.finditer(data, start, end):
                yield from _entries(data, found.span()[1] + 1, end, len(found.group(1)))


def _entries(data: bytes, start: int, end: int, indent: int) -> Iterator[Span]:
    for first, last in _lines(data, start, end):
        line = data[first:last]
        if line.strip() and len(line) - len(line.lstrip(b" ")) <= indent:
            return
        entry = ENTRY.fullmatch(line.rstrip())
        begins, ends = entry.span(3) if entry else (len(line) - len(line.lstrip()), len(line.rstrip()))
        value = line[begins:ends] if begins >= 0 else b""
        if value and not value.startswith((b"|", b">", b"{{", b"#", b'""', b"''")):
            in_quotes = int(len(value) > 1 and value[:1] in (b'"', b"'") and value[-1:] == value[:1])
            yield Span(first + begins + in_quotes, first + ends - in_quotes, "secret")
