"""Find secrets by their form: addresses, headers, options, settings of programs."""

import base64
import binascii
import string
from collections.abc import Callable, Iterator
from typing import NamedTuple

from affidavit.redaction.linear import Match, PatternSet, linear, once
from affidavit.redaction.names import NAME, WORDS, is_secret_name
from affidavit.redaction.placeholders import is_login
from affidavit.redaction.spans import Span
from affidavit.redaction.values import entropy, is_chosen, is_password, is_random

ENCODED = linear(r"[A-Za-z0-9+/_-]{24,}={0,2}")
MAX_ENCODED = 200_000
PROBE = 24
PRINTABLE = frozenset(string.printable.encode())


def encoded_texts(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Find runs of base64 that encode text, with that text."""
    for found in ENCODED.finditer(data):
        start, end = found.span()
        if end - start <= MAX_ENCODED and _is_text(decode_base64(data[start : start + PROBE])):
            yield start, end, decode_base64(data[start:end])


def _is_text(probe: bytes) -> bool:
    return len(probe) >= 16 and PRINTABLE.issuperset(probe)


def decode_base64(run: bytes) -> bytes:
    """Decode base64 of either alphabet; empty if it is not base64."""
    plain = run.rstrip(b"=").replace(b"-", b"+").replace(b"_", b"/")
    plain = plain[: len(plain) - (len(plain) % 4 == 1)]
    try:
        return base64.b64decode(plain + b"=" * (-len(plain) % 4))
    except binascii.Error:
        return b""


def with_decoded(data: bytes) -> Iterator[bytes]:
    """Yield a text, and what it has in base64 at any depth, if that is ASCII."""
    while data:
        yield data
        decoded = (decode_base64(found.group()) for found in ENCODED.finditer(data))
        data = b"\n".join(text for text in decoded if text.isascii())


IN_SHELL = (
    r"(?:^|[\s\"'\x60;&|(])(?:--?[a-z_-]{0,30}(?i:pass(?:word|wd|phrase)?|secret|token"
    r"|(?:api|access|secret|private|auth|account)[_-]?key)[= ]|"
    r"[A-Z0-9_]{0,40}(?:PASS(?:WORD|WD|PHRASE)?|PWD|SECRET|TOKEN|KEY|CREDENTIALS?)[A-Z0-9_]{0,20}=)"
    r"[\"']?([^\s\"'\x60(){}<>,;|&$]{6,500})"
)
"""An option or a variable of a command, whatever follows."""
IN_ADDRESS = r"://[^\s:/@\"'<>\x60]{0,100}:([^\s/@\"'<>\x60\[\]]{3,200})@[\w.\[{$-]"
MAX_HOST = 100
IN_QUERY = (
    r"(?i)[?&;][\w.-]{0,30}(?:password|passwd|pwd|secret|token|key|sig|signature|code|auth)="
    r"([^\s&\"'\x60<>;]{8,1000})"
)
IN_CONNECTION = (
    r"(?i)(?:\b|;)(?:password|pwd|accountkey|sharedaccesskey|accesskey|sharedaccesssignature|secret)\s{0,3}=\s{0,3}"
    r"([^\s\"'\x60;<>&]{4,500})(?:[;\"'\x60]|\s|$)"
)
IN_HEADER = (
    r"(?i)\b(?:(?:proxy-)?authorization[\"'\x60]?\s{0,4}[:=,]\s{0,4}[rbf]?[\"'\x60]?(?:(?:bearer|basic|token|digest|apikey|aws)\s{1,4})?"
    r"|(?:bearer|basic)\s{1,4}|x-[\w-]{0,30}(?:key|token|secret|auth)[\"'\x60]?\s{0,4}[:=,]\s{0,4}[\"'\x60]?)"
    r"([\w.~+/=:-]{8,})"
)
IN_BASIC = r"(?i)\bbasic\s{1,4}([a-z0-9+/]{8,}={0,2})"
IN_NETRC = (
    r"(?i)\b(?:machine\s{1,9}\S{1,200}|default)\s{1,9}login\s{1,9}\S{1,200}\s{1,9}password\s{1,9}"
    r"([^\s\"'\\]{1,500})"
)
IN_NPMRC = r"(?i)(?:^|[\s:/])_(?:authToken|auth|password)\s{0,4}=\s{0,4}[\"']?([^\s\"']{6,1000})"
IN_SQL = (
    r"(?i)\b(?:identified\s{1,4}(?:with\s{1,4}\S{1,40}\s{1,4})?by|password)\s{1,4}(?:password\s{1,4})?"
    r"'([^'\n]{3,500})'"
)
IN_MARKUP = rf"(?i)<(?:[\w.-]{{1,20}}:)?{NAME}(?:\s[^<>]{{0,200}})?>\s{{0,40}}([^<>\s]{{4,1000}})\s{{0,40}}</"
IN_ATTRIBUTES = (
    rf"(?i)(?:key|name|id)\s{{0,3}}=\s{{0,3}}[\"']{NAME}[\"']\s{{1,40}}"
    r"value\s{0,3}=\s{0,3}[\"']([^\"'\n]{4,1000})[\"']"
)
IN_DEFAULT = rf"(?i)\$\{{{NAME}:-?([^}}\s\"']{{4,500}})\}}"
IN_PROSE = (
    r"(?i)\b(?:password|passwd|passphrase|secret|token)\s{0,3}(?:is|was|:|=)\s{0,3}"
    r"([^\s\"'\x60<>(){},;]{8,200})"
)
IN_CURL = r"\s(?:-u|--user|--proxy-user|-U)[ =]{0,3}[\"']?[^\s:\"']{1,100}:([^\s\"'\x60]{3,300})"

_VALUE = r"([^\s\"'\x60<>(){}\[\],;]{6,500})"
IN_PAIR = (
    rf"(?i)\b(?:name|key|id|parameterkey)[\"']?\s{{0,3}}(?:[:=]|=>)\s{{0,3}}[\"']?{NAME}[\"']?[\s,]{{1,80}}"
    rf"[\"']?\w{{0,20}}value[\"']?\s{{0,3}}(?:[:=]|=>)\s{{0,3}}[\"']?{_VALUE}"
)
"""Two fields of one object: its name and its value."""
IN_YAML = (
    rf"(?im)^[ \t+-]{{0,80}}[\"']?{NAME}[\"']?[ \t]{{0,4}}:[ \t]{{1,4}}"
    rf"(?:[|>][+-]?\d?[ \t]{{0,4}}\r?\n[ \t]{{1,60}}"
    rf"|&\w{{1,40}}[ \t]{{1,4}}|!!?\w{{1,40}}[ \t]{{1,4}})[\"']?{_VALUE}"
)
"""A block, an anchor or a tag between the name and the value."""
IN_NAMED_ELEMENT = (
    rf"(?i)<[\w.-]{{1,40}}\s[^<>]{{0,80}}(?:key|name|id)\s{{0,3}}=\s{{0,3}}[\"']{NAME}[\"'][^<>]{{0,80}}>"
    r"\s{0,40}(?:<value>|<!\[CDATA\[)?([^<>\s\]]{4,500})"
)
IN_CDATA = rf"(?i)<{NAME}>\s{{0,40}}<!\[CDATA\[([^<>\s\]]{{4,500}})\]\]>"
IN_DEFINE = (
    r"(?i)(?:#\s{0,8}define\s{1,8}"
    rf"|\b(?:char|str|const)\s[^\n=;]{{0,60}}|\blet\s{{1,8}}){NAME}"
    r"(?:\[\d{0,5}\])?(?:\s{0,4}:\s{0,4}&?(?:'\w{1,20}\s{1,4})?\w{1,20})?[ \t]{1,20}(?:=[ \t]{0,20})?"
    r"(?:r#{0,3})?[\"']([^\s\"']{6,500})[\"']"
)
"""C, Rust: a name and a text with nothing between, or with a length or a lifetime."""
IN_GRADLE = rf"(?im)^[+-]?[ \t]{{0,40}}{NAME}[ \t]{{1,20}}[\"']([^\s\"']{{6,500}})[\"']"
"""A line of a name and a text, and nothing between."""

IN_PGPASS = r"(?m)^[+ -]?[\w.*-]{1,100}:(?:\d{2,5}|\*):[\w.*-]{1,60}:[\w.*@-]{1,60}:([^\s:]{4,200})\r?$"
IN_WALLET = r"(?i)private_?key[\"']?\s{0,3}[:=]\s{0,3}[\"']?0x([0-9a-f]{64})\b"


def find_forms(data: bytes) -> Iterator[Span]:
    """Find the secrets of all forms; spans may overlap."""
    for number, pattern in _patterns().possible(data):
        way = WAYS[number]
        for found in pattern.finditer(data):
            start, end = found.span(way.group)
            # The bracket ends a default: `${DB:-Server=a;Password=b}`.
            if data[end - 1 : end] == b"}" and b"{" not in data[start:end]:
                end -= 1
            if _has_secret_name(way, found) and _is_believed(way, data, start, end):
                yield Span(start, end, way.kind)


@once
def _patterns() -> PatternSet:
    return PatternSet([(way.pattern, way.words.split()) for way in WAYS])


def _is_believed(way: "_Way", data: bytes, start: int, end: int) -> bool:
    value = data[start:end].decode("utf-8", "replace")
    if way.is_secret is not None:
        return way.is_secret(value)
    return is_login(value, data[end : end + MAX_HOST].decode("utf-8", "replace"))


class _Way(NamedTuple):
    """One form of a secret: its pattern, and how to tell it from other values."""

    pattern: str
    words: str
    """In lower case, one of them is in every text that the pattern matches."""
    is_secret: Callable[[str], bool] | None
    """None: the password of an address, of which its host decides."""
    kind: str = "secret"
    group: int = 1
    name: int = 0
    """The group of the name; 0 where the pattern says enough."""


def _has_secret_name(way: _Way, found: Match) -> bool:
    return way.name == 0 or is_secret_name(found.group(way.name).decode("utf-8", "replace"))


def _is_basic(value: str) -> bool:
    """Return whether a value encodes a name and a password for HTTP."""
    is_word = value.isalpha() and value[1:].islower()
    return not is_word and b":" in decode_base64(value.encode())


def _is_mixed(value: str) -> bool:
    """Return whether a value in prose or code has digits and signs, so that it is not a word or name."""
    has_both = any(map(str.isdigit, value)) and any(sign in value for sign in "!@#$%^&*~")
    return has_both and is_password(value) and entropy(value) >= 2.5


WAYS = (
    _Way(IN_ADDRESS, "://", None, "password"),
    _Way(IN_SHELL, "pass pwd secret token key credential", is_chosen),
    _Way(IN_QUERY, "pass pwd secret token key sig code auth", is_random),
    _Way(IN_CONNECTION, "pass pwd key secret signature", is_chosen, "password"),
    _Way(IN_HEADER, "auth earer asic key token secret", is_random, "token"),
    _Way(IN_BASIC, "basic", _is_basic, "password"),
    _Way(IN_NETRC, "login", lambda value: not value.startswith(("$", "<")), "password"),
    _Way(IN_NPMRC, "auth pass", is_chosen, "token"),
    _Way(IN_SQL, "identified password", is_chosen, "password"),
    _Way(IN_MARKUP, WORDS, is_chosen, group=2, name=1),
    _Way(IN_ATTRIBUTES, "value", is_chosen, group=2, name=1),
    _Way(IN_DEFAULT, "${", is_chosen, group=2, name=1),
    _Way(IN_PROSE, "pass secret token", _is_mixed),
    _Way(IN_CURL, "-", is_chosen, "password"),
    _Way(IN_PAIR, "value", is_chosen, group=2, name=1),
    _Way(IN_YAML, WORDS, is_chosen, group=2, name=1),
    _Way(IN_NAMED_ELEMENT, WORDS, is_chosen, group=2, name=1),
    _Way(IN_CDATA, "<![cdata[", is_chosen, group=2, name=1),
    _Way(IN_DEFINE, WORDS, is_chosen, group=2, name=1),
    _Way(IN_GRADLE, WORDS, is_chosen, group=2, name=1),
    _Way(IN_PGPASS, ":", is_chosen, "password"),
    _Way(IN_WALLET, "private", lambda _value: True, "private_key"),
)
