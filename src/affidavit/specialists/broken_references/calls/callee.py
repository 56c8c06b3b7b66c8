"""What a call may mean: a function or method that the change took away or gave other parameters."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tree_sitter import Node

from affidavit.languages.engine.grammars import ancestors, node_text, parse
from affidavit.languages.registry import LANGUAGES
from affidavit.ports import Tree
from affidavit.records.context import Symbol, SymbolChange
from affidavit.specialists.broken_references.calls.arity import Arity, arity_of, definition_at
from affidavit.specialists.broken_references.ground import Ground, Parsed
from affidavit.symbols.occurrences import Occurrence, occurrences

PLAIN_USES = frozenset(
    ("arguments", "argument_list", "return_statement", "return_expression", "export_specifier")
)
"""Where a name that is not called can only be used: anywhere else it may be a variable of a pattern."""


@dataclass(frozen=True)
class Callee:
    """A definition with what it took before and takes now; `after` is None where it is gone."""

    old: Symbol
    before: Arity
    after: Arity | None
    node: Node
    """At head; at base where it is gone."""

    @property
    def is_gone(self) -> bool:
        """Nothing of its name is left where it was."""
        return self.after is None

    @property
    def name(self) -> str:
        """Its name without its owner."""
        return self.old.name

    @property
    def owner(self) -> str:
        """The type that it belongs to; empty for a function."""
        return self.old.qualified.rpartition(".")[0]

    @property
    def folder(self) -> str:
        """Where its file lies."""
        return self.old.path.rpartition("/")[0]


@dataclass(frozen=True)
class Site:
    """One call that surely means the callee, and how it is written."""

    parsed: Parsed
    call: Node
    written: str

    @property
    def line(self) -> int:
        """Where the call begins to say what it calls."""
        return self.call.start_point.row + 1


def read_callee(ground: Ground, one: SymbolChange) -> Callee | None:
    """The callee of a change to a definition; None where its parameters say nothing or stay as they were."""
    old, new = one.base, one.head
    is_gone = one.fate == "removed" or (one.fate == "renamed" and (new is None or new.name != old_name(old)))
    if (
        old is None
        or old.kind not in ("function", "method")
        or (not is_gone and one.fate != "signature_changed")
    ):
        return None
    before = _defined(ground.repository.base, old)
    if before is None:
        return None
    if is_gone:
        return Callee(old, before[1], None, before[0])
    after = _defined(ground.repository.head, new) if new is not None else None
    if after is None or (after[1].least, after[1].most) == (before[1].least, before[1].most):
        return None
    return Callee(old, before[1], after[1], after[0])


def old_name(old: Symbol | None) -> str:
    """The name before the change."""
    return old.name if old is not None else ""


def _defined(tree: Tree, symbol: Symbol) -> tuple[Node, Arity] | None:
    parsed_as, text = LANGUAGES.parsed_as(symbol.path), tree.read(symbol.path)
    root = parse(parsed_as.grammar, text) if parsed_as is not None and text is not None else None
    if root is None or text is None or root.has_error:
        return None
    node = definition_at(root, text, symbol.name, symbol.line)
    arity = arity_of(node, text) if node is not None else None
    return (node, arity) if node is not None and arity is not None else None


def sound(ground: Ground, path: str) -> Parsed | None:
    """The syntax tree of a file of head that is well-formed."""
    parsed = ground.parsed(path)
    return None if parsed is None or parsed.root.has_error else parsed


def places_of(parsed: Parsed, name: str) -> list[Occurrence]:
    """Where a word stands in a file."""
    return occurrences(parsed.root, parsed.text, name) if name.encode() in parsed.text else []


def called_alone(parsed: Parsed, name: str, definitions: int = 0, imports: int = 0) -> list[Site]:
    """Calls of a plain name in a file that gives it no meaning but that of its definition or import."""
    places = places_of(parsed, name)
    defined = sum(place.role == "definition" for place in places)
    taken = sum(place.role == "import" and not _is_handed_on(place.node) for place in places)
    if (defined, taken) != (definitions, imports) or any(map(_may_bind, places)):
        return []
    calls = (call_of(place.node) for place in places if place.role == "call" and place.receiver is None)
    return [Site(parsed, call, name) for call in calls if call is not None]


def _is_handed_on(node: Node) -> bool:
    return node.parent is not None and node.parent.type == "export_specifier"


def _may_bind(place: Occurrence) -> bool:
    """The place gives the name another meaning, or may do so."""
    if place.role != "name" or place.receiver is not None:
        return place.role in ("binding", "key")
    return place.node.parent is None or place.node.parent.type not in PLAIN_USES


def call_of(function: Node) -> Node | None:
    """The call whose function a node is, and nothing around it."""
    call = function.parent
    if call is None or call.type not in ("call_expression", "method_invocation"):
        return None
    called = call.child_by_field_name("function") or call.child_by_field_name("name")
    return call if called == function else None


def enclosing(node: Node, types: Iterable[str]) -> Iterator[Node]:
    """The nodes of these types around a node, from the inside out."""
    wanted = frozenset(types)
    return (above for above in ancestors(node) if above.type in wanted)


def text_of(node: Node | None, field: str, text: bytes) -> str:
    """What stands in a field of a node."""
    return node_text(node.child_by_field_name(field), text) if node is not None else ""
