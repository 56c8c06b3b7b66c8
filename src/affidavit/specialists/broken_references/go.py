"""Find uses of functions, types and methods that a change removed from a Go package."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from affidavit.languages.grammars import matches, node_text
from affidavit.records.context import Symbol
from affidavit.specialists.broken_references.ground import (
    Break,
    Ground,
    Parsed,
    call_of,
    enclosing,
    is_import,
    places_of,
    text_of,
)
from affidavit.symbols.occurrences import Occurrence

RULE = "references/removed-attribute"
IMPORTS = "(import_spec name: (_)? @alias path: (_) @module)"
PACKAGE = re.compile(rb"^package\s+(\w+)", re.MULTILINE)
CONSTRAINED = re.compile(rb"^//\s*(?:go:build|\+build)\b", re.MULTILINE)
DOT_IMPORT = re.compile(rb'^\s*(?:import\s+)?\.\s+"', re.MULTILINE)
GENERATED = re.compile(rb"^//go:generate\b", re.MULTILINE)
FUNCTIONS = ("function_declaration", "method_declaration")
SCOPES = (
    *FUNCTIONS, "func_literal", "block", "if_statement", "for_statement", "expression_switch_statement",
    "type_switch_statement", "expression_case", "type_case", "default_case", "communication_case",
)  # fmt: skip
# Without the package's own definition these still mean something.
BUILT_IN = frozenset(
    (
        "_", "any", "append", "bool", "byte", "cap", "clear", "close", "comparable", "complex", "complex64",
        "complex128", "copy", "delete", "error", "false", "float32", "float64", "imag", "int", "int8",
        "int16", "int32", "int64", "iota", "len", "make", "max", "min", "new", "nil", "panic", "print",
        "println", "real", "recover", "rune", "string", "true", "uint", "uint8", "uint16", "uint32",
        "uint64", "uintptr",
    )
)  # fmt: skip


def find_removed_go_names(ground: Ground) -> Iterator[Break]:
    """Yield uses of what a package no longer has, from other packages and from its own files."""
    # A definition that only moved may be in another package now.
    changed = [one.base for one in ground.symbols if one.fate in ("removed", "renamed") and one.base]
    gone = [old for old in changed if old.language == "go" and not old.path.endswith("_test.go")]
    hits = ground.search(sorted({old.name for old in gone}))
    paths = sorted({hit.path for hit in hits if hit.path.endswith(".go")})
    for old in gone:
        owner, _, name = old.qualified.rpartition(".")
        files = ground.beside(_folder(old), ".go")
        if name in BUILT_IN or ground.count_defined(files, old.qualified):
            continue
        if owner and not _is_plain_struct(ground, files, owner, name):
            continue
        for parsed, alias in _files_that_know(ground, old, paths):
            yield from _uses(ground, parsed, old, alias)


def _folder(old: Symbol) -> str:
    return old.path.rpartition("/")[0]


def _files_that_know(ground: Ground, old: Symbol, paths: list[str]) -> Iterator[tuple[Parsed, str]]:
    """Yield the files of the package with an empty alias, and those that import it with theirs."""
    importers = _importers(ground, _folder(old))
    package = PACKAGE.search(ground.repository.base.read(old.path) or b"")
    for path in paths:
        parsed = ground.sound(path)
        if parsed is None or package is None:
            continue
        if path.rpartition("/")[0] == _folder(old):
            declared = PACKAGE.search(parsed.text)
            if declared is not None and declared[1] == package[1]:
                yield parsed, ""
        elif path in importers:
            alias = _alias(ground, parsed, importers[path], _folder(old))
            if alias is not None and not _is_bound(parsed, alias):
                yield parsed, alias


def _importers(ground: Ground, folder: str) -> dict[str, str]:
    """Return the files of head that import the package, with the path under which they do."""
    return {
        one.path: one.name
        for path in ground.beside(folder, ".go")
        for one in ground.head_imports.importers_of(path)
    }


def _alias(ground: Ground, parsed: Parsed, imported: str, folder: str) -> str | None:
    for captured in matches(parsed.grammar, IMPORTS, parsed.root):
        if node_text(captured["module"][0], parsed.text).strip('"`') == imported:
            if "alias" in captured:
                alias = node_text(captured["alias"][0], parsed.text)
                return alias if alias.isidentifier() and alias != "_" else None
            return _package_name(ground, folder)
    return None


def _package_name(ground: Ground, folder: str) -> str | None:
    for path in ground.beside(folder, ".go"):
        if not path.endswith("_test.go"):
            declared = PACKAGE.search(ground.repository.head.read(path) or b"")
            return declared[1].decode() if declared else None
    return None


def _is_bound(parsed: Parsed, name: str) -> bool:
    places = places_of(parsed, name)
    return any(place.role in ("definition", "binding") and not is_import(place) for place in places)


def _uses(ground: Ground, parsed: Parsed, old: Symbol, alias: str) -> Iterator[Break]:
    owner, _, name = old.qualified.rpartition(".")
    places = places_of(parsed, name)
    if owner:
        type_name = f"{alias}.{owner}" if alias else owner
        found = [place for place in places if _is_on_variable(parsed, place, type_name)]
        holder = f"`{owner}`"
    elif alias:
        found = [place for place in places if place.receiver == alias and place.role in ("call", "name")]
        holder = f"the package `{_folder(old)}`"
    else:
        found = _plain_uses(parsed, places)
        holder = f"the package `{PACKAGE.findall(parsed.text)[0].decode()}`"
    for place in found:
        said = f"{place.receiver}.{name}" if place.receiver else name
        message = f"`{said}` is used, but {holder} does not have it any more"
        yield Break(RULE, parsed.path, place.line, message, ground.cause(old.path, old.qualified))


def _plain_uses(parsed: Parsed, places: list[Occurrence]) -> list[Occurrence]:
    """Return uses of a name by itself, in a file that gives it no other meaning."""
    is_other = any(place.role in ("definition", "binding", "key", "import") for place in places)
    if is_other or DOT_IMPORT.search(parsed.text):
        return []
    return [
        place
        for place in places
        if place.role in ("call", "name")
        and place.receiver is None
        and place.node.type in ("identifier", "type_identifier")
    ]


def _is_plain_struct(ground: Ground, files: list[str], owner: str, name: str) -> bool:
    """Check that a struct embeds nothing, has no such field, and that no generator can add the method."""
    if ground.count_defined(files, owner) != 1:
        return False
    if any(GENERATED.search(ground.repository.head.read(path) or b"") for path in files):
        return False
    found = (_struct(ground, path, owner) for path in files)
    fields = next((one for one in found if one is not None), None)
    return fields is not None and all(fields) and name not in {one for names in fields for one in names}


def _struct(ground: Ground, path: str, name: str) -> list[list[str]] | None:
    """Return the names of each field of a struct; a field that embeds a type has none."""
    parsed = ground.sound(path)
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


def _is_on_variable(parsed: Parsed, place: Occurrence, type_name: str) -> bool:
    """Check that a method is called on a variable whose type the function around it shows."""
    selector = place.node.parent
    operand = selector.child_by_field_name("operand") if selector is not None else None
    is_call = selector is not None and place.role == "call" and call_of(selector) is not None
    if not is_call or operand is None or operand.type != "identifier" or CONSTRAINED.search(parsed.text):
        return False
    return _type_of(parsed, operand) == type_name and not _is_local(parsed, type_name.rpartition(".")[2])


def _type_of(parsed: Parsed, variable: Node) -> str:
    """Return the type of a variable without its star; nothing where the function does not show it."""
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
    """Check whether a function of the file defines a type of that name for itself."""
    return any(
        place.role in ("definition", "binding") and next(enclosing(place.node, FUNCTIONS), None) is not None
        for place in places_of(parsed, type_name)
    )


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
