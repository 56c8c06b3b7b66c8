"""Judge the new diagnostics of ruff."""

import re
from itertools import islice

from tree_sitter import Node

from affidavit.analysers.engine.analyser import Excuse, Inspection
from affidavit.analysers.python_judgement import (
    judge_evaluation,
    judge_no_python,
    judge_reordered_text,
    judge_shell_command,
    judge_sql_text,
    judge_undefined_name,
    judge_unpickling,
    judge_yaml_loader,
    why_expected,
)
from affidavit.analysers.python_syntax import FUNCTIONS, Spot, ancestors, is_in_try, nodes_in, text_of
from affidavit.records.evidence import AnalyserDiagnostic

CHANGING = frozenset(b"add append clear extend insert pop popitem remove setdefault update".split())
SETTING = ("assignment", "augmented_assignment", "delete_statement")
VERSION = re.compile(rb"(?:SSL|TLS)v\w*?(?=_METHOD|\b)")
DEFINES = re.compile(rb"\b(def|class)\s|^\s*@")


def judge_ruff(diagnostic: AnalyserDiagnostic, inspection: Inspection) -> Excuse | None:
    """Return why a new diagnostic of ruff is not a finding; None if it is one."""
    spot = Spot.of(diagnostic, inspection)
    special = SPECIAL.get(diagnostic.rule)
    return why_expected(spot) or (special(spot) if special else None)


def _redefinition(spot: Spot) -> str | None:
    lines = spot.text.split(b"\n")
    earlier = re.search(r"line (\d+)", spot.diagnostic.message)
    numbers = [spot.diagnostic.line, *([int(earlier[1])] if earlier else ())]
    both_define = all(any(map(DEFINES.search, lines[number - 1 : number])) for number in numbers)
    return None if both_define else "one of the two is an import or an assignment"


def _discarded_value(spot: Spot) -> str | None:
    if is_in_try(spot):
        return "the code sees whether the expression fails or warns"
    around = [(child.type, parent.type) for parent, child in spot.around]
    if spot.diagnostic.rule == "ruff/B018" and ("attribute", "expression_statement") in around:
        return "an attribute may be computed when it is read"
    return None


def _set_twice(spot: Spot) -> str | None:
    name = next(iter(spot.names), "")
    lines = text_of(spot.first_above("block")).split("\n")
    declared = re.compile(rf"\s*{re.escape(name)}\s*:[^=]+(#.*)?")
    is_declared = any(declared.fullmatch(line) for line in lines)
    return "one of the two only declares its type" if is_declared else None


def judge_shared_default(spot: Spot) -> str | None:
    """Return why a mutable default is not a finding: the function neither changes nor keeps it."""
    parameter = spot.first_above("default_parameter", "typed_default_parameter")
    function = spot.first_above(*FUNCTIONS)
    name = parameter.child_by_field_name("name") if parameter is not None else None
    body = function.child_by_field_name("body") if function is not None else None
    if name is None or body is None:
        return None
    uses = (node for node in nodes_in(body) if node.type == "identifier" and node.text == name.text)
    return None if any(map(_is_shared, uses)) else "the function only reads the default, or passes it on"


def _is_shared(use: Node) -> bool:
    """Return whether a use changes the value, or keeps it beyond the call."""
    parent = use.parent
    if parent is not None and parent.type == "attribute":
        method = parent.child_by_field_name("attribute")
        return method is not None and method.text in CHANGING
    if parent is not None and parent.type == "subscript":
        around = parent.parent
        return around is not None and around.type in SETTING and around.child_by_field_name("right") != parent
    return parent is not None and parent.type in (*SETTING, "return_statement", "yield")


KEPT_IN = frozenset(("list", "dictionary", "pair", "tuple", "set", "yield"))
KEEPING_CALLS = frozenset(
    b"add add_argument add_callback add_done_callback after append appendleft bind call_later call_soon"
    b" connect create_task defer enqueue extend insert on partial partialmethod Process put register"
    b" run_in_executor schedule setattr setdefault spawn start submit subscribe Thread Timer update".split()
)
MAX_NODES = 20_000


def judge_late_use(spot: Spot) -> str | None:
    """Return why a function that reads a loop variable is not a finding: the same round calls it."""
    made = spot.first_above(*FUNCTIONS)
    loop = spot.first_above("for_statement", "while_statement")
    if made is None or loop is None:
        return None
    is_kept = any(map(_is_kept, _uses(made, loop)))
    return None if is_kept else "the function is called in the turn of the loop that made it"


def _uses(made: Node, loop: Node) -> list[Node]:
    """Return the function itself, or the uses of its name."""
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
            # A call does not keep the function, unless it is known to.
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


def _judge_version(spot: Spot) -> str | None:
    quoted = b"\n".join(spot.rows)
    # The old name of the protocol that negotiates the best common version.
    return "`SSLv23` means any version of TLS" if set(VERSION.findall(quoted)) == {b"SSLv23"} else None


SPECIAL = {
    "ruff/B006": judge_shared_default,
    "ruff/B015": _discarded_value,
    "ruff/B018": _discarded_value,
    "ruff/B023": judge_late_use,
    "ruff/PIE794": _set_twice,
    "ruff/S301": judge_unpickling,
    "ruff/PLE2502": judge_reordered_text,
    "ruff/F821": judge_undefined_name,
    "ruff/invalid-syntax": judge_no_python,
    "ruff/F811": _redefinition,
    "ruff/S307": judge_evaluation,
    "ruff/S502": _judge_version,
    "ruff/S503": _judge_version,
    "ruff/S506": judge_yaml_loader,
    "ruff/S602": judge_shell_command,
    "ruff/S605": judge_shell_command,
    "ruff/S608": judge_sql_text,
}
