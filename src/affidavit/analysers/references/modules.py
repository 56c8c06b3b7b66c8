"""Find imports in Python, JavaScript, Ruby and PHP of a file that the change deleted or moved."""

import json
import re
from collections.abc import Iterable, Iterator

from affidavit.analysers.references.ground import Break, Parsed, ReferenceLookup, is_guarded
from affidavit.git.checkout import is_ignored
from affidavit.languages.registry import parsed_family
from affidavit.ports import Tree
from affidavit.records.change import FileChange
from affidavit.records.context import Import
from affidavit.symbols.occurrences import WordOccurrence, occurrences

# A package named alone may come from a registry; these prefixes refer to files of the repository.
OWN_FILE = re.compile(r"^(?:\.|#|@/|~/|src/)")
# With one of these a Python package provides a module without a file.
ALIASING = re.compile(rb"sys\.modules|__path__|meta_path|path_hooks|extend_path")
QUOTED = r"[\"'](?:\w+\.)*(?:{})[\"']"
OF_PYTHON = re.compile(
    r"(?:^|/)(?:pyproject\.toml|setup\.(?:py|cfg)|Pipfile|environment\.ya?ml|tox\.ini|requirements[^/]*"
    r"|requirements/[^/]+\.(?:txt|in))$"
)
OWN_NAME = re.compile(r"^\s*name\s*=")
MANIFEST = "composer.json"
# Uses that load nothing do not fail: `Name::class`, a type in a signature, a doc comment.
LOADING = frozenset(
    ("object_creation_expression", "base_clause", "class_interface_clause", "use_declaration")
)
DECLARING = r"\b(?:class|interface|trait|enum)\s+{0}\b|\bclass_alias\b.*\b{0}\b|[\"'][^\"']*\b{0}\b"


def find_removed_modules(ground: ReferenceLookup) -> Iterator[Break]:
    """Yield imports of files that the change deleted or moved, which no longer resolve."""
    for path, file in ground.gone_files.items():
        importers = [one for one in ground.base_imports.importers_of(path) if _was_enough(ground, one, path)]
        broken = [found for one in importers for found in _broken_module(ground, file, one)]
        if broken and not _is_replaced(ground, path):
            yield from broken


def _is_replaced(ground: ReferenceLookup, path: str) -> bool:
    """Check whether something else replaces the file, or a build makes it."""
    # A stub only describes a module, which a build may make.
    if path.endswith(".pyi") or _has_stand_in(ground, path):
        return True
    if path.endswith(".py") and is_passed_on_at_run_time(ground, path):
        return True
    return is_ignored(ground.repository.head, path)


def _has_stand_in(ground: ReferenceLookup, path: str) -> bool:
    stem = path.removesuffix("/__init__.py").partition(".")[0] if "/." not in path else path
    # A folder resolves a JavaScript import only with an index or a manifest.
    is_javascript = parsed_family(path) == "javascript"
    folder = (f"{stem}/index.", f"{stem}/package.json") if is_javascript else (f"{stem}/",)
    return any(known.startswith((f"{stem}.", *folder)) for known in ground.repository.head.entries())


def is_passed_on_at_run_time(ground: ReferenceLookup, path: str) -> bool:
    """Check whether a package finds its modules elsewhere, or some code registers the module."""
    head = ground.repository.head
    folders = path.split("/")[:-1]
    around = ("/".join([*folders[:depth], "__init__.py"]) for depth in range(1, len(folders) + 1))
    if any(ALIASING.search(head.read(package) or b"") for package in around):
        return True
    name = ".".join(path.removesuffix(".py").removesuffix("/__init__").split("/")[-2:])
    quoting = {hit.path for hit in ground.search([name], QUOTED) if hit.path.endswith(".py")}
    return any(ALIASING.search(head.read(known) or b"") for known in quoting)


def _was_enough(ground: ReferenceLookup, one: Import, path: str) -> bool:
    """Check that the import referred to this file alone: a package may have others left."""
    meant = {
        other.target
        for other in ground.base_imports.imports_of(one.path)
        if (other.line, other.name, other.names) == (one.line, one.name, one.names)
    }
    return meant <= ground.gone_files.keys() and path == min(known for known in meant if known)


