"""Rust: its files, what they define, declare and use, and how its tests are recognised."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from tree_sitter import Node

from affidavit.languages.grammars import Grammar, NodeFields, ancestors, matches, node_text, parse
from affidavit.languages.language import (
    Extract,
    ImportRules,
    Language,
    Meant,
    Resolve,
    Scoping,
    SignsOfTests,
    Statement,
)
from affidavit.languages.tree_files import (
    TreeFiles,
    below,
    join,
    nearest,
    parent,
    read_toml,
    table,
    upwards,
)

ROOT_FILES = ("lib.rs", "main.rs")
TARGET_FOLDERS = frozenset(("bin", "tests", "examples", "benches"))


@dataclass(frozen=True)
class Crate:
    """One Cargo.toml: the name of the crate and the root file of its library."""

    name: str
    library: str | None


@dataclass(frozen=True)
class Module:
    """A place in the tree of modules: the file that holds it, and the folder of its children."""

    file: str
    folder: str


def rust_resolver(files: TreeFiles, _extracts: Mapping[str, Extract]) -> Resolve:
    """Resolve statements of Rust files."""
    return Crates(files).meant


class Crates:
    """The crates of a tree and their modules."""

    def __init__(self, files: TreeFiles) -> None:
        self._files = files
        self._crates = {
            parent(path): _crate(files, path, text)
            for path, text in files.configurations("Cargo.toml").items()
        }
        self._libraries: dict[str, list[str]] = {}
        for crate in self._crates.values():
            if crate.name and crate.library:
                self._libraries.setdefault(crate.name.replace("-", "_"), []).append(crate.library)
        self._roots = {crate.library for crate in self._crates.values() if crate.library}

    def meant(self, path: str, statement: Statement) -> Iterable[Meant]:
        """The file of a declared module, or the files that a `use` reaches into."""
        kind, _, inline = statement.form.partition(" ")
        own = self._inside(self._module(path), inline)
        if kind == "use":
            return self._used(path, own, statement)
        child = self._child(own, statement.name)
        return (Meant((child.file,) if child else (), ()),)

    def _used(self, path: str, own: Module, statement: Statement) -> list[Meant]:
        names = statement.names or ("",)
        found: dict[str | None, list[str]] = {}
        for name in names:
            parts = [part for part in (*statement.name.split("::"), name) if part not in ("", "*", "self")]
            if statement.name.split("::")[0] == "self":
                parts.insert(0, "self")
            found.setdefault(self._walk(path, own, parts), []).append(name)
        return [Meant((file,) if file else (), tuple(filter(None, taken))) for file, taken in found.items()]

    def _walk(self, path: str, own: Module, parts: list[str]) -> str | None:
        if not parts:
            return None
        start, rest = self._start(path, own, parts)
        if start is None:
            return None
        for part in rest:
            child = self._child(start, part)
            if child is None:
                break
            start = child
        return start.file

    def _start(self, path: str, own: Module, parts: list[str]) -> tuple[Module | None, list[str]]:
        first, rest = parts[0], parts[1:]
        if first == "crate":
            return self._crate_root(path), rest
        if first == "self":
            return own, rest
        if first == "super":
            above: Module | None = own
            while parts and parts[0] == "super":
                above, parts = (self._above(path, above) if above else None), parts[1:]
            return above, parts
        if self._child(own, first) is not None:
            return own, parts
        library = nearest(path, self._libraries.get(first, ()))
        return (Module(library, parent(library)), rest) if library else (None, rest)

    def _crate_root(self, path: str) -> Module | None:
        if self._is_root(path):
            return Module(path, parent(path))
        for around in upwards(parent(path)):
            found = self._files.first(below(around, name) for name in ROOT_FILES)
            if found:
                return Module(found, around)
            if around in self._crates:
                library = self._crates[around].library
                return Module(library, parent(library)) if library else None
        return None

    def _is_root(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        return (
            name in (*ROOT_FILES, "build.rs")
            or path in self._roots
            or (folder.rpartition("/")[2] in TARGET_FOLDERS and self._is_target_folder(folder))
        )

    def _is_target_folder(self, folder: str) -> bool:
        home = parent(folder)
        return home in self._crates or parent(home) in self._crates

    def _module(self, path: str) -> Module:
        folder, _, name = path.rpartition("/")
        is_folder = name == "mod.rs" or self._is_root(path)
        return Module(path, folder if is_folder else below(folder, name.removesuffix(".rs")))

    def _inside(self, module: Module, inline: str) -> Module:
        return Module(module.file, below(module.folder, inline)) if inline else module

    def _child(self, module: Module, name: str) -> Module | None:
        plain = name.removeprefix("r#")
        place = below(module.folder, plain)
        file = self._files.first((f"{place}.rs", f"{place}/mod.rs")) if plain else None
        return Module(file, place) if file else None

    def _above(self, path: str, module: Module) -> Module | None:
        """The module around one; within a file's own inline modules that is the file itself."""
        own = self._module(path)
        folder = parent(module.folder)
        if module.folder != own.folder and (module.folder + "/").startswith(own.folder + "/"):
            return Module(path, folder)
        if not module.folder:
            return None
        names = (f"{folder}.rs", below(folder, "mod.rs"), *(below(folder, name) for name in ROOT_FILES))
        file = self._files.first(names)
        return Module(file, folder) if file else None


