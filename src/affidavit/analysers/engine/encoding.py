"""Convert files to UTF-8, because most analysers reject other encodings."""

import codecs
import re
import tokenize
from collections.abc import Iterable

from affidavit.git.tree import own_content
from affidavit.ports import Tree
from affidavit.records.evidence import Unread

PYTHON = (".py", ".pyi", ".pyw")
ASCII = bytes(range(128))
# The name comes from the change, so only codecs that map characters, in linear time and without states.
_CHARACTER_SETS = re.compile(
    r"utf-8|ascii|iso8859-\d+|cp\d+|koi8-[rtu]|mac-\w+|gbk|gb2312|gb18030|big5\w*|shift_jis\w*|euc_\w+|tis-620"
)
LINE_ENDS = {
    (*PYTHON, ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"): re.compile(rb"\r(?!\n)"),
    (".yml", ".yaml"): re.compile(rb"\r(?!\n)|\xc2\x85|\xe2\x80[\xa8\xa9]"),
}
"""Line ends of a language besides those of git."""
_LINE_END = re.compile(rb"\r\n?|\n")
_NOT_ASCII = re.compile(rb"[\x80-\xff]")
# An analyser that honours the declaration must not decode the converted text again.
_DECLARES = re.compile(rb"coding(?=[:=])")


def as_utf8(path: str, content: bytes) -> bytes:
    """Return the content in UTF-8, line for line; unchanged if the language itself would reject it."""
    if path.lower().endswith(PYTHON):
        return _python_as_utf8(content)
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", "replace").encode()
    if wide := _unmarked_utf16(content):
        return content.decode(wide, "replace").encode()
    # Shells and script engines read a file that is not UTF-8 anyway, so the rest of it counts.
    return content.decode("utf-8", "replace").encode()


def _unmarked_utf16(content: bytes) -> str | None:
    """Return the encoding of a text without a mark in which every second byte is nearly always zero."""
    firsts, seconds = (part.count(0) for part in (content[::2], content[1::2]))
    more, fewer = max(firsts, seconds), min(firsts, seconds)
    if more * 4 < len(content) or fewer * 16 > more:
        return None
    return "utf-16-be" if firsts > seconds else "utf-16-le"


def read_otherwise(tree: Tree, paths: Iterable[str]) -> list[Unread]:
    """List the files in which their language may see other code or lines than git."""
    said = ((path, _why_otherwise(path, own_content(tree, path) or b"")) for path in paths)
    return [Unread(path=path, why="unreadable", detail=why) for path, why in said if why]


def _why_otherwise(path: str, content: bytes) -> str:
    declared = _declared(content) if path.lower().endswith(PYTHON) else "utf-8"
    if not _is_usual(declared):
        return f"it declares the encoding {declared}, in which Python may read other code than readers see"
    also_ends = next((ends for endings, ends in LINE_ENDS.items() if path.lower().endswith(endings)), None)
    if also_ends and also_ends.search(as_utf8(path, content)):
        return "it has line ends that git does not count, such as a carriage return by itself"
    return ""


def _python_as_utf8(content: bytes) -> bytes:
    if not any(b"coding" in line for line in _split_head(content)[:2]):
        return content
    declared = _declared(content)
    if declared.startswith("utf-8") or not _is_usual(declared):
        return content
    try:
        text = content.decode(declared).encode()
    except UnicodeError:
        return content
    *lines, rest = _split_head(text)
    return b"".join([*(_DECLARES.sub(b"xoding", line) for line in lines), rest])


def _split_head(content: bytes) -> list[bytes]:
    """Split the content into its first two lines, where an encoding is declared, and the rest."""
    ends = [found.end() for _, found in zip(range(2), _LINE_END.finditer(content), strict=False)]
    starts = [0, *ends]
    return [content[start:end] for start, end in zip(starts, [*ends, len(content)], strict=True)]


def _declared(content: bytes) -> str:
    """Return the encoding that Python source declares, as Python calls it; unknown ones by their own name."""
    lines = iter(_split_head(content)[:2])
    is_marked = content.startswith(codecs.BOM_UTF8)

    def read_line() -> bytes:
        # Python takes any byte in these lines; a lone carriage return ends a line.
        line = next(lines, b"").removeprefix(codecs.BOM_UTF8)
        return _NOT_ASCII.sub(b"?", _LINE_END.sub(b"\n", line))

    try:
        declared, _ = tokenize.detect_encoding(read_line)
    except SyntaxError as error:
        # A byte order mark beside another declaration, or an encoding that Python does not know.
        return "utf-8" if is_marked else str(error).rpartition(": ")[2]
    return "utf-8" if is_marked else declared


def _is_usual(encoding: str) -> bool:
    """Return whether the encoding keeps ASCII as it is, so that a declaration hides no code."""
    try:
        is_known = _CHARACTER_SETS.fullmatch(codecs.lookup(encoding).name) is not None
        return is_known and ASCII.decode(encoding) == ASCII.decode("ascii")
    except (LookupError, ValueError):
        return False
