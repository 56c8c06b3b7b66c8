"""Take the wrong one of two: the opposite variable of a pair, a shared default, `break` for `continue`."""

import re
from collections.abc import Iterator
from itertools import pairwise

from tree_sitter import Node

from affidavit.lab.mutation.mutant import (
    FAMILIES,
    FUNCTIONS,
    PYTHON,
    ByteEdit,
    Operator,
    PlantingGround,
    Proposal,
    called_name,
    condition_of,
    descendants,
    excerpt,
    function_around,
    positional_arguments,
)
from affidavit.languages.engine.grammars import ancestors
from affidavit.records.finding import Category, Severity

SUBSCRIPTS = ("subscript", "subscript_expression", "index_expression", "array_access")
LAST_INDEX = re.compile(r"(?P<length>len\([\w.]+\)|[\w.]+\.length(?:\(\))?|[\w.]+\.size\(\))\s*-\s*1")
NEIGHBOUR = re.compile(r"(?P<name>[A-Za-z_]\w*)\s*(?P<sign>[+-])\s*1")
SMALL = re.compile(r"[1-9]")
COUNTER = re.compile(
    r"\w*(?:count|counter|index|idx|offset|pos|position|depth|level|retries|attempts?|total|num\w*|[ijkn])"
)
STEPS = {"+=": "-=", "-=": "+=", "++": "--", "--": "++"}


def shorten_ranges(ground: PlantingGround) -> Iterator[Proposal]:
    """`range(n - 1)` for `range(n)`: the last round is missing."""
    for call in ground.nodes("call"):
        given = positional_arguments(call)
        if called_name(ground, call) != "range" or not given or len(given) > 2:
            continue
        stop = given[-1]
        text = ground.says(stop)
        if LAST_INDEX.fullmatch(text) or not re.fullmatch(r"[\w.]+(?:\([\w.]*\))?", text) or text.isdigit():
            continue
        yield Proposal(
            (ByteEdit(stop.end_byte, stop.end_byte, b" - 1"),),
            f"Off by one: {excerpt(ground.says(call))} should run up to {excerpt(text)}, but ends one round "
            f"too early, "
            "so the last item is never looked at.",
        )


def leave_out_first(ground: PlantingGround) -> Iterator[Proposal]:
    """A counting loop that starts at 1 instead of 0."""
    for loop in ground.nodes("for_statement", "for_clause"):
        start = loop.child_by_field_name("initializer") or loop.child_by_field_name("init")
        condition = ground.says(loop.child_by_field_name("condition"))
        zero = next((one for one in _leaves(start) if ground.says(one) == "0"), None) if start else None
        bound = re.search(r"<\s*(?P<bound>.*(?:len|length|size|num|count|n\b).*)", condition, re.IGNORECASE)
        if zero is None or bound is None:
            continue
        yield Proposal(
            (ByteEdit(zero.start_byte, zero.end_byte, b"1"),),
            f"Off by one: the loop over {excerpt(bound['bound'].rstrip(';'))} starts at 1 instead of 0, so "
            f"the first "
            "item is never looked at.",
        )


def _leaves(node: Node) -> Iterator[Node]:
    stack = [node]
    while stack:
        one = stack.pop()
        if not one.named_children:
            yield one
        stack += reversed(one.named_children)


def miss_index(ground: PlantingGround) -> Iterator[Proposal]:
    """`x[len(x)]` for the last item, `x[i]` for its neighbour."""
    for node in ground.nodes(*SUBSCRIPTS):
        index = node.child_by_field_name("subscript") or node.child_by_field_name("index")
        text = ground.says(index)
        last, neighbour = LAST_INDEX.fullmatch(text), NEIGHBOUR.fullmatch(text)
        if index is None or not (last or neighbour):
            continue
        if last:
            new, effect = last["length"], "is one beyond the last item"
        elif neighbour:
            new, effect = (
                neighbour["name"],
                f"takes the item itself where the one {_beside(neighbour['sign'])} is meant",
            )
        yield Proposal(
            (ByteEdit(index.start_byte, index.end_byte, new.encode()),),
            f"Off by one: the index in {excerpt(ground.says(node))} lost its "
            f"`{text.removeprefix(new).strip()}`: "
            f"`{new}` {effect}.",
        )


def _beside(sign: str) -> str:
    return "after it" if sign == "+" else "before it"


