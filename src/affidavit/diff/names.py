"""Read file names from diff headers: unquote them, and strip prefixes only if both names then agree."""

import re

ABSENT = b"/dev/null"
_PAIRS = ((b"a/", b"b/"), (b"i/", b"w/"), (b"c/", b"i/"), (b"c/", b"w/"), (b"o/", b"w/"), (b"1/", b"2/"))
# A reversed diff (-R) has the prefixes the other way round.
PREFIX_PAIRS = frozenset(_PAIRS) | frozenset((new, old) for old, new in _PAIRS)

_ESCAPES = {
    b"a": b"\a",
    b"b": b"\b",
    b"t": b"\t",
    b"n": b"\n",
    b"v": b"\v",
    b"f": b"\f",
    b"r": b"\r",
    b'"': b'"',
    b"\\": b"\\",
}
_QUOTED = re.compile(rb'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_ESCAPE = re.compile(rb"\\([0-3][0-7]{2}|.)", re.DOTALL)


def unquoted(text: bytes) -> bytes:
    """Return the name in a quoted (C-escaped) or plain header field."""
    if not text.startswith(b'"'):
        return text
    match = _QUOTED.fullmatch(text)
    if match is None:
        raise ValueError("the quoted name has no end")
    return _ESCAPE.sub(_unescaped, match.group(1))


def _unescaped(match: re.Match[bytes]) -> bytes:
    code = match.group(1)
    if len(code) == 3:
        return bytes([int(code, 8)])
    if code not in _ESCAPES:
        raise ValueError(f"the quoted name has an unknown escape \\{code.decode('latin-1')}")
    return _ESCAPES[code]


def label_name(label: bytes) -> tuple[bytes, bytes]:
    """Return the name after `--- ` or `+++ `, and the time stamp that may follow a tab."""
    quoted = _QUOTED.match(label)
    name = quoted[0] if quoted else label.partition(b"\t")[0]
    return unquoted(name), label[len(name) :].removeprefix(b"\t")


def agreed_names(old: bytes, new: bytes) -> tuple[bytes, bytes] | None:
    """Return both names without prefixes, if they have a pair of them and are equal otherwise."""
    if (old[:2], new[:2]) in PREFIX_PAIRS and old[2:] == new[2:]:
        return old[2:], new[2:]
    return None


def header_names(rest: bytes) -> tuple[bytes, bytes, bool] | None:
    """Return old and new name of a `diff --git` line and whether they had prefixes; None if unclear."""
    for old, new in _splits(rest):
        if old == new:
            return old, new, False
        agreed = agreed_names(old, new)
        if agreed:
            return *agreed, True
    return None


def _splits(rest: bytes) -> list[tuple[bytes, bytes]]:
    quoted = _QUOTED.match(rest)
    if quoted and rest[quoted.end() : quoted.end() + 1] == b" ":
        return [(unquoted(quoted.group()), unquoted(rest[quoted.end() + 1 :]))]
    # Names that agree have the same length, so the blank is in the very middle.
    middle = len(rest) // 2
    if len(rest) % 2 == 1 and rest[middle : middle + 1] == b" ":
        return [(rest[:middle], rest[middle + 1 :])]
    return []


def plain_names(old: bytes, new: bytes) -> tuple[bytes | None, bytes | None]:
    """Return the names of a diff without `diff --git` lines; None for a side without the file."""
    if ABSENT in (old, new):
        kept_old = None if old == ABSENT else old.removeprefix(b"a/")
        kept_new = None if new == ABSENT else new.removeprefix(b"b/")
        return kept_old, kept_new
    return agreed_names(old, new) or (old, new)


def belongs(label: bytes, name: bytes) -> bool:
    """Check whether a `---` or `+++` label is this name, with or without a prefix."""
    return label == name or label.endswith(b"/" + name)


def is_acceptable(name: bytes) -> bool:
    """Check whether a git tree can have the name."""
    parts = name.split(b"/")
    return all(part and part not in (b".", b"..") and part.lower() != b".git" for part in parts) and (
        b"\0" not in name and not name.endswith(b"\r")
    )
