"""What a name of Python code is called where it is imported from: `load` for `ld` of `import load as ld`."""

from collections.abc import Iterator

from tree_sitter import Node

from affidavit.analysers.python.syntax import ancestors
from affidavit.symbols.occurrences import occurrences

BINDING = ("binding", "definition", "import")
ELSEWHERE = ("global_statement", "nonlocal_statement")
FUNCTIONS = ("function_definition", "lambda")
SCOPES = (*FUNCTIONS, "class_definition", "module")
NAMED = ("function_definition", "class_definition")


def imported_name(name: Node, text: bytes) -> str | None:
    """The name by which an import takes what the code calls so; None where anything else may bind it."""
    above = [parent for parent, _ in ancestors(name)]
    word = _text(name)
    found = occurrences(above[-1], text, word) if above else []
    if any(one.node.parent is not None and one.node.parent.type in ELSEWHERE for one in found):
        return None
    bound = [one.node for one in found if one.role in BINDING]
    for scope in _scopes(name):
        here = [one for one in bound if next(_scopes(_within(one)), None) == scope]
        if here:
            taken = {_taken(one) for one in here}
            return taken.pop()[1] if len(taken) == 1 else None
    return None


def _scopes(node: Node) -> Iterator[Node]:
    """The scopes in which a name that stands here is looked for, the innermost first."""
    is_in_function = False
    for scope, _ in ancestors(node):
        # What a class binds is not seen by its methods.
        if scope.type in SCOPES and not (is_in_function and scope.type == "class_definition"):
            yield scope
        is_in_function = is_in_function or scope.type in FUNCTIONS


def _within(bound: Node) -> Node:
    """A definition binds its name outside of itself."""
    parent = bound.parent
    is_name = parent is not None and parent.type in NAMED and parent.child_by_field_name("name") == bound
    return parent if parent is not None and is_name else bound


def _taken(bound: Node) -> tuple[str, str | None]:
    """The module and the name behind an alias; no name where something else binds it."""
    alias = bound.parent
    statement = alias.parent if alias is not None else None
    if alias is None or statement is None or statement.type != "import_from_statement":
        return "", None
    original = alias.child_by_field_name("name")
    if original is None or alias.child_by_field_name("alias") != bound:
        return "", None
    module = statement.child_by_field_name("module_name")
    return _text(module) if module is not None else "", _text(original)


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", errors="replace")
