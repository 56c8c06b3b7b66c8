"""Uses such as `module.name` and Go's `package.Name` of names that the change took out of the module."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from affidavit.languages.engine.grammars import ancestors, matches, node_text
from affidavit.languages.registry import parsed_family
from affidavit.ports import Tree
from affidavit.records.context import Import
from affidavit.specialists.broken_references.ground import Break, Ground, Parsed, is_guarded
from affidavit.symbols.definitions import symbols_of
from affidavit.symbols.occurrences import Occurrence, occurrences

RULE = "references/removed-attribute"
MEMBERS = r"\.\s*(?:{})\b"
PYTHON_IMPORTS = """
(import_statement name: (aliased_import name: (_) @module alias: (_) @alias))
(import_statement name: (dotted_name) @module)
(import_from_statement module_name: (_) @module name: (aliased_import name: (_) @taken alias: (_) @alias))
(import_from_statement module_name: (_) @module name: (dotted_name) @taken)
"""
JAVASCRIPT_IMPORTS = """
(import_statement (import_clause (namespace_import (identifier) @alias)) source: (string) @module)
"""
IMPORTS = {"python": PYTHON_IMPORTS, "javascript": JAVASCRIPT_IMPORTS}
GO_IMPORTS = "(import_spec name: (_)? @alias path: (_) @module)"
GO_PACKAGE = re.compile(rb"^package\s+(\w+)", re.MULTILINE)
# Without the package's own definition these still mean something.
GO_BUILT_IN = frozenset(
    (
        "_", "any", "append", "bool", "byte", "cap", "clear", "close", "comparable", "complex", "complex64",
        "complex128", "copy", "delete", "error", "false", "float32", "float64", "imag", "int", "int8",
        "int16", "int32", "int64", "iota", "len", "make", "max", "min", "new", "nil", "panic", "print",
        "println", "real", "recover", "rune", "string", "true", "uint", "uint8", "uint16", "uint32",
        "uint64", "uintptr",
    )
)  # fmt: skip


@dataclass(frozen=True)
class _Bound:
    """A module under the name that a file gave it."""

    alias: str
    module: str
    taken: str
    line: int


def find_removed_attributes(ground: Ground) -> Iterator[Break]:
    """Python and JavaScript: attributes of a module that is imported as a whole."""
    whole = {
        path: [one for one in ground.head_imports.importers_of(path) if _takes_whole(one, path)]
        for path in ground.lost_names
    }
    names = {name for path, users in whole.items() if users for name in ground.lost_names[path]}
    paths = {hit.path for hit in ground.search(sorted(names), MEMBERS)}
    for path, users in whole.items():
        for one in users:
            parsed = ground.parsed(one.path) if one.path in paths else None
            if parsed is not None:
                yield from _uses_of_module(ground, parsed, one, path, ground.lost_names[path])


def _takes_whole(one: Import, path: str) -> bool:
    """The statement binds the module itself: by its path, as a namespace, or out of its package."""
    stem = path.removesuffix("/__init__.py").rpartition("/")[2].partition(".")[0]
    return not one.names or "*" in one.names or one.names == (stem,)


def _uses_of_module(
    ground: Ground, parsed: Parsed, one: Import, path: str, names: list[str]
) -> Iterator[Break]:
    for bound in _bound(parsed):
        if not _is_same(bound, one, parsed) or _is_rebound(parsed, bound):
            continue
        for name in names:
            places = occurrences(parsed.root, parsed.text, name)
            uses = [place for place in places if place.receiver == bound.alias]
            if any(_is_assigned(place) for place in uses):
                continue
            for place in uses:
                if not is_guarded(place.node, parsed.text) and not _is_probed(parsed, name):
                    message = f"`{bound.alias}.{name}` is used, but `{path}` does not have it any more"
                    yield Break(RULE, parsed.path, place.line, message, ground.cause(path, name))


def _bound(parsed: Parsed) -> list[_Bound]:
    query = IMPORTS.get(parsed.language.family)
    if query is None:
        return []
    found = []
    for captured in matches(parsed.grammar, query, parsed.root):
        said = {key: node_text(nodes[0], parsed.text) for key, nodes in captured.items()}
        module, taken = said["module"].strip("\"'"), said.get("taken", "")
        line = captured["module"][0].start_point.row + 1
        found.append(_Bound(said.get("alias") or taken or module, module, taken, line))
    return found


def _is_same(bound: _Bound, one: Import, parsed: Parsed) -> bool:
    """The binding is what the statement of the import graph says."""
    if bound.module != one.name:
        return False
    if parsed.language.name == "python":
        return one.names == (bound.taken,) if bound.taken else not one.names
    return "*" in one.names and bound.module.startswith(".")


def _is_rebound(parsed: Parsed, bound: _Bound) -> bool:
    """The file uses the name for something else as well."""
    name = bound.alias.partition(".")[0]
    places = occurrences(parsed.root, parsed.text, name)
    if any(place.role in ("definition", "binding") and not _is_import(place) for place in places):
        return True
    others = [one for one in _bound(parsed) if one.alias == bound.alias and one.module != bound.module]
    return bool(others)


def _is_import(place: Occurrence) -> bool:
    # Not all of an `export`: its functions have parameters.
    return any(
        above.type.startswith("import_") or above.type in ("export_clause", "namespace_export")
        for above in ancestors(place.node)
    )


def _is_assigned(place: Occurrence) -> bool:
    whole = place.node.parent
    holder = whole.parent if whole is not None else None
    return holder is not None and holder.child_by_field_name("left") == whole


def _is_probed(parsed: Parsed, name: str) -> bool:
    """The file asks whether the name is there: `hasattr(module, "name")`, `"name" in …`."""
    return f'"{name}"'.encode() in parsed.text or f"'{name}'".encode() in parsed.text


def find_removed_go_names(ground: Ground) -> Iterator[Break]:
    """Go: uses of what a package no longer has, from other packages and from its own files."""
    lost = _lost_go_names(ground)
    hits = ground.search(sorted({name for names in lost.values() for name in names}))
    paths = {hit.path for hit in hits if hit.path.endswith(".go")}
    for folder, names in lost.items():
        importers = go_importers(ground, folder)
        for path in sorted(paths):
            parsed = ground.parsed(path)
            if parsed is None or parsed.root.has_error:
                continue
            if path.rpartition("/")[0] == folder:
                yield from _go_uses_inside(ground, parsed, names)
            elif path in importers:
                yield from _go_uses_outside(ground, parsed, importers[path], folder, names)


def _lost_go_names(ground: Ground) -> dict[str, dict[str, str]]:
    """Folder → top-level names that no file of it defines any more → the file that defined them."""
    found: dict[str, dict[str, str]] = {}
    for one in ground.symbols:
        old = one.base
        if one.fate not in ("removed", "renamed") or old is None or old.language != "go":
            continue
        if "." not in old.qualified and old.name not in GO_BUILT_IN and not old.path.endswith("_test.go"):
            found.setdefault(old.path.rpartition("/")[0], {})[old.name] = old.path
    for folder, names in found.items():
        for name in _go_names(ground.repository.head, folder) & names.keys():
            del names[name]
    return {folder: names for folder, names in found.items() if names}


def _go_names(tree: Tree, folder: str) -> set[str]:
    files = [
        path for path in tree.entries() if path.rpartition("/")[0] == folder and parsed_family(path) == "go"
    ]
    return {symbol.qualified for path in files for symbol in symbols_of(tree, path)}


def go_importers(ground: Ground, folder: str) -> dict[str, str]:
    """Files of head that import the package → the path under which they do."""
    return {
        one.path: one.name
        for path in ground.beside(folder, ".go")
        for one in ground.head_imports.importers_of(path)
    }


def _go_uses_outside(
    ground: Ground, parsed: Parsed, imported: str, folder: str, names: dict[str, str]
) -> Iterator[Break]:
    alias = go_alias(ground, parsed, imported, folder)
    if alias is None or is_go_bound(parsed, alias):
        return
    for name, origin in names.items():
        for place in occurrences(parsed.root, parsed.text, name):
            if place.receiver == alias and place.role in ("call", "name"):
                message = f"`{alias}.{name}` is used, but the package `{folder}` does not have it any more"
                yield Break(RULE, parsed.path, place.line, message, ground.cause(origin, name))


def go_alias(ground: Ground, parsed: Parsed, imported: str, folder: str) -> str | None:
    for captured in matches(parsed.grammar, GO_IMPORTS, parsed.root):
        if node_text(captured["module"][0], parsed.text).strip('"`') == imported:
            if "alias" in captured:
                alias = node_text(captured["alias"][0], parsed.text)
                return alias if alias.isidentifier() and alias != "_" else None
            return _go_package(ground, folder)
    return None


def _go_package(ground: Ground, folder: str) -> str | None:
    for path in ground.beside(folder, ".go"):
        if not path.endswith("_test.go"):
            declared = GO_PACKAGE.search(ground.repository.head.read(path) or b"")
            return declared[1].decode() if declared else None
    return None


def is_go_bound(parsed: Parsed, name: str) -> bool:
    places = occurrences(parsed.root, parsed.text, name)
    return any(place.role in ("definition", "binding") and not _is_import(place) for place in places)


def _go_uses_inside(ground: Ground, parsed: Parsed, names: dict[str, str]) -> Iterator[Break]:
    declared = GO_PACKAGE.search(parsed.text)
    has_dot_import = re.search(rb'^\s*\.\s+"', parsed.text, re.MULTILINE) is not None
    if has_dot_import or declared is None:
        return
    for name, origin in names.items():
        origin_package = GO_PACKAGE.search(ground.repository.base.read(origin) or b"")
        if origin_package is None or origin_package[1] != declared[1]:
            continue
        places = occurrences(parsed.root, parsed.text, name)
        if any(place.role in ("definition", "binding", "key", "import") for place in places):
            continue
        for place in places:
            if place.role in ("call", "name") and place.receiver is None and _is_plain(place):
                message = (
                    f"`{name}` is used, but the package `{declared[1].decode()}` does not have it any more"
                )
                yield Break(RULE, parsed.path, place.line, message, ground.cause(origin, name))


def _is_plain(place: Occurrence) -> bool:
    """A name by itself: not a field, a label or a part of something else."""
    return place.node.type in ("identifier", "type_identifier")
