"""Rust: files, definitions, modules, uses and tests."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from tree_sitter import Node

from affidavit.languages.grammars import Grammar, NodeFields, ancestors, matches, node_text
from affidavit.languages.language import (
    Extract,
    ImportRules,
    Language,
    Resolved,
    Scoping,
    SignsOfTests,
    Statement,
    resolved_file,
)
from affidavit.languages.tree_files import TreeFiles, below, nearest, parent, read_toml, table, upwards

ROOT_FILES = ("lib.rs", "main.rs")
TARGET_FOLDERS = frozenset(("bin", "tests", "examples", "benches"))


@dataclass(frozen=True)
class Module:
    """A module: its file, and the folder of its children."""

    file: str
    folder: str


class Crates:
    """The modules of a tree, and the libraries that its Cargo.toml files name."""

    def __init__(self, files: TreeFiles, _extracts: Mapping[str, Extract]) -> None:
        self._files = files
        self._libraries: dict[str, list[str]] = {}
        for path, text in files.configurations("Cargo.toml").items():
            name = table(read_toml(text).get("package")).get("name")
            library = below(parent(path), "src/lib.rs")
            if isinstance(name, str) and library in files.blobs:
                self._libraries.setdefault(name.replace("-", "_"), []).append(library)

    def resolve(self, path: str, statement: Statement) -> Iterable[Resolved]:
        """Return the file of a declared module, or the files that a `use` reaches into."""
        own = self._module(path)
        if statement.form == "use":
            return self._used(path, own, statement)
        child = self._child(own, statement.name)
        return resolved_file(child.file if child else None)

    def _used(self, path: str, own: Module, statement: Statement) -> list[Resolved]:
        found: dict[str | None, list[str]] = {}
        for name in statement.names or ("",):
            parts = [part for part in (*statement.name.split("::"), name) if part not in ("", "*")]
            if parts[-1:] == ["self"]:
                parts.pop()
            found.setdefault(self._walk(path, own, parts), []).append(name)
        return [
            one for file, taken in found.items() for one in resolved_file(file, tuple(filter(None, taken)))
        ]

    def _walk(self, path: str, own: Module, parts: list[str]) -> str | None:
        """Follow a path through the modules as far as files go; the rest is inside the last one."""
        start, rest = self._start(path, own, parts)
        for part in rest if start else ():
            child = self._child(start, part) if start else None
            if child is None:
                break
            start = child
        return start.file if start else None

    def _start(self, path: str, own: Module, parts: list[str]) -> tuple[Module | None, list[str]]:
        first = parts[0] if parts else ""
        if first == "crate":
            return self._crate_root(path), parts[1:]
        if first == "self":
            return own, parts[1:]
        above: Module | None = own
        while parts and parts[0] == "super":
            above, parts = (self._above(above) if above else None), parts[1:]
        if first == "super" or self._child(own, first) is not None:
            return above, parts
        library = nearest(path, self._libraries.get(first, ()))
        return (Module(library, parent(library)) if library else None), parts[1:]

    def _crate_root(self, path: str) -> Module | None:
        if _is_root(path):
            return Module(path, parent(path))
        for around in upwards(parent(path)):
            found = self._files.first(below(around, name) for name in ROOT_FILES)
            if found:
                return Module(found, around)
        return None

    def _module(self, path: str) -> Module:
        folder, _, name = path.rpartition("/")
        is_folder = name == "mod.rs" or _is_root(path)
        return Module(path, folder if is_folder else below(folder, name.removesuffix(".rs")))

    def _child(self, module: Module, name: str) -> Module | None:
        plain = name.removeprefix("r#")
        place = below(module.folder, plain)
        file = self._files.first((f"{place}.rs", f"{place}/mod.rs")) if plain else None
        return Module(file, place) if file else None

    def _above(self, module: Module) -> Module | None:
        folder = parent(module.folder)
        names = (f"{folder}.rs", *(below(folder, name) for name in ("mod.rs", *ROOT_FILES)))
        file = self._files.first(names) if module.folder else None
        return Module(file, folder) if file else None


def _is_root(path: str) -> bool:
    """Check whether a file is the root of a crate by its name or its folder."""
    folder, _, name = path.rpartition("/")
    return name in (*ROOT_FILES, "build.rs") or folder.rpartition("/")[2] in TARGET_FOLDERS


QUERY = """
(mod_item !body name: (_) @mod)
(use_declaration argument: (_) @use)
"""
MAX_DEPTH = 50


def extract_rust(grammar: Grammar, root: Node, text: bytes) -> Extract:
    """Return the modules and uses of a file, without inline modules."""
    found: list[Statement] = []
    for captured in matches(grammar, QUERY, root):
        kind, (node, *_) = next(iter(captured.items()))
        if any(above.type == "mod_item" and above.child_by_field_name("body") for above in ancestors(node)):
            continue
        if kind == "use":
            found += _uses(node, text)
        else:
            found.append(Statement(node.start_point.row + 1, node_text(node, text), form="mod"))
    return Extract(tuple(found))


def _uses(node: Node, text: bytes) -> Iterator[Statement]:
    taken: dict[str, list[str]] = {}
    for prefix, name in _leaves(node, text, "", 0):
        taken.setdefault(prefix, []).append(name)
    for prefix, names in taken.items():
        yield Statement(
            node.start_point.row + 1, prefix, tuple(dict.fromkeys(filter(None, names))), form="use"
        )


def _leaves(node: Node, text: bytes, prefix: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield each name at the end of a tree of uses, with the path before it."""
    if depth > MAX_DEPTH:
        return
    if node.type in ("scoped_use_list", "use_list"):
        path = _within(prefix, node_text(node.child_by_field_name("path"), text))
        inside = node.child_by_field_name("list") or node
        for part in inside.named_children:
            if not part.type.endswith("comment"):
                yield from _leaves(part, text, path, depth + 1)
    elif node.type == "use_as_clause" and (path_node := node.child_by_field_name("path")) is not None:
        yield from _leaves(path_node, text, prefix, depth + 1)
    elif node.type == "use_wildcard":
        yield _within(prefix, node_text(node, text).removesuffix("*").removesuffix("::")), "*"
    else:
        before, _, last = _within(prefix, node_text(node, text)).rpartition("::")
        yield (before, last) if before else (last, "")


