"""Find secrets by their shape, with the scanner rules in shapes.json."""

import json
from collections.abc import Container, Iterator, Sequence
from importlib.resources import files
from typing import Any, NamedTuple

from affidavit.redaction.linear import PatternSet, linear, once
from affidavit.redaction.placeholders import is_login
from affidavit.redaction.spans import Span
from affidavit.redaction.values import is_named

LOOSE = linear(
    r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}"
    r"|\b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b"
    r"|\b(?:gh[pousr]_\w{30,255}|github_pat_\w{22,255})"
    r"|\bgl(?:pat|ptt|dt|rt|cbt|soat|ft|imt|agent|oas)-[\w.-]{16,}"
    r"|\bxox[a-z]-[A-Za-z0-9-]{10,}|\bxapp-\d-[\w-]{20,}"
    r"|\bAIza[\w-]{30,40}"
    r"|\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"
    r"|\bnpm_[A-Za-z0-9]{30,}"
    r"|\bpypi-AgE[\w-]{40,}"
    r"|\bhf_[A-Za-z0-9]{30,}"
    r"|\bSG\.[\w-]{16,}\.[\w-]{16,}"
    r"|\bdo[opr]_v1_[0-9a-f]{40,}"
    r"|\bsk-ant-[\w-]{20,}|\bsk-proj-[\w-]{20,}"
    r"|\bdiscord(?:app)?\.com/api/webhooks/\d{15,22}/[\w-]{40,100}"
    r"|\bhooks\.slack\.com/(?:services|workflows|triggers)/[\w/+-]{20,}"
    r"|\bya29\.[\w-]{20,}|\bGOCSPX-[\w-]{20,}"
)
"""Well-known tokens, a little longer or shorter than in the rules."""


ADDRESSES = (
    "generic-credential-uri",
    "mongodb-connection-string",
    "bitbucketcredentials",
    "codecatalystcredentials",
    "codecommitcredentials",
)


LONG_WORDS = (
    "alibaba-secret-key",
    "alibaba-sts-access-key-secret",
    "aws-secret-access-key",
    "aws-session-token",
    "box-api-access-token",
    "lichess-personal-access-token",
)
"""Rules whose matches may be long names."""


MAX_HOST = 100


class _Shape(NamedTuple):
    name: str
    groups: tuple[int, ...]


@once
def _listed() -> dict[str, Any]:
    listed: dict[str, Any] = json.loads(files("affidavit.redaction").joinpath("shapes.json").read_text())
    return listed


@once
def _table() -> tuple[tuple[_Shape, ...], PatternSet]:
    rows = _listed()["shapes"]
    shapes = tuple(_Shape(name, tuple(groups)) for name, _, groups, _ in rows)
    return shapes, PatternSet([(pattern, words) for _, pattern, _, words in rows])


def scanner() -> str:
    """Return the name and version of the scanner whose rules the table has."""
    return str(_listed()["made_from"])


def has_shape(data: bytes, names: Container[str]) -> bool:
    """Return whether one of these rules matches a text; like for the scanner, `\\v` is white space."""
    data = data.replace(b"\v", b" ")
    shapes, patterns = _table()
    return any(shapes[at].name in names and found.search(data) for at, found in patterns.possible(data))


def _is_believed(name: str, data: bytes, start: int, end: int) -> bool:
    """Return whether the password of an address, or a long word, is a secret."""
    if name not in LONG_WORDS and name not in ADDRESSES:
        return True
    value = data[start:end].decode("utf-8", "replace")
    if name in LONG_WORDS:
        return not is_named(value)
    return is_login(value, data[end : end + MAX_HOST].decode("utf-8", "replace"))


def named_shapes(data: bytes) -> Iterator[tuple[str, int, int]]:
    """Find secrets by the table: the name of the rule, start and end."""
    shapes, patterns = _table()
    for number, pattern in patterns.possible(data):
        for found in pattern.finditer(data):
            for group in shapes[number].groups:
                start, end = found.span(group)
                if start < end and _is_believed(shapes[number].name, data, start, end):
                    yield shapes[number].name, start, end


def find_shapes(data: bytes, left_out: Sequence[str] = ()) -> Iterator[Span]:
    """Find secrets by their shape, without the rules in `left_out`; spans may overlap."""
    for name, start, end in named_shapes(data):
        if name not in left_out:
            yield Span(start, end, "password" if name in ADDRESSES else "token")
    yield from (Span(*found.span(), "token") for found in LOOSE.finditer(data))
