"""Read the syntax around a place in Python code: is a failure expected, is a name evaluated?"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

from tree_sitter import Node

from affidavit.analysers.engine.analyser import Inspection
from affidavit.analysers.engine.encoding import as_utf8
from affidavit.analysers.engine.rule import names_in
from affidavit.languages.grammars import parse
from affidavit.languages.python import GRAMMAR
from affidavit.ports import Tree
from affidavit.records.evidence import AnalyserDiagnostic

CAUGHT_WITH_ALL = frozenset({"Exception", "BaseException"})
PARENT_EXCEPTIONS = {
    "ModuleNotFoundError": ("ImportError",),
    "ImportError": ("ModuleNotFoundError",),
    "UnboundLocalError": ("NameError",),
    "KeyError": ("LookupError",),
    "IndexError": ("LookupError",),
}
EXPECTING_CALLS = {"raises", "assertRaises", "assertRaisesRegex", "assertRaisesMessage", "suppress"}
WARNING_CALLS = {"warns", "deprecated_call", "assertWarns", "assertWarnsRegex", "catch_warnings"}
IMPORTS = ("import_statement", "import_from_statement")
FUNCTIONS = ("function_definition", "lambda")


def tree_of(text: bytes) -> Node | None:
    """Return the syntax tree, byte for byte."""
    return parse(GRAMMAR, text)


@dataclass(frozen=True)
class Spot:
    """The place of a diagnostic in Python code."""

    diagnostic: AnalyserDiagnostic
    inspection: Inspection
    text: bytes
    """The file in UTF-8."""

    @classmethod
    def of(cls, diagnostic: AnalyserDiagnostic, inspection: Inspection) -> "Spot":
        """Read the file of a diagnostic."""
        content = inspection.head.read(diagnostic.path) or b""
        return cls(diagnostic, inspection, as_utf8(diagnostic.path, content))

    @property
    def head(self) -> Tree:
        """Return the tree in which other code is searched."""
        return self.inspection.head

    @property
    def names(self) -> list[str]:
        """Return the names in the message."""
        return names_in(self.diagnostic.message)

    @property
    def is_changed(self) -> bool:
        """Return whether the change touches a line of the diagnostic."""
        return self.inspection.is_changed(self.diagnostic)

    @property
    def rows(self) -> list[bytes]:
        """Return the lines of the diagnostic."""
        end = self.diagnostic.end_line or self.diagnostic.line
        return self.text.split(b"\n")[self.diagnostic.line - 1 : end]

    @cached_property
    def node(self) -> Node | None:
        """Return the smallest syntax node at the place; only a line feed ends a line."""
        root = tree_of(self.text)
        line, column = self.diagnostic.line, self.diagnostic.column or 1
        # Columns are characters to the analysers and bytes to the parser.
        before = b"".join(self.rows[:1]).decode("utf-8", errors="replace")[: column - 1].encode()
        place = (line - 1, len(before))
        return root.named_descendant_for_point_range(place, place) if root is not None else None

    @cached_property
    def around(self) -> list[tuple[Node, Node]]:
        """Return each node above with its child on the way."""
        return list(ancestors(self.node))

    def first_above(self, *types: str) -> Node | None:
        """Return the innermost node of these types around the place."""
        return next((node for node, _ in self.around if node.type in types), None)


def text_of(node: Node | None) -> str:
    """Return the code of a node."""
    return (node.text or b"").decode("utf-8", errors="replace") if node is not None else ""


def ancestors(node: Node | None) -> Iterator[tuple[Node, Node]]:
    """Yield each node above with its child on the way."""
    while node is not None and node.parent is not None:
        yield node.parent, node
        node = node.parent


def nodes_in(node: Node) -> Iterator[Node]:
    """Yield the node and all below it."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(node.children)


def call_lines(text: bytes, lines: range) -> range:
    """Return the lines of the call around the first line, where bandit looks for `nosec`."""
    root = tree_of(text)
    calls = (one for one in nodes_in(root) if one.type == "call") if root is not None else ()
    spans = [(one.start_point.row + 1, one.end_point.row + 1) for one in calls]
    begun = [span for span in spans if span[0] == lines.start]
    around = [span for span in spans if span[0] <= lines.start <= span[1]]
    # A problem may be at an argument on another line.
    first, last = max(begun or [min(around, key=_height, default=(lines.start, lines.start))], key=_height)
    return range(first, max(lines.stop, last + 1))


def _height(span: tuple[int, int]) -> int:
    return span[1] - span[0]


def expects(spot: Spot, exceptions: Collection[str]) -> bool:
    """Return whether the code around the place expects one of the exceptions."""
    wanted = CAUGHT_WITH_ALL.union(exceptions, *(PARENT_EXCEPTIONS.get(name, ()) for name in exceptions))
    return any(_catches(one, wanted) for one in _handlers(spot)) or any(
        words & EXPECTING_CALLS and words & wanted for words in _contexts(spot)
    )


