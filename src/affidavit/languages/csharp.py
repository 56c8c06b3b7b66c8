"""C#: files, definitions, and the files of used namespaces and types."""

import re
from collections.abc import Iterable, Mapping

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
from affidavit.languages.tree_files import TreeFiles, nearest

QUERY = """
(using_directive) @using
(namespace_declaration name: (_) @namespace)
(file_scoped_namespace_declaration name: (_) @file_namespace)
(class_declaration name: (identifier) @type)
(struct_declaration name: (identifier) @type)
(record_declaration name: (identifier) @type)
(interface_declaration name: (identifier) @type)
(enum_declaration name: (identifier) @type)
(delegate_declaration name: (identifier) @type)
"""
NAMESPACE, TYPE = "namespace ", "type "
NESTING = frozenset(
    ("class_declaration", "struct_declaration", "record_declaration", "interface_declaration")
)


def extract_csharp(grammar: Grammar, root: Node, text: bytes) -> Extract:
    statements: list[Statement] = []
    declared: list[str] = []
    outermost = ""
    for captured in matches(grammar, QUERY, root):
        kind, nodes = next(iter(captured.items()))
        node = nodes[0]
        if kind == "using":
            statements += _used(node, text)
        elif kind == "file_namespace":
            outermost = node_text(node, text)
            declared.append(NAMESPACE + outermost)
        else:
            name = _full_name(node, text, outermost)
            declared.append((NAMESPACE if kind == "namespace" else TYPE) + name)
    return Extract(tuple(statements), tuple(dict.fromkeys(declared)))


def _used(directive: Node, text: bytes) -> list[Statement]:
    alias = directive.child_by_field_name("name")
    named = [part for part in directive.named_children if part != alias]
    is_static = any(part.type == "static" for part in directive.children)
    form = "type" if is_static or alias is not None else "namespace"
    name = "".join(node_text(named[-1], text).split()).removeprefix("global::") if named else ""
    return [Statement(directive.start_point.row + 1, name, form=form)] if name else []


def _full_name(name: Node, text: bytes, outermost: str) -> str:
    """Return the full name of a namespace or type; `name` is the node of its own name."""
    around = [
        above for above in ancestors(name) if above.type in NESTING or above.type == "namespace_declaration"
    ]
    parts = [node_text(above.child_by_field_name("name"), text) for above in reversed(around)]
    if not around or around[0].child_by_field_name("name") != name:
        parts.append(node_text(name, text))
    return ".".join(part for part in (outermost, *parts) if part)


class CSharpNames:
    """The namespaces and types of a tree, and the files that declare them."""

    def __init__(self, _files: TreeFiles, extracts: Mapping[str, Extract]) -> None:
        namespaces: dict[str, list[str]] = {}
        self._types: dict[str, list[str]] = {}
        for path in sorted(extracts):
            for declared in extracts[path].declares:
                if declared.startswith(NAMESPACE):
                    namespaces.setdefault(declared.removeprefix(NAMESPACE), []).append(path)
                else:
                    self._types.setdefault(declared.removeprefix(TYPE), []).append(path)
        self._namespaces = {name: tuple(paths) for name, paths in namespaces.items()}

    def resolve(self, path: str, statement: Statement) -> Iterable[Resolved]:
        """Return the file of a type, or all files of a namespace."""
        types = () if statement.form == "namespace" else self._types.get(statement.name.partition("<")[0], ())
        file = nearest(path, types)
        return resolved_file(file) if file else (Resolved(self._namespaces.get(statement.name, ()), ()),)


SYMBOLS = """
(class_declaration name: (identifier) @name) @class
(struct_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(enum_declaration name: (identifier) @name) @class
(enum_member_declaration name: (identifier) @name) @constant
(interface_declaration name: (identifier) @name) @interface
(delegate_declaration name: (identifier) @name) @type
(method_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @method
(property_declaration name: (identifier) @name accessors: (_)? @cut) @constant
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @constant
"""

USES = NodeFields(
    members={"member_access_expression": ("name", ("expression",))},
    calls={"invocation_expression": ("function",), "object_creation_expression": ("type",)},
)
C_SHARP = Language(
    name="c#",
    endings=("cs", "csx"),
    grammars=(Grammar("c_sharp", "tree_sitter_c_sharp", SYMBOLS, uses=USES),),
    imports=ImportRules(extract_csharp, CSharpNames),
    tests=SignsOfTests(re.compile(rb"\[[ \t]*(?:Test\w*|Fact|Theory)\b")),
    is_typed=True,
    scoping=Scoping(has_overloads=True, folder_has_classes=True, is_open=True, users_import=False),
)
