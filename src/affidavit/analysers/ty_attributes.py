"""Find reasons why an attribute that ty misses may exist."""

import re
import sys
import sysconfig
from pathlib import Path

from tree_sitter import Node

from affidavit.analysers.python_modules import search_python, subclass_files
from affidavit.analysers.python_syntax import (
    Spot,
    ancestors,
    is_awaited_to_fail,
    is_imported_on_trial,
    mentions,
    nodes_in,
    star_imports,
    text_of,
    tree_of,
)
from affidavit.ports import Tree
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.symbols.occurrences import occurrences

LITERALS = re.compile(
    r"string|concatenated_string|integer|float|list|dictionary|set|tuple|\w+(?<!for_in)_comprehension"
)
# Programs give these names of their own: `sys.frozen`.
OPEN_MODULES = frozenset(("sys", "builtins", "__main__"))
DECIDES = re.compile(r"hasattr|getattr|six|.*(?:version|platform|implementation).*|_?[A-Z][A-Z0-9_]+")
CONDITIONS = ("if_statement", "elif_clause", "while_statement")
EXPRESSIONS = ("conditional_expression", "boolean_operator")
# MicroPython, CircuitPython, IronPython and Jython have other standard libraries.
OTHER_PYTHON = (
    r"^\s*(import|from)\s+(machine|micropython|utime|ujson|uasyncio|board|pyb|microbit|esp32|rp2|clr|java)\b"
)
MAKING = re.compile(
    rb"\bsetattr\b|__dict__|__getattr|\bvars\(|__slots__|__init_subclass__|\bexec\(|\blocals\("
)
SELF = re.compile(r"Self@\w+")
BINDING = ("binding", "definition", "import")
MAX_ABOVE = 5


def is_of_python(diagnostic: AnalyserDiagnostic) -> bool:
    """Return whether an attribute may depend on the Python version: of a builtin type or a library module."""
    owner = diagnostic.message.partition("`")[2].partition("`")[0]
    if diagnostic.message.startswith("Module"):
        return owner.partition(".")[0] in sys.stdlib_module_names
    return diagnostic.rule == "ty/missing-attribute" and SELF.fullmatch(owner) is None


def why_uncertain(spot: Spot, owner: str, attribute: str) -> str | None:
    """Return why an attribute may exist; None if it certainly does not."""
    receiver = _receiver(spot, attribute)
    if receiver is None or attribute.startswith("_"):
        return "the attribute is private, or is not asked for by its name"
    if is_awaited_to_fail(spot) or _is_switched(receiver):
        return "the code around it decides whether it is run"
    if spot.diagnostic.message.startswith("Module"):
        return _why_in_module(spot, owner, attribute)
    held = _held(receiver, spot.text)
    if LITERALS.fullmatch(held.type):
        return _why_in_python(spot, attribute)
    return _why_in_class(spot, held, owner, attribute)


def _receiver(spot: Spot, attribute: str) -> Node | None:
    """Return the object before the dot at the place of a diagnostic."""
    for node, _ in spot.around:
        is_here = spot.node is not None and node.start_byte == spot.node.start_byte
        if is_here and text_of(node.child_by_field_name("attribute")) == attribute:
            return node.child_by_field_name("object")
    return None


def _is_switched(node: Node) -> bool:
    """Return whether a condition around it checks a version, a platform, an attribute or a constant."""
    return any(
        DECIDES.fullmatch(text_of(word))
        for around, child in ancestors(node)
        for asked in _asked(around, child)
        for word in nodes_in(asked)
        if word.type == "identifier"
    )


def _asked(around: Node, child: Node) -> list[Node]:
    if around.type in CONDITIONS:
        condition = around.child_by_field_name("condition")
        return [condition] if condition is not None and condition != child else []
    return [one for one in around.named_children if one != child] if around.type in EXPRESSIONS else []


def _held(receiver: Node, text: bytes) -> Node:
    """Return the expression itself, or what a variable holds that its file binds once."""
    while receiver.type == "parenthesized_expression" and receiver.named_child_count == 1:
        receiver = receiver.named_children[0]
    if receiver.type != "identifier":
        return receiver
    bound = _bindings(receiver, text)
    holder = bound[0].parent if len(bound) == 1 else None
    is_given = holder is not None and holder.type == "assignment"
    value = holder.child_by_field_name("right") if holder is not None and is_given else None
    return receiver if value is None else value