def is_awaited_to_fail(spot: Spot) -> bool:
    """Return whether the place is in a `with raises(…)`, for any exception."""
    return any(words & EXPECTING_CALLS for words in _contexts(spot))


def is_in_try(spot: Spot) -> bool:
    """Return whether the code tries if the place fails or warns: in a `try` or `with raises(…)`."""
    return any(_handlers(spot)) or any(words & (EXPECTING_CALLS | WARNING_CALLS) for words in _contexts(spot))


def _contexts(spot: Spot) -> Iterator[set[str]]:
    """Yield the names in each `with` around the place."""
    for parent, block in spot.around:
        if parent.type == "with_statement" and block.type == "block":
            yield from (_words(one) for one in parent.named_children if one.type == "with_clause")


def _handlers(spot: Spot) -> Iterator[Node]:
    """Yield each `except` of the `try` statements around the place."""
    for parent, block in spot.around:
        if parent.type == "try_statement" and block.type == "block":
            yield from (one for one in parent.named_children if one.type.startswith("except"))


def _words(node: Node) -> set[str]:
    """Return the names in a piece of code, without its strings and comments."""
    return {text_of(one) for one in nodes_in(node) if one.type == "identifier"}


def _catches(handler: Node, wanted: Collection[str]) -> bool:
    caught = [child for child in handler.named_children if child.type not in ("block", "comment")]
    return not caught or any(not _words(child).isdisjoint(wanted) for child in caught)


def is_only_for_type_checkers(spot: Spot) -> bool:
    """Return whether the place is under `if TYPE_CHECKING`."""
    return any(
        parent.type == "if_statement"
        and child.type == "block"
        and TYPE_CHECKING.fullmatch(text_of(parent.child_by_field_name("condition")))
        for parent, child in spot.around
    )


def star_imports(text: bytes, *, is_relative: bool = False) -> set[str]:
    """Return the modules of `import *`; relative ones only if asked."""
    root = tree_of(text) if b"*" in text else None
    stars = (one.parent for one in nodes_in(root) if one.type == "wildcard_import") if root else ()
    named = (one.child_by_field_name("module_name") for one in stars if one is not None)
    return {text_of(one) for one in named if one is not None and (is_relative or one.type == "dotted_name")}


def mentions(text: bytes, name: str) -> bool:
    """Return whether code or a string of the file has the name; comments do not count."""
    word = re.compile(rb"\b%s\b" % re.escape(name).encode())
    root = tree_of(text) if word.search(text) else None
    return root is not None and any(
        word.search(one.text or b"") is not None
        for one in nodes_in(root)
        if one.type == "identifier" or (one.type == "string" and not _is_documentation(one))
    )


def _is_documentation(node: Node) -> bool:
    return node.parent is not None and node.parent.type == "expression_statement"


def is_imported_on_trial(text: bytes, name: str) -> bool:
    """Return whether the name is imported inside a `try`, so that it depends on the installation."""
    root = tree_of(text)
    imports = (one for one in nodes_in(root) if one.type in IMPORTS) if root is not None else ()
    named = (one for one in imports if name in _words(one))
    return any(parent.type == "try_statement" for one in named for parent, _ in ancestors(one))


def is_unevaluated_annotation(spot: Spot) -> bool:
    """Return whether the place is in an annotation that Python never evaluates."""
    is_quoted = False
    for parent, child in spot.around:
        is_quoted = is_quoted or "string" in (parent.type, child.type)
        if child.type == "type":
            is_local = parent.type == "assignment" and _is_in_function(parent)
            return is_quoted or is_local or _leaves_annotations(spot.text)
    # A quoted name outside of annotations is an argument of cast, TypeVar and the like.
    kinds = (kind for pair in spot.around for kind in (pair[0].type, pair[1].type))
    return is_quoted and "interpolation" not in kinds


def _leaves_annotations(text: bytes) -> bool:
    root = tree_of(text) if b"__future__" in text else None
    imports = (one for one in root.children if one.type == "future_import_statement") if root else ()
    return any("annotations" in _words(one) for one in imports)


def _is_in_function(node: Node) -> bool:
    return any(parent.type in FUNCTIONS and child.type == "block" for parent, child in ancestors(node))


# A text without any of these has no such call, which saves parsing.
HINT = re.compile(rb"\b(exec|globals|locals|vars)\b")
TYPE_CHECKING = re.compile(r"(\w+\.)?TYPE_CHECKING")


def makes_names(text: bytes) -> bool:
    """Return whether code of the file may define names at run time: `globals()`, or `exec` and the like."""
    root = tree_of(text) if HINT.search(text) else None
    calls = [one for one in nodes_in(root) if one.type == "call"] if root is not None else []
    return any(
        call.text.startswith(b"globals(")
        or (
            (call.text.startswith(b"exec(") or call.text in (b"locals()", b"vars()"))
            and not _is_in_function(call)
        )
        for call in calls
        if call.text
    )
