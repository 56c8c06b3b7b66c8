"""Find Java calls of a removed method, and classes that lack a new method of their interface."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from affidavit.analysers.engine.causes import NamedCause
from affidavit.analysers.references.ground import (
    Break,
    Parsed,
    ReferenceLookup,
    call_of,
    enclosing,
    places_of,
    text_of,
)
from affidavit.languages.grammars import Grammar, matches, node_text, parse
from affidavit.languages.registry import LANGUAGES
from affidavit.records.context import Symbol
from affidavit.records.finding import Cause
from affidavit.symbols.definitions import symbols_of
from affidavit.symbols.occurrences import WordOccurrence

GONE = "references/removed-attribute"
UNIMPLEMENTED = "references/unimplemented-method"
BODIES = (
    "class_declaration",
    "enum_declaration",
    "record_declaration",
    "interface_declaration",
    "object_creation_expression",
)
STATIC_IMPORT = re.compile(rb"^\s*import\s+static\s+[\w.]+\.(\w+|\*)\s*;", re.MULTILINE)
IMPORT = re.compile(rb"^\s*import\s+([\w.]+)\s*;", re.MULTILINE)
PACKAGE = re.compile(rb"^\s*package\s+([\w.]+)\s*;", re.MULTILINE)
DECLARED = r"\b(?:class|interface|enum|record)\s+(?:{})\b"
INHERITING = re.compile(r"\bextends\b|\bimplements\b")
GENERIC = re.compile(r"<.*", re.DOTALL)
OF_EVERY_OBJECT = frozenset(
    ("clone", "equals", "finalize", "getClass", "hashCode", "notify", "notifyAll", "toString", "wait")
)
INTERFACES = "(interface_declaration name: (_) @interface)"
REQUIRED = "(interface_declaration name: (_) @interface body: (_ (method_declaration name: (_) @name !body)))"
# A class with more than one origin may get the method from another, so nothing is proven there.
IMPLEMENTING = (
    "(class_declaration interfaces: (super_interfaces (type_list . (_) @interface .)) body: (_) @body) @class"
)
MAKERS = frozenset(("annotation", "marker_annotation", "superclass", "abstract"))
"""Parts of a class that may generate members, or allow it to lack some."""


def find_removed_java_methods(ground: ReferenceLookup) -> Iterator[Break]:
    """Yield calls of a method whose class inherits nothing: inside it, on its name or on a new object."""
    for old in ground.gone:
        owner = old.qualified.rpartition(".")[0]
        if old.language != "java" or old.kind != "method" or not owner or "." in owner:
            continue
        if not _is_alone(ground, old, owner):
            continue
        for parsed in _files_that_know(ground, old.path, owner):
            places = [place for place in places_of(parsed, old.name) if place.role == "call"]
            is_own = parsed.path == old.path
            for place in places:
                written = _on_the_class(parsed, place, owner)
                if is_own and not written:
                    written = _by_the_class(parsed, place, owner)
                if written:
                    message = f"`{written}` is called, but `{owner}` does not have it any more"
                    cause = ground.cause(old.path, old.qualified)
                    yield Break(GONE, parsed.path, place.line, message, cause)


def _is_alone(ground: ReferenceLookup, old: Symbol, owner: str) -> bool:
    """Check that the class inherits nothing, that no annotation makes members and no method has the name."""
    owners = [one for one in symbols_of(ground.repository.head, old.path) if one.qualified == owner]
    signature = owners[0].signature if len(owners) == 1 else ""
    is_class = re.search(r"\bclass\b", signature) is not None
    if not is_class or "@" in signature or INHERITING.search(signature) or old.name in OF_EVERY_OBJECT:
        return False
    was_alone = ground.count_defined([old.path], old.qualified, "base") == 1
    is_gone = old.name != owner and not ground.count_defined([old.path], old.qualified)
    return was_alone and is_gone and len(ground.search([owner], DECLARED)) == 1


def _files_that_know(ground: ReferenceLookup, path: str, owner: str) -> Iterator[Parsed]:
    """Yield the files in which the name refers to the class."""
    imported = {one.path for one in ground.head_imports.importers_of(path)}
    for known in sorted({path, *imported, *ground.beside(path.rpartition("/")[0], ".java")}):
        parsed = ground.sound(known) if known.endswith(".java") else None
        if parsed is not None and _means_the_class(ground, parsed, path, owner):
            yield parsed


def _means_the_class(ground: ReferenceLookup, parsed: Parsed, path: str, owner: str) -> bool:
    """Check package and imports, and that no variable or type parameter has the name."""
    own = PACKAGE.search(ground.repository.head.read(path) or b"")
    package = own[1].decode() if own else ""
    said = PACKAGE.search(parsed.text)
    named = [name.decode() for name in IMPORT.findall(parsed.text)]
    meant = [name for name in named if name.rpartition(".")[2] == owner]
    whole = f"{package}.{owner}".lstrip(".")
    is_beside = (said[1].decode() if said else "") == package
    if meant not in ([whole], []) or not (meant or is_beside):
        return False
    return not any(place.role == "binding" for place in places_of(parsed, owner))


def _by_the_class(parsed: Parsed, place: WordOccurrence, owner: str) -> str:
    """Return a call inside the class as it is written; nothing if it may be another method."""
    name = node_text(place.node, parsed.text)
    if set(STATIC_IMPORT.findall(parsed.text)) & {b"*", name.encode()}:
        return ""
    body = next(enclosing(place.node, BODIES), None)
    is_own = body is not None and text_of(body, "name", parsed.text) == owner
    return name if is_own and place.receiver in (None, "this") and call_of(place.node) is not None else ""


def _on_the_class(parsed: Parsed, place: WordOccurrence, owner: str) -> str:
    """Return a call on the class or on a new object, as it is written."""
    call = call_of(place.node)
    target = call.child_by_field_name("object") if call is not None else None
    method = node_text(place.node, parsed.text)
    if target is None:
        return ""
    if _makes(target, owner, parsed.text):
        return f"new {owner}(…).{method}"
    is_class = target.type == "identifier" and node_text(target, parsed.text) == owner
    return f"{owner}.{method}" if is_class else ""


def _makes(target: Node, owner: str, text: bytes) -> bool:
    """Check for `new Owner(…)`, in brackets or not, without a body of its own."""
    while target.type == "parenthesized_expression" and target.named_child_count == 1:
        target = target.named_children[0]
    is_plain = target.type == "object_creation_expression" and not any(
        child.type == "class_body" for child in target.named_children
    )
    return is_plain and text_of(target, "type", text).partition("<")[0] == owner


def find_unimplemented_methods(ground: ReferenceLookup) -> Iterator[Break]:
    """Yield classes that implement just one interface and lack its new method."""
    for file in ground.code_files:
        path, parsed_as = file.head_path, LANGUAGES.parsed_as(file.path)
        if path is None or file.base_path is None or not path.endswith(".java") or parsed_as is None:
            continue
        before = ground.repository.base.read(file.base_path) or b""
        after = ground.repository.head.read(path) or b""
        old, new = _required(before, parsed_as.grammar), _required(after, parsed_as.grammar)
        for interface in old.keys() & new.keys():
            for name in sorted(new[interface] - old[interface] - OF_EVERY_OBJECT):
                # An older method was already required, or has an inherited default.
                if not re.search(rb"\b" + re.escape(name.encode()) + rb"\b", before):
                    yield from _lacking(ground, path, interface, name)


def _required(text: bytes, grammar: Grammar) -> dict[str, set[str]]:
    """Return each interface with the methods that an implementation must have."""
    root = parse(grammar, text)
    if root is None or root.has_error:
        return {}
    found: dict[str, set[str]] = {
        node_text(captured["interface"][0], text): set() for captured in matches(grammar, INTERFACES, root)
    }
    for captured in matches(grammar, REQUIRED, root):
        found[node_text(captured["interface"][0], text)].add(node_text(captured["name"][0], text))
    return found


def _lacking(ground: ReferenceLookup, path: str, interface: str, name: str) -> Iterator[Break]:
    cause = NamedCause(Cause(file=path, symbol=name), f"The change added `{name}` to `{interface}` ({path}).")
    message = f"`{name}` is new in `{interface}` ({path}), and the implementation here does not have it"
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    for parsed in _files_that_know(ground, path, interface):
        for captured in matches(parsed.grammar, IMPLEMENTING, parsed.root):
            written = GENERIC.sub("", node_text(captured["interface"][0], parsed.text))
            node, body = captured["class"][0], captured["body"][0]
            # A word in the class may be the method.
            is_there = word.search(node_text(node, parsed.text)) is not None
            if written == interface and not is_there and _parts(node, body).isdisjoint(MAKERS):
                yield Break(UNIMPLEMENTED, parsed.path, node.start_point.row + 1, message, cause)


def _parts(node: Node, body: Node) -> set[str]:
    return {
        child.type
        for outer in (node, body, *node.named_children, *body.named_children)
        for child in (outer, *outer.children)
        if outer.type != "method_declaration"
    }