def _crate(files: TreeFiles, path: str, text: str) -> Crate:
    folder, settings = parent(path), read_toml(text)
    name, library = table(settings.get("package")).get("name"), table(settings.get("lib")).get("path")
    written = join(folder, library) if isinstance(library, str) else below(folder, "src/lib.rs")
    return Crate(name if isinstance(name, str) else "", files.first((written,)))


QUERY = """
(mod_item !body) @mod
(use_declaration argument: (_) @use)
(extern_crate_declaration name: (identifier) @crate)
"""
MAX_DEPTH = 50
INLINE = "/"


def extract_rust(grammar: Grammar, text: bytes) -> Extract | None:
    """The modules and uses of a file; None where it is too large to parse.

    `form` is `mod` or `use`, and after a blank the inline modules around it.
    """
    root = parse(grammar, text)
    if root is None:
        return None
    found: list[Statement] = []
    for captured in matches(grammar, QUERY, root):
        kind, nodes = next(iter(captured.items()))
        found += _module(nodes[0], text) if kind == "mod" else _uses(nodes[0], text)
    return Extract(tuple(found))


def _module(node: Node, text: bytes) -> Iterator[Statement]:
    name = node_text(node.child_by_field_name("name"), text)
    attributes = list(_attributes(node, text))
    if name and "path" not in attributes:
        form = f"mod {_inline(node, text)}"
        yield Statement(node.start_point.row + 1, name, (), "cfg" in attributes, form)


def _attributes(node: Node, text: bytes) -> Iterator[str]:
    before = node.prev_named_sibling
    while before is not None and before.type in ("attribute_item", "line_comment", "block_comment"):
        if before.type == "attribute_item":
            yield re.split(r"[=(]", node_text(before, text)[2:-1])[0].strip()
        before = before.prev_named_sibling


def _inline(node: Node, text: bytes) -> str:
    """The names of the modules with a body around a node, from the outside in."""
    around = [above for above in ancestors(node) if above.type == "mod_item"]
    return INLINE.join(node_text(above.child_by_field_name("name"), text) for above in reversed(around))


def _uses(node: Node, text: bytes) -> Iterator[Statement]:
    taken: dict[str, list[str]] = {}
    for prefix, name in _leaves(node, text, "", 0):
        taken.setdefault(prefix, []).append(name)
    form = f"use {_inline(node, text)}"
    is_conditional = any(above.type in ("block", "mod_item") for above in ancestors(node))
    for prefix, names in taken.items():
        yield Statement(
            node.start_point.row + 1, prefix, tuple(dict.fromkeys(filter(None, names))), is_conditional, form
        )


def _leaves(node: Node, text: bytes, prefix: str, depth: int) -> Iterator[tuple[str, str]]:
    """Each name that a tree of uses ends in, with the path before it."""
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
    imports=ImportRules(extract_rust, rust_resolver, version=2),
    tests=SignsOfTests(re.compile(rb"#\[(?:\w+::)*(?:test|rstest|quickcheck)\b")),
    folder_stems=("mod", "main", "lib"),
    is_typed=True,
    scoping=Scoping(is_open=True),
)
