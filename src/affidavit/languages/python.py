"""Python: its files, definitions, imports and tests."""

import re
from bisect import bisect_right

from tree_sitter import Node

from affidavit.languages.grammars import Grammar, NodeFields, matches, node_text
from affidavit.languages.language import Extract, ImportRules, Language, Scoping, SignsOfTests, Statement
from affidavit.languages.python_modules import PythonModules

MAX_LINE_BYTES = 4096
MARKS = (b'"""', b"'''")
BACKSLASH = ord("\\")
SHORT_STRING = re.compile(rb"\"[^\"\\\n]*\"|'[^'\\\n]*'")
QUOTE_OR_COMMENT = re.compile(rb"[\"'#]")
WORD_BYTES = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") | frozenset(
    range(128, 256)
)

_NAME = rb"[A-Za-z_]\w*"
_DOTTED = rb"%s(?:\.%s)*" % (_NAME, _NAME)
_AS = rb"(?:[ \t]+as[ \t]+%s)?" % _NAME
_END = rb"[ \t]*(?:\#[^\n]*)?(?=\r?\n|;|\Z)"
STATEMENT = re.compile(
    rb"[ \t\f]*(?:"
    rb"import[ \t]+(?P<modules>%(dotted)s%(as)s(?:[ \t]*,[ \t]*%(dotted)s%(as)s)*)%(end)s"
    rb"|from(?:[ \t]+|(?=\.))(?P<module>\.*(?:%(dotted)s)?)(?:[ \t]+|(?<=\.))import(?:[ \t]+|(?=[(*]))"
    rb"(?P<names>\*|\([^()]*\)|%(name)s%(as)s(?:[ \t]*,[ \t]*%(name)s%(as)s)*)%(end)s)"
    % {b"dotted": _DOTTED, b"name": _NAME, b"as": _AS, b"end": _END}
)
# Where a statement can begin: at the start of a line, after `:` or `;`, or after its own `from`.
BEFORE_IMPORT = re.compile(rb"(?:^|[:;])[ \t\f]*(?:from\b[^;:]*)?$")
COMMENT = re.compile(rb"#[^\n]*")
TAKEN = re.compile(rb"\s*(%s)(?:\s+as\s+%s)?\s*" % (_NAME, _NAME))


def read_lines(text: bytes) -> list[Statement] | None:
    """Return the imports of a module; None if only a syntax tree can tell."""
    at = text.find(b"import")
    if at < 0:
        return []
    if b"\r" in text and text.count(b"\r") != text.count(b"\r\n"):
        return None
    strings = long_strings(text)
    if strings is None:
        return None
    return _ImportReader(text, strings).statements(at)


class _ImportReader:
    """Reads each place of the word `import`, in order."""

    def __init__(self, text: bytes, strings: list[tuple[int, int]]) -> None:
        self.text = text
        self.starts = [start for start, _ in strings]
        self.ends = [end for _, end in strings]
        self.found: list[Statement] = []
        self.line = 1
        self.counted_to = 0
        self.read_to = 0

    def statements(self, at: int) -> list[Statement] | None:
        while at >= 0:
            if not self._take(at):
                return None
            at = self.text.find(b"import", at + 6)
        return self.found

    def _take(self, at: int) -> bool:
        """Read the statement around the word at a place, if it is one; False where that is unclear."""
        text = self.text
        if at < self.read_to:
            # The word is in a comment or in the list of names of the statement before.
            return True
        if (at + 6 < len(text) and text[at + 6] in WORD_BYTES) or (at and text[at - 1] in WORD_BYTES):
            return True
        if self._is_in_string(at):
            return True
        start = text.rfind(b"\n", max(0, at - MAX_LINE_BYTES), at) + 1
        if start == 0 and at > MAX_LINE_BYTES:
            return False
        is_continued = text[max(0, start - 3) : start].rstrip(b"\r\n").endswith(b"\\")
        match = STATEMENT.match(text, start)
        if match is None or at > match.end():
            prefix = text[start:at]
            is_comment = prefix.lstrip().startswith(b"#")
            return is_comment or not (is_continued or BEFORE_IMPORT.search(prefix))
        return not is_continued and self._add(match, at)

    def _is_in_string(self, at: int) -> bool:
        index = bisect_right(self.starts, at) - 1
        return index >= 0 and at < self.ends[index]

    def _add(self, match: re.Match[bytes], at: int) -> bool:
        self.line += self.text.count(b"\n", self.counted_to, at)
        self.counted_to = at
        self.read_to = match.end()
        modules, module = match["modules"], match["module"]
        if modules is not None:
            for part in modules.split(b","):
                name = part.split(None, 1)[0].decode()
                self.found.append(Statement(self.line, name))
            return True
        names = imported_names(match["names"])
        if names is None or not module:
            return False
        self.found.append(Statement(self.line, module.decode(), names))
        return True


