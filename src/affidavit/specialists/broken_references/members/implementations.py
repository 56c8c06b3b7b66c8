"""Implementations of an interface that lack a method which the change added to it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from affidavit.analysers.causes import NamedCause
from affidavit.languages.engine.grammars import matches, node_text, parse
from affidavit.languages.registry import LANGUAGES, ParsedAs
from affidavit.records.context import Symbol
from affidavit.records.finding import Cause
from affidavit.references.reach import find_reach
from affidavit.specialists.broken_references.ground import Break, Ground, Parsed
from affidavit.symbols.definitions import symbols_of

RULE = "references/unimplemented-method"
GENERIC = re.compile(r"<.*", re.DOTALL)
# Every Java object has these.
INHERITED = frozenset(
    ("ToString", "Equals", "GetHashCode", "equals", "hashCode", "toString", "getClass", "clone", "finalize")
)


@dataclass(frozen=True)
class _Interfaces:
    """How a language declares interfaces, and that something implements nothing but one of them.

    A class with more than one origin may get the method from another, so nothing is proven there.
    """

    required: str
    implementing: str
    makers: frozenset[str]
    """Nodes of a class that may make members, or mean that it need not have them all."""


JAVA = _Interfaces(
    "(interface_declaration name: (_) @interface"
    " body: (_ (method_declaration name: (_) @name !body) @method))",
    "(class_declaration interfaces: (super_interfaces (type_list . (_) @interface .))"
    " body: (_) @body) @class",
    frozenset(("annotation", "marker_annotation", "superclass", "abstract")),
)
TYPESCRIPT = _Interfaces(
    "(interface_declaration name: (_) @interface body: (_ (method_signature name: (_) @name) @method))",
    "(class_declaration (class_heritage . (implements_clause . (_) @interface .) .) body: (_) @body) @class",
    frozenset(("decorator", "index_signature")),
)
RUST = _Interfaces(
    "(trait_item name: (_) @interface body: (_ (function_signature_item name: (_) @name) @method))",
    "(impl_item trait: (_) @interface body: (_) @body) @class",
    frozenset(("macro_invocation", "attribute_item")),
)
PHP = _Interfaces(
    "(interface_declaration name: (_) @interface body: (_ (method_declaration name: (_) @name) @method))",
    "(class_declaration (class_interface_clause . (_) @interface .) body: (_) @body) @class",
    frozenset(("use_declaration", "base_clause", "abstract_modifier")),
)
CSHARP = _Interfaces(
    "(interface_declaration name: (_) @interface"
    " body: (_ (method_declaration name: (_) @name !body) @method))",
    "(class_declaration (base_list . (_) @interface .) body: (_) @body) @class",
    frozenset(("attribute_list", "modifier")),
)
# Without the metaclass of `ABC` nobody looks at what is abstract.
PYTHON = _Interfaces(
    "(class_definition name: (_) @interface superclasses: (argument_list) @bases"
    " body: (_ (decorated_definition (decorator) @decorator definition: (_ name: (_) @name)) @method))",
    "(class_definition superclasses: (argument_list . (_) @interface .) body: (_) @body) @class",
    frozenset(),
)
INTERFACES = {
    "java": JAVA,
    "typescript": TYPESCRIPT,
    "rust": RUST,
    "php": PHP,
    "c#": CSHARP,
    "python": PYTHON,
}
INTERFACE_NODES = {"rust": "trait_item", "python": "class_definition"}
ABSTRACT_BASE = re.compile(r"\bABC(?:Meta)?\b")
ABSTRACT = re.compile(r"abstract")
NAMESPACE = re.compile(rb"^\s*namespace\s+([\w.\\]+)", re.MULTILINE)
# Files of one namespace see one another, wherever they lie.
NAMESPACED = (".php", ".cs")
# An unlisted word in front of `class` may mean that its parts stand elsewhere.
PLAIN_MODIFIERS = frozenset(("public", "internal", "private", "protected", "sealed", "readonly"))


def find_unimplemented_methods(ground: Ground) -> Iterator[Break]:
    """Classes that implement just this interface and do not have its new method."""
    for file in ground.code_files:
        parsed_as, path = LANGUAGES.parsed_as(file.path), file.head_path
        if parsed_as is None or path is None or file.base_path is None:
            continue
        if parsed_as.language.name not in INTERFACES:
            continue
        before = ground.repository.base.read(file.base_path) or b""
        after = ground.repository.head.read(path) or b""
        old, new = _required(before, parsed_as), _required(after, parsed_as)
        for interface in old.keys() & new.keys():
            for name in sorted(new[interface] - old[interface] - INHERITED):
                # A method that was there before was required, or had a default that may be inherited.
                if not re.search(rb"\b" + re.escape(name.encode()) + rb"\b", before):
                    yield from _lacking(ground, path, interface, name)


def _required(text: bytes, parsed_as: ParsedAs) -> dict[str, set[str]]:
    """Interface → the methods that an implementation must have; an empty set is kept, too."""
    language, root = parsed_as.language.name, parse(parsed_as.grammar, text)
    found: dict[str, set[str]] = {}
    if root is None or root.has_error:
        return found
    for one in _interfaces(root, text, parsed_as):
        found.setdefault(one, set())
    for captured in matches(parsed_as.grammar, INTERFACES[language].required, root):
        name = node_text(captured["name"][0], text)
        is_optional = f"{name}?" in node_text(captured["method"][0], text)
        if not is_optional and (language != "python" or _is_abstract(captured, text)):
            found.setdefault(node_text(captured["interface"][0], text), set()).add(name)
    return found


def _is_abstract(captured: dict[str, list[Node]], text: bytes) -> bool:
    is_base = ABSTRACT_BASE.search(node_text(captured["bases"][0], text))
    return bool(is_base and ABSTRACT.search(node_text(captured["decorator"][0], text)))


def _interfaces(root: Node, text: bytes, parsed_as: ParsedAs) -> Iterator[str]:
    kind = INTERFACE_NODES.get(parsed_as.language.name, "interface_declaration")
    for captured in matches(parsed_as.grammar, f"({kind} name: (_) @name)", root):
        yield node_text(captured["name"][0], text)


def _lacking(ground: Ground, path: str, interface: str, name: str) -> Iterator[Break]:
    symbol = next((one for one in symbols_of(ground.repository.head, path) if one.name == interface), None)
    if symbol is None:
        return
    knowing = _knowing(ground, symbol)
    for user in sorted({hit.path for hit in ground.search([interface])}):
        parsed = ground.parsed(user)
        if parsed is None or parsed.language.name not in INTERFACES or parsed.root.has_error:
            continue
        if not _knows(ground, parsed, path, knowing):
            continue
        for node in _implementations(parsed, interface):
            if not _has_member(node, parsed.text, name) and not _is_continued(ground, parsed, node):
                yield _break(path, interface, name, parsed, node)


def _knowing(ground: Ground, symbol: Symbol) -> set[str]:
    reach = find_reach(symbol, ground.head_imports, lambda _paths, _name: ())
    return {path for path, way in reach.ways.items() if way == "by_name" or symbol.language == "java"}


def _knows(ground: Ground, parsed: Parsed, path: str, knowing: set[str]) -> bool:
    user = parsed.path
    if user.endswith(NAMESPACED):
        declared = NAMESPACE.findall(ground.repository.head.read(path) or b"")
        is_same_namespace = len(declared) == 1 and NAMESPACE.findall(parsed.text) == declared
        return user == path or is_same_namespace or (user in knowing and user.endswith(".php"))
    is_same_package = user.endswith(".java") and user.rpartition("/")[0] == path.rpartition("/")[0]
    return user == path or user in knowing or is_same_package


def _is_continued(ground: Ground, parsed: Parsed, node: Node) -> bool:
    """Python: the class is abstract itself, is decorated, or has heirs that may have the method."""
    if parsed.language.name != "python":
        return False
    holder = node.parent
    is_decorated = holder is not None and holder.type == "decorated_definition"
    if is_decorated or ABSTRACT.search(node_text(node, parsed.text)):
        return True
    name = node_text(node.child_by_field_name("name"), parsed.text)
    inherits = re.compile(rf"\bclass\s+\w+\s*\([^)]*\b{re.escape(name)}\b|\btype\s*\(")
    return any(inherits.search(hit.text) for hit in ground.search([name]))


def _implementations(parsed: Parsed, interface: str) -> Iterator[Node]:
    language = INTERFACES[parsed.language.name]
    for captured in matches(parsed.grammar, language.implementing, parsed.root):
        written = GENERIC.sub("", node_text(captured["interface"][0], parsed.text))
        node, body = captured["class"][0], captured["body"][0]
        parts = {
            child.type
            for outer in (node, body, *node.named_children, *body.named_children)
            for child in (outer, *outer.children)
            if outer.type not in ("method_declaration", "method_definition", "function_item")
        }
        if parsed.language.name == "c#" and _modifiers(node, parsed.text) <= PLAIN_MODIFIERS:
            parts.discard("modifier")
        if written == interface and parts.isdisjoint(language.makers):
            yield node


def _modifiers(node: Node, text: bytes) -> set[str]:
    return {node_text(child, text) for child in node.children if child.type == "modifier"}


def _has_member(node: Node, text: bytes, name: str) -> bool:
    """The word stands somewhere in it: then it may well be the method."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", node_text(node, text)) is not None


def _break(path: str, interface: str, name: str, parsed: Parsed, node: Node) -> Break:
    line = node.start_point.row + 1
    message = f"`{name}` is new in `{interface}` ({path}), and the implementation here does not have it"
    cause = NamedCause(Cause(file=path, symbol=name), f"The change added `{name}` to `{interface}` ({path}).")
    return Break(RULE, parsed.path, line, message, cause)
