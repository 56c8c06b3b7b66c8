"""What stands where a secret was found: its value, and the address or the block around it."""

import re
from dataclasses import dataclass
from functools import lru_cache

from affidavit.analysers.engine.encoding import as_utf8
from affidavit.analysers.reading import as_line
from affidavit.git.tree import own_content
from affidavit.ports import Tree
from affidavit.records.evidence import IN_NAME, AnalyserDiagnostic
from affidavit.redaction.joining import Joined, join_parts

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
BLOCK_END = re.compile(r"-----END|^\s*\}", re.MULTILINE)
MAX_TOKEN = 2_000
MAX_LINES = 200
"""As long as the longest key."""


@dataclass(frozen=True)
class Login:
    """What the address of a service says of who logs in where."""

    user: str
    password: str
    host: str


@dataclass(frozen=True)
class Place:
    """The text from the beginning of a secret on, and the whole line that it begins in."""

    line: str
    column: int
    below: tuple[str, ...]

    @property
    def token(self) -> str:
        """The value, where it has no white space in it."""
        found = TOKEN.match(self.line, self.column)
        return found[0] if found else ""

    @property
    def text(self) -> str:
        """The text from the beginning of the secret on."""
        return "\n".join((self.line[self.column :], *self.below))

    @property
    def block(self) -> str:
        """The text of a key up to its end, or of an object up to its bracket."""
        return BLOCK_END.split(self.text, maxsplit=1)[0]

    @property
    def login(self) -> Login | None:
        """The address that the place lies in."""
        for pattern in (ADDRESS, DATABASE, CONNECTION):
            for found in pattern.finditer(self.line):
                if found.start() <= self.column <= found.end():
                    user = found.groupdict().get("user")
                    named = USER.search(found[0]) if user is None else None
                    return _last_login(user or (named[1] if named else ""), found["password"], found["host"])
        return None


def _last_login(user: str, password: str, host: str) -> Login:
    """Of an address with several hosts (`one:5432,user:password@two`), what stands before the last."""
    before, comma, last = password.rpartition(",")
    if comma and before.isdigit() and ":" in last:
        user, _, password = last.partition(":")
    return Login(user, password, host)


def named_part(diagnostic: AnalyserDiagnostic) -> str:
    """Of a path whose name holds a secret, as much as ends with the folder or file that is named so."""
    end = diagnostic.path.find("/", _start_in_name(diagnostic))
    return diagnostic.path if end < 0 else diagnostic.path[:end]


def _start_in_name(diagnostic: AnalyserDiagnostic) -> int:
    return len(as_line(diagnostic.path)[: (diagnostic.column or 1) - 1].decode("utf-8", "replace"))


def place_of(diagnostic: AnalyserDiagnostic, tree: Tree) -> Place | None:
    """Where a diagnostic stands, by the bytes that the scanner counted; None where the file is gone."""
    content = own_content(tree, diagnostic.path)
    if content is None:
        return None
    if diagnostic.line == IN_NAME:
        return Place(named_part(diagnostic), _start_in_name(diagnostic), ())
    text = as_utf8(diagnostic.path, content)
    lines = text.split(b"\n")
    if not 0 < diagnostic.line <= len(lines):
        return None
    if diagnostic.end_line is not None:
        return _place_in_parts(diagnostic, text.decode("utf-8", "replace").encode())
    row = lines[diagnostic.line - 1]
    before = row[: (diagnostic.column or 1) - 1].decode("utf-8", "replace")
    below = (line.decode("utf-8", "replace") for line in lines[diagnostic.line : diagnostic.line + MAX_LINES])
    return Place(row.decode("utf-8", "replace"), len(before), tuple(below))


@lru_cache(maxsize=4)
def _joined(data: bytes) -> Joined | None:
    """The same file holds every token of it."""
    return join_parts(data)


def _place_in_parts(diagnostic: AnalyserDiagnostic, data: bytes) -> Place | None:
    """The place of a token that is written in parts, in the text that has them together."""
    joined = _joined(data)
    if joined is None:
        return None
    line = sum(len(one) + 1 for one in data.split(b"\n", diagnostic.line - 1)[: diagnostic.line - 1])
    start = joined.place_in_text(line + (diagnostic.column or 1) - 1)
    rest = joined.text[start : start + MAX_TOKEN].partition(b"\n")[0]
    return Place(rest.decode("utf-8", "replace"), 0, ())
