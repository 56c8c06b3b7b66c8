"""The classes of Python files of one tree: what each provides, and which classes it builds on."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tree_sitter import Node

from affidavit.languages.engine.grammars import node_text, parse
from affidavit.languages.registry import LANGUAGES
from affidavit.ports import Tree
from affidavit.references.import_graph import ImportGraph

HARMLESS_BASES = re.compile(r"object|(?:abc\.)?ABC|(?:typing\.)?Generic\[.*\]")
HARMLESS_DECORATORS = re.compile(
    r"@(?:dataclasses\.)?dataclass\b|@(?:typing\.)?(?:final|runtime_checkable)\b"
)
MAKING = re.compile(
    rb"\bsetattr\b|__dict__|__getattr|\bvars\(|__slots__|__init_subclass__|\bexec\(|\blocals\("
)
HARMLESS = frozenset(("comment", "pass_statement"))
GROUPS = frozenset(
    ("pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "array_pattern", "object_pattern")
)
ASSIGNING = frozenset(
    (
        "assignment", "augmented_assignment", "for_statement", "for_in_clause", "named_expression",
        "assignment_expression", "augmented_assignment_expression", "for_in_statement",
    )
)  # fmt: skip
MAX_HOPS = 5
MAX_ABOVE = 30


@dataclass(frozen=True, eq=False)
class PythonClass:
    """A class at the top of a file; open where something may give it members that its text does not show."""

    path: str
    name: str
    bases: tuple[str, ...]
    provides: frozenset[str]
    is_open: bool
    node: Node
    text: bytes


class PythonClasses:
    """Reads each file of a tree once."""

    def __init__(self, tree: Tree, imports: Callable[[], ImportGraph]) -> None:
        self._tree = tree
        self._imports = imports
        self._read: dict[str, dict[str, PythonClass]] = {}

    def of(self, path: str) -> dict[str, PythonClass]:
        """The classes at the top of a file by their names; none where it cannot be read."""
        if path not in self._read:
            self._read[path] = {one.name: one for one in self._classes(path)}
        return self._read[path]

    def _classes(self, path: str) -> Iterator[PythonClass]:
        parsed_as, text = LANGUAGES.parsed_as(path), self._tree.read(path)
        if parsed_as is None or text is None:
            return
        root = parse(parsed_as.grammar, text)
        if root is None or root.has_error:
            return
        for child in root.named_children:
            decorators = [one for one in child.named_children if one.type == "decorator"]
            node = child.child_by_field_name("definition") if child.type == "decorated_definition" else child
            if node is not None and node.type == "class_definition":
                yield _read_class(path, node, decorators, text)

    def resolve(self, path: str, name: str, hops: int = 0) -> PythonClass | None:
        """The class that a name means in a file, by definition or import."""
        own = self.of(path).get(name)
        if own is not None or hops > MAX_HOPS:
            return own
        meant = {
            one.target
            for one in self._imports().imports_of(path)
            if name in one.names and not one.is_conditional
        }
        target = meant.pop() if len(meant) == 1 else None
        return self.resolve(target, name, hops + 1) if target is not None else None

    def above(self, one: PythonClass) -> list[PythonClass] | None:
        """The class and all that it builds on; None where one of them is not known."""
        found, waiting = [one], [one]
        while waiting:
            current = waiting.pop()
            for name in current.bases:
                if HARMLESS_BASES.fullmatch(name):
                    continue
                parent = self.resolve(current.path, name)
                if parent is None or len(found) > MAX_ABOVE:
                    return None
                if parent not in found:
                    found.append(parent)
                    waiting.append(parent)
        return found


def _read_class(path: str, node: Node, decorators: list[Node], text: bytes) -> PythonClass:
    header = node.child_by_field_name("superclasses")
    bases = tuple(node_text(child, text) for child in header.named_children) if header is not None else ()
    body = node.child_by_field_name("body")
    names, is_open = _class_level(body, text)
    is_marked = any(not HARMLESS_DECORATORS.match(node_text(one, text)) for one in decorators)
    is_made = MAKING.search(text[node.start_byte : node.end_byte]) is not None
    set_names = {
        node_text(one.child_by_field_name("attribute"), text) for one in members(node) if is_set(one)
    }
    return PythonClass(
        path, node_text(node.child_by_field_name("name"), text), bases, frozenset(names | set_names),
        is_open or is_marked or is_made, node, text,
    )  # fmt: skip


def _class_level(body: Node | None, text: bytes) -> tuple[set[str], bool]:
    """The names that the body of a class binds, and whether it binds more than can be read."""
    names: set[str] = set()
    is_open = False
    for child in body.named_children if body is not None else ():
        node = child.child_by_field_name("definition") or child
        if node.type in ("function_definition", "class_definition"):
            names.add(node_text(node.child_by_field_name("name"), text))
        elif node.type == "expression_statement":
            names |= {found for one in node.named_children for found in _bound(one, text)}
        elif node.type not in HARMLESS:
            is_open = True
    return names, is_open


def _bound(node: Node, text: bytes) -> Iterator[str]:
    """The names on the left of `a = b = 1` and `a: int`."""
    while node.type == "assignment":
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is not None:
            yield from (node_text(one, text) for one in _identifiers(left))
        if right is None:
            return
        node = right


def _identifiers(node: Node) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if one.type == "identifier":
            yield one
        elif one.type != "attribute":
            waiting += one.named_children


def members(node: Node) -> Iterator[Node]:
    """Every `self.name` in the methods of a class, whatever their first parameter is called."""
    body = node.child_by_field_name("body")
    for child in body.named_children if body is not None else ():
        method = child.child_by_field_name("definition") or child
        parameters = method.child_by_field_name("parameters")
        first = parameters.named_children[0] if parameters is not None and parameters.named_children else None
        if method.type == "function_definition" and first is not None and first.type == "identifier":
            yield from _members_of(method, first.text or b"")


def _members_of(method: Node, own: bytes) -> Iterator[Node]:
    waiting = [method.child_by_field_name("body")]
    while waiting:
        one = waiting.pop()
        if one is None or one.type == "class_definition" or _binds(one, own):
            continue
        waiting += one.named_children
        holder = one.child_by_field_name("object") if one.type == "attribute" else None
        if holder is not None and holder.type == "identifier" and holder.text == own:
            yield one


def _binds(node: Node, name: bytes) -> bool:
    """A function inside has a parameter of that name."""
    parameters = (
        node.child_by_field_name("parameters") if node.type in ("function_definition", "lambda") else None
    )
    return parameters is not None and any(one.text == name for one in _identifiers(parameters))


def is_set(member: Node) -> bool:
    """The member is assigned, bound by `for` or `with`, or deleted."""
    child, above = member, member.parent
    while above is not None and above.type in GROUPS:
        child, above = above, above.parent
    if above is None:
        return False
    if above.type in ASSIGNING:
        return above.child_by_field_name("left") == child
    return above.type in ("as_pattern_target", "delete_statement")
