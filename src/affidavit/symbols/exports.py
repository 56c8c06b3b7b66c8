"""Read the names that a Python, JavaScript or TypeScript module exports."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from tree_sitter import Node

from affidavit.languages.grammars import node_text, parse
from affidavit.languages.javascript import JAVASCRIPT
from affidavit.languages.python import PYTHON
from affidavit.languages.registry import LANGUAGES, ParsedAs
from affidavit.ports import Tree
from affidavit.symbols.readers import Imports

Provision = Literal["yes", "no", "unknown"]

MAX_STARS = 20
# Declarations of what another file defines: it may have more.
STUB_ENDS = (".pyi", ".d.ts")
PYTHON_DYNAMIC = re.compile(
    rb"__getattr__|\bglobals\s*\(|\bexec\s*\(|\b(?:vars|locals)\s*\(\s*\)|sys\.modules|__path__|lazy_import"
    rb"|\bsetattr\s*\([^)\n]*(?:mod|__name__)|import_module\s*\(\s*__name__|attach_stub|_LazyModule"
)
PYTHON_GLOBAL = re.compile(rb"^[ \t]*global[ \t]+([^\n#;]+)", re.MULTILINE)
JAVASCRIPT_DYNAMIC = re.compile(
    rb"\bmodule\.exports\b|(?<![\w.])exports[.\[]|\bexport\s*=|\bexport\s+import\b|__esModule"
)
JAVASCRIPT_WORD = re.compile(rb"[\w$]+")
JAVASCRIPT_STAR = re.compile(rb"\bexport\s*\*")
WORDS_ONLY = frozenset(("comment", "string_content", "string_fragment"))
# Names bound inside these do not belong to the module.
PYTHON_CLOSED = frozenset(
    ("lambda", "list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression")
)
PYTHON_TARGETS = {
    "assignment": "left",
    "augmented_assignment": "left",
    "for_statement": "left",
    "named_expression": "name",
    "type_alias_statement": "left",
}


@dataclass
class Exports:
    """The names of a module; `is_open` if it may have more than its text shows."""

    names: set[str] = field(default_factory=set)
    has_star: bool = False
    """Whether it exports everything of another module."""
    is_open: bool = False
    is_guessed: bool = False
    """Whether the names are all words of the text, of which some are not exported."""


def read_exports(text: bytes, parsed_as: ParsedAs) -> Exports:
    """Return the names of a module; `is_open` if the text has errors or makes names at run time."""
    root, family = parse(parsed_as.grammar, text), parsed_as.language.family
    if root is None or (root.has_error and family != JAVASCRIPT.name):
        return Exports(is_open=True)
    if root.has_error:
        return _guessed(text)
    if family == PYTHON.name:
        found = _python_exports(root, text)
        found.is_open = _matches_code(PYTHON_DYNAMIC, root, text)
        return found
    if family == JAVASCRIPT.name:
        found = _javascript_exports(root, text)
        found.is_open = _matches_code(JAVASCRIPT_DYNAMIC, root, text)
        return found
    return Exports(is_open=True)


def _matches_code(what: re.Pattern[bytes], root: Node, text: bytes) -> bool:
    """Check whether code matches, outside of comments and strings."""
    if not what.search(text):
        return False
    code = bytearray(text)
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type in WORDS_ONLY:
            code[node.start_byte : node.end_byte] = b" " * (node.end_byte - node.start_byte)
        else:
            waiting += node.children
    return what.search(code) is not None


def _guessed(text: bytes) -> Exports:
    """Take every word of a text that the grammar cannot read: a name without its word is not exported."""
    words = {word.decode("utf-8", "replace") for word in JAVASCRIPT_WORD.findall(text)}
    is_open = JAVASCRIPT_DYNAMIC.search(text) is not None
    return Exports(words, JAVASCRIPT_STAR.search(text) is not None, is_open, is_guessed=True)


def _python_exports(root: Node, text: bytes) -> Exports:
    found = Exports()
    for line in PYTHON_GLOBAL.finditer(text):
        found.names.update(name.strip() for name in line[1].decode("utf-8", "replace").split(","))
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type in ("function_definition", "class_definition"):
            found.names.add(node_text(node.child_by_field_name("name"), text))
            continue
        if node.type in ("import_statement", "import_from_statement"):
            _python_import(node, text, found)
            continue
        target = (
            node.child_by_field_name(PYTHON_TARGETS.get(node.type, ""))
            if node.type in PYTHON_TARGETS
            else None
        )
        if target is not None:
            found.names.update(_identifiers(target, text))
        elif node.type in ("as_pattern_target", "case_pattern", "delete_statement", "except_clause"):
            found.names.update(_identifiers(node, text))
        if node.type not in PYTHON_CLOSED:
            waiting += node.named_children
    return found


def _python_import(node: Node, text: bytes, found: Exports) -> None:
    if any(child.type == "wildcard_import" for child in node.named_children):
        found.has_star = True
    for part in node.children_by_field_name("name"):
        alias = part.child_by_field_name("alias") if part.type == "aliased_import" else None
        # `import a.b` binds `a`.
        found.names.add(
            node_text(alias, text) if alias is not None else node_text(part, text).partition(".")[0]
        )


def _identifiers(node: Node, text: bytes) -> Iterator[str]:
    """Yield the names in a target, rather too many than too few."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if one.type == "identifier":
            yield node_text(one, text)
        elif one.type not in ("attribute", "subscript", "block"):
            waiting += one.named_children


