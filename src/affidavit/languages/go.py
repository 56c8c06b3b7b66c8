"""Go: files, definitions, and the files behind an import path."""

import re
from collections.abc import Iterable, Mapping

from tree_sitter import Node

from affidavit.languages.grammars import Grammar, NodeFields, matches, node_text
from affidavit.languages.language import (
    Extract,
    ImportRules,
    Language,
    Resolved,
    Scoping,
    SignsOfTests,
    Statement,
)
from affidavit.languages.tree_files import TreeFiles, below, join, nearest, parent, upwards

KEYWORD = re.compile(rb"^import\b[^\n(]*(?:\([^)]*\))?", re.MULTILINE)
QUERY = "(import_spec path: (_) @path)"
MODULE = re.compile(r"^\s*module\s+[\"`]?([^\s\"`]+)", re.MULTILINE)
REPLACED = re.compile(
    r"^\s*(?:replace\s+)?(\S+)(?:\s+v\S+)?\s+=>\s+(\.\.?(?:/\S*)?)\s*(?://.*)?$", re.MULTILINE
)


def extract_go(grammar: Grammar, root: Node, text: bytes) -> Extract:
    paths = [captured["path"][0] for captured in matches(grammar, QUERY, root)]
    return Extract(tuple(Statement(node.start_point.row + 1, node_text(node, text)[1:-1]) for node in paths))


class GoModules:
    """The packages of a tree, by folder and by the modules that hold them."""

    def __init__(self, files: TreeFiles, extracts: Mapping[str, Extract]) -> None:
        packages: dict[str, list[str]] = {}
        for path in extracts:
            if not path.endswith("_test.go"):
                packages.setdefault(parent(path), []).append(path)
        self._packages = {folder: tuple(sorted(found)) for folder, found in packages.items()}
        self._modules: dict[str, list[str]] = {}
        for path, text in files.configurations("go.mod").items():
            self._read_module(parent(path), text)

    def _read_module(self, folder: str, text: str) -> None:
        named = MODULE.search(text)
        if named:
            self._modules.setdefault(named[1], []).append(below(folder, "go.mod"))
        for replaced in REPLACED.finditer(text):
            place = join(folder, replaced[2])
            if place is not None:
                self._modules.setdefault(replaced[1], []).append(below(place, "go.mod"))

    def resolve(self, path: str, statement: Statement) -> Iterable[Resolved]:
        """Return all files of the package, but not its tests."""
        return (Resolved(self._find(parent(path), statement.name), ()),)

    def _find(self, folder: str, name: str) -> tuple[str, ...]:
        for around in upwards(folder):
            vendored = self._packages.get(below(around, f"vendor/{name}"))
            if vendored:
                return vendored
        # The longest module path wins: modules nest.
        for prefix in upwards(name):
            home = nearest(below(folder, "x"), self._modules.get(prefix, ())) if prefix else None
            if home is not None:
                rest = name[len(prefix) + 1 :]
                return self._packages.get(below(parent(home), rest) if rest else parent(home), ())
        return ()


SYMBOLS = """
(function_declaration name: (identifier) @name) @function
(method_declaration receiver: (parameter_list (parameter_declaration type: (_) @owner))
  name: (field_identifier) @name) @method
(type_spec name: (type_identifier) @name type: (interface_type) @cut) @interface
(type_spec name: (type_identifier) @name type: (struct_type) @cut) @class
(type_spec name: (type_identifier) @name) @type
(type_alias name: (type_identifier) @name) @type
(const_spec name: (identifier) @name) @constant
(var_spec name: (identifier) @name) @constant
(method_elem name: (field_identifier) @name) @method
"""

USES = NodeFields(
    members={"selector_expression": ("field", ("operand",)), "qualified_type": ("name", ("package",))},
    calls={"call_expression": ("function",)},
    keys={"keyed_element": "key"},
    binds={"type_switch_statement": "alias", "receive_statement": "left", "range_clause": "left"},
)
GO = Language(
    name="go",
    endings=("go",),
    grammars=(Grammar("go", "tree_sitter_go", SYMBOLS, uses=USES),),
    imports=ImportRules(extract_go, GoModules, KEYWORD),
    tests=SignsOfTests(
        re.compile(rb"^func[ \t]+(?:Test|Benchmark|Fuzz|Example)", re.MULTILINE), are_named=True
    ),
    is_typed=True,
    quotes="\"'`",
    scoping=Scoping(members_need_object=True, folder_is_package=True),
)
