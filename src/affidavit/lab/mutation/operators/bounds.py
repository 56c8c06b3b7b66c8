"""Miss by one: a range, a slice, an index, a loop's start, a counter that runs the wrong way."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from affidavit.lab.mutation.ground import FAMILIES, Ground, called_name, excerpt, positional_arguments
from affidavit.lab.mutation.mutant import Edit, Operator, Proposal
from affidavit.records.finding import Category, Severity

SUBSCRIPTS = ("subscript", "subscript_expression", "index_expression", "array_access")
LAST_INDEX = re.compile(r"(?P<length>len\([\w.]+\)|[\w.]+\.length(?:\(\))?|[\w.]+\.size\(\))\s*-\s*1")
NEIGHBOUR = re.compile(r"(?P<name>[A-Za-z_]\w*)\s*(?P<sign>[+-])\s*1")
SMALL = re.compile(r"[1-9]")
COUNTER = re.compile(
    r"\w*(?:count|counter|index|idx|offset|pos|position|depth|level|retries|attempts?|total|num\w*|[ijkn])"
)
STEPS = {"+=": "-=", "-=": "+=", "++": "--", "--": "++"}


def shorten_ranges(ground: Ground) -> Iterator[Proposal]:
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
            (Edit(stop.end_byte, stop.end_byte, b" - 1"),),
            f"Off by one: {excerpt(ground.says(call))} should run up to {excerpt(text)}, but ends one round "
            f"too early, "
            "so the last item is never looked at.",
        )


def leave_out_first(ground: Ground) -> Iterator[Proposal]:
    """A counting loop that starts at 1 instead of 0."""
    for loop in ground.nodes("for_statement", "for_clause"):
        start = loop.child_by_field_name("initializer") or loop.child_by_field_name("init")
        condition = ground.says(loop.child_by_field_name("condition"))
        zero = next((one for one in _leaves(start) if ground.says(one) == "0"), None) if start else None
        bound = re.search(r"<\s*(?P<bound>.*(?:len|length|size|num|count|n\b).*)", condition, re.IGNORECASE)
        if zero is None or bound is None:
            continue
        yield Proposal(
            (Edit(zero.start_byte, zero.end_byte, b"1"),),
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


def miss_index(ground: Ground) -> Iterator[Proposal]:
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
            (Edit(index.start_byte, index.end_byte, new.encode()),),
            f"Off by one: the index in {excerpt(ground.says(node))} lost its "
            f"`{text.removeprefix(new).strip()}`: "
            f"`{new}` {effect}.",
        )


def _beside(sign: str) -> str:
    return "after it" if sign == "+" else "before it"


def miss_slice(ground: Ground) -> Iterator[Proposal]:
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
                (Edit(bound.start_byte, bound.end_byte, new.encode()),),
                f"Off by one: in {excerpt(whole)} the bound `{text}` became `{new}`, so one item or "
                f"character too many "
                "is cut off.",
            )


def turn_counters(ground: Ground) -> Iterator[Proposal]:
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
            (Edit(operator.start_byte, operator.end_byte, STEPS[old].encode()),),
            f"The counter runs the wrong way: {excerpt(ground.says(node))} became `{STEPS[old]}`, so "
            f"`{left}` counts "
            f"{direction} where it should count the other way.",
        )


PYTHON = frozenset({"python"})
BOUNDS = (
    Operator("short_range", Category.CORRECTNESS, Severity.HIGH, PYTHON, shorten_ranges),
    Operator("skipped_first", Category.CORRECTNESS, Severity.HIGH, FAMILIES, leave_out_first),
    Operator("missed_index", Category.CORRECTNESS, Severity.HIGH, FAMILIES, miss_index),
    Operator("missed_slice", Category.CORRECTNESS, Severity.HIGH, frozenset({"python", "go"}), miss_slice),
    Operator("reversed_counter", Category.CORRECTNESS, Severity.HIGH, FAMILIES, turn_counters),
)