def _bindings(name: Node, text: bytes) -> list[Node]:
    *_, (root, _) = ancestors(name)
    places = occurrences(root, text, text_of(name))
    return [one.node for one in places if one.role in BINDING or _is_added_to(one.node)]


def _is_added_to(node: Node) -> bool:
    parent = node.parent
    return parent is not None and parent.type in ("augmented_assignment", "global_statement")


def _why_in_module(spot: Spot, module: str, attribute: str) -> str | None:
    if module in OPEN_MODULES or is_imported_on_trial(spot.text, text_of(spot.node)):
        return "what the module has depends on the program that runs it"
    if not _is_missing_here(module, attribute):
        return "the standard library here may have the attribute, which type checkers do not know"
    if search_python(spot.head, OTHER_PYTHON):
        return "the repository is written for a Python with another standard library"
    return _why_in_python(spot, attribute)


def _is_missing_here(module: str, attribute: str) -> bool:
    """Return whether the running Python's library lacks the name; stubs omit some.

    It imports nothing: the code under review may be on the import path.
    """
    loaded = sys.modules.get(module)
    if loaded is not None:
        return not hasattr(loaded, attribute)
    place = Path(sysconfig.get_path("stdlib"), *module.split("."))
    files = [one for one in (place.with_suffix(".py"), place / "__init__.py") if one.is_file()]
    text = files[0].read_bytes() if files else b""
    return bool(text) and not star_imports(text, is_relative=True) and not mentions(text, attribute)


def _why_in_python(spot: Spot, attribute: str) -> str | None:
    diagnostic = spot.diagnostic
    place = (diagnostic.rule, diagnostic.path, diagnostic.line, diagnostic.column)
    if place not in spot.inspection.confirmed:
        return "another version of Python may have the attribute"
    return why_given(attribute, spot.head)


def why_given(attribute: str, tree: Tree) -> str | None:
    """Return why an object may get the attribute: code sets it, or has its name as a string."""
    name = re.escape(attribute)
    hits = search_python(tree, rf"['\"]{name}['\"]|\.{name}\s*(:[^=]*)?=($|[^=])")
    return f"{hits[0].path} sets the attribute, or has its name as a text" if hits else None


def class_around(node: Node) -> str:
    """Return the name of the class that a node is in; empty if there is none."""
    classes = (one for one, _ in ancestors(node) if one.type == "class_definition")
    own = next(classes, None)
    return text_of(own.child_by_field_name("name")) if own is not None else ""


def _why_in_class(spot: Spot, held: Node, owner: str, attribute: str) -> str | None:
    tree, text = spot.head, spot.text
    name = owner.rpartition(".")[2]
    if SELF.fullmatch(owner) and held.text == b"self":
        name = class_around(held)
        if subclass_files(tree, name) or not search_python(tree, rf"[^.\w]{name}\("):
            return "a subclass may have the attribute"
    elif held.type in ("call", "identifier"):
        function = held.child_by_field_name("function") or held
        if text_of(function) != name or len(_bindings(function, text)) != 1:
            return "the class of the object is not certain"
    else:
        return "the class of the object is not certain"
    if MAKING.search(text) or not _is_plain(name, tree):
        return "the class may have attributes that its text does not show"
    word = re.escape(attribute)
    hits = search_python(tree, rf"(^|[^.\w]){word}\b|\.{word}\s*(:[^=]*)?=($|[^=])")
    return f"{hits[0].path} may give the attribute to an object" if hits else None


def _is_plain(name: str, tree: Tree, depth: int = 0) -> bool:
    """Return whether the repository defines a class and its bases once, and nothing adds to them."""
    hits = search_python(tree, rf"^\s*class\s+{name}\b", 2)
    text = tree.read(hits[0].path) if len(hits) == 1 and depth < MAX_ABOVE else None
    root = tree_of(text) if text is not None and not MAKING.search(text) else None
    own = (
        one
        for one in (root.named_children if root is not None else ())
        if one.type == "class_definition" and text_of(one.child_by_field_name("name")) == name
    )
    node = next(own, None)
    if node is None or text is None or len(_bindings(node.named_children[0], text)) != 1:
        return False
    header = node.child_by_field_name("superclasses")
    bases = header.named_children if header is not None else []
    return all(
        one.type == "identifier" and (one.text == b"object" or _is_plain(text_of(one), tree, depth + 1))
        for one in bases
    )