def _javascript_exports(root: Node, text: bytes) -> Exports:
    found = Exports()
    for node in root.named_children:
        if node.type == "export_statement":
            _javascript_export(node, text, found)
    return found


def _javascript_export(node: Node, text: bytes, found: Exports) -> None:
    kinds = {child.type for child in node.children}
    if "default" in kinds:
        found.names.add("default")
    if "*" in kinds:
        found.has_star = True
    for child in node.named_children:
        if child.type == "namespace_export":
            found.names.update(_words(child, text))
        for part in child.named_children if child.type == "export_clause" else ():
            # There may be a comment among them.
            shown = part.child_by_field_name("alias") or part.child_by_field_name("name")
            if shown is not None:
                found.names.add(node_text(shown, text).strip("\"'"))
    declaration = node.child_by_field_name("declaration")
    if declaration is not None:
        found.names.update(_declared(declaration, text))


def _declared(declaration: Node, text: bytes) -> Iterator[str]:
    name = declaration.child_by_field_name("name")
    if name is not None:
        yield from _words(name, text)
    for child in declaration.named_children:
        if declaration.type == "ambient_declaration":
            yield from _declared(child, text)
        target = child.child_by_field_name("name")
        yield from _words(target, text) if target is not None else ()


def _words(node: Node, text: bytes) -> list[str]:
    return re.findall(r"[\w$]+", node_text(node, text))


class ModuleExports:
    """Tells which names the modules of one tree provide, following `import *` and `export *`."""

    def __init__(self, tree: Tree, imports: Callable[[], Imports]) -> None:
        self._tree = tree
        self._imports = imports
        self._exports: dict[str, Exports] = {}

    def exports(self, path: str) -> Exports:
        if path not in self._exports:
            self._exports[path] = self._read(path)
        return self._exports[path]

    def _read(self, path: str) -> Exports:
        parsed_as, text = LANGUAGES.parsed_as(path), self._tree.read(path)
        if parsed_as is None or text is None or path.endswith(STUB_ENDS):
            return Exports(is_open=True)
        return read_exports(text, parsed_as)

    def provides(self, path: str, name: str) -> Provision:
        """Tell whether other files can import the name from the module."""
        waiting, seen = [path], {path}
        while waiting:
            module = waiting.pop()
            exports = self.exports(module)
            if name in exports.names or self._has_submodule(module, name):
                return "yes"
            if exports.is_open or len(seen) > MAX_STARS:
                return "unknown"
            if exports.has_star:
                targets = [one.target for one in self._imports().imports_of(module) if "*" in one.names]
                new = {target for target in targets if target is not None} - seen
                if not targets or None in targets:
                    return "unknown"
                seen |= new
                waiting += sorted(new)
        return "no"

    def _has_submodule(self, path: str, name: str) -> bool:
        folder, _, file = path.rpartition("/")
        if not file.startswith("__init__."):
            return False
        return (f"{folder}/{name}" if folder else name) in self._places

    @cached_property
    def _places(self) -> frozenset[str]:
        """Return folders, and files without their endings."""
        found: set[str] = set()
        for path in self._tree.entries():
            folder, slash, file = path.rpartition("/")
            found.add(folder + slash + file.partition(".")[0])
            while folder and folder not in found:
                found.add(folder)
                folder = folder.rpartition("/")[0]
        return frozenset(found)
