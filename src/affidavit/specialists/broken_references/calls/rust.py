"""Rust: calls of a function in its own module, by its name or its path, of a method by its own type."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from affidavit.specialists.broken_references.calls.callee import (
    Callee,
    Site,
    call_of,
    called_alone,
    enclosing,
    places_of,
    sound,
    text_of,
)
from affidavit.specialists.broken_references.calls.rust_paths import calls_by_path
from affidavit.specialists.broken_references.ground import Ground, Parsed, is_telling
from affidavit.specialists.broken_references.names.rust_uses import OWN_MODULE, has_attribute, is_surely_gone

PRELUDE = frozenset(("drop", "Some", "Ok", "Err", "main"))
MODULE = r"\bmod\s+(?:{})\b"
DEFINED = r"\bfn\s+(?:{})\b"
DEREF = r"\bDeref(?:Mut)?\s+for\s+(?:{})\b"
HARMLESS_MARKS = (b"derive", b"doc", b"inline", b"allow", b"must_use", b"deprecated", b"expect", b"test")


def rust_calls(ground: Ground, callee: Callee) -> Iterator[Site]:
    """Every call that surely means the function or method."""
    own = sound(ground, callee.old.path)
    wanted = 0 if callee.is_gone else 1
    defined = ground.count_defined([callee.old.path], callee.old.qualified)
    if own is None or defined != wanted or not _is_plain(callee.node):
        return
    if callee.owner:
        yield from _calls_of_method(ground, callee, own)
    elif callee.name not in PRELUDE:
        yield from _calls_of_function(ground, callee, own)


def _is_plain(definition: Node) -> bool:
    """No condition and no macro before it, and no trait says what it looks like."""
    if not _has_harmless_marks(definition):
        return False
    for around in enclosing(definition, ("impl_item", "trait_item", "mod_item")):
        is_bound = around.type == "trait_item" or around.child_by_field_name("trait") is not None
        if is_bound or not _has_harmless_marks(around):
            return False
    return True


def _has_harmless_marks(item: Node) -> bool:
    before = item.prev_named_sibling
    while before is not None and (before.type == "attribute_item" or before.type.endswith("comment")):
        mark = (before.text or b"").lstrip(b"#![ ")
        if before.type == "attribute_item" and not mark.startswith(HARMLESS_MARKS):
            return False
        before = before.prev_named_sibling
    return True


def _calls_of_function(ground: Ground, callee: Callee, own: Parsed) -> Iterator[Site]:
    if callee.is_gone and not is_surely_gone(ground, callee.old):
        return
    if not any(enclosing(callee.node, ("mod_item",))):
        for site in called_alone(own, callee.name, 0 if callee.is_gone else 1):
            if _sees_the_file(site.call):
                yield site
        for site in calls_by_path(ground, callee, _has_harmless_marks):
            if not _is_conditional(site.call):
                yield site
    is_found_elsewhere = callee.is_gone or _is_replaced(ground, callee.old.path)
    for one in () if is_found_elsewhere else ground.head_imports.importers_of(callee.old.path):
        is_use = callee.name in one.names and not one.is_conditional and OWN_MODULE.fullmatch(one.name)
        parsed = sound(ground, one.path) if is_use and one.path != callee.old.path else None
        if parsed is not None:
            yield from filter(_is_at_the_top, called_alone(parsed, callee.name, imports=1))


def _is_replaced(ground: Ground, path: str) -> bool:
    """Some line names files for modules: another file may be what this one seems to be."""
    folder, _, name = path.rpartition("/")
    stem = name.removesuffix(".rs") if name != "mod.rs" else folder.rpartition("/")[2]
    named = re.compile(rb"\bpath\s*=\s*\"[^\"]*\"[^;{]*\bmod\s+" + re.escape(stem.encode()) + rb"\b")
    files = {hit.path for hit in ground.search([stem], MODULE) if hit.path.endswith(".rs")}
    return any(named.search(ground.repository.head.read(one) or b"") for one in files)


def _is_at_the_top(site: Site) -> bool:
    return not any(enclosing(site.call, ("mod_item",)))


def _sees_the_file(call: Node) -> bool:
    """The call stands in the file's own module, or in one inside that takes all of it."""
    modules = list(enclosing(call, ("mod_item",)))
    return not modules or (len(modules) == 1 and b"use super::*;" in (modules[0].text or b""))


def _calls_of_method(ground: Ground, callee: Callee, own: Parsed) -> Iterator[Site]:
    if (callee.is_gone and not _is_surely_gone(ground, callee)) or _has_twin(own, callee.owner):
        return
    parameters = callee.node.child_by_field_name("parameters")
    has_self = parameters is not None and any(
        child.type == "self_parameter" for child in parameters.named_children
    )
    receivers = ("self",) if has_self else ("Self", callee.owner)
    for place in places_of(own, callee.name):
        if place.role != "call" or place.receiver not in receivers or place.node.parent is None:
            continue
        call = call_of(place.node.parent)
        if call is None or _is_conditional(call) or not _is_in_own_impl(call, callee.owner, own.text):
            continue
        yield Site(own, call, f"{place.receiver}{'.' if has_self else '::'}{callee.name}")


def _has_twin(own: Parsed, owner: str) -> bool:
    """Modules inside of the file have types of the same name."""
    return sum(place.role in ("definition", "import", "binding") for place in places_of(own, owner)) > 1


def _is_in_own_impl(call: Node, owner: str, text: bytes) -> bool:
    around = next(enclosing(call, ("impl_item", "trait_item", "mod_item")), None)
    return around is not None and text_of(around, "type", text).partition("<")[0] == owner


def _is_conditional(call: Node) -> bool:
    items = enclosing(call, ("function_item", "impl_item", "block"))
    return any(has_attribute(one) and not _has_harmless_marks(one) for one in items)


def _is_surely_gone(ground: Ground, callee: Callee) -> bool:
    """No trait, macro or pointer can bring a method of that name."""
    return (
        is_telling(callee.name)
        and is_surely_gone(ground, callee.old)
        and not ground.search([callee.name], DEFINED)
        and not ground.search([callee.owner], DEREF)
    )
