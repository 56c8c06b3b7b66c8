"""How many arguments a definition takes and a call passes, from syntax trees; None where that is open."""

import re
from dataclasses import dataclass

from tree_sitter import Node

from affidavit.languages.engine.grammars import node_text

DEFINITIONS = frozenset(
    (
        "function_declaration", "generator_function_declaration", "method_declaration", "function_item",
        "constructor_declaration", "method_definition", "variable_declarator",
    )
)  # fmt: skip
FUNCTION_VALUES = frozenset(("arrow_function", "function_expression"))
ONE = frozenset(("identifier", "object_pattern", "array_pattern", "formal_parameter", "parameter"))
OPTIONAL = frozenset(("assignment_pattern", "optional_parameter"))
ANY_NUMBER = frozenset(
    ("rest_pattern", "spread_parameter", "variadic_parameter_declaration", "variadic_parameter")
)
NOT_PASSED = frozenset(("self_parameter", "receiver_parameter", "comment", "line_comment", "block_comment"))
OPEN = frozenset(("spread_element", "variadic_argument", "attribute_item"))
"""Any number of arguments, or one that depends on a condition."""
VOID = re.compile(rb"\bvoid\b")
PASSED_IN = ("argument_list", "arguments")


@dataclass(frozen=True)
class Arity:
    """From how many arguments to how many; `most` is None where there may be any number."""

    least: int
    most: int | None
    names: tuple[str, ...] = ()

    def takes(self, count: int) -> bool:
        """Whether so many arguments fit."""
        return self.least <= count and (self.most is None or count <= self.most)

    @property
    def words(self) -> str:
        """`2 arguments`, `1 to 3 arguments`, `at least 1 argument`."""
        if self.most is None:
            return f"at least {_counted(self.least)}"
        return _counted(self.most) if self.least == self.most else f"{self.least} to {_counted(self.most)}"


def _counted(number: int) -> str:
    return f"{number} argument{'' if number == 1 else 's'}"


def definition_at(root: Node, text: bytes, name: str, line: int) -> Node | None:
    """The definition of a name that begins in a line."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.start_point.row > line - 1 or node.end_point.row < line - 1:
            continue
        is_there = node.start_point.row == line - 1 and node.type in DEFINITIONS
        if is_there and node_text(node.child_by_field_name("name"), text) == name:
            return node
        waiting += node.named_children
    return None


def arity_of(definition: Node, text: bytes) -> Arity | None:
    """What a definition takes; None where its parameters do not say."""
    owner = definition
    if definition.type == "variable_declarator":
        value = definition.child_by_field_name("value")
        # The type of a variable may let callers pass something else than its function names.
        if value is None or value.type not in FUNCTION_VALUES or definition.child_by_field_name("type"):
            return None
        owner = value
    parameters = owner.child_by_field_name("parameters")
    if parameters is None:
        alone = owner.child_by_field_name("parameter")
        return Arity(1, 1, (node_text(alone, text),)) if alone is not None else None
    return _counted_up(parameters, text)


def _counted_up(parameters: Node, text: bytes) -> Arity | None:
    least, most, is_any, names = 0, 0, False, []
    for child in parameters.named_children:
        if child.type in NOT_PASSED:
            continue
        required, allowed = _shares(child, text)
        if allowed is None:
            is_any = True
        elif allowed < 0:
            return None
        else:
            least, most = least + required, most + allowed
            names += _names(child, text)
    return Arity(least, None if is_any else most, tuple(names))


def _shares(child: Node, text: bytes) -> tuple[int, int | None]:
    """How many arguments a parameter needs and takes; None: any number; less than nothing: not known."""
    if child.type in ANY_NUMBER:
        return 0, None
    if child.type in OPTIONAL:
        return 0, 1
    if child.type in ONE:
        return 1, 1
    if child.type == "parameter_declaration":
        named = len(child.children_by_field_name("name")) or 1
        return named, named
    return _shares_in_typescript(child, text) if child.type == "required_parameter" else (0, -1)


def _shares_in_typescript(child: Node, text: bytes) -> tuple[int, int | None]:
    pattern, kind = child.child_by_field_name("pattern"), child.child_by_field_name("type")
    if pattern is not None and pattern.type in ANY_NUMBER:
        return 0, None
    if node_text(pattern, text) == "this":
        return 0, 0
    # What may be nothing may be left out.
    may_be_void = kind is not None and VOID.search(kind.text or b"") is not None
    return (0, 1) if may_be_void or child.child_by_field_name("value") is not None else (1, 1)


def _names(child: Node, text: bytes) -> list[str]:
    named = child.children_by_field_name("name") or [
        child.child_by_field_name("pattern") or child.child_by_field_name("left") or child
    ]
    return [node_text(one, text) for one in named]


def argument_count(call: Node) -> int | None:
    """How many arguments a call passes; None where that is known only when it runs."""
    given = call.child_by_field_name("arguments")
    types = call.child_by_field_name("type_arguments")
    is_void = types is not None and VOID.search(types.text or b"") is not None
    if given is None or given.type not in PASSED_IN or is_void:
        return None
    passed = [child for child in given.named_children if child.type not in NOT_PASSED]
    return None if any(child.type in OPEN for child in passed) else len(passed)
