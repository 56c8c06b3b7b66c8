"""Find Python and JavaScript imports and uses of names that the change removed from a module."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from affidavit.analysers.references.ground import (
    Break,
    Parsed,
    ReferenceLookup,
    is_guarded,
    is_import,
)
from affidavit.analysers.references.modules import OWN_FILE, is_passed_on_at_run_time
from affidavit.languages.grammars import ancestors, matches, node_text
from affidavit.records.change import FileChange
from affidavit.records.context import Import
from affidavit.symbols.occurrences import WordOccurrence, occurrences

STATEMENTS = frozenset(
    ("import_statement", "import_from_statement", "export_statement", "import_declaration")
)
TYPE_ONLY = re.compile(r"(?:import|export)\s+type\b")
DEFAULT_IMPORT = "(import_statement (import_clause . (identifier) @name)) @statement"
MAX_PASSED_ON = 50
ATTRIBUTE = "references/removed-attribute"
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


def find_removed_imports(ground: ReferenceLookup) -> Iterator[Break]:
    """Yield named imports from modules that still exist but lost the name."""
    for path, changed in _modules_in_question(ground).items():
        for one in ground.head_imports.importers_of(path):
            if not _means_own_file(one):
                continue
            for name in one.names:
                if name != "*" and ground.lost(path, name):
                    yield from _broken_import(ground, one, name, path, changed)


def _modules_in_question(ground: ReferenceLookup) -> dict[str, str]:
    """Yield changed modules, and modules that re-export everything of one, each with the changed one."""
    found = {
        file.path: file.path
        for file in ground.code_files
        if file.head_path == file.base_path and not ground.head_modules.exports(file.path).is_open
    }
    waiting = list(found)
    while waiting and len(found) < len(ground.code_files) + MAX_PASSED_ON:
        path = waiting.pop()
        for one in ground.head_imports.importers_of(path):
            if "*" in one.names and one.path not in found and ground.repository.base.entry(one.path):
                found[one.path] = found[path]
                waiting.append(one.path)
    folders = {_package_file(path) for path in ground.gone_files}
    base, head = ground.repository.base, ground.repository.head
    standing = {path: path for path in folders - found.keys() if head.entry(path) and base.entry(path)}
    return found | standing


def _package_file(path: str) -> str:
    """Return the `__init__.py` from which a module is imported by name."""
    folder = path.rpartition("/")[0]
    if path.rpartition("/")[2].startswith("__init__."):
        folder = folder.rpartition("/")[0]
    return f"{folder}/__init__.py" if folder else "__init__.py"


def _means_own_file(one: Import) -> bool:
    # After a question mark a bundler imports something else from the file.
    is_plain = OWN_FILE.match(one.name) is not None and "?" not in one.name
    return one.path.endswith((".py", ".pyi")) or is_plain


def _broken_import(
    ground: ReferenceLookup, one: Import, name: str, path: str, changed: str
) -> Iterator[Break]:
    parsed = ground.parsed(one.path)
    found = _taken_at(parsed, one, name) if parsed else None
    if parsed is None or found is None:
        return
    line, statement = found
    is_type = _is_for_types(statement, parsed, name) or _was_type(ground, path, name)
    rule = "references/removed-type-import" if is_type else "references/removed-import"
    gone = _gone_module(ground, path, name)
    if gone is not None and is_passed_on_at_run_time(ground, gone.base_path or ""):
        return
    cause = ground.module_cause(gone) if gone else ground.cause(changed, name)
    message = f"`{name}` is imported from `{path}`, which does not have it any more"
    yield Break(rule, one.path, line, message, cause)


def _is_for_types(statement: Node, parsed: Parsed, name: str) -> bool:
    """Check for an import that does not run: TypeScript's `import type`, Python's TYPE_CHECKING."""
    if parsed.language.name == "python":
        # Other conditions were excluded before.
        return any(above.type == "if_statement" for above in ancestors(statement))
    text = node_text(statement, parsed.text)
    return TYPE_ONLY.match(text) is not None or re.search(rf"\btype\s+{re.escape(name)}\b", text) is not None


def _was_type(ground: ReferenceLookup, path: str, name: str) -> bool:
    """Check for an interface or type alias: TypeScript drops all imports of these."""
    return any(
        old.kind in ("interface", "type") and old.language == "typescript"
        for old in ground.gone
        if (old.path, old.qualified) == (path, name)
    )


def _gone_module(ground: ReferenceLookup, package: str, name: str) -> FileChange | None:
    """Return the file behind `from package import name` if the change removed it."""
    for path, file in ground.gone_files.items():
        stem = path.removesuffix("/__init__.py").rpartition("/")[2].partition(".")[0]
        if stem == name and _package_file(path) == package:
            return file
    return None


def _taken_at(parsed: Parsed, one: Import, name: str) -> tuple[int, Node] | None:
    """Return the place of the imported name, and the statement; None if that proves nothing."""
    if name == "default" and (found := _default_taken_at(parsed, one)):
        return found
    for place in occurrences(parsed.root, parsed.text, name):
        if place.role != "import":
            continue
        statement = next((above for above in ancestors(place.node) if above.type in STATEMENTS), None)
        if statement is not None and _spans(statement, one.line) and not is_guarded(statement, parsed.text):
            is_source = _is_inside(place.node, statement.child_by_field_name("module_name"))
            if not is_source:
                return place.line, statement
    return None


def _default_taken_at(parsed: Parsed, one: Import) -> tuple[int, Node] | None:
    """Find the name in `import name from …`, which does not say `default`."""
    for captured in matches(parsed.grammar, DEFAULT_IMPORT, parsed.root):
        name, statement = captured["name"][0], captured["statement"][0]
        if _spans(statement, one.line):
            return name.start_point.row + 1, statement
    return None


def _spans(node: Node, line: int) -> bool:
    return node.start_point.row + 1 <= line <= node.end_point.row + 1


def _is_inside(node: Node, outer: Node | None) -> bool:
    return outer is not None and outer.start_byte <= node.start_byte < outer.end_byte


@dataclass(frozen=True)
class _Bound:
    """A module under the name that a file gave it."""

    alias: str
    module: str
    taken: str
    line: int


def find_removed_attributes(ground: ReferenceLookup) -> Iterator[Break]:
    """Yield removed attributes of Python and JavaScript modules imported as a whole."""
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
    """Check whether the statement binds the module itself: by path, as a namespace, or from its package."""
    stem = path.removesuffix("/__init__.py").rpartition("/")[2].partition(".")[0]
    return not one.names or "*" in one.names or one.names == (stem,)


def _uses_of_module(
    ground: ReferenceLookup, parsed: Parsed, one: Import, path: str, names: list[str]
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
                    yield Break(ATTRIBUTE, parsed.path, place.line, message, ground.cause(path, name))


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
    """Check whether the binding belongs to the statement of the import graph."""
    if bound.module != one.name:
        return False
    if parsed.language.name == "python":
        return one.names == (bound.taken,) if bound.taken else not one.names
    return "*" in one.names and bound.module.startswith(".")


def _is_rebound(parsed: Parsed, bound: _Bound) -> bool:
    """Check whether the file also uses the name for something else."""
    name = bound.alias.partition(".")[0]
    places = occurrences(parsed.root, parsed.text, name)
    if any(place.role in ("definition", "binding") and not is_import(place) for place in places):
        return True
    others = [one for one in _bound(parsed) if one.alias == bound.alias and one.module != bound.module]
    return bool(others)


def _is_assigned(place: WordOccurrence) -> bool:
    whole = place.node.parent
    holder = whole.parent if whole is not None else None
    return holder is not None and holder.child_by_field_name("left") == whole


def _is_probed(parsed: Parsed, name: str) -> bool:
    """Check whether the file tests for the name: `hasattr(module, "name")`, `"name" in …`."""
    return f'"{name}"'.encode() in parsed.text or f"'{name}'".encode() in parsed.text
