"""What the syntax around a place in Python code says: is a failure expected, is a name evaluated?"""

import re
from collections.abc import Collection, Iterator

from tree_sitter import Node, Point

from affidavit.languages.engine.grammars import parse
from affidavit.languages.python import GRAMMAR

CAUGHT_WITH_ALL = frozenset({"Exception", "BaseException"})
PARENT_EXCEPTIONS = {
    "ModuleNotFoundError": ("ImportError",),
    "ImportError": ("ModuleNotFoundError",),
    "UnboundLocalError": ("NameError",),
    "KeyError": ("LookupError",),
    "IndexError": ("LookupError",),
}
WORD = re.compile(r"\w+")
EXPECTING_CALLS = ("raises", "assertRaises", "assertRaisesRegex", "assertRaisesMessage", "suppress")
WARNING_CALLS = ("warns", "deprecated_call", "assertWarns", "assertWarnsRegex", "catch_warnings")
IMPORTS = ("import_statement", "import_from_statement")
BLOCKS = re.compile(r"block|\w+_(statement|clause|definition)")
BODIES = ("module", "block")
FUNCTIONS = ("function_definition", "lambda")


def node_at(text: bytes, line: int, column: int | None) -> Node | None:
    """The smallest syntax node at a place; lines and columns count from 1."""
    root = parse(GRAMMAR, text)
    if root is None:
        return None
    # Columns are characters to the analysers and bytes to the parser.
    row = text.split(b"\n")[line - 1 : line]
    before = row[0].decode("utf-8", errors="replace")[: (column or 1) - 1] if row else ""
    start = Point(line - 1, len(before.encode("utf-8")))
    return root.named_descendant_for_point_range(start, start)


def ancestors(node: Node | None) -> Iterator[tuple[Node, Node]]:
    """Each node above with the child that leads down to the first one."""
    while node is not None and node.parent is not None:
        yield node.parent, node
        node = node.parent


def nodes_in(node: Node) -> Iterator[Node]:
    """The node and all below it."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(node.children)


def statement_lines(text: bytes, lines: range) -> range:
    """The lines of the statements that the given lines belong to; of a compound one, of its head."""
    rows = text.split(b"\n")
    start, end = lines.start, lines.stop - 1
    for number in {lines.start, lines.stop - 1}:
        row = rows[number - 1] if number <= len(rows) else b""
        indent = len(row) - len(row.lstrip())
        node = node_at(text, number, indent + 1)
        while node is not None and node.parent is not None and node.parent.type not in BODIES:
            node = node.parent
        if node is None or node.type in BODIES:
            continue
        body = node.child_by_field_name("body") or node.child_by_field_name("consequence")
        last = body.start_point.row if body is not None else node.end_point.row + 1
        start, end = min(start, node.start_point.row + 1), max(end, last)
    return range(start, end + 1)


def expects(text: bytes, line: int, column: int | None, exceptions: Collection[str]) -> bool:
    """Whether the code around the place is written to meet one of the exceptions."""
    wanted = set(exceptions).union(*(PARENT_EXCEPTIONS.get(name, ()) for name in exceptions))
    for parent, child in ancestors(node_at(text, line, column)):
        if parent.type == "try_statement" and child.type == "block" and _catches(parent, wanted):
            return True
        if parent.type == "with_statement" and child.type == "block" and _awaits_failure(parent, wanted):
            return True
    return False


def is_awaited_to_fail(text: bytes, line: int, column: int | None) -> bool:
    """Whether the place stands in a `with raises(…)`, of whatever exception."""
    return _is_within(EXPECTING_CALLS, node_at(text, line, column))


def is_on_trial(text: bytes, line: int, column: int | None) -> bool:
    """Whether the code only sees whether the place fails or warns: in a `try`, or as above."""
    node = node_at(text, line, column)
    return _is_within((*EXPECTING_CALLS, *WARNING_CALLS), node) or any(
        parent.type == "try_statement" and child.type == "block" and _has_handler(parent)
        for parent, child in ancestors(node)
    )


def _is_within(calls: Collection[str], node: Node | None) -> bool:
    clauses = (
        child
        for parent, block in ancestors(node)
        if parent.type == "with_statement" and block.type == "block"
        for child in parent.named_children
        if child.type == "with_clause"
    )
    return any(not _words(clause).isdisjoint(calls) for clause in clauses)


def _has_handler(statement: Node) -> bool:
    return any(child.type.startswith("except") for child in statement.named_children)


def _words(node: Node | None) -> set[str]:
    return set(WORD.findall((node.text or b"").decode("utf-8", errors="replace"))) if node else set()


def _catches(statement: Node, wanted: set[str]) -> bool:
    for clause in statement.named_children:
        if clause.type not in ("except_clause", "except_group_clause"):
            continue
        caught = [child for child in clause.named_children if child.type not in ("block", "comment")]
        words = set().union(*(_words(child) for child in caught))
        if not caught or words & (wanted | CAUGHT_WITH_ALL):
            return True
    return False


def _awaits_failure(statement: Node, wanted: set[str]) -> bool:
    clause = next((child for child in statement.named_children if child.type == "with_clause"), None)
    words = _words(clause)
    return not words.isdisjoint(EXPECTING_CALLS) and not words.isdisjoint(wanted | CAUGHT_WITH_ALL)


def is_only_for_type_checkers(text: bytes, line: int, column: int | None) -> bool:
    """Whether the place stands under `if TYPE_CHECKING`."""
    return any(
        parent.type == "if_statement"
        and child.type == "block"
        and "TYPE_CHECKING" in _words(parent.child_by_field_name("condition"))
        for parent, child in ancestors(node_at(text, line, column))
    )


def is_imported_on_trial(text: bytes, name: str) -> bool:
    """Whether the name is imported inside a `try`: what it stands for depends on what is installed."""
    root = parse(GRAMMAR, text)
    waiting = list(root.children) if root is not None else []
    while waiting:
        node = waiting.pop()
        if node.type in IMPORTS and name in _words(node):
            return any(parent.type == "try_statement" for parent, _ in ancestors(node))
        if BLOCKS.fullmatch(node.type):
            waiting.extend(node.children)
    return False


def is_unevaluated_annotation(text: bytes, line: int, column: int | None) -> bool:
    """Whether the place stands in an annotation that Python never evaluates by itself."""
    is_quoted = False
    for parent, child in ancestors(node_at(text, line, column)):
        is_quoted = is_quoted or "string" in (parent.type, child.type)
        if child.type == "type":
            has_future = b"from __future__ import annotations" in text
            is_local = parent.type == "assignment" and _is_in_function(parent)
            return is_quoted or has_future or is_local
    # A quoted name outside of annotations is an argument of cast, TypeVar and the like.
    return is_quoted and not _stands_in_interpolation(text, line, column)


def _is_in_function(node: Node) -> bool:
    return any(parent.type in FUNCTIONS and child.type == "block" for parent, child in ancestors(node))


def _stands_in_interpolation(text: bytes, line: int, column: int | None) -> bool:
    return any(
        "interpolation" in (parent.type, child.type)
        for parent, child in ancestors(node_at(text, line, column))
    )
