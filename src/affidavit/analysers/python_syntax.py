"""Read the syntax around a place in Python code: is a failure expected, is a name evaluated?"""

import re
from collections.abc import Collection, Iterator

from tree_sitter import Node

from affidavit.languages.grammars import parse
from affidavit.languages.python import GRAMMAR

CAUGHT_WITH_ALL = frozenset({"Exception", "BaseException"})
PARENT_EXCEPTIONS = {
    "ModuleNotFoundError": ("ImportError",),
    "ImportError": ("ModuleNotFoundError",),
    "UnboundLocalError": ("NameError",),
    "KeyError": ("LookupError",),
    "IndexError": ("LookupError",),
}
EXPECTING_CALLS = ("raises", "assertRaises", "assertRaisesRegex", "assertRaisesMessage", "suppress")
WARNING_CALLS = ("warns", "deprecated_call", "assertWarns", "assertWarnsRegex", "catch_warnings")
IMPORTS = ("import_statement", "import_from_statement")
FUNCTIONS = ("function_definition", "lambda")


def tree_of(text: bytes) -> Node | None:
    """Return the syntax tree, byte for byte."""
    return parse(GRAMMAR, text)


def node_at(text: bytes, line: int, column: int | None) -> Node | None:
    """Return the smallest syntax node at a place; both count from 1, and only a line feed ends a line."""
    root = tree_of(text)
    if root is None:
        return None
    rows = text.split(b"\n", line)
    # Columns are characters to the analysers and bytes to the parser.
    row = rows[line - 1 : line]
    before = row[0].decode("utf-8", errors="replace")[: (column or 1) - 1] if row else ""
    start = sum(len(one) + 1 for one in rows[: line - 1]) + len(before.encode("utf-8"))
    return root.named_descendant_for_byte_range(start, start)


def _line_of(text: bytes, place: int) -> int:
    return text.count(b"\n", 0, place) + 1


def ancestors(node: Node | None) -> Iterator[tuple[Node, Node]]:
    """Yield each node above with its child on the way."""
    while node is not None and node.parent is not None:
        yield node.parent, node
        node = node.parent