def _broken_module(ground: ReferenceLookup, file: FileChange, one: Import) -> Iterator[Break]:
    moved = ground.change.file_at(one.path, "base")
    path = moved.head_path if moved else one.path
    # A relative import in a moved file refers to another place than before.
    if path != one.path and one.name.startswith("."):
        return
    parsed = ground.parsed(path) if path else None
    if parsed is None or path is None or not _is_decidable(ground, parsed, one):
        return
    standing = [other for other in ground.head_imports.imports_of(path) if other.name == one.name]
    if _may_be_a_dependency(ground, file.base_path or "", one.name):
        return
    for other in standing:
        if other.target is None and _same_names(other, one) and not _is_guarded_at(parsed, other.line):
            message = f"`{one.name}` is imported, but {file.base_path} is gone"
            cause = ground.module_cause(file)
            yield Break("references/removed-module", path, other.line, message, cause)


def _same_names(other: Import, one: Import) -> bool:
    return not one.names or not other.names or not set(one.names).isdisjoint(other.names)


def _is_decidable(ground: ReferenceLookup, parsed: Parsed, one: Import) -> bool:
    family = parsed.language.family
    if family == "javascript":
        return OWN_FILE.match(one.name) is not None and "?" not in one.name
    if family == "ruby":
        return b"require_relative" in _line(parsed.text, one.line)
    if family == "php":
        return _is_loaded_class(ground, parsed, one.name)
    return family == "python"


def _line(text: bytes, number: int) -> bytes:
    lines = text.split(b"\n")
    return lines[number - 1] if number <= len(lines) else b""


def _is_guarded_at(parsed: Parsed, line: int) -> bool:
    row = _line(parsed.text, line)
    start = len(row) - len(row.lstrip())
    node = parsed.root.descendant_for_point_range((line - 1, start), (line - 1, start + 1))
    return node is None or is_guarded(node, parsed.text)


def _may_be_a_dependency(ground: ReferenceLookup, path: str, imported: str) -> bool:
    """Check whether package manifests, or changes to them, suggest that a dependency replaces the file."""
    is_absolute = path.endswith((".py", ".pyi")) and not imported.startswith(".")
    return is_absolute and _is_a_package_of_python(ground, imported.partition(".")[0])


def _is_a_package_of_python(ground: ReferenceLookup, package: str) -> bool:
    """Check that nothing is left of the package, and manifests name it or change with it."""
    head = ground.repository.head
    left = (f"/{package}/", f"/{package}.py")
    if any(known.endswith(".py") and any(part in f"/{known}" for part in left) for known in head.entries()):
        return False
    if any(OF_PYTHON.search(file.path) for file in ground.change.files):
        return True
    named = re.compile(rf"(?<![\w.-]){re.escape(package)}(?![\w-])".replace("_", "[-_.]"), re.IGNORECASE)
    lines = (line for text in _manifests(head, OF_PYTHON) for line in text.splitlines())
    return any(named.search(line) and not OWN_NAME.match(line) for line in lines)


def _manifests(tree: Tree, kind: re.Pattern[str]) -> Iterable[str]:
    paths = [path for path in tree.entries() if kind.search(path)]
    return ((tree.read(path) or b"").decode(errors="replace") for path in paths)


def _is_loaded_class(ground: ReferenceLookup, parsed: Parsed, imported: str) -> bool:
    """Check that the class is in the repository's namespace, undeclared, and used by the file."""
    name = imported.rpartition("\\")[2]
    if parsed.root.has_error or not _is_own_namespace(ground, imported) or _is_declared(ground, name):
        return False
    if any(file.path.rpartition("/")[2] == MANIFEST for file in ground.change.files):
        # The class may have moved into its own package.
        return False
    return any(_loads(place, parsed) for place in occurrences(parsed.root, parsed.text, name))


def _is_own_namespace(ground: ReferenceLookup, imported: str) -> bool:
    """Check whether the repository's manifest says where classes of this name are."""
    text = ground.repository.head.read(MANIFEST)
    try:
        manifest = json.loads(text) if text is not None else {}
    except ValueError:
        return False
    loading = manifest.get("autoload") if isinstance(manifest, dict) else None
    prefixes = loading.get("psr-4") if isinstance(loading, dict) else None
    return isinstance(prefixes, dict) and any(imported.startswith(one) for one in prefixes if one)


def _is_declared(ground: ReferenceLookup, name: str) -> bool:
    """Check whether a line declares the name, aliases it, or has it in a string that may define it."""
    declaring = re.compile(DECLARING.format(re.escape(name)))
    return any(declaring.search(hit.text) for hit in ground.search([name]))


def _loads(place: WordOccurrence, parsed: Parsed) -> bool:
    holder = place.node.parent
    is_loading = holder is not None and holder.type in LOADING
    return place.role != "import" and is_loading and not is_guarded(place.node, parsed.text)
