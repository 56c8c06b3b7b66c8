"""Parse files and query their syntax trees."""

import importlib
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

from tree_sitter import Language, Node, Parser, Query, QueryCursor

# Some texts take quadratic time in any grammar, so their size is limited.
MAX_BYTES = 1_000_000
MAX_DEPTH = 200
MAX_SECONDS = 5.0
SMALL_BYTES = 65_536
PIECE_BYTES = 4096


@dataclass(frozen=True)
class NodeFields:
    """The fields of syntax nodes that hold names. A dialect need not repeat those of its family."""

    members: Mapping[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    """Expression with a dot → the field of the member, and those of the receiver."""
    calls: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Call → the fields of what is called."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """Pair → the field of its key."""
    binds: Mapping[str, str] = field(default_factory=dict)
    """Node → the only field whose name it binds."""

    @classmethod
    def joined(cls, parts: Iterable["NodeFields"]) -> "NodeFields":
        """Join the fields of several grammars: a node name means the same in all of them."""
        members: dict[str, tuple[str, tuple[str, ...]]] = {}
        calls: dict[str, tuple[str, ...]] = {}
        keys: dict[str, str] = {}
        binds: dict[str, str] = {}
        for one in parts:
            for node, (member, receivers) in one.members.items():
                known = members.get(node, (member, ()))[1]
                members[node] = (member, tuple(dict.fromkeys((*known, *receivers))))
            for node, called in one.calls.items():
                calls[node] = tuple(dict.fromkeys((*calls.get(node, ()), *called)))
            keys.update(one.keys)
            binds.update(one.binds)
        return cls(members, calls, keys, binds)


@dataclass(frozen=True, eq=False)
class Grammar:
    """A grammar of tree-sitter, and the query that finds what a text defines.

    A capture other than `@name`, `@owner` and `@cut` is the kind of the definition that it spans. `@scope`
    (of methods) and `@namespace` name what is inside without being symbols themselves. `@owner` is the type
    that a method declared outside belongs to. `@cut` is where the header ends, if not at the body or value.
    """

    name: str
    module: str
    """The Python module, which is imported when the first file is parsed."""
    symbols: str
    function: str = "language"
    """The function of the module that returns the grammar."""
    endings: tuple[str, ...] = ()
    """The endings of its files; by default those of its language."""
    uses: NodeFields = NodeFields()


@cache
def _loaded(grammar: Grammar) -> Language:
    return Language(getattr(importlib.import_module(grammar.module), grammar.function)())


@cache
def _query(grammar: Grammar, source: str) -> Query:
    return Query(_loaded(grammar), source)


def parse(grammar: Grammar, text: bytes, *, max_seconds: float = MAX_SECONDS) -> Node | None:
    """Return the syntax tree of a text; None if it is too large or takes too long to parse."""
    if len(text) > MAX_BYTES:
        return None
    parser = Parser(_loaded(grammar))
    if len(text) <= SMALL_BYTES:
        return parser.parse(text).root_node
    return _parse_in_time(parser, text, time.thread_time() + max_seconds)


def _parse_in_time(parser: Parser, text: bytes, deadline: float) -> Node | None:
    """Hand the text over in pieces, and end it early when time is up: the parser has no clock of its own."""
    was_late = False

    def piece(start: int, _point: object) -> bytes:
        nonlocal was_late
        was_late = was_late or time.thread_time() > deadline
        return b"" if was_late else text[start : start + PIECE_BYTES]

    root = parser.parse(piece).root_node
    return None if was_late else root


def parse_head(grammar: Grammar, text: bytes, keyword: re.Pattern[bytes]) -> tuple[Node | None, bytes]:
    """Parse up to the last line with the keyword, or the whole text if that part has errors; return both."""
    last = 0
    for match in keyword.finditer(text):
        last = match.end()
    end = text.find(b"\n", last)
    if 0 <= end < len(text) * 3 // 4:
        head = text[: end + 1]
        root = parse(grammar, head)
        if root is not None and not root.has_error:
            return root, head
    return parse(grammar, text), text


def matches(grammar: Grammar, source: str, root: Node) -> Iterator[dict[str, list[Node]]]:
    for _, captured in QueryCursor(_query(grammar, source)).matches(root):
        yield captured


TEXT = re.compile(
    r"(?:\w+_)?comment|\w*(?:string|literal|heredoc)_content|\w*string_fragment|nowdoc_string|escape_\w+"
    r"|verbatim_string_literal|text|jsx_text|html_character_reference|preproc_arg|uninterpreted"
)
"""The nodes of comments and of what is inside strings, in all grammars."""
COMMENT = re.compile(rb"[/*#]*(.*?)(?:\*/)?", re.DOTALL)
VERBATIM = re.compile(rb"[^\"]*\"(.*)\"[^\"]*", re.DOTALL)


@cache
def _text_query(grammar: Grammar) -> str:
    known = _loaded(grammar)
    names = {
        known.node_kind_for_id(one) or ""
        for one in range(known.node_kind_count)
        if known.node_kind_is_named(one)
    }
    return "[" + "".join(f"({name})" for name in sorted(names) if TEXT.fullmatch(name)) + "] @text"


def text_ranges(grammar: Grammar, root: Node) -> Iterator[tuple[int, int]]:
    """Yield where a file has comments and what is inside strings, without their signs; code is left."""
    for captured in matches(grammar, _text_query(grammar), root):
        for node in captured["text"]:
            if node.parent is None or node.parent.type != "regex":
                yield _inside(node)


def _inside(node: Node) -> tuple[int, int]:
    sign = VERBATIM if node.type == "verbatim_string_literal" else COMMENT if "comment" in node.type else None
    found = sign.fullmatch(node.text or b"") if sign else None
    return (node.start_byte + found.start(1), node.start_byte + found.end(1)) if found else node.byte_range


def node_text(node: Node | None, text: bytes) -> str:
    return "" if node is None else text[node.start_byte : node.end_byte].decode("utf-8", "replace")


def ancestors(node: Node) -> Iterator[Node]:
    """Yield the nodes around a node, from the inside out, up to a bound."""
    above = node.parent
    for _ in range(MAX_DEPTH):
        if above is None:
            return
        yield above
        above = above.parent
