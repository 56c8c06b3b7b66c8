"""Take secrets out of text before it leaves: each becomes a marker such as `[redacted:jwt]`."""

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from pydantic import BaseModel

from affidavit.proof.token_shapes import token_spans

Record = TypeVar("Record", bound=BaseModel)

MARKER = re.compile(r"\[redacted:([a-z-]+)(?::\d+)?\]")
_BEGIN = r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
# A block ends at the next beginning at the latest, so that many beginnings cost no more than one.
_KEY_BLOCK = re.compile(_BEGIN + r"((?:(?!-----BEGIN).){0,20000}?)(?=-----END )", re.DOTALL)
_OPEN_KEY_BLOCK = re.compile(
    _BEGIN + r"[^\n]{0,200}\n((?:[^\n]{0,12}?[A-Za-z0-9+/=]{20,100}[^\w\n]{0,8}(?:\n|\Z))+)"
)
# A hunk or a range of lines may show a part of a key, without its beginning.
_LAST_OF_KEY = re.compile(
    r"(?m)^([^\n]{0,16}?)((?<![A-Za-z0-9/])[A-Za-z0-9+/=]{4,100})"
    r"(?=[^\w\n]{0,8}\n[^\n]{0,16}?-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY)"
)
_ENCODED_LINE = re.compile(
    r"(?m)^([^\n]{0,16}?)((?<![A-Za-z0-9/])(?:[A-Za-z0-9+/]{64}|[A-Za-z0-9+/]{70}|[A-Za-z0-9+/]{76}))"
    r"(?=(?![A-Za-z0-9+/=])(?:\\[rn])*[^\w\n]{0,8}$)"
)
"""A line as long as encoders of keys make it, and nothing beside it but marks."""
_MIN_LETTERS, _MIN_DIGITS = 10, 2
_LAST_RUN = re.compile(r"[A-Za-z0-9+/=]+(?=[^A-Za-z0-9+/=\n]*$)", re.MULTILINE)
_LINE_NUMBER = re.compile(r"[+\-\s]*\d{1,9}\s?[:|]\s*")
_TOKENS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("jwt", re.compile(r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}")),
    ("aws-key", re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b")),
    ("github-token", re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_\w{22,255})\b")),
    ("gitlab-token", re.compile(r"\bglpat-[\w-]{20,}")),
    ("slack-token", re.compile(r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}")),
    ("google-key", re.compile(r"\bAIza[\w-]{35}\b")),
    ("stripe-key", re.compile(r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}\b")),
    ("npm-token", re.compile(r"\bnpm_[A-Za-z0-9]{36}\b")),
    ("pypi-token", re.compile(r"\bpypi-AgE[\w-]{50,}")),
)
_MODEL_KEY = re.compile(r"\bsk-[\w-]{20,}")
_URL_PASSWORD = re.compile(r"(?<=://)([^\s:/@\"'<>]{0,100}:)([^\s/@\"'<>]{3,200})(?=@[\w.\[-])")
_BEARER = re.compile(r"(?i)(\bbearer\s+)([\w.~+/=-]{20,})")
_NAME = (
    r"(?:secret|token|passwd|password|passphrase|pwd|api[_-]?key|access[_-]?key|private[_-]?key|"
    r"auth[_-]?key|encryption[_-]?key|credential)[\w.-]{0,40}"
)
_QUOTED = re.compile(
    rf"(?i)({_NAME}[\"']?\s{{0,5}}(?::=|=>|[:=])\s{{0,5}}[rbf]?[\"'])([^\s\"']{{8,500}})(?=[\"'])"
)
_BARE = re.compile(rf"(?im)({_NAME}(?:=|:[ \t]{{1,5}}))([^\s\"'(){{}}<>,;]{{12,500}})(?=[ \t]{{0,9}}\r?$)")
_BEFORE_BARE = re.compile(r"[^\w\n]*(?:\d+[:|])?[^\w\n]*(?:export\s+)?[\w.-]*")
_MAX_NAME_LENGTH = 80
_NOT_SECRET_NAME = re.compile(
    r"(?i)hash|digest|checksum|sha\d|integrity|public|fingerprint|_url|_uri|endpoint"
)
_PLACEHOLDER = re.compile(
    r"(?i)^(?:\$|\{|<|%|\*+$|x+$|\.+$)|^(?:your|my|the|some|example|changeme|placeholder|dummy|fake|insert)[\W_]"
    r"|^(?:password|secret|token|passwd|pwd|changeme)$|\[redacted"
)
_MIN_ENTROPY = 3.0
"""Bits for each character: words and names lie below, keys above."""


class Redactor:
    """Redacts the texts of one conversation, each of them once."""

    def __init__(self) -> None:
        self._done: dict[str, str] = {}

    def redact(self, text: str) -> str:
        """The text without its secrets; the number of its lines stays."""
        if _holds_nothing(text):
            return text
        if text not in self._done:
            self._done[text] = self.search(text)
        return self._done[text]

    def redact_all(self, value: Any) -> Any:
        """The same for every text inside JSON data."""
        if isinstance(value, str):
            return self.redact(value)
        if isinstance(value, dict):
            return {self.redact_all(key): self.redact_all(each) for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [self.redact_all(each) for each in value]
        return value

    def search(self, text: str) -> str:
        """The same, without remembering the text."""
        text = _KEY_BLOCK.sub(self._key_block, text)
        text = _OPEN_KEY_BLOCK.sub(self._key_block, text)
        text = _LAST_OF_KEY.sub(self._part("private-key", bool), text)
        text = _ENCODED_LINE.sub(self._part("encoded-data", _is_encoded), text)
        for kind, pattern in _TOKENS:
            text = pattern.sub(self._marker(kind), text)
        text = self._tokens(text)
        text = _MODEL_KEY.sub(self._model_key, text)
        text = _URL_PASSWORD.sub(self._part("password", _is_password), text)
        text = _BEARER.sub(self._part("bearer-token", is_random), text)
        text = _QUOTED.sub(self._assignment, text)
        return _BARE.sub(self._bare_assignment, text)

    def _marker(self, kind: str) -> str:
        return f"[redacted:{kind}]"

    def _tokens(self, text: str) -> str:
        """The text without what has the shape of a token."""
        pieces, end = [], 0
        for start, stop in sorted(token_spans(text)):
            if start >= end and not _PLACEHOLDER.search(text[start:stop].lstrip("$")):
                pieces += [text[end:start], self._marker("token")]
                end = stop
        return "".join((*pieces, text[end:]))

    def _key_block(self, match: re.Match[str]) -> str:
        body = match.group(1)
        whole, start, end = match.group(), match.start(1) - match.start(), match.end(1) - match.start()
        if not body.strip() or MARKER.search(body):
            return whole
        marker = self._marker("private-key")
        hidden = _hide_lines(body, marker) if "\n" in body else marker
        return whole[:start] + hidden + whole[end:]

    def _model_key(self, match: re.Match[str]) -> str:
        return self._marker("api-key") if is_random(match.group()[3:]) else match.group()

    def _part(self, kind: str, is_secret: Callable[[str], bool]) -> Callable[[re.Match[str]], str]:
        def replace(match: re.Match[str]) -> str:
            before, value = match.groups()
            return before + self._marker(kind) if is_secret(value) else match.group()

        return replace

    def _assignment(self, match: re.Match[str]) -> str:
        name, value = match.groups()
        before = match.string[max(0, match.start() - _MAX_NAME_LENGTH) : match.start()]
        whole_name = re.split(r"[^\w.-]", before)[-1] + name
        if _NOT_SECRET_NAME.search(whole_name) or not is_random(value):
            return match.group()
        return name + self._marker("secret")

    def _bare_assignment(self, match: re.Match[str]) -> str:
        line_start = match.string.rfind("\n", 0, match.start()) + 1
        before = match.string[max(line_start, match.start() - 2 * _MAX_NAME_LENGTH) : match.start()]
        # Without quotes only a line of its own is an assignment of a value: elsewhere it is code.
        return self._assignment(match) if _BEFORE_BARE.fullmatch(before) else match.group()


def _hide_lines(body: str, marker: str) -> str:
    """The lines of a key without what they hold; a number before its last mark is no part of the key."""
    lines, end = body[: body.rfind("\n") + 1], body[body.rfind("\n") + 1 :]
    is_number = _LINE_NUMBER.fullmatch(end) is not None
    return _LAST_RUN.sub(marker, lines) + (end if is_number else _LAST_RUN.sub(marker, end))


@lru_cache(maxsize=512)
def _holds_nothing(text: str) -> bool:
    """Whether there is no secret in a text that many conversations share."""
    return Redactor().search(text) == text


def is_random(value: str) -> bool:
    """Whether a value looks drawn by lot rather than written by a person."""
    if _PLACEHOLDER.search(value) or not any(each.isalpha() for each in value):
        return False
    has_mixture = sum(each.isdigit() for each in value) >= 2 or any(each in "+/!@#$%^&*~" for each in value)
    return has_mixture and entropy(value) >= _MIN_ENTROPY


def _is_encoded(value: str) -> bool:
    """Whether a long run of letters and digits encodes bytes; hexadecimal has letters of one case only."""
    counts = [sum(map(kind, value)) for kind in (str.isupper, str.islower, str.isdigit)]
    return min(counts[:2]) >= _MIN_LETTERS and counts[2] >= _MIN_DIGITS


def entropy(value: str) -> float:
    """Bits for each character."""
    counts = Counter(value)
    return -sum(count / len(value) * math.log2(count / len(value)) for count in counts.values())


def without_numbers(text: str) -> str:
    """The text with its markers made comparable to those of another conversation."""
    return MARKER.sub(r"[redacted:\1]", text)


def redact_text(text: str) -> str:
    """A text that stands by itself, without its secrets."""
    return _comparable(text)


def redact_content(data: bytes) -> bytes:
    """The content of a whole file without its secrets; its lines keep their numbers."""
    text = data.decode("utf-8", "surrogateescape")
    redacted = without_numbers(Redactor().search(text))
    return data if redacted == text else redacted.encode("utf-8", "surrogateescape")


def redact_record(record: Record) -> Record:
    """A record without the secrets in its texts."""
    return type(record).model_validate(Redactor().redact_all(record.model_dump()))


def redact_lines(lines: Sequence[str]) -> list[str]:
    """The lines of a file as they may be written down; the same whenever the file is the same."""
    return _comparable("\n".join(lines)).split("\n") if lines else []


@lru_cache(maxsize=16)
def _comparable(text: str) -> str:
    """Many findings speak of one file, so what was searched last is kept."""
    return without_numbers(Redactor().search(text))


def _is_password(value: str) -> bool:
    return not _PLACEHOLDER.search(value)
