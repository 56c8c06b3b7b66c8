"""Read the value at the place of a secret, with the address or block around it, and judge it."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from affidavit.analysers.engine.analyser import as_line
from affidavit.analysers.engine.encoding import as_utf8
from affidavit.analysers.kingfisher_rules import CONNECTIONS, ON, TOKENS, identifier_of, name_of
from affidavit.git.tree import own_content
from affidavit.ports import Tree
from affidavit.records.evidence import IN_NAME, AnalyserDiagnostic
from affidavit.redaction.joining import join_parts
from affidavit.redaction.placeholders import why_no_key, why_no_login, why_no_token
from affidavit.redaction.shapes import named_shapes

TOKEN = re.compile(r"[^\s\"'`<>(),;\\]+")
ADDRESS = re.compile(
    r"\w[\w+.-]*://(?P<user>[^\s:/@\"'<>]*):(?P<password>[^\s\"'`<>]*?)@(?P<host>[^\s/?#\"'`<>,;)@]*)"
)
DATABASE = re.compile(
    r"jdbc:[\w:]*//(?P<host>[^\s/?;:]*)[^\s\"<>]*?[?&;](?:password|pwd)=(?P<password>[^\s\"'&;<>]*)",
    re.IGNORECASE,
)
CONNECTION = re.compile(
    r"\b(?:server|data source|host|addr|address)\s?=\s?(?:tcp:)?(?P<host>[^;\"'<>,\\]{0,200})"
    r"(?:[,\\][^;\"'<>]{0,200})?;(?:[^;\"'<>]{0,200};){0,21}?"
    r"\s?(?:password|pwd)\s?=\s?(?P<password>[^\s;\"'<>]{0,200})",
    re.IGNORECASE,
)
"""As ADO.NET, ODBC and others have it: `Server=…;User Id=…;Password=…`."""
USER = re.compile(r"[?&;]\s?(?:user(?:\s?name|\s?id)?|uid)\s?=\s?([^\s\"'&;<>]*)", re.IGNORECASE)
BLOCK_END = re.compile(r"-----END[ A-Z]*PRIVATE KEY|^\s*\}", re.MULTILINE)
IN_PARTS = frozenset(map(name_of, TOKENS))
ON_ORDER = {rule: number for number, rule in enumerate(ON)}
MAX_TOKEN = 2_000
MAX_LINES = 200
"""As long as the longest key."""


@dataclass(frozen=True)
class Place:
    """The line of a secret, the column where it starts, and the lines below."""

    line: str
    column: int
    below: tuple[str, ...]

    @property
    def token(self) -> str:
        """Return the value up to the next white space."""
        found = TOKEN.match(self.line, self.column)
        return found[0] if found else ""

    @property
    def text(self) -> str:
        """Return the text from the start of the secret."""
        return "\n".join((self.line[self.column :], *self.below))

    @property
    def block(self) -> str:
        """Return the text of a key up to its end, or of an object up to its bracket."""
        return BLOCK_END.split(self.text, maxsplit=1)[0]

    @property
    def login(self) -> tuple[str, str, str] | None:
        """Return user, password and host of the address around the place."""
        for pattern in (ADDRESS, DATABASE, CONNECTION):
            for found in pattern.finditer(self.line):
                if found.start() <= self.column <= found.end():
                    user = found.groupdict().get("user")
                    named = USER.search(found[0]) if user is None else None
                    # The bracket ends a default: `${DB:-Server=a;Password=b}`.
                    password = found["password"].removesuffix("}")
                    return _last_login(user or (named[1] if named else ""), password, found["host"])
        return None


def _last_login(user: str, password: str, host: str) -> tuple[str, str, str]:
    """Return the login of the last host of an address (`one:5432,user:password@two`)."""
    before, comma, last = password.rpartition(",")
    if comma and before.isdigit() and ":" in last:
        user, _, password = last.partition(":")
    return user, password, host


class SplitToken(NamedTuple):
    """A token that is written in parts: its rule, its place, and the text from its start, put together."""

    name: str
    line: int
    column: int
    end_line: int
    text: str


@lru_cache(maxsize=4)
def split_tokens(data: bytes) -> list[SplitToken]:
    """Find the tokens of a file that are written in parts, as redaction puts them together."""
    joined = join_parts(data)
    if joined is None:
        return []
    shapes = {one for one in named_shapes(joined.text) if one[0] in IN_PARTS and joined.is_split(*one[1:])}
    found: list[SplitToken] = []
    reported = 0
    for name, first, last in sorted(shapes, key=lambda one: (one[1], ON_ORDER.get(identifier_of(one[0]), 0))):
        if first >= reported:
            reported = last
            start, end = joined.place(first), joined.place(last - 1)
            line, end_line = (data.count(b"\n", 0, at) + 1 for at in (start, end))
            text = joined.text[first : first + MAX_TOKEN].partition(b"\n")[0].decode("utf-8", "replace")
            found.append(SplitToken(name, line, start - data.rfind(b"\n", 0, start), end_line, text))
    return found


def named_part(diagnostic: AnalyserDiagnostic) -> str:
    """Return the path up to the folder or file whose name holds the secret."""
    name = as_line(diagnostic.path)
    end = name.find(b"/", (diagnostic.column or 1) - 1)
    return diagnostic.path if end < 0 else diagnostic.path[: len(name[:end].decode())]


def place_of(diagnostic: AnalyserDiagnostic, tree: Tree) -> Place | None:
    """Return the place of a diagnostic, which counts bytes; None if the file is gone."""
    content = own_content(tree, diagnostic.path)
    if content is None:
        return None
    text = as_utf8(diagnostic.path, content)
    line, column = diagnostic.line, diagnostic.column or 1
    if diagnostic.end_line is not None:
        tokens = split_tokens(text.decode("utf-8", "replace").encode())
        return next((Place(one.text, 0, ()) for one in tokens if one[1:3] == (line, column)), None)
    is_name = line == IN_NAME
    rows = [as_line(named_part(diagnostic))] if is_name else text.split(b"\n")[line - 1 : line + MAX_LINES]
    if not rows:
        return None
    row, *below = (one.decode("utf-8", "replace") for one in rows)
    return Place(row, len(rows[0][: column - 1].decode("utf-8", "replace")), tuple(below))


FOR_BROWSERS = re.compile(r"authDomain|messagingSenderId|measurementId|firebase|appspot\.com", re.IGNORECASE)
PRIVATE_KEYS = ("private-key", "commented-private-key")
BROWSER_KEYS = ("gcp-api-key", "google-key-in-address")
_IN_ADDRESSES = frozenset(map(name_of, CONNECTIONS))


def why_no_secret(name: str, place: Place) -> str | None:
    """Return why a value is not a secret; None if it may be one."""
    login = place.login if name in _IN_ADDRESSES else None
    if login is not None:
        return why_no_login(*login)
    if name in PRIVATE_KEYS:
        return why_no_key(place.text)
    if name in BROWSER_KEYS and any(map(FOR_BROWSERS.search, (place.line, *place.below[:12]))):
        return "the key is meant for browsers, where everybody sees it"
    return why_no_token(place.token)
