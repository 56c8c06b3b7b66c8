"""Name the definition, section, element or key that lines of a file belong to."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any

from affidavit.languages.registry import is_document, language_of
from affidavit.ports import Tree
from affidavit.records.candidate import PlaceKind
from affidavit.symbols.definitions import symbols_of

_FENCE = re.compile(r"\s*(```+|~~~+)")
_LIST_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")
_CODE_INDENT = 4
_MARKED_SPANS = re.compile(r"<(code|tt|kbd|pre)\b[^>]*>.*?</\1>|\\(?:texttt|verb|code|lstinline)\b\S*")
_WORD = re.compile(r"\w+")


def is_plain_word(name: str) -> bool:
    """Check whether any text may have the name: one word, as `connect`, `Client` and `HTTP`."""
    return name.isalpha() and (name.islower() or name.istitle() or name.isupper())


def is_marked(text: str, name: str) -> bool:
    """Check whether a line writes the name as code: in backquotes, before a bracket or after a dot."""
    quoted = re.escape(name)
    if re.search(rf"\b{quoted}\(|(?:\w\.|::|->|#|\w/){quoted}\b", text):
        return True
    return any(name in _WORD.findall(span) for span in _spans(text))


def _spans(text: str) -> Iterator[str]:
    parts = re.sub("`+", "`", text).split("`")
    # What follows a backquote that nothing closes is prose.
    yield from parts[1 : len(parts) - 1 : 2]
    yield from (found[0] for found in _MARKED_SPANS.finditer(text))


def code_lines(lines: Sequence[str]) -> set[int]:
    """Return the numbers of lines in blocks of code: fenced, indented, or after `::`."""
    found: set[int] = set()
    fence = ""
    literal: int | None = None
    before = ""
    for number, line in enumerate(lines, 1):
        mark = _FENCE.match(line)
        if fence:
            found.add(number)
            fence = "" if mark and mark[1].startswith(fence) and not line[mark.end() :].strip() else fence
        elif mark:
            fence = mark[1]
        elif line.strip():
            indent = _indent(line)
            is_literal = literal is not None and indent > literal
            if is_literal or (indent >= _CODE_INDENT and _may_be_indented(number, lines, found, before)):
                found.add(number)
                continue
            literal = indent if line.rstrip().endswith("::") or line.lstrip().startswith(".. code") else None
            before = line
    return found


def _indent(line: str) -> int:
    wide = line.expandtabs(_CODE_INDENT)
    return len(wide) - len(wide.lstrip())


def _may_be_indented(number: int, lines: Sequence[str], found: set[int], before: str) -> bool:
    """Check that a blank line or code is above, and no list item that the line could continue."""
    above = lines[number - 2].strip() if number > 1 else ""
    return (not above or number - 1 in found) and not _LIST_ITEM.match(before)


MAX_CHARACTERS = 400_000
MAX_LINES = 20_000
MAX_NAME = 200
MARKUP = ("html", "xml", "vue", "svelte")
_ATX = re.compile(r" {0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_UNDERLINE = re.compile(r"([=\-~^\"'`*+#<>_])\1{2,}\s*$")
_TABLE = re.compile(r"\s*\[\[?\s*([^\]]+?)\s*\]?\]")
_ASSIGNED = re.compile(r"\s*([\w.\-\"']+)\s*[=:]")
_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr")
)


@dataclass(frozen=True)
class Enclosing:
    """A named thing that lines `start` to `end` belong to."""

    kind: PlaceKind
    name: str
    start: int
    end: int


def enclosing(tree: Tree, path: str, first: int, last: int) -> Enclosing | None:
    """Return the innermost named thing around the lines; None if there is none."""
    language = language_of(path)
    if is_document(path):
        return _innermost(_sections(tree.redacted_lines(path) or []), first, last)
    if language in ("yaml", "json"):
        return _innermost(_keys("\n".join(tree.redacted_lines(path) or [])), first, last)
    if language in ("toml", "ini"):
        return _innermost(_tables(tree.redacted_lines(path) or []), first, last)
    if language in MARKUP:
        return _innermost(_elements("\n".join(tree.redacted_lines(path) or [])), first, last)
    return _innermost(
        (
            Enclosing(
                ("line" if one.kind == "constant" else "function"), one.qualified, one.line, one.end_line
            )
            for one in symbols_of(tree, path)
        ),
        first,
        last,
    )


def _innermost(found: Iterator[Enclosing], first: int, last: int) -> Enclosing | None:
    around = [one for one in found if one.start <= first and last <= one.end and one.name]
    best = min(around, key=lambda one: (one.end - one.start, -one.start), default=None)
    return None if best is None else Enclosing(best.kind, best.name[:MAX_NAME], best.start, best.end)


def _sections(lines: Sequence[str]) -> Iterator[Enclosing]:
    """Yield the sections of a document, each to the next heading of its own level or above."""
    lines = lines[:MAX_LINES]
    headings = list(_headings(lines))
    for number, (line, level, title) in enumerate(headings):
        later = (at for at, other, _ in headings[number + 1 :] if other <= level)
        yield Enclosing("section", title, line, next(later, len(lines) + 1) - 1)


def _headings(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    code = code_lines(lines)
    levels: list[str] = []
    for number, line in enumerate(lines, 1):
        if number in code:
            continue
        if match := _ATX.match(line):
            yield number, len(match[1]), match[2]
        elif number > 1 and (under := _UNDERLINE.match(line)) and lines[number - 2].strip():
            title = lines[number - 2].strip()
            if len(line.rstrip()) >= len(title) and number - 1 not in code and not _UNDERLINE.match(title):
                levels += [] if under[1] in levels else [under[1]]
                yield number - 1, levels.index(under[1]) + 1, title


def _keys(text: str) -> Iterator[Enclosing]:
    """Yield the paths of keys in YAML, and in JSON, which is YAML."""
    # Imported here because only configuration needs it.
    import yaml  # noqa: PLC0415

    if len(text) > MAX_CHARACTERS:
        return
    try:
        documents = list(yaml.compose_all(text, Loader=yaml.SafeLoader))
    except (yaml.YAMLError, RecursionError, ValueError):
        return
    for document in documents:
        yield from _below(document)


def _below(root: Any) -> Iterator[Enclosing]:
    """Yield every key below a node, without recursion: a file may be deeper than the stack."""
    waiting = [(root, "")]
    seen: set[int] = set()
    while waiting:
        node, path = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        kind = getattr(node, "id", "")
        if kind == "mapping":
            for key, value in node.value:
                name = f"{path}.{key.value}" if path else str(key.value)
                last = value.end_mark.line + (value.end_mark.column > 0)
                start = key.start_mark.line + 1
                yield Enclosing("path", name, start, max(last, start))
                waiting.append((value, name))
        elif kind == "sequence":
            waiting += [(value, f"{path}[{number}]") for number, value in enumerate(node.value)]


def _tables(lines: Sequence[str]) -> Iterator[Enclosing]:
    """Yield the keys of TOML and INI files, each with its table."""
    table, keys = "", list[tuple[int, str]]()
    for number, line in enumerate(lines[:MAX_LINES], 1):
        if match := _TABLE.match(line):
            table = match[1].strip()
            keys.append((number, table))
        elif match := _ASSIGNED.match(line):
            key = match[1].strip("\"'")
            keys.append((number, f"{table}.{key}" if table else key))
    for (number, name), (after, _) in zip(keys, [*keys[1:], (len(lines) + 1, "")], strict=True):
        yield Enclosing("path", name, number, after - 1)


class _Elements(HTMLParser):
    """Note where each element begins and ends, with the two around it."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.open: list[tuple[str, int]] = []
        self.found: list[Enclosing] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _VOID:
            self.handle_startendtag(tag, attrs)
        else:
            self.open.append((_element_name(tag, attrs), self.getpos()[0]))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._note([*self.open, (_element_name(tag, attrs), self.getpos()[0])])

    def handle_endtag(self, tag: str) -> None:
        names = [name.partition("#")[0] for name, _ in self.open]
        if tag in names:
            at = len(names) - 1 - names[::-1].index(tag)
            self._note(self.open[: at + 1])
            del self.open[at:]

    def _note(self, path: Sequence[tuple[str, int]]) -> None:
        name = ">".join(one for one, _ in path[-3:])
        self.found.append(Enclosing("element", name, path[-1][1], self.getpos()[0]))


def _element_name(tag: str, attrs: Sequence[tuple[str, str | None]]) -> str:
    own = dict(attrs).get("id")
    return f"{tag}#{own}" if own else tag


def _elements(text: str) -> Iterator[Enclosing]:
    if len(text) > MAX_CHARACTERS:
        return
    reader = _Elements()
    reader.feed(text)
    yield from reader.found
