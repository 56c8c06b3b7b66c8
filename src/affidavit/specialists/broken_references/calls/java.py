"""Java: calls of a method of a class that inherits nothing, by the class or on a variable of its type."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from affidavit.languages.engine.grammars import node_text
from affidavit.specialists.broken_references.calls.callee import (
    Callee,
    Site,
    call_of,
    enclosing,
    places_of,
    sound,
    text_of,
)
from affidavit.specialists.broken_references.ground import Ground, Parsed
from affidavit.specialists.broken_references.members.known_objects import DECLARED
from affidavit.specialists.broken_references.members.methods import class_is_plain, knowing_files
from affidavit.symbols.definitions import symbols_of
from affidavit.symbols.occurrences import Occurrence

BODIES = (
    "class_declaration",
    "enum_declaration",
    "record_declaration",
    "interface_declaration",
    "object_creation_expression",
)
SCOPES = ("class_body", "enum_body", "enum_body_declarations", "interface_body", "annotation_type_body")
PATTERNS = frozenset(
    ("lambda_expression", "instanceof_expression", "resource", "type_pattern", "record_pattern_component")
)
VARIABLES = frozenset(("local_variable_declaration", "field_declaration", "formal_parameter"))
STATIC_IMPORT = re.compile(rb"^\s*import\s+static\s+[\w.]+\.(\w+|\*)\s*;", re.MULTILINE)
IMPORT = re.compile(rb"^\s*import\s+([\w.]+)\s*;", re.MULTILINE)
PACKAGE = re.compile(rb"^\s*package\s+([\w.]+)\s*;", re.MULTILINE)


def java_calls(ground: Ground, callee: Callee) -> Iterator[Site]:
    """Every call that surely means the method or constructor."""
    if "." in callee.owner or not callee.owner or not _is_alone(ground, callee):
        return
    for path in sorted(_knowing(ground, callee)):
        parsed = sound(ground, path)
        if parsed is None or not _means_the_class(ground, parsed, callee):
            continue
        if callee.name == callee.owner:
            yield from _made(parsed, callee)
            continue
        if path == callee.old.path:
            yield from _by_the_class(parsed, callee)
        yield from _on_variables(parsed, callee)


def _is_alone(ground: Ground, callee: Callee) -> bool:
    """The class inherits nothing, no annotation makes members, and no other method has the name."""
    head, path = ground.repository.head, callee.old.path
    owners = [one for one in symbols_of(head, path) if one.qualified == callee.owner]
    is_class = len(owners) == 1 and re.search(r"\bclass\b", owners[0].signature) is not None
    if not is_class or "@" in owners[0].signature or not class_is_plain(ground, callee.old):
        return False
    wanted = 0 if callee.is_gone else 1
    is_new_constructor = callee.is_gone and callee.name == callee.owner
    if is_new_constructor or ground.count_defined([path], callee.old.qualified) != wanted:
        return False
    was_alone = ground.count_defined([path], callee.old.qualified, "base") == 1
    return was_alone and len(ground.search([callee.owner], DECLARED)) == 1


def _knowing(ground: Ground, callee: Callee) -> set[str]:
    return knowing_files(ground, callee.old) | set(ground.beside(callee.folder, ".java"))


def _means_the_class(ground: Ground, parsed: Parsed, callee: Callee) -> bool:
    """The name of the class stands for it: by package or import, and for no variable or type parameter."""
    own = PACKAGE.search(ground.repository.head.read(callee.old.path) or b"")
    package = own[1].decode() if own else ""
    said = PACKAGE.search(parsed.text)
    named = [name.decode() for name in IMPORT.findall(parsed.text)]
    meant = [name for name in named if name.rpartition(".")[2] == callee.owner]
    whole = f"{package}.{callee.owner}".lstrip(".")
    is_beside = (said[1].decode() if said else "") == package
    if meant not in ([whole], []) or not (meant or is_beside):
        return False
    return not any(place.role == "binding" for place in places_of(parsed, callee.owner))


def _made(parsed: Parsed, callee: Callee) -> Iterator[Site]:
    for place in places_of(parsed, callee.owner):
        made = place.node.parent
        is_plain = made is not None and made.type == "object_creation_expression"
        has_body = made is not None and any(child.type == "class_body" for child in made.named_children)
        if made is not None and is_plain and not has_body and made.child_by_field_name("type") == place.node:
            yield Site(parsed, made, f"new {callee.owner}")


def _by_the_class(parsed: Parsed, callee: Callee) -> Iterator[Site]:
    taken = set(STATIC_IMPORT.findall(parsed.text))
    if taken & {b"*", callee.name.encode()}:
        return
    for place in places_of(parsed, callee.name):
        call = call_of(place.node) if place.role == "call" else None
        body = next(enclosing(place.node, BODIES), None)
        is_own = body is not None and text_of(body, "name", parsed.text) == callee.owner
        if call is not None and is_own and place.receiver in (None, "this"):
            yield Site(parsed, call, callee.name)


def _on_variables(parsed: Parsed, callee: Callee) -> Iterator[Site]:
    for place in places_of(parsed, callee.name):
        call = call_of(place.node) if place.role == "call" else None
        target = call.child_by_field_name("object") if call is not None else None
        if call is not None and target is not None and _makes(target, callee.owner, parsed.text):
            yield Site(parsed, call, f"new {callee.owner}(…).{callee.name}")
        if call is None or target is None or target.type != "identifier":
            continue
        name = node_text(target, parsed.text)
        if name == callee.owner or _type_of(parsed, target, name) == callee.owner:
            yield Site(parsed, call, f"{name}.{callee.name}")


def _makes(target: Node, owner: str, text: bytes) -> bool:
    """The expression is `new Owner(…)`, in brackets or not, and no class of its own kind."""
    while target.type == "parenthesized_expression" and target.named_child_count == 1:
        target = target.named_children[0]
    is_plain = target.type == "object_creation_expression" and not any(
        child.type == "class_body" for child in target.named_children
    )
    return is_plain and text_of(target, "type", text).partition("<")[0] == owner


def _type_of(parsed: Parsed, variable: Node, name: str) -> str:
    """The declared type of a variable that the file declares once, and whose scope the place is in."""
    bound = [place.node for place in places_of(parsed, name) if _binds(place)]
    holder: Node | None = bound[0].parent if len(bound) == 1 else None
    if holder is None or not _is_seen(holder, variable):
        return ""
    if holder is not None and holder.type == "variable_declarator":
        value = holder.child_by_field_name("value")
        holder = holder.parent
        if text_of(holder, "type", parsed.text) == "var":
            is_new = value is not None and value.type == "object_creation_expression"
            return text_of(value, "type", parsed.text) if is_new else ""
    is_variable = holder is not None and holder.type in VARIABLES
    return text_of(holder, "type", parsed.text) if is_variable else ""


def _binds(place: Occurrence) -> bool:
    above = place.node.parent
    return place.role in ("binding", "definition") or (above is not None and above.type in PATTERNS)


def _is_seen(holder: Node, variable: Node) -> bool:
    """The variable stands in the body that declares it: what a class inside inherits may hide it there."""
    declaration = holder.parent if holder.type == "variable_declarator" else holder
    scope = declaration.parent if declaration is not None else None
    if scope is not None and declaration is not None and declaration.type == "formal_parameter":
        scope = scope.parent
    is_inside = scope is not None and scope.start_byte <= variable.start_byte < scope.end_byte
    return is_inside and next(enclosing(holder, SCOPES), None) == next(enclosing(variable, SCOPES), None)
