"""Imports that still stand at head of names and files that the change took away."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from tree_sitter import Node

from affidavit.git.search.ignored import is_ignored
from affidavit.languages.engine.grammars import ancestors, matches, node_text
from affidavit.languages.registry import parsed_family
from affidavit.records.change import FileChange
from affidavit.records.context import Import
from affidavit.specialists.broken_references.ground import Break, Ground, Parsed, is_guarded
from affidavit.specialists.broken_references.names.c_functions import is_own_header
from affidavit.specialists.broken_references.names.dependencies import may_be_a_dependency
from affidavit.specialists.broken_references.names.php_classes import is_loaded_class
from affidavit.symbols.occurrences import occurrences

STATEMENTS = frozenset(
    ("import_statement", "import_from_statement", "export_statement", "import_declaration")
)
# A package by its name may come from a registry in another version; these mean files of the repository.
OWN_FILE = re.compile(r"^(?:\.|#|@/|~/|src/)")
TYPE_ONLY = re.compile(r"(?:import|export)\s+type\b")
RUST_MODULE = re.compile(rb"\s*(?:pub(?:\([^)]*\))?\s+)?mod\s+\w+\s*;")
# With one of these a Python package gives a module that no file of its own has.
ALIASING = re.compile(rb"sys\.modules|__path__|meta_path|path_hooks|extend_path")
QUOTED = r"[\"'](?:\w+\.)*(?:{})[\"']"
DEFAULT_IMPORT = "(import_statement (import_clause . (identifier) @name)) @statement"
MAX_PASSED_ON = 50
MAX_OTHER_LINES = 10


def find_removed_imports(ground: Ground) -> Iterator[Break]:
    """Named imports out of modules that are still there but lost the name."""
    for path, changed in _modules_in_question(ground).items():
        for one in ground.head_imports.importers_of(path):
            if not _means_own_file(one):
                continue
            for name in one.names:
                if name != "*" and ground.lost(path, name):
                    yield from _broken_import(ground, one, name, path, changed)


def _modules_in_question(ground: Ground) -> dict[str, str]:
    """Changed modules, and those that pass on all that a changed one has: each with the changed one."""
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
    folders = {_package_file(file.base_path) for file in _gone_files(ground) if file.base_path}
    base, head = ground.repository.base, ground.repository.head
    standing = {path: path for path in folders - found.keys() if head.entry(path) and base.entry(path)}
    return found | standing


def _package_file(path: str) -> str:
    """The `__init__.py` out of which a module is taken by its name."""
    folder = path.rpartition("/")[0]
    if path.rpartition("/")[2].startswith("__init__."):
        folder = folder.rpartition("/")[0]
    return f"{folder}/__init__.py" if folder else "__init__.py"


def _means_own_file(one: Import) -> bool:
    # After a question mark a bundler takes something else from the file.
    is_plain = OWN_FILE.match(one.name) is not None and "?" not in one.name
    return one.path.endswith((".py", ".pyi")) or is_plain


def _broken_import(ground: Ground, one: Import, name: str, path: str, changed: str) -> Iterator[Break]:
    parsed = ground.parsed(one.path)
    found = _taken_at(parsed, one, name) if parsed else None
    if parsed is None or found is None:
        return
    line, statement = found
    is_type = _is_for_types(statement, parsed, name) or _was_type(ground, path, name)
    rule = "references/removed-type-import" if is_type else "references/removed-import"
    gone = _gone_module(ground, path, name)
    if gone is not None and _is_passed_on_at_run_time(ground, gone.base_path or ""):
        return
    cause = ground.module_cause(gone) if gone else ground.cause(changed, name)
    message = f"`{name}` is imported from `{path}`, which does not have it any more"
    yield Break(rule, one.path, line, message, cause)


def _is_for_types(statement: Node, parsed: Parsed, name: str) -> bool:
    """The import is gone before the program runs: TypeScript's `import type`, Python's TYPE_CHECKING."""
    if parsed.language.name == "python":
        # Other conditions were ruled out before.
        return any(above.type == "if_statement" for above in ancestors(statement))
    text = node_text(statement, parsed.text)
    return TYPE_ONLY.match(text) is not None or re.search(rf"\btype\s+{re.escape(name)}\b", text) is not None


def _was_type(ground: Ground, path: str, name: str) -> bool:
    """TypeScript drops imports of interfaces and type aliases, however they are written."""
    return any(
        old.kind in ("interface", "type") and old.language == "typescript"
        for old in ground.gone
        if (old.path, old.qualified) == (path, name)
    )


def _gone_module(ground: Ground, package: str, name: str) -> FileChange | None:
    """The file behind `from package import name`, where the change took it away."""
    for file in _gone_files(ground):
        stem = (file.base_path or "").removesuffix("/__init__.py").rpartition("/")[2].partition(".")[0]
        if stem == name and _package_file(file.base_path or "") == package:
            return file
    return None


def _gone_files(ground: Ground) -> list[FileChange]:
    """Files that are no longer where they were."""
    return [file for file in ground.code_files if file.base_path and file.base_path != file.head_path]


def _taken_at(parsed: Parsed, one: Import, name: str) -> tuple[int, Node] | None:
    """Where the statement takes the name, and the statement; None where nothing is proven by it."""
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
    """`import name from …` does not say `default`."""
    for captured in matches(parsed.grammar, DEFAULT_IMPORT, parsed.root):
        name, statement = captured["name"][0], captured["statement"][0]
        if _spans(statement, one.line):
            return name.start_point.row + 1, statement
    return None


def _spans(node: Node, line: int) -> bool:
    return node.start_point.row + 1 <= line <= node.end_point.row + 1


def _is_inside(node: Node, outer: Node | None) -> bool:
    return outer is not None and outer.start_byte <= node.start_byte < outer.end_byte


def find_removed_modules(ground: Ground) -> Iterator[Break]:
    """Imports of files that the change deleted or moved, which now mean nothing."""
    for file in _gone_files(ground):
        path = file.base_path or ""
        importers = [one for one in ground.base_imports.importers_of(path) if _was_enough(ground, one, path)]
        broken = [found for one in importers for found in _broken_module(ground, file, one)]
        if broken and not _is_replaced(ground, path):
            yield from broken


def _is_replaced(ground: Ground, path: str) -> bool:
    """Something else stands in the file's place, or its name is one that a build makes."""
    # A stub only describes a module, which a build may make.
    if path.endswith(".pyi") or _has_stand_in(ground, path):
        return True
    name = path.rpartition("/")[2]
    if path.endswith(".java") and _is_type_elsewhere(ground, name.removesuffix(".java")):
        return True
    if path.endswith(".py") and _is_passed_on_at_run_time(ground, path):
        return True
    head = ground.repository.head
    ignores = [known for known in head.entries() if known.rpartition("/")[2] == ".gitignore"]
    is_named = any(name in line for known in ignores for line in head.lines(known) or ())
    return is_named or is_ignored(head, path)