def nodes_in(node: Node) -> Iterator[Node]:
    """Yield the node and all below it."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(node.children)


def call_lines(text: bytes, lines: range) -> range:
    """Return the lines of the call around the first line, where bandit looks for `nosec`."""
    root = tree_of(text)
    calls = (one for one in nodes_in(root) if one.type == "call") if root is not None else ()
    spans = [(_line_of(text, one.start_byte), _line_of(text, one.end_byte)) for one in calls]
    begun = [span for span in spans if span[0] == lines.start]
    around = [span for span in spans if span[0] <= lines.start <= span[1]]
    # A problem may stand at an argument, in a line of its own.
    first, last = max(begun or [min(around, key=_height, default=(lines.start, lines.start))], key=_height)
    return range(first, max(lines.stop, last + 1))


def _height(span: tuple[int, int]) -> int:
    return span[1] - span[0]


def expects(text: bytes, line: int, column: int | None, exceptions: Collection[str]) -> bool:
    """Return whether the code around the place expects one of the exceptions."""
    wanted = set(exceptions).union(*(PARENT_EXCEPTIONS.get(name, ()) for name in exceptions))
    for parent, child in ancestors(node_at(text, line, column)):
        if parent.type == "try_statement" and child.type == "block" and _catches(parent, wanted):
            return True
        if parent.type == "with_statement" and child.type == "block" and _awaits_failure(parent, wanted):
            return True
    return False


def is_awaited_to_fail(text: bytes, line: int, column: int | None) -> bool:
    """Return whether the place is in a `with raises(…)`, for any exception."""
    return _is_within(EXPECTING_CALLS, node_at(text, line, column))


def is_on_trial(text: bytes, line: int, column: int | None) -> bool:
    """Return whether the code tries if the place fails or warns: in a `try` or `with raises(…)`."""
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
    """Return the names in a piece of code, without its strings and comments."""
    named = (one.text or b"" for one in nodes_in(node) if one.type == "identifier") if node else ()
    return {one.decode("utf-8", errors="replace") for one in named}


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
    """Return whether the place is under `if TYPE_CHECKING`."""
    return any(
        parent.type == "if_statement"
        and child.type == "block"
        and (condition := parent.child_by_field_name("condition")) is not None
        and TYPE_CHECKING.fullmatch(condition.text or b"")
        for parent, child in ancestors(node_at(text, line, column))
    )


def star_imports(text: bytes, *, is_relative: bool = False) -> set[str]:
    """Return the modules of `import *`; relative ones only if asked."""
    root = tree_of(text) if b"*" in text else None
    stars = (one.parent for one in nodes_in(root) if one.type == "wildcard_import") if root else ()
    named = (one.child_by_field_name("module_name") for one in stars if one is not None)
    return {
        (one.text or b"").decode("utf-8", "replace")
        for one in named
        if one is not None and (is_relative or one.type == "dotted_name")
    }


def mentions(text: bytes, name: str) -> bool:
    """Return whether code or a string of the file has the name; comments do not count."""
    word = re.compile(rb"\b%s\b" % re.escape(name).encode())
    root = tree_of(text) if word.search(text) else None
    return root is not None and any(
        word.search(one.text or b"") is not None
        for one in nodes_in(root)
        if one.type == "identifier" or (one.type == "string" and not _is_documentation(one))
    )


def _is_documentation(node: Node) -> bool:
    return node.parent is not None and node.parent.type == "expression_statement"


def is_imported_on_trial(text: bytes, name: str) -> bool:
    """Return whether the name is imported inside a `try`, so that it depends on the installation."""
    root = tree_of(text)
    imports = (one for one in nodes_in(root) if one.type in IMPORTS) if root is not None else ()
    named = (one for one in imports if name in _words(one))
    return any(parent.type == "try_statement" for one in named for parent, _ in ancestors(one))


def is_unevaluated_annotation(text: bytes, line: int, column: int | None) -> bool:
    """Return whether the place is in an annotation that Python never evaluates."""
    is_quoted = False
    for parent, child in ancestors(node_at(text, line, column)):
        is_quoted = is_quoted or "string" in (parent.type, child.type)
        if child.type == "type":
            has_future = _leaves_annotations(text)
            is_local = parent.type == "assignment" and _is_in_function(parent)
            return is_quoted or has_future or is_local
    # A quoted name outside of annotations is an argument of cast, TypeVar and the like.
    return is_quoted and not _stands_in_interpolation(text, line, column)


def _leaves_annotations(text: bytes) -> bool:
    root = tree_of(text) if b"__future__" in text else None
    imports = (one for one in root.children if one.type == "future_import_statement") if root else ()
    return any("annotations" in _words(one) for one in imports)


def _is_in_function(node: Node) -> bool:
    return any(parent.type in FUNCTIONS and child.type == "block" for parent, child in ancestors(node))


def _stands_in_interpolation(text: bytes, line: int, column: int | None) -> bool:
    return any(
        "interpolation" in (parent.type, child.type)
        for parent, child in ancestors(node_at(text, line, column))
    )


# A text without any of these has no such call; parsing takes longer.
HINT = re.compile(rb"\b(exec|globals)\b")
TYPE_CHECKING = re.compile(rb"(\w+\.)?TYPE_CHECKING")


def makes_names(text: bytes) -> bool:
    """Return whether code of the file may define names at run time: by `exec`, or through `globals()`."""
    root = tree_of(text) if HINT.search(text) else None
    calls = (one for one in nodes_in(root) if one.type == "call") if root is not None else ()
    named = ((one, one.child_by_field_name("function")) for one in calls)
    return any(
        function is not None and (function.text == b"globals" or (function.text == b"exec" and not inside))
        for call, function in named
        for inside in [_is_in_function(call)]
    )
