"""Say why a mutant is no good before anything is run: it does not parse, or no compiler would take it."""

from collections import Counter
from collections.abc import Iterator

from tree_sitter import Node

from affidavit.lab.mutation.ground import FUNCTIONS, Ground, descendants
from affidavit.lab.mutation.mutant import Mutant
from affidavit.languages.engine.grammars import ancestors, node_text, parse

DOES_NOT_PARSE = "does not parse"
DOES_NOT_COMPILE = "leaves a name unused, which Go refuses"
LOCAL = ("short_var_declaration", "range_clause", "var_spec")
SCOPES = frozenset(
    {
        "block",
        "if_statement",
        "for_statement",
        "expression_switch_statement",
        "type_switch_statement",
        "expression_case",
        "type_case",
        "default_case",
        "communication_case",
    }
)
DECLARATIONS = frozenset({"short_var_declaration", "range_clause", "assignment_statement"})


def fault_of(ground: Ground, mutant: Mutant) -> str | None:
    """The reason to discard a mutant by its text alone; None where there is none."""
    root = parse(ground.grammar, mutant.text)
    if root is None or root.has_error:
        return DOES_NOT_PARSE
    if ground.family == "go" and _unused(root, mutant.text) - _unused(ground.root, ground.text):
        return DOES_NOT_COMPILE
    return None


def _unused(root: Node, text: bytes) -> Counter[str]:
    """How often each name of a Go file is declared or imported and never read."""
    parts = [part for part in root.named_children if part.type != "import_declaration"]
    used = {name for part in parts for name in _read(part, text)}
    found = Counter(name for name in _imported(root, text) if name not in used)
    for part in parts:
        if part.type in FUNCTIONS:
            found.update(_unread_locals(part, text))
    return found


def _unread_locals(function: Node, text: bytes) -> Iterator[str]:
    """The variables that nothing in their own block reads; one of the same name elsewhere is another."""
    scopes: dict[int, tuple[Node, set[str]]] = {}
    for node in descendants(function):
        if node.type == "identifier" and _written_by(node) in LOCAL:
            scope = next((one for one in ancestors(node) if one.type in SCOPES), function)
            scopes.setdefault(scope.id, (scope, set()))[1].add(node_text(node, text))
    for scope, declared in scopes.values():
        yield from declared - _read(scope, text) - {"_"}


def _read(part: Node, text: bytes) -> set[str]:
    """The names that are read somewhere in a part; to assign a name is not to read it."""
    return {
        node_text(node, text)
        for node in descendants(part)
        if node.type in ("identifier", "package_identifier") and _written_by(node) is None
    }


def _written_by(node: Node) -> str | None:
    """The kind of statement that gives the name its value here; None where the name is read."""
    above = node.parent
    if above is not None and above.type in ("var_spec", "parameter_declaration"):
        return above.type if node in above.children_by_field_name("name") else None
    if above is None or above.type != "expression_list":
        return None
    outer = next(iter(ancestors(above)), None)
    if outer is None or outer.type not in DECLARATIONS or outer.child_by_field_name("left") != above:
        return None
    operator = outer.child_by_field_name("operator")
    # `x += 1` does not count as a use either.
    return "assignment" if operator is not None else outer.type


def _imported(root: Node, text: bytes) -> set[str]:
    found: set[str] = set()
    for spec in (one for one in descendants(root) if one.type == "import_spec"):
        alias = node_text(spec.child_by_field_name("name"), text)
        path = node_text(spec.child_by_field_name("path"), text).strip('"`')
        found.add(alias or path.rpartition("/")[2])
    return found
