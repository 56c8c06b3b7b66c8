"""Find values near words such as `password` that are certainly random."""

import re
from collections.abc import Iterator

from affidavit.redaction.linear import linear
from affidavit.redaction.names import WORD
from affidavit.redaction.spans import Span, merged
from affidavit.redaction.values import is_random

NEAR_WORDS = linear(
    rf"(?i){WORD}|api[ _-]?key|_key\b|credential|basicauth|\bauth\b|[_-]auth|auth[_-]|\blogin\b"
    r"|\bcookie|\bsession|\bhmac|createhmac|fernet|cipher|encrypt|decrypt|getconnection|\bpdo\b|mysqli|\bsnmp-server\b|\bpass\b|passin|getpass"
    r"|securestring|assword\b|\bsalt\b"
    r"|\b(?:mysql|mysqldump|mysqladmin|psql|sqlplus|mongo|mongosh|redis-cli|sshpass|smbclient|lftp|curl|wget|openssl"
    r"|unzip|7z|gpg|kinit|sudo|chpasswd|htpasswd|ldapsearch|ldapadd|useradd|keytool|twine|cryptsetup|restic)\s"
    r"|net (?:use|rpc)|(?:docker|az|vault|gh auth) login|dockerconfigjson|sp_addlogin|git clone|submodule"
)
"""Words, calls and commands near secrets."""
VALUE = linear(r"[A-Za-z0-9_+/~-]{12,500}={0,2}")
MIN_LENGTH = 12
RUNS = re.compile(r"[a-z]+|[A-Z]+|[0-9]+")
NO_SECRET = re.compile(r"[0-9A-Fa-f-]+$|GHSA-|AAAA[BCEI]|sha\d|\d+[A-Za-z]+$")
"""Digests, identifiers, public keys and names of advisories look random, too."""
MAX_RUN, MAX_RUN_IN_QUOTES = 2.6, 2.0
"""Average length of runs of one case or of digits; names have longer runs."""
LONGEST_IN_QUOTES = 4
MIN_IN_QUOTES = 16
QUOTES = frozenset(b"\"'`")
MAX_BEFORE, MAX_BEHIND = 300, 400
LINES_BEHIND = 3


def find_nearby(data: bytes) -> Iterator[Span]:
    """Find random values on the line of such a word, the one before it and the two after it."""
    for start, end in merged(_around(data, *found.span()) for found in NEAR_WORDS.finditer(data)):
        for found in VALUE.finditer(data, start, end):
            first, last = found.span()
            value = data[first:last].decode("ascii").lstrip("-/+")
            is_text = (
                first > 0 and data[first - 1] in QUOTES and data[last : last + 1] == data[first - 1 : first]
            )
            if is_certainly_random(value, is_text=is_text) and data[last : last + 1] != b"(":
                yield Span(last - len(value), last, "secret")


def is_certainly_random(value: str, *, is_text: bool = False) -> bool:
    """Return whether a value is random; only a quoted one may have all its digits in one place."""
    if len(value) < MIN_LENGTH or NO_SECRET.match(value):
        return False
    runs = RUNS.findall(value)
    kinds = {(run[0].isdigit(), run[0].isupper()) for run in runs}
    if len(kinds) < 3 or len(runs) < 6 or not is_random(value):
        return False
    mean = sum(map(len, runs)) / len(runs)
    if sum(run[0].isdigit() for run in runs) > 1:
        return mean <= MAX_RUN
    is_long = is_text and len(value) >= MIN_IN_QUOTES
    return is_long and mean <= MAX_RUN_IN_QUOTES and max(map(len, runs)) <= LONGEST_IN_QUOTES


def _around(data: bytes, start: int, end: int) -> tuple[int, int]:
    least, most = max(0, start - MAX_BEFORE), min(len(data), end + MAX_BEHIND)
    line = data.rfind(b"\n", least, start)
    first = data.rfind(b"\n", least, max(line, least)) if line >= 0 else -1
    for _ in range(LINES_BEHIND):
        stop = data.find(b"\n", end, most)
        end = most if stop < 0 else stop + 1
    # A value that begins in the window is read to its end, and one that ends there from its start.
    start = max(first, least)
    while start > 0 and data[start - 1 : start].isalnum():
        start -= 1
    while end < len(data) and data[end : end + 1].isalnum():
        end += 1
    return start, end