def miss_slice(ground: PlantingGround) -> Iterator[Proposal]:
    """A slice that begins or ends one item too late or too early."""
    for node in ground.nodes("slice", "slice_expression"):
        for bound in node.named_children:
            if bound == node.child_by_field_name("operand"):
                continue
            text = ground.says(bound)
            if SMALL.fullmatch(text) or re.fullmatch(r"-[1-9]", text):
                new = str(int(text) + (1 if int(text) > 0 else -1))
            elif re.fullmatch(r"len\([\w.]+\)", text):
                new = f"{text} + 1"
            else:
                continue
            whole = ground.says(node.parent if node.type == "slice" else node)
            yield Proposal(
                (ByteEdit(bound.start_byte, bound.end_byte, new.encode()),),
                f"Off by one: in {excerpt(whole)} the bound `{text}` became `{new}`, so one item or "
                f"character too many "
                "is cut off.",
            )


def turn_counters(ground: PlantingGround) -> Iterator[Proposal]:
    """`-=` for `+=` at a counter."""
    for node in ground.nodes(
        "augmented_assignment",
        "augmented_assignment_expression",
        "assignment_statement",
        "assignment_expression",
    ):
        operator = node.child_by_field_name("operator")
        left, right = (
            ground.says(node.child_by_field_name("left")),
            ground.says(node.child_by_field_name("right")),
        )
        old = ground.says(operator)
        name = left.rpartition(".")[2]
        is_counted = COUNTER.fullmatch(name.lower()) and re.fullmatch(
            r"\d+|len\([\w.]+\)|[\w.]+\.length", right
        )
        if operator is None or old not in STEPS or not is_counted:
            continue
        direction = "down" if STEPS[old] == "-=" else "up"
        yield Proposal(
            (ByteEdit(operator.start_byte, operator.end_byte, STEPS[old].encode()),),
            f"The counter runs the wrong way: {excerpt(ground.says(node))} became `{STEPS[old]}`, so "
            f"`{left}` counts "
            f"{direction} where it should count the other way.",
        )


BOUNDS = (
    Operator("short_range", Category.CORRECTNESS, Severity.HIGH, PYTHON, shorten_ranges),
    Operator("skipped_first", Category.CORRECTNESS, Severity.HIGH, FAMILIES, leave_out_first),
    Operator("missed_index", Category.CORRECTNESS, Severity.HIGH, FAMILIES, miss_index),
    Operator("missed_slice", Category.CORRECTNESS, Severity.HIGH, frozenset({"python", "go"}), miss_slice),
    Operator("reversed_counter", Category.CORRECTNESS, Severity.HIGH, FAMILIES, turn_counters),
)


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


def take_opposite(ground: PlantingGround) -> Iterator[Proposal]:
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
            (ByteEdit(node.start_byte, node.end_byte, other.encode()),),
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


def _local_types(ground: PlantingGround, function: Node) -> dict[str, str]:
    """Parameters and variables of a function, with the type where one is written."""
    found: dict[str, str] = {}
    for node in descendants(function):
        if node.type == "identifier" and not _is_read(node) and not _is_after_dot(node):
            kind = node.parent.child_by_field_name("type") if node.parent else None
            found.setdefault(ground.says(node), ground.says(kind))
    return found


def _statement(ground: PlantingGround, node: Node) -> str:
    start = ground.text.rfind(b"\n", 0, node.start_byte) + 1
    end = ground.text.find(b"\n", node.end_byte)
    return ground.text[start : end if end >= 0 else None].decode("utf-8", "replace").strip()


def share_defaults(ground: PlantingGround) -> Iterator[Proposal]:
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
            (ByteEdit(value.start_byte, value.end_byte, made[1].encode()),),
            f"The default of `{name}` is {excerpt(made[1])}, made once and shared by all calls, and the "
            f"function "
            "changes it: what one call puts in is still there in the next.",
        )


def end_loops(ground: PlantingGround) -> Iterator[Proposal]:
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
            (ByteEdit(node.start_byte, node.start_byte + len("continue"), b"break"),),
            f"The loop ends too early: where {excerpt(condition)} holds, this one item should be passed over "
            "(`continue`), but `break` leaves out all that follow as well.",
        )


def _is_inside(node: Node, loop: Node | None) -> bool:
    return loop is not None and loop.start_byte < node.start_byte and node.end_byte <= loop.end_byte


NAME_OPERATORS = (
    Operator("wrong_variable", Category.CORRECTNESS, Severity.HIGH, FAMILIES, take_opposite),
    Operator("shared_default", Category.CORRECTNESS, Severity.HIGH, PYTHON, share_defaults),
    Operator("ended_loop", Category.CORRECTNESS, Severity.HIGH, FAMILIES, end_loops),
)