def _has_stand_in(ground: Ground, path: str) -> bool:
    stem = path.removesuffix("/__init__.py").partition(".")[0] if "/." not in path else path
    family = parsed_family(path)
    # A folder of that name answers a JavaScript import only with an index or a manifest.
    is_javascript = family == "javascript"
    folder = (f"{stem}/index.", f"{stem}/package.json") if is_javascript else (f"{stem}/",)
    likes = [known for known in ground.repository.head.entries() if known.startswith((f"{stem}.", *folder))]
    if family == "c":
        # A header and its source share the stem; a template or a grammar is what a header is made from.
        return any(parsed_family(known) != "c" for known in likes)
    return bool(likes)


def _is_passed_on_at_run_time(ground: Ground, path: str) -> bool:
    """A package around has its modules found elsewhere, or some code puts the module where imports look."""
    head = ground.repository.head
    folders = path.split("/")[:-1]
    around = ("/".join([*folders[:depth], "__init__.py"]) for depth in range(1, len(folders) + 1))
    if any(ALIASING.search(head.read(package) or b"") for package in around):
        return True
    name = ".".join(path.removesuffix(".py").removesuffix("/__init__").split("/")[-2:])
    quoting = {hit.path for hit in ground.search([name], QUOTED) if hit.path.endswith(".py")}
    return any(ALIASING.search(head.read(known) or b"") for known in quoting)