def _within(prefix: str, path: str) -> str:
    plain = "".join(path.split()).removeprefix("::")
    return f"{prefix}::{plain}" if prefix and plain else prefix or plain


SYMBOLS = """
(function_item name: (identifier) @name) @function
(function_signature_item name: (identifier) @name) @function
(struct_item name: (type_identifier) @name) @class
(enum_item name: (type_identifier) @name) @class
(union_item name: (type_identifier) @name) @class
(enum_variant name: (identifier) @name) @constant
(trait_item name: (type_identifier) @name) @interface
(type_item name: (type_identifier) @name) @type
(const_item name: (identifier) @name) @constant
(static_item name: (identifier) @name) @constant
(macro_definition name: (identifier) @name) @function
(mod_item name: (identifier) @name body: (_)) @namespace
(impl_item type: (_) @name) @scope
"""

USES = NodeFields(
    members={
        "field_expression": ("field", ("value",)),
        "scoped_identifier": ("name", ("path",)),
        "scoped_type_identifier": ("name", ("path",)),
    },
    calls={"call_expression": ("function",), "macro_invocation": ("macro",)},
    keys={"field_initializer": "field"},
)
RUST = Language(
    name="rust",
    endings=("rs",),
    grammars=(Grammar("rust", "tree_sitter_rust", SYMBOLS, uses=USES),),
    imports=ImportRules(extract_rust, Crates),
    tests=SignsOfTests(re.compile(rb"#\[(?:\w+::)*(?:test|rstest|quickcheck)\b")),
    folder_stems=("mod", "main", "lib"),
    is_typed=True,
    scoping=Scoping(is_open=True),
)
