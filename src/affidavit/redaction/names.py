"""Recognise names of secrets, and find them in a text."""

from collections.abc import Iterator
from string import ascii_letters, digits

from affidavit.redaction.linear import linear

WORD = (
    r"(?:pass[_-]?words?|passwd|pass[_-]?phrase|pass[_-]?code|pwd|secrets?|tokens?|credentials?|authorization"
    r"|(?:api|app|access|private|auth|encrypt(?:ion)?|signing|shared|account|master|storage|license|client|service"
    r"|consumer|subscription|functions?|host|deploy|admin|webhook|hmac|aes|jwt|ssh|rsa)[_-]?keys?|key[_-]?base"
    r"|[_-]salt|jwt|webhook(?:[_-]?url)?|mnemonic|seed[_-]?phrase|passwort|kennwort|mot[_-]?de[_-]?passe"
    r"|contrase(?:n|ñ)a|\bsenha|\bpsk|bind_?pw|root_?pw|requirepass|masterauth)"
)
NAME = rf"([\w.$-]{{0,60}}?(?:{WORD}[\w.$-]{{0,40}}|pass|_auth))"
"""For a pattern that ignores case; the name is its group."""
WORDS = (
    "pass pw secret token credential auth key salt jwt webhook mnemonic phrase kennwort contrase senha psk"
)
"""Every name of a secret has one of these in it."""
MAX_NAME = 60
_LETTERS = frozenset(f"{ascii_letters}{digits}_.$-".encode())
_NAMED = linear(rf"(?i){WORD}|(?:pass|_auth)(?:[^\w]|$)")
_HAS_WORD = linear(rf"(?i){WORD}|pass$|_auth$")
_LAST_PASS = linear(r"(?i:(?:^|[_.$-])pass$)|[a-z0-9]Pass$|^[A-Z0-9_]*PASS$")
_NO_SECRET = linear(
    r"(?i)hash|digest|checksum|sha\d|integrity|public|fingerprint|ur[il]s?$|endpoint|tokeni[sz]"
    r"|(?:field|name|id|type|len|length|path|file|filename|folder|dir|regex|regexp|pattern|policy|label|hint|error|exception"
    r"|message|msg|title|text|prompt|algo|algorithm|expir\w*|ttl|count|limit|index|min|max|reset|class|format|header"
    r"|scheme|schema|column|table|input|env|var|prefix|suffix|provider|service|handler|selector|version|lifetime"
    r"|duration|timeout|age|at|date|kind|size|usage|role|scope|status|state|source|method|placeholder|description"
    r"|help|tooltip|link|icon|alias|arn|ref|reference|lookup|rotation|style|color|width|test|match|re)s?$"
)
_PASSWORD = linear(
    r"(?i)pass[_-]?words?|passwd|pass[_-]?phrase|pass[_-]?code|pwd|pass$|secret|passwort|kennwort|passe$|contrase"
    r"|senha|psk|pw$|masterauth"
)


def may_have_name(data: bytes) -> bool:
    """Return whether a text has a word of a secret's name."""
    lowered = data.lower()
    return any(word in lowered for word in WORDS.encode().split())


def name_places(data: bytes) -> Iterator[int]:
    """Return where a name begins that has the word of a secret in it; each name once."""
    end = 0
    for word in _NAMED.finditer(data):
        start, stop = word.span()
        if start < end:
            continue
        first = max(end, start - MAX_NAME)
        while start > first and data[start - 1] in _LETTERS:
            start -= 1
        yield start
        last = min(len(data), start + 2 * MAX_NAME)
        while stop < last and data[stop] in _LETTERS:
            stop += 1
        end = stop


def is_secret_name(name: str) -> bool:
    """Return whether what has this name is a secret, and not something about one."""
    if name.lower().endswith("pass") and not _LAST_PASS.search(name.encode()):
        return False
    return _NO_SECRET.search(name.encode()) is None


def is_password_name(name: str) -> bool:
    """Return whether people choose what has this name, so that it may be made of words."""
    return _PASSWORD.search(name.encode()) is not None


def has_secret_word(name: str) -> bool:
    """Return whether a part of a name says that it is a secret."""
    return _HAS_WORD.search(name.encode()) is not None
