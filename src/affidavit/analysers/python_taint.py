"""Search whether input reaches an expression of Python code."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from affidavit.analysers.python_syntax import ancestors, text_of

CONSTANT = re.compile(r"_{0,2}[A-Z][A-Z0-9_]*")
# Names of tables and columns, placeholders and finished pieces come from the program, not from a stranger.
PROGRAM_TEXT = re.compile(
    r"(?:.*_)?(?:tables?|columns?|cols?|fields?|schemas?|database|db|index|alias|quoted|placeholders?|marks?|sql"
    r"|query|where|suffix|prefix|table_?name|column_?name|lhs|rhs|rows?)",
    re.IGNORECASE,
)
SOURCES = frozenset({"input", "argv", "request", "environ", "getenv", "stdin"})
PASSING_METHODS = frozenset(
    [
        "format",
        "strip",
        "lstrip",
        "rstrip",
        "lower",
        "upper",
        "title",
        "join",
        "get",
        "replace",
        "encode",
        "decode",
    ]
)
PASSING_FUNCTIONS = frozenset({"str", "format", "list", "tuple"})
HARMLESS_TYPES = frozenset({"int", "float", "bool"})
OWN = frozenset({"self", "cls"})
GIVING = {
    "assignment": ("left", "right"),
    "augmented_assignment": ("left", "right"),
    "for_statement": ("left", "right"),
    "named_expression": ("name", "value"),
}
UNPACKING = ("pattern_list", "tuple_pattern", "list_pattern")
MAX_STEPS = 200


def carries_input(node: Node) -> bool:
    """Return whether the value of an expression can hold text from outside the function."""
    return _Search().carries(node)


def is_given_whole(node: Node, names: re.Pattern[str]) -> bool:
    """Return whether an expression is an unchanged parameter with one of these names.

    It may also be a variable that holds such a parameter, or each of its parts in turn.
    """
    function, name = _enclosing_function(node), text_of(node)
    if function is None or node.type != "identifier" or not names.fullmatch(name):
        return False
    values = list(_assignments(function, name))
    if values:
        return len(values) == 1 and text_of(values[0]) != name and is_given_whole(values[0], names)
    return _is_parameter(function, name)


class _Search:
    """Searches in a limited number of steps, and visits no name twice."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._steps = 0

    def carries(self, node: Node | None) -> bool:
        self._steps += 1
        if node is None or self._steps > MAX_STEPS:
            return False
        if node.type == "identifier":
            return self._name_carries(node)
        if node.type == "attribute":
            member = text_of(node.child_by_field_name("attribute"))
            owner = node.child_by_field_name("object")
            if member in SOURCES or text_of(owner) in SOURCES:
                return True
            is_own = PROGRAM_TEXT.fullmatch(member) or CONSTANT.fullmatch(member)
            return not is_own and self.carries(owner)
        if node.type == "call":
            return self._call_carries(node)
        if node.type in ("subscript", "keyword_argument"):
            return self.carries(node.child_by_field_name("value"))
        return any(self.carries(child) for child in node.named_children if child.type != "comment")

    def _name_carries(self, node: Node) -> bool:
        name = text_of(node)
        if name in SOURCES:
            return True
        if name in self._seen or name in OWN or CONSTANT.fullmatch(name) or PROGRAM_TEXT.fullmatch(name):
            return False
        self._seen.add(name)
        function = _enclosing_function(node)
        scope = function if function is not None else _module(node)
        assigned = list(_assignments(scope, name))
        if assigned:
            return any(self.carries(value) for value in assigned)
        return function is not None and _is_parameter(function, name)

    def _call_carries(self, node: Node) -> bool:
        function = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        if function is None:
            return False
        if function.type == "attribute":
            member = text_of(function.child_by_field_name("attribute"))
            if member in PASSING_METHODS:
                return self.carries(function.child_by_field_name("object")) or self.carries(arguments)
            return member in SOURCES
        name = text_of(function)
        return name in SOURCES or (name in PASSING_FUNCTIONS and self.carries(arguments))


def _enclosing_function(node: Node) -> Node | None:
    return next((parent for parent, _ in ancestors(node) if parent.type == "function_definition"), None)


def _module(node: Node) -> Node:
    *_, (top, _child) = ancestors(node)
    return top


def _assignments(scope: Node, name: str) -> Iterator[Node]:
    """Return the values that a name is given in a scope, and what it loops over."""
    waiting = [scope]
    while waiting:
        node = waiting.pop()
        if node is not scope and node.type in ("function_definition", "class_definition", "lambda"):
            continue
        if node.type in GIVING:
            target, value = map(node.child_by_field_name, GIVING[node.type])
            if target is not None and value is not None:
                yield from _given(target, value, name)
        waiting += node.named_children


def _given(target: Node, value: Node, name: str) -> Iterator[Node]:
    """Yield the part of a value that a name gets; unpacking gives each name its own."""
    if target.type not in UNPACKING:
        if text_of(target) == name:
            yield value
        return
    targets, values = target.named_children, value.named_children
    is_paired = value.type in ("expression_list", "tuple", "list") and len(targets) == len(values)
    for one, part in zip(targets, values if is_paired else [value] * len(targets), strict=True):
        yield from _given(one, part, name)


def _is_parameter(function: Node, name: str) -> bool:
    """Return whether it is a parameter of the function that may be a text."""
    parameters = function.child_by_field_name("parameters")
    return any(
        re.findall(r"\w+", text_of(one))[:1] == [name]
        and text_of(one.child_by_field_name("type")) not in HARMLESS_TYPES
        for one in (parameters.named_children if parameters is not None else ())
    )
