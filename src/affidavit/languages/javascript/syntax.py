"""Ways through the syntax tree of a script: a node in, the nodes within it out."""

from collections.abc import Iterator

from tree_sitter import Node

FUNCTIONS = frozenset(
    {
        "function_declaration",
        "generator_function_declaration",
        "function_expression",
        "generator_function",
        "arrow_function",
        "method_definition",
    }
)
_AROUND = frozenset(
    {"parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression"}
)


def walk(one: Node) -> Iterator[Node]:
    """A node and what is in it, without the insides of other functions."""
    waiting = [one]
    while waiting:
        node = waiting.pop()
        yield node
        if node.type not in FUNCTIONS:
            waiting += reversed(node.named_children)


def deep(one: Node) -> Iterator[Node]:
    """A node and all that is in it."""
    waiting = [one]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(node.named_children)


def bare(one: Node) -> Node:
    """An expression without the parentheses and the types around it."""
    while one.type in _AROUND and one.named_children:
        one = one.named_children[0]
    return one


def arguments(call: Node) -> list[Node]:
    """What a call is given."""
    given = call.child_by_field_name("arguments")
    return [one for one in given.named_children if one.type != "comment"] if given else []
