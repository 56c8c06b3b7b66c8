"""Take the wrong one of two: the opposite variable of a pair, a shared default, `break` for `continue`."""

import re
from collections.abc import Iterator
from itertools import pairwise

from tree_sitter import Node

from affidavit.lab.mutation.ground import (
    FAMILIES,
    FUNCTIONS,
    Ground,
    condition_of,
    descendants,
    excerpt,
    function_around,
)
from affidavit.lab.mutation.mutant import Edit, Operator, Proposal
from affidavit.languages.engine.grammars import ancestors
from affidavit.records.finding import Category, Severity

OPPOSITES = (
    ("start", "end"),
    ("min", "max"),
    ("width", "height"),
    ("left", "right"),
    ("low", "high"),
    ("lower", "upper"),
    ("first", "last"),
    ("old", "new"),
    ("prev", "next"),
    ("previous", "current"),
    ("src", "dst"),
    ("source", "target"),
    ("before", "after"),
    ("key", "value"),
    ("row", "column"),
    ("parent", "child"),
    ("expected", "actual"),
)
PAIRED = {one: other for pair in OPPOSITES for one, other in (pair, pair[::-1])}
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+|_+")
LOOPS = frozenset(
    {"for_statement", "while_statement", "for_in_statement", "enhanced_for_statement", "do_statement"}
)
CHANGED_IN_PLACE = r"(?:\.(?:append|add|update|extend|setdefault|insert|pop)\(|\[[^\]]+\]\s*=[^=])"


def take_opposite(ground: Ground) -> Iterator[Proposal]:
    """`end` for `start`, where the function has both."""
    for node in ground.nodes("identifier"):
        name = ground.says(node)
        other = opposite_of(name)
        around = function_around(node)
        if other is None or around is None or not _is_read(node) or _is_after_dot(node):
            continue
        types = _local_types(ground, around)
        if other not in types or name not in types:
            continue
        # Where types count, only those that are written down can be known to be the same.
        if ground.is_typed and (not types[name] or types[name] != types[other]):
            continue
        line = _statement(ground, node)
        # Where both stand in one statement, their order is often free: `min <= x <= max`, `f(start, end)`.
        if re.search(rf"(?<![\w.]){re.escape(other)}(?!\w)", line):
            continue
        yield Proposal(
            (Edit(node.start_byte, node.end_byte, other.encode()),),
            f"The wrong variable is used: {excerpt(line)} should read `{name}`, and reads `{other}` instead.",
        )


def opposite_of(name: str) -> str | None:
    """The name with its one meaningful word reversed: `start_line` gives `end_line`."""
    words = WORD.findall(name)
    turned = [at for at, word in enumerate(words) if word.lower() in PAIRED]
    if len(turned) != 1 or "".join(words) != name:
        return None
    at = turned[0]
    new = PAIRED[words[at].lower()]
    words[at] = new.capitalize() if words[at][0].isupper() else new
    return "".join(words)


def _is_read(node: Node) -> bool:
    """The name is used, not given, bound or declared here."""
    around = node.parent
    if around is None:
        return False
    for field in ("name", "pattern", "key"):
        if around.child_by_field_name(field) == node:
            return False
    if around.type in (
        "parameters",
        "formal_parameters",
        "lambda_parameters",
        "keyword_argument",
        "for_in_clause",
    ):
        return around.type == "keyword_argument"
    chain = [node, *ancestors(node)]
    return not any(
        outer.child_by_field_name("left") == inner for inner, outer in pairwise(chain[:5]) if _binds(outer)
    )


def _binds(node: Node) -> bool:
    is_assignment = "assignment" in node.type or node.type in ("short_var_declaration", "range_clause")
    return is_assignment or node.type in ("for_statement", "for_in_statement", "for_in_clause")


def _is_after_dot(node: Node) -> bool:
    return node.parent is not None and node.parent.child_by_field_name("attribute") == node


def _local_types(ground: Ground, function: Node) -> dict[str, str]:
    """Parameters and variables of a function, with the type where one is written."""
    found: dict[str, str] = {}
    for node in descendants(function):
        if node.type == "identifier" and not _is_read(node) and not _is_after_dot(node):
            kind = node.parent.child_by_field_name("type") if node.parent else None
            found.setdefault(ground.says(node), ground.says(kind))
    return found


def _statement(ground: Ground, node: Node) -> str:
    start = ground.text.rfind(b"\n", 0, node.start_byte) + 1
    end = ground.text.find(b"\n", node.end_byte)
    return ground.text[start : end if end >= 0 else None].decode("utf-8", "replace").strip()


def share_defaults(ground: Ground) -> Iterator[Proposal]:
    """A list or dictionary as default, which all calls then share and change."""
    for node in ground.nodes("default_parameter", "typed_default_parameter"):
        name, value = ground.says(node.child_by_field_name("name")), node.child_by_field_name("value")
        around = next((one for one in ancestors(node) if one.type in FUNCTIONS), None)
        body = ground.says(around.child_by_field_name("body")) if around else ""
        made = re.search(
            rf"if {re.escape(name)} is None:\s+{re.escape(name)} = (\[\]|{{}}|set\(\)|dict\(\)|list\(\))",
            body,
        )
        is_changed = re.search(rf"(?<![\w.]){re.escape(name)}{CHANGED_IN_PLACE}", body)
        if value is None or ground.says(value) != "None" or made is None or is_changed is None:
            continue
        yield Proposal(
            (Edit(value.start_byte, value.end_byte, made[1].encode()),),
            f"The default of `{name}` is {excerpt(made[1])}, made once and shared by all calls, and the "
            f"function "
            "changes it: what one call puts in is still there in the next.",
        )


def end_loops(ground: Ground) -> Iterator[Proposal]:
    """`break` for `continue`: one item that is passed over ends the whole loop."""
    for node in ground.nodes("continue_statement"):
        text = ground.says(node).rstrip(";")
        loop = next((one for one in ancestors(node) if one.type in LOOPS), None)
        # Inside a switch, `break` leaves the switch only.
        is_in_switch = any(
            "switch" in one.type or "select" in one.type for one in ancestors(node) if _is_inside(one, loop)
        )
        if text != "continue" or loop is None or is_in_switch:
            continue
        test = next((one for one in ancestors(node) if one.type == "if_statement"), None)
        condition = condition_of(ground, test) if test else ""
        if not condition or test is None or not _is_inside(test, loop):
            continue
        yield Proposal(
            (Edit(node.start_byte, node.start_byte + len("continue"), b"break"),),
            f"The loop ends too early: where {excerpt(condition)} holds, this one item should be passed over "
            "(`continue`), but `break` leaves out all that follow as well.",
        )


def _is_inside(node: Node, loop: Node | None) -> bool:
    return loop is not None and loop.start_byte < node.start_byte and node.end_byte <= loop.end_byte


PYTHON = frozenset({"python"})
NAME_OPERATORS = (
    Operator("wrong_variable", Category.CORRECTNESS, Severity.HIGH, FAMILIES, take_opposite),
    Operator("shared_default", Category.CORRECTNESS, Severity.HIGH, PYTHON, share_defaults),
    Operator("ended_loop", Category.CORRECTNESS, Severity.HIGH, FAMILIES, end_loops),
)
