"""PHP: files, definitions, uses, includes and tests."""

import re
from collections.abc import Iterator, Mapping

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
from affidavit.languages.tree_files import TreeFiles, join, nearest, parent, read_json, table, texts, upwards


class PhpClasses:
    """The classes of a tree, by the autoload rules of composer.json or by declaration."""

    def __init__(self, files: TreeFiles, extracts: Mapping[str, Extract]) -> None:
        self._files = files
        self._folders_of_prefix: dict[str, list[str]] = {}
        for path, text in files.configurations("composer.json").items():
            for prefix, folder in _psr4(parent(path), text):
                self._folders_of_prefix.setdefault(prefix, []).append(folder)
        self._declared: dict[str, list[str]] = {}
        for path in sorted(extracts):
            for name in extracts[path].declares:
                self._declared.setdefault(name.lower(), []).append(path)

    def resolve(self, path: str, statement: Statement) -> tuple[Resolved]:
        """Return the one file that declares a class or is included."""
        return resolved_file(self._find(path, statement), statement.names)

    def _find(self, path: str, statement: Statement) -> str | None:
        if statement.form == "use":
            return self._autoloaded(statement.name) or nearest(
                path, self._declared.get(statement.name.lower(), ())
            )
        written = statement.form.removeprefix(INCLUDES_FROM)
        beside = join(parent(path), written)
        if written.startswith("."):
            return self._files.first((beside,))
        # PHP searches its include path; entry scripts are usually in a folder around the file.
        return self._files.first(join(around, written) for around in upwards(parent(path)))

    def _autoloaded(self, name: str) -> str | None:
        parts = name.split("\\")
        for count in range(len(parts) - 1, -1, -1):
            prefix = "".join(f"{part}\\" for part in parts[:count])
            rest = "/".join(parts[count:]) + ".php"
            folders = self._folders_of_prefix.get(prefix, ())
            found = self._files.first(join(folder, rest) for folder in folders)
            if found:
                return found
        return None


def _psr4(folder: str, text: str) -> Iterator[tuple[str, str]]:
    settings = read_json(text)
    for section in ("autoload", "autoload-dev"):
        for prefix, places in table(table(settings.get(section)).get("psr-4")).items():
            for place in texts(places):
                home = join(folder, place or ".")
                if home is not None:
                    yield prefix, home


QUERY = """
(namespace_definition name: (namespace_name) @namespace)
(namespace_use_declaration) @use
[(require_expression) (require_once_expression) (include_expression) (include_once_expression)] @include
(class_declaration name: (name) @declared)
(interface_declaration name: (name) @declared)
(trait_declaration name: (name) @declared)
(enum_declaration name: (name) @declared)
(function_definition name: (name) @declared)
"""
INCLUDES_FROM = "from:"
INCLUDED = re.compile(
    r"""\(?\s*(?:(__DIR__|dirname\(\s*(?:__FILE__|__DIR__)\s*\))\s*\.\s*)?["']([^"'$\\]*)["']\s*\)?"""
)
INCLUDED_FROM = {"": "", "__DIR__": ".", "dirname(__FILE__)": ".", "dirname(__DIR__)": "./.."}


def extract_php(grammar: Grammar, root: Node, text: bytes) -> Extract:
    namespace = ""
    statements: list[Statement] = []
    declared: list[str] = []
    for captured in matches(grammar, QUERY, root):
        kind, nodes = next(iter(captured.items()))
        if kind == "namespace":
            namespace = node_text(nodes[0], text)
        elif kind == "declared":
            name = node_text(nodes[0], text)
            declared.append(f"{namespace}\\{name}" if namespace else name)
        else:
            statements += _used(nodes[0], text) if kind == "use" else _included(nodes[0], text)
    return Extract(tuple(statements), tuple(dict.fromkeys(declared)))


def _used(declaration: Node, text: bytes) -> Iterator[Statement]:
    group = declaration.child_by_field_name("body")
    prefix = ""
    if group is not None:
        shared = next((part for part in declaration.named_children if part.type == "namespace_name"), None)
        prefix = node_text(shared, text) + "\\"
    for clause in (group or declaration).named_children:
        if clause.type == "namespace_use_clause":
            name = next(
                (part for part in clause.named_children if part.type in ("qualified_name", "name")), None
            )
            written = prefix + node_text(name, text)
            yield Statement(clause.start_point.row + 1, written.removeprefix("\\"), form="use")


def _included(node: Node, text: bytes) -> Iterator[Statement]:
    """Yield an include of a literal path; others are only known at run time."""
    written = node_text(node.named_children[0], text) if node.named_children else ""
    found = INCLUDED.fullmatch(written)
    if found:
        path = INCLUDED_FROM["".join((found[1] or "").split())] + found[2]
        yield Statement(
            node.start_point.row + 1, path if not found[1] else written, form=INCLUDES_FROM + path
        )


SYMBOLS = """
(function_definition name: (name) @name) @function
(class_declaration name: (name) @name) @class
(trait_declaration name: (name) @name) @class
(enum_declaration name: (name) @name) @class
(enum_case name: (name) @name) @constant
(interface_declaration name: (name) @name) @interface
(method_declaration name: (name) @name) @method
(const_element . (name) @name) @constant
(property_element name: (variable_name (name) @name)) @constant
"""

USES = NodeFields(
    members={
        "member_access_expression": ("name", ("object",)),
        "nullsafe_member_access_expression": ("name", ("object",)),
        "member_call_expression": ("name", ("object",)),
        "nullsafe_member_call_expression": ("name", ("object",)),
        "scoped_call_expression": ("name", ("scope",)),
    },
    calls={
        "function_call_expression": ("function",),
        "member_call_expression": ("name",),
        "nullsafe_member_call_expression": ("name",),
        "scoped_call_expression": ("name",),
    },
)
ENDINGS = ("php", "phtml")
PHP = Language(
    name="php",
    endings=ENDINGS,
    # `inc` is parsed as PHP, but does not name the language: others use the ending, too.
    grammars=(Grammar("php", "tree_sitter_php", SYMBOLS, "language_php", (*ENDINGS, "inc"), USES),),
    imports=ImportRules(extract_php, PhpClasses),
    tests=SignsOfTests(
        re.compile(rb"function[ \t]+test|@test\b|#\[Test\b|^(?:it|test|describe)\(", re.MULTILINE)
    ),
    interpreters=("php",),
    scoping=Scoping(folder_has_classes=True, is_open=True, users_import=False),
)
