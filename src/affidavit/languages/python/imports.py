"""Python: what a module imports, from its lines where they are plain and from its syntax tree where not."""

from tree_sitter import Node

from affidavit.languages.engine.grammars import Grammar, ancestors, matches, node_text, parse
from affidavit.languages.engine.language import Extract, Statement
from affidavit.languages.python.import_lines import read_lines

QUERY = """
(import_statement) @plain
(import_from_statement) @taking
(future_import_statement) @future
"""


def extract_python(grammar: Grammar, text: bytes) -> Extract | None:
    """The imports of a module; None where it is too large to parse and cannot be read line by line."""
    statements = read_lines(text)
    return Extract(tuple(statements)) if statements is not None else extract_tree(grammar, text)


def extract_tree(grammar: Grammar, text: bytes) -> Extract | None:
    """The imports of a module from its syntax tree."""
    root = parse(grammar, text)
    if root is None:
        return None
    found: list[Statement] = []
    for captured in matches(grammar, QUERY, root):
        for kind, nodes in captured.items():
            for node in nodes:
                found += _plain(node, text) if kind == "plain" else _taking(node, text, kind)
    return Extract(tuple(found))


def _plain(node: Node, text: bytes) -> list[Statement]:
    is_conditional = _is_nested(node)
    return [
        Statement(_line(node), name, (), is_conditional)
        for part in node.children_by_field_name("name")
        if (name := _module(part, text))
    ]


def _taking(node: Node, text: bytes, kind: str) -> list[Statement]:
    module = node.child_by_field_name("module_name")
    name = "__future__" if kind == "future" else _squeezed(node_text(module, text))
    is_star = any(child.type == "wildcard_import" for child in node.named_children)
    taken = [_module(part, text) for part in node.children_by_field_name("name")]
    names = ("*",) if is_star else tuple(name for name in taken if name)
    return [Statement(_line(node), name, names, _is_nested(node))] if name else []


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


def _is_nested(node: Node) -> bool:
    return any(above.type == "block" for above in ancestors(node))
