"""Which mutable defaults can be changed by a call: those that the function does more with than read."""

from collections.abc import Iterator
from itertools import islice

from tree_sitter import Node

from affidavit.analysers.analyser import Inspection
from affidavit.analysers.python.syntax import ancestors, node_at
from affidavit.records.evidence import AnalyserDiagnostic

PARAMETERS = frozenset(("default_parameter", "typed_default_parameter"))
READING_CALLS = frozenset(
    b"all any bool dict enumerate frozenset len list max min set sorted str sum tuple zip".split()
)
READING_METHODS = frozenset(b"copy count get index items join keys values".split())
MAX_IDENTIFIERS = 20_000


def judge_shared_default(diagnostic: AnalyserDiagnostic, _inspection: Inspection, text: bytes) -> str | None:
    """The reason why a default that calls share is no finding: the function only reads it."""
    around = [node for node, _ in ancestors(node_at(text, diagnostic.line, diagnostic.column))]
    parameter = next((node for node in around if node.type in PARAMETERS), None)
    function = next((node for node in around if node.type in ("function_definition", "lambda")), None)
    name = parameter.child_by_field_name("name") if parameter is not None else None
    body = function.child_by_field_name("body") if function is not None else None
    if name is None or body is None:
        return None
    found = list(islice(_identifiers(body), MAX_IDENTIFIERS + 1))
    uses = [node for node in found if node.text == name.text]
    is_known = len(found) <= MAX_IDENTIFIERS and all(map(_is_read, uses))
    return "the function only reads the default" if is_known else None


def _identifiers(body: Node) -> Iterator[Node]:
    waiting = [body]
    while waiting:
        node = waiting.pop()
        if node.type == "identifier":
            yield node
        waiting.extend(node.children)


def _is_read(use: Node) -> bool:
    parent = use.parent
    if parent is None:
        return False
    if parent.type in ("for_statement", "for_in_clause"):
        return parent.child_by_field_name("right") == use
    if parent.type == "subscript":
        return parent.child_by_field_name("value") == use and _is_value(parent)
    if parent.type == "attribute":
        return _is_reading_method(parent)
    if parent.type == "argument_list":
        return _is_reading_call(parent.parent)
    return parent.type in ("comparison_operator", "not_operator", "list_splat", "dictionary_splat") or (
        parent.type in ("if_statement", "while_statement") and parent.child_by_field_name("condition") == use
    )


def _is_value(subscript: Node) -> bool:
    """The part is read, not set, deleted or handed on to be changed."""
    parent = subscript.parent
    return parent is not None and parent.type in ("comparison_operator", "binary_operator", "interpolation")


def _is_reading_method(attribute: Node) -> bool:
    method, call = attribute.child_by_field_name("attribute"), attribute.parent
    is_called = call is not None and call.type == "call" and call.child_by_field_name("function") == attribute
    return is_called and method is not None and method.text in READING_METHODS


def _is_reading_call(call: Node | None) -> bool:
    function = call.child_by_field_name("function") if call is not None else None
    if function is None:
        return False
    if function.type == "attribute":
        method = function.child_by_field_name("attribute")
        return method is not None and method.text == b"join"
    return function.type == "identifier" and function.text in READING_CALLS
