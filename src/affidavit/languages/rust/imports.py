"""Rust: which modules a file declares and uses."""

from collections.abc import Iterator

from tree_sitter import Node

from affidavit.languages.engine.grammars import Grammar, ancestors, matches, node_text, parse
from affidavit.languages.engine.language import Extract, Statement

QUERY = """
(mod_item !body) @mod
(use_declaration argument: (_) @use)
(extern_crate_declaration name: (identifier) @crate)
"""
MAX_DEPTH = 50
INLINE = "/"


def extract_rust(grammar: Grammar, text: bytes) -> Extract | None:
    """The modules and uses of a file; None where it is too large to parse.

    `form` is `mod`, `path` or `use`, and after a blank the inline modules around it; `path` has the file.
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
    path = next((value for key, value in attributes if key == "path" and value), "")
    is_conditional = any(key == "cfg" for key, _ in attributes)
    inline = _inline(node, text)
    if path:
        yield Statement(node.start_point.row + 1, path, (), is_conditional, f"path {inline}")
    elif name:
        yield Statement(node.start_point.row + 1, name, (), is_conditional, f"mod {inline}")


def _attributes(node: Node, text: bytes) -> Iterator[tuple[str, str]]:
    before = node.prev_named_sibling
    while before is not None and before.type in ("attribute_item", "line_comment", "block_comment"):
        if before.type == "attribute_item":
            key, _, value = node_text(before, text)[2:-1].partition("=")
            yield key.partition("(")[0].strip(), value.strip().strip('"')
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
