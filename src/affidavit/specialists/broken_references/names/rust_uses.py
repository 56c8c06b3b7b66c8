"""Rust: `use crate::…` of an item that the change took out of the module."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from affidavit.languages.engine.grammars import ancestors, node_text
from affidavit.records.context import Import, Symbol
from affidavit.specialists.broken_references.ground import Break, Ground, Parsed
from affidavit.symbols.occurrences import occurrences

RULE = "references/removed-import"
OWN_MODULE = re.compile(r"(?:crate|self|super)(?:::\w+)*")
USING = frozenset(("text", "call", "name"))
ITEM_PLACES = frozenset(("source_file", "declaration_list", "expression_statement"))


def find_removed_rust_uses(ground: Ground) -> Iterator[Break]:
    """Uses by a path within the crate, where the module's own text has the name no more."""
    for old in ground.gone:
        if old.language != "rust" or "." in old.qualified or not is_surely_gone(ground, old):
            continue
        for one in ground.head_imports.importers_of(old.path):
            if old.name in one.names and not one.is_conditional and OWN_MODULE.fullmatch(one.name):
                yield from _broken(ground, one, old)


def is_surely_gone(ground: Ground, old: Symbol) -> bool:
    """The module stands, is well-formed, does not define or take the name, and nothing can make it there."""
    parsed = ground.parsed(old.path)
    if parsed is None or parsed.root.has_error:
        return False
    places = occurrences(parsed.root, parsed.text, old.name)
    return (
        all(place.role in USING for place in places)
        and not _brings_names(parsed.root)
        and not _may_be_derived(parsed, old.name)
    )


def _brings_names(root: Node) -> bool:
    """A macro among the items, or a wildcard that hands on what another module has."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type == "macro_invocation" or (node.type == "use_declaration" and b"*" in (node.text or b"")):
            return True
        if node.type in ITEM_PLACES or node.type == "mod_item":
            waiting += node.named_children
    return False


def _may_be_derived(parsed: Parsed, lost: str) -> bool:
    """An attribute may make `CartBuilder` out of `Cart`."""
    attributes = (node for node in parsed.root.named_children if node.type == "attribute_item")
    items = (_first_item(node) for node in attributes)
    names = {_plain(node_text(item.child_by_field_name("name"), parsed.text)) for item in items if item}
    return any(name in _plain(lost) for name in names if len(name) > 2)


def _first_item(attribute: Node) -> Node | None:
    after = attribute.next_named_sibling
    while after is not None and (after.type == "attribute_item" or after.type.endswith("comment")):
        after = after.next_named_sibling
    return after


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def _broken(ground: Ground, one: Import, old: Symbol) -> Iterator[Break]:
    parsed = ground.parsed(one.path)
    if parsed is None or _means_another(ground, one):
        return
    for place in occurrences(parsed.root, parsed.text, old.name):
        statement = next((above for above in ancestors(place.node) if above.type == "use_declaration"), None)
        if statement is None or statement.start_point.row + 1 != one.line or has_attribute(statement):
            continue
        message = f"`{old.name}` is imported from `{old.path}`, which does not have it any more"
        yield Break(RULE, one.path, place.line, message, ground.cause(old.path, old.qualified))
        return


def _means_another(ground: Ground, one: Import) -> bool:
    """The statement may take the name out of several files."""
    same = [other for other in ground.head_imports.imports_of(one.path) if other.line == one.line]
    return any(other.name == one.name and other.target != one.target for other in same)


def has_attribute(item: Node) -> bool:
    """`#[cfg(…)]` before the item: it may never be compiled."""
    before = item.prev_named_sibling
    while before is not None and before.type.endswith("comment"):
        before = before.prev_named_sibling
    return before is not None and before.type == "attribute_item"
