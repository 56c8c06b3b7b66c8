"""Go: calls of a function by its package, and of a method on a variable whose type its function shows."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from affidavit.languages.engine.grammars import node_text
from affidavit.specialists.broken_references.calls.callee import (
    Callee,
    Site,
    call_of,
    called_alone,
    enclosing,
    places_of,
    sound,
    text_of,
)
from affidavit.specialists.broken_references.ground import Ground, Parsed
from affidavit.specialists.broken_references.names.attributes import (
    GO_PACKAGE,
    go_alias,
    go_importers,
    is_go_bound,
)

CONSTRAINED = re.compile(rb"^//\s*(?:go:build|\+build)\b", re.MULTILINE)
DOT_IMPORT = re.compile(rb'^\s*(?:import\s+)?\.\s+"', re.MULTILINE)
GENERATED = re.compile(rb"^//go:generate\b", re.MULTILINE)
FUNCTIONS = ("function_declaration", "method_declaration")
SCOPES = (
    *FUNCTIONS, "func_literal", "block", "if_statement", "for_statement", "expression_switch_statement",
    "type_switch_statement", "expression_case", "type_case", "default_case", "communication_case",
)  # fmt: skip


def go_calls(ground: Ground, callee: Callee) -> Iterator[Site]:
    """Every call that surely means the function or method."""
    head = ground.repository.head
    files = ground.beside(callee.folder, ".go")
    wanted = 0 if callee.is_gone else 1
    if callee.old.path.endswith("_test.go") or ground.count_defined(files, callee.old.qualified) != wanted:
        return
    if callee.is_gone and any(GENERATED.search(head.read(path) or b"") for path in files):
        # A program may write it into a file that nobody keeps.
        return
    if callee.owner and not _is_plain_type(ground, callee, files):
        return
    yield from _by_the_package(ground, callee, files)
    for path, imported in go_importers(ground, callee.folder).items():
        parsed = _always_built(ground, path)
        alias = go_alias(ground, parsed, imported, callee.folder) if parsed is not None else None
        if parsed is not None and alias is not None and not is_go_bound(parsed, alias):
            yield from _outside(parsed, callee, alias)


def _by_the_package(ground: Ground, callee: Callee, files: list[str]) -> Iterator[Site]:
    package = GO_PACKAGE.search(ground.repository.base.read(callee.old.path) or b"")
    for path in files if package is not None else ():
        parsed = _always_built(ground, path)
        declared = GO_PACKAGE.search(parsed.text) if parsed is not None else None
        if parsed is not None and package is not None and declared is not None and declared[1] == package[1]:
            yield from _inside(parsed, callee)


def _always_built(ground: Ground, path: str) -> Parsed | None:
    """A sound file that no condition leaves out: who leaves it out does not see it broken."""
    parsed = sound(ground, path)
    return None if parsed is None or CONSTRAINED.search(parsed.text) else parsed


def _is_plain_type(ground: Ground, callee: Callee, files: list[str]) -> bool:
    """One struct; where its method is gone, one that embeds nothing and has no field of that name."""
    if ground.count_defined(files, callee.owner) != 1:
        return False
    if not callee.is_gone:
        return True
    found = (_struct(ground, path, callee.owner) for path in files)
    fields = next((one for one in found if one is not None), None)
    return (
        fields is not None and all(fields) and callee.name not in {name for names in fields for name in names}
    )


def _struct(ground: Ground, path: str, name: str) -> list[list[str]] | None:
    """The names of each field of a struct; none for a field that embeds a type."""
    parsed = sound(ground, path)
    for place in places_of(parsed, name) if parsed is not None else ():
        spec = place.node.parent
        kind = spec.child_by_field_name("type") if spec is not None and spec.type == "type_spec" else None
        if parsed is None or kind is None or kind.type != "struct_type" or place.role != "definition":
            continue
        fields = [child for held in kind.named_children for child in held.named_children]
        return [
            [node_text(one, parsed.text) for one in field.children_by_field_name("name")]
            for field in fields
            if field.type == "field_declaration"
        ]
    return None


def _inside(parsed: Parsed, callee: Callee) -> Iterator[Site]:
    if callee.owner:
        yield from _on_variables(parsed, callee, callee.owner)
    elif not callee.is_gone and not DOT_IMPORT.search(parsed.text):
        own = int(parsed.path == callee.old.path)
        yield from filter(_passes_values, called_alone(parsed, callee.name, own))


def _outside(parsed: Parsed, callee: Callee, alias: str) -> Iterator[Site]:
    if callee.owner:
        yield from _on_variables(parsed, callee, f"{alias}.{callee.owner}")
        return
    for place in places_of(parsed, callee.name) if not callee.is_gone else ():
        selector = place.node.parent
        call = call_of(selector) if selector is not None and place.receiver == alias else None
        if call is not None:
            yield from filter(_passes_values, [Site(parsed, call, f"{alias}.{callee.name}")])


def _on_variables(parsed: Parsed, callee: Callee, type_name: str) -> Iterator[Site]:
    for place in places_of(parsed, callee.name):
        selector = place.node.parent
        operand = selector.child_by_field_name("operand") if selector is not None else None
        call = call_of(selector) if selector is not None and place.role == "call" else None
        if call is None or operand is None or operand.type != "identifier":
            continue
        if _type_of(parsed, operand) == type_name and not _is_local(parsed, callee.owner):
            yield from filter(_passes_values, [Site(parsed, call, f"{place.receiver}.{callee.name}")])


def _passes_values(site: Site) -> bool:
    """Not `f(g())`: the call inside may give several values at once."""
    given = site.call.child_by_field_name("arguments")
    passed = given.named_children if given is not None else []
    return len(passed) != 1 or passed[0].type != "call_expression"


def _type_of(parsed: Parsed, variable: Node) -> str:
    """The type of a variable without its star; nothing where the function around does not show it."""
    function = next(enclosing(variable, FUNCTIONS), None)
    if function is None:
        return ""
    bound = [
        place.node
        for place in places_of(parsed, node_text(variable, parsed.text))
        if place.role in ("binding", "definition")
        and function.start_byte <= place.node.start_byte < function.end_byte
    ]
    holder = bound[0].parent if len(bound) == 1 else None
    scope = next(enclosing(bound[0], SCOPES), None) if len(bound) == 1 else None
    is_seen = scope is not None and scope.start_byte <= variable.start_byte < scope.end_byte
    return _declared_type(holder, parsed.text).lstrip("*") if holder is not None and is_seen else ""


def _is_local(parsed: Parsed, type_name: str) -> bool:
    """A function of the file defines a type of that name for itself."""
    defined = (
        place.node for place in places_of(parsed, type_name) if place.role in ("definition", "binding")
    )
    return any(next(enclosing(node, FUNCTIONS), None) is not None for node in defined)


def _declared_type(holder: Node, text: bytes) -> str:
    if holder.type in ("parameter_declaration", "var_spec") and holder.child_by_field_name("type"):
        return text_of(holder, "type", text)
    declaration = holder.parent
    if holder.type != "expression_list" or declaration is None or declaration.type != "short_var_declaration":
        return ""
    right = declaration.child_by_field_name("right")
    if right is None or right.named_child_count != 1 or holder.named_child_count != 1:
        return ""
    value = right.named_children[0]
    if value.type == "unary_expression" and node_text(value, text).startswith("&"):
        value = value.child_by_field_name("operand") or value
    return text_of(value, "type", text) if value.type == "composite_literal" else ""
