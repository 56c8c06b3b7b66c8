"""Whether a function made in a loop outlives its turn: a diagnostic in, the reason why it does not out."""

from itertools import islice

from tree_sitter import Node

from affidavit.analysers.analyser import Inspection
from affidavit.analysers.python.syntax import ancestors, node_at, nodes_in
from affidavit.records.evidence import AnalyserDiagnostic

LOOPS = ("for_statement", "while_statement")
KEPT_IN = frozenset(("list", "dictionary", "pair", "tuple", "set", "yield"))
KEEPING_CALLS = frozenset(
    b"add add_argument add_callback add_done_callback after append appendleft bind call_later call_soon"
    b" connect create_task defer enqueue extend insert on partial partialmethod Process put register"
    b" run_in_executor schedule setattr setdefault spawn start submit subscribe Thread Timer update".split()
)
MAX_NODES = 20_000


def judge_late_use(diagnostic: AnalyserDiagnostic, _inspection: Inspection, text: bytes) -> str | None:
    """The reason why a function that reads a loop's variable is no finding: it is called in the same turn."""
    around = [node for node, _ in ancestors(node_at(text, diagnostic.line, diagnostic.column))]
    made = next((node for node in around if node.type in ("lambda", "function_definition")), None)
    loop = next((node for node in around if node.type in LOOPS), None)
    if made is None or loop is None:
        return None
    is_kept = any(map(_is_kept, _uses(made, loop)))
    return None if is_kept else "the function is called in the turn of the loop that made it"


def _uses(made: Node, loop: Node) -> list[Node]:
    """The function itself, or where its name is used."""
    name = made.child_by_field_name("name")
    if name is None:
        return [made]
    found = islice(nodes_in(loop), MAX_NODES)
    return [node for node in found if node.type == "identifier" and node.text == name.text and node != name]


def _is_kept(use: Node) -> bool:
    for parent, child in ancestors(use):
        if parent.type in KEPT_IN or parent.type == "decorator":
            return True
        if parent.type == "call":
            # What a call makes of the function ends with the call, unless it is known to keep it.
            return child != parent.child_by_field_name("function") and _keeps(parent)
        if parent.type == "assignment":
            return True
        if parent.type.endswith("_statement"):
            return False
    return False


def _keeps(call: Node) -> bool:
    function = call.child_by_field_name("function")
    named = function.child_by_field_name("attribute") if function is not None else None
    last = named or function
    return last is not None and last.text in KEEPING_CALLS
