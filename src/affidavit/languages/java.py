"""Java: files, definitions, and the files of imported types."""

import re
from collections.abc import Iterable, Iterator, Mapping

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
    resolved_file,
)
from affidavit.languages.tree_files import TreeFiles, nearest

KEYWORD = re.compile(rb"^[ \t]*(?:import|package)\b", re.MULTILINE)
QUERY = """
(package_declaration [(scoped_identifier) (identifier)] @package)
(import_declaration "static"? @static [(scoped_identifier) (identifier)] @name (asterisk)? @all)
"""


def extract_java(grammar: Grammar, root: Node, text: bytes) -> Extract:
    package = ""
    found = []
    for captured in matches(grammar, QUERY, root):
        if "package" in captured:
            package = _dotted(node_text(captured["package"][0], text))
            continue
        node = captured["name"][0]
        name, names = _dotted(node_text(node, text)), ("*",) if "all" in captured else ()
        if "static" in captured and not names:
            name, _, member = name.rpartition(".")
            names = (member,)
        found.append(Statement(node.start_point.row + 1, name, names))
    return Extract(tuple(dict.fromkeys(found)), (package,))


def _dotted(name: str) -> str:
    return "".join(name.split())


class JavaTypes:
    """The types of a tree by their full names: public ones are in files of their name."""

    def __init__(self, _files: TreeFiles, extracts: Mapping[str, Extract]) -> None:
        self._types: dict[str, list[str]] = {}
        packages: dict[str, list[str]] = {}
        for path in sorted(extracts):
            package = extracts[path].declares[0] if extracts[path].declares else ""
            stem = path.rpartition("/")[2].rpartition(".")[0]
            self._types.setdefault(f"{package}.{stem}" if package else stem, []).append(path)
            packages.setdefault(package, []).append(path)
        self._packages = {package: tuple(paths) for package, paths in packages.items()}

    def resolve(self, path: str, statement: Statement) -> Iterable[Resolved]:
        """Return the file of a type, or all files of a package."""
        if "*" in statement.names and statement.name in self._packages:
            return (Resolved(self._packages[statement.name], statement.names),)
        places = (nearest(path, self._types.get(name, ())) for name in _outwards(statement.name))
        return resolved_file(next(filter(None, places), None), statement.names)


def _outwards(name: str) -> Iterator[str]:
    """Yield a type and its enclosing types: a nested type is in the file of the outermost one."""
    while name:
        yield name
        name = name.rpartition(".")[0]


SYMBOLS = """
(class_declaration name: (identifier) @name) @class
(enum_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @interface
(annotation_type_declaration name: (identifier) @name) @interface
(method_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @method
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @constant
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @constant
(enum_constant name: (identifier) @name) @constant
"""

USES = NodeFields(
    members={
        "field_access": ("field", ("object",)),
        "scoped_identifier": ("name", ("scope",)),
        "method_invocation": ("name", ("object",)),
    },
    calls={"method_invocation": ("name",), "object_creation_expression": ("type",)},
)
JAVA = Language(
    name="java",
    endings=("java",),
    grammars=(Grammar("java", "tree_sitter_java", SYMBOLS, uses=USES),),
    imports=ImportRules(extract_java, JavaTypes, KEYWORD),
    tests=SignsOfTests(re.compile(rb"@(?:\w+\.)*(?:\w*Test)\b|extends[ \t]+TestCase\b")),
    is_typed=True,
    scoping=Scoping(has_overloads=True, folder_is_package=True, folder_has_classes=True),
)
