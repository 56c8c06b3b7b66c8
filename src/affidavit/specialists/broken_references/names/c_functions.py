"""C: calls of a function that the change removed, where nothing in the repository defines it any more."""

import re
from collections.abc import Iterator
from functools import partial

from tree_sitter import Node

from affidavit.diff.skipping import VENDORED_FOLDERS
from affidavit.errors import GitError, InputError
from affidavit.git.tree import SUBMODULE_MODE
from affidavit.languages.c import C_GRAMMAR
from affidavit.languages.engine.grammars import ancestors, parse
from affidavit.languages.registry import is_document, parsed_family
from affidavit.records.context import Symbol
from affidavit.specialists.broken_references.ground import Break, Ground, Parsed, is_telling
from affidavit.symbols.occurrences import Occurrence, occurrences

RULE = "references/removed-attribute"
MAX_FILES = 200
MAX_PASTES = 5000
# What stands in for functions of other systems is removed where those have them by now.
STAND_IN_FOLDERS = frozenset(("compat", "port", "portability", "missing", "gnulib", "lib", "libs"))
# Headers below these may come from the system, once the copy is gone.
LIBRARY_FOLDERS = VENDORED_FOLDERS | {
    "compat", "contrib", "dependencies", "deps", "ext", "extern", "external", "externals", "gnulib",
    "missing",
}  # fmt: skip
BUILD_FILE = re.compile(
    r"(?:^|/)(?:configure[^/]*|CMakeLists\.txt|meson[^/]*|[^/]*makefile[^/]*|[^/]*\.(?:m4|ac|am|mk|cmake|gn|bazel))$",
    re.IGNORECASE,
)
INCLUDE = re.compile(r"\+\s*#\s*(?:include|import)\b")
CONDITION = re.compile(r"preproc_(?:if|el)")
PASTED = re.compile(r"(\w+)\s*##|##\s*(\w+)")
FIRST_WORD = re.compile(r"_*(?:[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z]+)")


def find_removed_c_functions(ground: Ground) -> Iterator[Break]:
    """Calls that no linker can satisfy: the function was ours, and no file of the tree has it any more."""
    lost = {old.name: old for old in ground.gone if old.language == "c" and _was_ours(ground, old)}
    if not lost or _may_come_from_elsewhere(ground):
        return
    pasted = _pasted_parts(ground)
    for name, old in lost.items():
        if any(name.startswith(part) or name.endswith(part) for part in pasted):
            continue
        for parsed, place in _calls(ground, name):
            message = f"`{name}` is called, but `{old.path}` does not have it any more, and nothing else does"
            yield Break(RULE, parsed.path, place.line, message, ground.cause(old.path, old.qualified))


def _was_ours(ground: Ground, old: Symbol) -> bool:
    """A function with a body and outside of any condition, with siblings that share its first word."""
    folders = {part.lower() for part in old.path.split("/")[:-1]}
    if old.kind != "function" or not is_telling(old.name) or not STAND_IN_FOLDERS.isdisjoint(folders):
        return False
    text = ground.repository.base.read(old.path)
    root = parse(C_GRAMMAR, text) if text is not None else None
    if root is None:
        return False
    bodies = {node.start_point.row + 1: node for node in _function_definitions(root)}
    body = bodies.get(old.line)
    siblings = [one for one in bodies.values() if one is not body and _first_word(one) == _word_of(old.name)]
    return body is not None and bool(siblings) and not _is_conditional(body, old.path)


def _function_definitions(root: Node) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type == "function_definition":
            yield node
        elif node.type in ("translation_unit", "declaration_list", "linkage_specification") or (
            node.type.startswith("preproc_")
        ):
            waiting += node.named_children


def _first_word(definition: Node) -> str:
    node = definition.child_by_field_name("declarator")
    while node is not None and node.type != "identifier":
        node = node.child_by_field_name("declarator")
    return _word_of(node.text.decode("utf-8", "replace")) if node is not None and node.text else ""


def _word_of(name: str) -> str:
    found = FIRST_WORD.match(name)
    return found[0] if found else name


def _is_conditional(node: Node, path: str) -> bool:
    """It stands below `#if`; the guard around a whole header is no condition."""
    conditions = [above for above in ancestors(node) if CONDITION.match(above.type)]
    if len(conditions) == 1 and path.endswith(".h"):
        return conditions[0].type != "preproc_ifdef"
    return bool(conditions)


def is_own_header(ground: Ground, path: str) -> bool:
    """A header that no library brings: it lay among the repository's own, and the build stays as it was."""
    folders = {part.lower() for part in path.split("/")[:-1]}
    return folders.isdisjoint(LIBRARY_FOLDERS) and not _build_may_bring(ground)


def _build_may_bring(ground: Ground) -> bool:
    """Submodules and altered builds may bring what nobody sees here."""
    entries = ground.repository.head.entries().values()
    return any(entry.mode == SUBMODULE_MODE for entry in entries) or any(
        BUILD_FILE.search(file.path) for file in ground.change.files
    )


def _may_come_from_elsewhere(ground: Ground) -> bool:
    """New includes may bring functions, too."""
    return _build_may_bring(ground) or any(
        INCLUDE.match(line) for file in ground.code_files for hunk in file.hunks for line in hunk.lines
    )


def _pasted_parts(ground: Ground) -> set[str]:
    """The fixed parts of names that macros put together; the empty one where not all could be looked at."""
    try:
        hits = ground.repository.head.search("##", is_literal=True, max_hits=MAX_PASTES)
    except (InputError, GitError):
        return {""}
    if len(hits) >= MAX_PASTES:
        return {""}
    lines = [hit.text for hit in hits if parsed_family(hit.path) == "c"]
    return {part for line in lines for pair in PASTED.findall(line) for part in pair if part}


def _calls(ground: Ground, name: str) -> list[tuple[Parsed, Occurrence]]:
    """The calls; none at all where a single place may define the name or speaks another language."""
    paths = sorted({hit.path for hit in ground.telling_hits[name]})
    found: list[tuple[Parsed, Occurrence]] = []
    for path in paths if len(paths) <= MAX_FILES else ():
        if is_document(path):
            continue
        parsed = ground.parsed(path) if parsed_family(path) == "c" else None
        if parsed is None:
            return []
        places = occurrences(parsed.root, parsed.text, name)
        if any(place.role in ("definition", "binding", "key", "import") for place in places):
            return []
        found += [(parsed, place) for place in filter(partial(_is_call, parsed), places)]
    return found


def _is_call(parsed: Parsed, place: Occurrence) -> bool:
    if parsed.grammar is not C_GRAMMAR or place.role != "call" or place.receiver is not None:
        return False
    around = [above.type for above in ancestors(place.node)]
    return (
        "function_definition" in around
        and "ERROR" not in around
        and not _is_conditional(place.node, parsed.path)
    )
