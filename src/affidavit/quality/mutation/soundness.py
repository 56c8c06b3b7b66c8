"""Say why a mutant is no good before anything is run: it does not parse, or no compiler would take it."""

from tree_sitter import Node

from affidavit.code.grammars import ancestors, node_text, parse
from affidavit.quality.mutation.ground import FUNCTIONS, Ground, descendants
from affidavit.quality.mutation.mutant import Mutant

DOES_NOT_PARSE = "does not parse"
DOES_NOT_COMPILE = "leaves a name unused, which Go refuses"
DECLARATIONS = frozenset({"short_var_declaration", "range_clause", "assignment_statement"})


def fault_of(ground: Ground, mutant: Mutant) -> str | None:
    """The reason to discard a mutant by its text alone; None where there is none."""
    root = parse(ground.grammar, mutant.text)
    if root is None or root.has_error:
        return DOES_NOT_PARSE
    if ground.family == "go" and _unused(root, mutant.text) - _unused(ground.root, ground.text):
        return DOES_NOT_COMPILE
    return None


def _unused(root: Node, text: bytes) -> set[str]:
    """Packages and local variables of a Go file that nothing reads, as `function:name` or `import:name`."""
    found: set[str] = set()
    used: set[str] = set()
    for part in root.named_children:
        declared, read = _names(part, text)
        if part.type in FUNCTIONS:
            named = node_text(part.child_by_field_name("name"), text)
            found |= {f"{named}:{name}" for name in declared - read - {"_"}}
        if part.type != "import_declaration":
            used |= read
    return found | {f"import:{name}" for name in _imported(root, text) - used}


def _names(part: Node, text: bytes) -> tuple[set[str], set[str]]:
    """The names that a part declares and those that it reads; to assign a name is not to read it."""
    declared: set[str] = set()
    read: set[str] = set()
    for node in descendants(part):
        if node.type not in ("identifier", "package_identifier"):
            continue
        name = node_text(node, text)
        kind = _written_by(node)
        if kind in ("short_var_declaration", "range_clause", "var_spec"):
            declared.add(name)
        elif kind is None:
            read.add(name)
    return declared, read


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