def imported_names(written: bytes) -> tuple[str, ...] | None:
    """Return the names after `import`, with or without parentheses; None if they are not plain."""
    if written == b"*":
        return ("*",)
    inside = written
    if written.startswith(b"("):
        if b"#" in written.rpartition(b"\n")[2]:
            # The parenthesis is in a comment, so the list goes on.
            return None
        inside = COMMENT.sub(b"", written[1:-1]).rstrip().removesuffix(b",")
    taken = [TAKEN.fullmatch(part) for part in inside.split(b",")]
    names = tuple(match[1].decode() for match in taken if match is not None)
    return names if len(names) == len(taken) else None


def long_strings(text: bytes) -> list[tuple[int, int]] | None:
    """Return where triple-quoted strings begin and end; None if quotes and comments are entangled."""
    found: list[tuple[int, int]] = []
    ahead = {mark: text.find(mark) for mark in MARKS}
    while True:
        waiting = [(start, mark) for mark, start in ahead.items() if start >= 0]
        if not waiting:
            return found
        start, mark = min(waiting)
        end = text.find(mark, start + 3)
        if end < 0 or text[end - 1] == BACKSLASH or not _opens_plainly(text, start):
            return None
        found.append((start, end + 3))
        for other, place in ahead.items():
            if 0 <= place < end + 3:
                ahead[other] = text.find(other, end + 3)


def _opens_plainly(text: bytes, start: int) -> bool:
    """Check that no string or comment that begins earlier on the line holds this mark."""
    line = text.rfind(b"\n", max(0, start - MAX_LINE_BYTES), start) + 1
    if line == 0 and start > MAX_LINE_BYTES:
        return False
    prefix = text[line:start]
    if QUOTE_OR_COMMENT.search(prefix) and QUOTE_OR_COMMENT.search(SHORT_STRING.sub(b"", prefix)):
        return False
    return not text[max(0, line - 3) : line].rstrip(b"\r\n").endswith(b"\\")


QUERY = """
(import_statement) @plain
(import_from_statement) @taking
(future_import_statement) @future
"""


def extract_python(grammar: Grammar, root: Node, text: bytes) -> Extract:
    found: list[Statement] = []
    for captured in matches(grammar, QUERY, root):
        for kind, nodes in captured.items():
            for node in nodes:
                found += _plain(node, text) if kind == "plain" else _taking(node, text, kind)
    return Extract(tuple(found))


def _plain(node: Node, text: bytes) -> list[Statement]:
    return [
        Statement(_line(node), name)
        for part in node.children_by_field_name("name")
        if (name := _module(part, text))
    ]


def _taking(node: Node, text: bytes, kind: str) -> list[Statement]:
    module = node.child_by_field_name("module_name")
    name = "__future__" if kind == "future" else _squeezed(node_text(module, text))
    is_star = any(child.type == "wildcard_import" for child in node.named_children)
    taken = [_module(part, text) for part in node.children_by_field_name("name")]
    names = ("*",) if is_star else tuple(name for name in taken if name)
    return [Statement(_line(node), name, names)] if name else []


def _module(node: Node, text: bytes) -> str:
    if node.type == "aliased_import":
        return _squeezed(node_text(node.child_by_field_name("name"), text))
    return _squeezed(node_text(node, text))


def _squeezed(name: str) -> str:
    return "".join(name.replace("\\\n", "").split())


def _line(node: Node) -> int:
    """Return the line of the word `import`, where a search finds it."""
    word = next((child for child in node.children if child.type == "import"), node)
    return word.start_point.row + 1


SYMBOLS = """
(function_definition name: (identifier) @name) @function
(class_definition name: (identifier) @name) @class
(expression_statement (assignment left: (identifier) @name) @constant)
(type_alias_statement left: (type (identifier) @name)) @type
"""

USES = NodeFields(
    members={"attribute": ("attribute", ("object",))},
    calls={"call": ("function",)},
    keys={"keyword_argument": "name", "pair": "key"},
    binds={"type_alias_statement": "left"},
)
GRAMMAR = Grammar("python", "tree_sitter_python", SYMBOLS, uses=USES)
PYTHON = Language(
    name="python",
    endings=("py", "pyi", "pyw"),
    grammars=(GRAMMAR,),
    imports=ImportRules(extract_python, PythonModules, read_lines=read_lines),
    tests=SignsOfTests(
        re.compile(
            rb"^[ \t]*(?:async[ \t]+)?def[ \t]+test|^class[ \t]+\w+\([^)]*Test(?:s|Case\w*)?\b", re.MULTILINE
        ),
        are_named=True,
    ),
    interpreters=("python", "pypy", "uv"),
    folder_stems=("__init__", "__main__"),
    scoping=Scoping(members_need_object=True),
)