def _is_type_elsewhere(ground: Ground, name: str) -> bool:
    """A file of another name, or another language of the same machine, declares the type."""
    declared = re.compile(rf"\b(?:class|interface|enum|record|object|trait)\s+{re.escape(name)}\b")
    return any(declared.search(hit.text) for hit in ground.search([name]))


def _was_enough(ground: Ground, one: Import, path: str) -> bool:
    """The import meant this file alone: of a package with several, others may be left."""
    meant = {
        other.target
        for other in ground.base_imports.imports_of(one.path)
        if (other.line, other.name, other.names) == (one.line, one.name, one.names)
    }
    gone = {file.base_path for file in _gone_files(ground)}
    return meant <= gone and path == min(known for known in meant if known)


def _broken_module(ground: Ground, file: FileChange, one: Import) -> Iterator[Break]:
    moved = ground.change.file_at(one.path, "base")
    path = moved.head_path if moved else one.path
    parsed = ground.parsed(path) if path else None
    if parsed is None or path is None or not _is_decidable(ground, parsed, one):
        return
    standing = [other for other in ground.head_imports.imports_of(path) if other.name == one.name]
    # A relative import of a moved file means another place than before.
    if path != one.path and one.name.startswith("."):
        return
    if may_be_a_dependency(ground, file.base_path or "", one.name):
        return
    for other in standing:
        if other.target is None and _same_names(other, one) and not _is_guarded_at(parsed, other.line):
            message = f"`{one.name}` is imported, but {file.base_path} is gone"
            cause = ground.module_cause(file)
            yield Break("references/removed-module", path, other.line, message, cause)


def _same_names(other: Import, one: Import) -> bool:
    return not one.names or not other.names or not set(one.names).isdisjoint(other.names)


def _is_decidable(ground: Ground, parsed: Parsed, one: Import) -> bool:
    family = parsed.language.family
    if family == "javascript":
        return OWN_FILE.match(one.name) is not None and "?" not in one.name
    if family == "ruby":
        return b"require_relative" in _line(parsed.text, one.line)
    if family == "c":
        is_quoted = b'"' in _line(parsed.text, one.line)
        return not one.is_conditional and is_quoted and is_own_header(ground, one.target or "")
    if family == "rust":
        # A use of what a module has is another matter: the name may come from elsewhere.
        return not one.is_conditional and RUST_MODULE.match(_line(parsed.text, one.line)) is not None
    if family == "php":
        return is_loaded_class(ground, parsed, one.name)
    return family in ("python", "java", "go")


def _line(text: bytes, number: int) -> bytes:
    lines = text.split(b"\n")
    return lines[number - 1] if number <= len(lines) else b""


def _is_guarded_at(parsed: Parsed, line: int) -> bool:
    row = _line(parsed.text, line)
    start = len(row) - len(row.lstrip())
    node = parsed.root.descendant_for_point_range((line - 1, start), (line - 1, start + 1))
    return node is None or is_guarded(node, parsed.text) or any(_is_preprocessed(a) for a in ancestors(node))


def _is_preprocessed(node: Node) -> bool:
    # A header's own guard is no condition; deeper ones are.
    return node.type.startswith("preproc_if") and node.parent is not None and node.parent.parent is not None


def distinct(breaks: Iterable[Break]) -> list[Break]:
    """Each problem of each file once, at its first line; the message names the other lines.

    What a comment of the change silences is another problem than what it does not.
    """
    found: dict[tuple[str, str, str, str], list[Break]] = {}
    for one in breaks:
        found.setdefault((one.rule, one.path, one.message, one.suppressed_by), []).append(one)
    return [_first(group) for group in found.values()]


def _first(group: list[Break]) -> Break:
    lines = sorted({one.line for one in group})
    first = next(one for one in group if one.line == lines[0])
    if len(lines) == 1:
        return first
    others = ", ".join(map(str, lines[1 : 1 + MAX_OTHER_LINES]))
    more = " and more" if len(lines) > 1 + MAX_OTHER_LINES else ""
    return replace(first, message=f"{first.message} (also at lines {others}{more})")
