"""Python: its files, what they define and import, and how its tests are recognised."""

import re

from tree_sitter import Node

from affidavit.languages.grammars import Grammar, NodeFields, matches, node_text, parse_head
from affidavit.languages.language import Extract, ImportRules, Language, Scoping, SignsOfTests, Statement
from affidavit.languages.python_modules import python_resolver

KEYWORD = re.compile(rb"(?:^|[;:\r])[ \t\f]*(?:import\b|from\b[^\n]*\bimport\b)", re.MULTILINE)
QUERY = """
(import_statement) @plain
(import_from_statement) @taking
(future_import_statement) @future
"""


def extract_python(grammar: Grammar, text: bytes) -> Extract | None:
    """Return the imports of a module; None if it is too large to parse."""
    if not KEYWORD.search(text):
        return Extract()
    root, text = parse_head(grammar, text, KEYWORD)
    if root is None:
        return None
    found: list[Statement] = []
    for captured in matches(grammar, QUERY, root):
        for kind, nodes in captured.items():
            for node in nodes:
                found += _plain(node, text) if kind == "plain" else _taking(node, text, kind)
    return Extract(tuple(found))


def _plain(node: Node, text: bytes) -> list[Statement]:
    return [
        Statement(_line(node), name)
        for part in node.children_by_field_name("name")
        if (name := _module(part, text))
    ]


def _taking(node: Node, text: bytes, kind: str) -> list[Statement]:
    module = node.child_by_field_name("module_name")
    name = "__future__" if kind == "future" else _squeezed(node_text(module, text))
    is_star = any(child.type == "wildcard_import" for child in node.named_children)
    taken = [_module(part, text) for part in node.children_by_field_name("name")]
    names = ("*",) if is_star else tuple(name for name in taken if name)
    return [Statement(_line(node), name, names)] if name else []


def _module(node: Node, text: bytes) -> str:
    if node.type == "aliased_import":
        return _squeezed(node_text(node.child_by_field_name("name"), text))
    return _squeezed(node_text(node, text))


def _squeezed(name: str) -> str:
    return "".join(name.replace("\\\n", "").split())


def _line(node: Node) -> int:
    """The line of the word `import`, which is where a search finds it."""
    word = next((child for child in node.children if child.type == "import"), node)
    return word.start_point.row + 1


SYMBOLS = """
(function_definition name: (identifier) @name) @function
(class_definition name: (identifier) @name) @class
(expression_statement (assignment left: (identifier) @name) @constant)
(type_alias_statement left: (type (identifier) @name)) @type
"""

USES = NodeFields(
    members={"attribute": ("attribute", ("object",))},
    calls={"call": ("function",)},
    keys={"keyword_argument": "name", "pair": "key"},
    binds={"type_alias_statement": "left"},
)
GRAMMAR = Grammar("python", "tree_sitter_python", SYMBOLS, uses=USES)
PYTHON = Language(
    name="python",
    endings=("py", "pyi", "pyw"),
    grammars=(GRAMMAR,),
    imports=ImportRules(extract_python, python_resolver),
    tests=SignsOfTests(
        re.compile(
            rb"^[ \t]*(?:async[ \t]+)?def[ \t]+test|^class[ \t]+\w+\([^)]*Test(?:s|Case\w*)?\b", re.MULTILINE
        ),
        are_named=True,
    ),
    interpreters=("python", "pypy", "uv"),
    folder_stems=("__init__", "__main__"),
    scoping=Scoping(members_need_object=True),
)
