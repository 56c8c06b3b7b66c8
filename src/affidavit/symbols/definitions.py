"""Find the functions, classes, methods, constants and types that a text defines."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from affidavit.git.tree import read_all
from affidavit.languages.grammars import Grammar, matches, node_text, parse
from affidavit.languages.registry import LANGUAGES, Languages, language_of
from affidavit.ports import Tree
from affidavit.records.context import Symbol, SymbolKind

MAX_SYMBOLS = 10_000
MAX_SIGNATURE = 400
MAX_HEADER_BYTES = 4 * MAX_SIGNATURE
MAX_NAME = 300
SCOPE = "scope"
NAMESPACE = "namespace"
UNLISTED_KINDS = frozenset((SCOPE, NAMESPACE))
NOT_KINDS = frozenset(("name", "owner", "cut"))
# Definitions inside of these get their names as prefixes; those inside of functions are local.
NAMING_KINDS = frozenset((SCOPE, NAMESPACE, "class", "interface", "module", "constant"))
CLASS_KINDS = frozenset((SCOPE, "class", "interface"))
LOCAL_KINDS = frozenset(("function", "method"))
HEADER_ENDS = ("body", "value", "right", "default_value")
COMMENT_MARK = re.compile(rb"#|//|/\*")
WHITE_SPACE = re.compile(r"\s+")
IDENTIFIER = re.compile(r"[^\W\d]\w*")
VALUE = re.compile(r" ?=(?![=>])")
GENERIC = re.compile(r"[\[<].*", re.DOTALL)


@dataclass(frozen=True)
class Definition:
    """One definition: `qualified` is its dotted name in the file, `signature` its folded header."""

    name: str
    qualified: str
    kind: SymbolKind
    line: int
    end_line: int
    signature: str


@dataclass(frozen=True)
class _Captured:
    """A definition as the query gives it, without the definitions around it."""

    kind: str
    name: str
    owner: str
    node: Node
    cut: int


@dataclass(frozen=True)
class _EnclosingScope:
    start: int
    end: int
    prefix: str
    kind: str


def definitions(text: bytes, grammar: Grammar) -> list[Definition]:
    """Return the definitions of a text, in its order; nothing if it is too large to parse."""
    root = parse(grammar, text)
    return [] if root is None else defined_in(root, text, grammar)


def defined_in(root: Node, text: bytes, grammar: Grammar) -> list[Definition]:
    """Return the definitions of a syntax tree, without those local to functions."""
    found: list[Definition] = []
    around: list[_EnclosingScope] = []
    for one in _in_order(_captured(root, text, grammar)):
        start, end = one.node.start_byte, one.node.end_byte
        # Two names of one declaration, as in `a, b = 1, 2`, are beside each other.
        while around and (start >= around[-1].end or (start, end) == (around[-1].start, around[-1].end)):
            around.pop()
        outer = around[-1] if around else _EnclosingScope(0, 0, "", "")
        if outer.kind in LOCAL_KINDS:
            continue
        qualified = f"{outer.prefix}{one.owner}{one.name}"
        prefix = f"{qualified}." if one.kind in NAMING_KINDS else outer.prefix
        around.append(_EnclosingScope(start, end, prefix, one.kind))
        # Deep nesting in a hostile file makes endless names, which would take quadratic memory.
        if one.kind not in UNLISTED_KINDS and len(qualified) <= MAX_NAME:
            found.append(_definition(one, qualified, outer, text))
        if len(found) >= MAX_SYMBOLS:
            break
    return found


def _captured(root: Node, text: bytes, grammar: Grammar) -> Iterable[_Captured]:
    for captured in matches(grammar, grammar.symbols, root):
        kind = next((one for one in captured if one not in NOT_KINDS), None)
        if kind is None or "name" not in captured:
            continue
        node, written = captured[kind][0], node_text(captured["name"][0], text)
        owner, name = _split_name(written, is_scope=kind in UNLISTED_KINDS)
        if "owner" in captured:
            owner = _type_name(node_text(captured["owner"][0], text)) + "."
        cut = captured["cut"][0].start_byte if "cut" in captured else _header_end(node)
        if name:
            yield _Captured(kind, name, owner, node, cut)


def _split_name(written: str, *, is_scope: bool) -> tuple[str, str]:
    """Split `A::f` into `A.` and `f`; of a scope (`impl m::S<K>`) keep only the name of the type."""
    if is_scope:
        return "", _type_name(written) if "::" not in written or "<" in written else written.replace(
            "::", "."
        )
    *owners, name = GENERIC.sub("", written).split("::") if "::" in written else [written]
    return "".join(f"{_type_name(owner)}." for owner in owners if owner), name.strip()


def _type_name(written: str) -> str:
    """Return `S` for `*S[K]`, `&m::S<K>` and `S`."""
    names = IDENTIFIER.findall(GENERIC.sub("", written))
    return names[-1] if names else ""


def _header_end(node: Node) -> int:
    for field in HEADER_ENDS:
        child = node.child_by_field_name(field)
        if child is not None:
            return child.start_byte
    last = node.child(node.child_count - 1) if node.child_count else None
    return last.start_byte if last is not None and last.type == "end" else node.end_byte


def _in_order(found: Iterable[_Captured]) -> list[_Captured]:
    """Order from the outside in, each name of a node once; a constant that is a function is a function."""
    by_place: dict[tuple[int, int, str], _Captured] = {}
    for one in found:
        place = (one.node.start_byte, -one.node.end_byte, one.name)
        known = by_place.get(place)
        if known is None or (known.kind in ("constant", "type") and one.kind not in ("constant", "type")):
            by_place[place] = one
    return [by_place[place] for place in sorted(by_place)]


def _definition(one: _Captured, qualified: str, outer: _EnclosingScope, text: bytes) -> Definition:
    kind = "method" if one.kind == "function" and outer.kind in CLASS_KINDS else one.kind
    return Definition(
        name=one.name,
        qualified=qualified,
        kind=kind,  # type: ignore[arg-type]  # the queries name nothing else
        line=one.node.start_point.row + 1,
        end_line=_last_line(one.node),
        signature=_folded(_header(one, text), is_constant=kind == "constant"),
    )


def _header(one: _Captured, text: bytes) -> str:
    """Return the text before the body, without comments."""
    start, end = one.node.start_byte, min(one.cut, one.node.start_byte + MAX_HEADER_BYTES)
    header = bytearray(text[start:end])
    if COMMENT_MARK.search(header):
        for comment in _comments(one.node, end):
            first, last = comment.start_byte - start, min(comment.end_byte, end) - start
            header[first:last] = b" " * (last - first)
    return header.decode("utf-8", "replace")


def _comments(node: Node, end: int) -> Iterator[Node]:
    """Yield the comments below a node that begin before a place."""
    waiting = [node]
    while waiting:
        inner = waiting.pop()
        if inner.start_byte >= end:
            continue
        if "comment" in inner.type:
            yield inner
        else:
            waiting += inner.children


def _last_line(node: Node) -> int:
    end = node.end_point
    # A node that ends with a line feed, as a macro does, ends on the line before.
    return end.row if end.column == 0 and end.row > node.start_point.row else end.row + 1


def _folded(header: str, *, is_constant: bool) -> str:
    text = WHITE_SPACE.sub(" ", header)
    if is_constant:
        text = VALUE.split(text)[0]
    return text.strip()[:MAX_SIGNATURE].rstrip(" ={;")


def symbols_of(tree: Tree, path: str) -> list[Symbol]:
    """Return what a file of a tree defines; nothing if its language is unknown or it cannot be read."""
    return [as_symbol(path, one) for one in definitions_of([path], tree).get(path, ())]


def definitions_of(
    paths: Iterable[str], tree: Tree, *, languages: Languages = LANGUAGES
) -> dict[str, list[Definition]]:
    """Return what each file defines; files of unknown languages are left out."""
    known = {path: one.grammar for path in paths if (one := languages.parsed_as(path))}
    return {path: definitions(content, known[path]) for path, content in read_all(tree, known)}


def innermost(found: Sequence[Definition], line: int) -> Definition | None:
    around = [one for one in found if one.line <= line <= one.end_line]
    return max(around, key=lambda one: (one.line, -one.end_line), default=None)


def as_symbol(path: str, one: Definition) -> Symbol:
    return Symbol(
        path=path,
        name=one.name,
        qualified=one.qualified,
        kind=one.kind,
        line=one.line,
        end_line=one.end_line,
        signature=one.signature,
        language=language_of(path),
    )
