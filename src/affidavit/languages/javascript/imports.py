"""JavaScript and TypeScript: what a module imports, re-exports and requires."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from affidavit.languages.engine.grammars import CONDITIONS, Grammar, ancestors, matches, node_text, parse_head
from affidavit.languages.engine.language import Extract, Statement

KEYWORD = re.compile(rb"\bimport\b|\bfrom\s*[\"']|\brequire\s*[(.]")
QUERY = """
(import_statement source: (string) @source) @import
(export_statement source: (string) @source) @export
(call_expression function: (import) arguments: (arguments . [(string) (template_string)] @source)) @call
(call_expression function: (identifier) @callee
  arguments: (arguments . [(string) (template_string)] @source)
  (#eq? @callee "require")) @call
"""
TYPESCRIPT_QUERY = QUERY + "(import_require_clause source: (string) @source) @import"


def extract_javascript(grammar: Grammar, text: bytes) -> Extract | None:
    """The imports of a module; None where it is too large to parse."""
    if not KEYWORD.search(text):
        return Extract()
    root, parsed = parse_head(grammar, text, KEYWORD)
    if root is None:
        return None
    query = QUERY if grammar.name == "javascript" else TYPESCRIPT_QUERY
    found = [
        statement for captured in matches(grammar, query, root) for statement in _statement(captured, parsed)
    ]
    return Extract(tuple(sorted(set(found))))


def _statement(captured: dict[str, list[Node]], text: bytes) -> Iterator[Statement]:
    kind, node = next(
        (kind, nodes[0]) for kind, nodes in captured.items() if kind in ("import", "export", "call")
    )
    source = captured["source"][0]
    if any(child.type == "template_substitution" for child in source.named_children):
        return
    name = node_text(source, text)[1:-1]
    if kind == "call":
        is_conditional = any(above.type in CONDITIONS for above in ancestors(node))
        yield Statement(_line(source), name, _destructured(node, text), is_conditional, "call")
    else:
        yield Statement(_line(source), name, tuple(_names(node, text)))


def _line(source: Node) -> int:
    return source.start_point.row + 1


def _names(node: Node, text: bytes) -> Iterator[str]:
    if node.type == "export_statement" and not any(c.type == "export_clause" for c in node.named_children):
        yield "*"
    clauses = [c for c in node.named_children if c.type in ("import_clause", "export_clause")]
    for part in (part for clause in clauses for part in clause.named_children):
        if part.type == "identifier":
            yield "default"
        elif part.type == "namespace_import":
            yield "*"
        elif part.type == "export_specifier":
            yield node_text(part.child_by_field_name("name"), text)
        elif part.type == "named_imports":
            yield from (node_text(each.child_by_field_name("name"), text) for each in part.named_children)


def _destructured(call: Node, text: bytes) -> tuple[str, ...]:
    """The names in `const {a, b: c} = require(…)`, with or without `await`."""
    holder = call.parent
    if holder is not None and holder.type == "await_expression":
        holder = holder.parent
    pattern = (
        holder.child_by_field_name("name")
        if holder is not None and holder.type == "variable_declarator"
        else None
    )
    if pattern is None or pattern.type != "object_pattern":
        return ()
    keys = [part.child_by_field_name("key") or part for part in pattern.named_children]
    return tuple(node_text(key, text) for key in keys if key.type.startswith(("shorthand", "property")))
