"""Break a condition: another boundary, the reverse comparison, `and` for `or`, a lost or added negation."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from affidavit.lab.mutation.mutant import (
    CALLS,
    FUNCTIONS,
    ByteEdit,
    PlantingGround,
    Proposal,
    called_name,
    descendants,
    excerpt,
    named_part,
)
from affidavit.languages.grammars import ancestors

COMPARISONS = ("comparison_operator", "binary_expression")
NEGATIONS = ("not_operator", "unary_expression")
BOUNDARIES = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
REVERSES = {
    "==": "!=",
    "!=": "==",
    "===": "!==",
    "!==": "===",
    "is": "is not",
    "is not": "is",
    "in": "not in",
    "not in": "in",
}
CONNECTIVES = {"and": "or", "or": "and", "&&": "||", "||": "&&"}
# One instant, one thousandth or one release more or less makes no difference that anybody could show.
CONTINUOUS = re.compile(
    r"time|now\b|deadline|elapsed|duration|date|ttl|version|random|score|ratio|percent|prob|float|\d\.\d|expir"
    r"|since|age\b|\bms\b|latency|threshold|seconds|rank|priority",
    re.IGNORECASE,
)
# A compiler follows these: it knows more about the value where the test holds.
NARROWING = re.compile(
    r"\b(?:null|undefined|nil|None|typeof|instanceof)\b|['\"`]|\btrue\b|\bfalse\b|[\w\]]\.[A-Z]\w*$"
)
LENGTH = re.compile(r"\blen\(|\.length\b|\.size\b|count", re.IGNORECASE)
TYPE_QUESTION = re.compile(r"(?:^|\.)_?(?:is|has)[A-Z]\w*$")
ASSIGNMENTS = frozenset({"assignment", "assignment_expression", "assignment_statement"})
TESTED = frozenset(
    {"if_statement", "while_statement", "elif_clause", "conditional_expression", "ternary_expression"}
)
TRANSPARENT = frozenset({"parenthesized_expression", "boolean_operator", "not_operator"})


def _operands(node: Node) -> Iterator[tuple[Node, Node, Node]]:
    """Left side, operator and right side of each comparison in a node; `a < b < c` has two."""
    parts = [child for child in node.children if child.type != "comment"]
    for at in range(1, len(parts) - 1, 2):
        if not parts[at].is_named:
            yield parts[at - 1], parts[at], parts[at + 1]


def move_boundaries(ground: PlantingGround) -> Iterator[Proposal]:
    """`<` for `<=` and the like, where the case of equality makes a difference."""
    for node in ground.nodes(*COMPARISONS):
        for left, operator, right in _operands(node):
            old = ground.says(operator)
            if old in BOUNDARIES and not _equality_is_idle(ground, node, left, right):
                yield _boundary(ground, node, (left, operator, right))


def _boundary(ground: PlantingGround, node: Node, parts: tuple[Node, Node, Node]) -> Proposal:
    left, operator, right = parts
    old, new = ground.says(operator), BOUNDARIES[ground.says(operator)]
    takes_in = "=" in new
    return Proposal(
        (ByteEdit(operator.start_byte, operator.end_byte, new.encode()),),
        f"The boundary is wrong: {excerpt(ground.says(node))} was changed to compare with `{new}`, so the "
        f"case in "
        f"which {excerpt(ground.says(left), 50)} equals {excerpt(ground.says(right), 50)} is now "
        f"{'taken in' if takes_in else 'left out'} by mistake (it should be `{old}`).",
    )


def _equality_is_idle(ground: PlantingGround, node: Node, left: Node, right: Node) -> bool:
    sides = {ground.says(left), ground.says(right)}
    if CONTINUOUS.search(ground.says(left)) or CONTINUOUS.search(ground.says(right)):
        return True
    if any("string" in side.type for side in (left, right)) or _asks_for_any(ground, left, right):
        return True
    # `x if x < y else y`, and `if x > most: most = x`: where both are equal, either branch gives the same.
    around = next((one for one in ancestors(node) if one.type in TESTED), None)
    if around is None:
        return _sorts(ground, node)
    if around.type in ("conditional_expression", "ternary_expression"):
        chosen = {ground.says(one) for one in around.named_children}
        return len(sides & chosen) > 0
    return _caps(ground.says(around), sides) or any(
        ground.says(one.child_by_field_name(side)) in sides
        for one in descendants(around)
        if one.type in ASSIGNMENTS
        for side in ("left", "right")
    )


def _asks_for_any(ground: PlantingGround, left: Node, right: Node) -> bool:
    """`len(items) > 0`: what is done with the items is mostly nothing where there are none."""
    return ground.says(right) == "0" and LENGTH.search(ground.says(left)) is not None


def _caps(branch: str, sides: set[str]) -> bool:
    """`if len(items) > most: items = items[:most]`: to cut at the very end cuts nothing off."""
    return any(
        re.search(rf"\[[^\[\]]*{name}\s*:?\s*\]|(?:slice|substring|take|truncate)\([^()]*{name}", branch)
        for name in map(re.escape, sides)
    )


def _sorts(ground: PlantingGround, node: Node) -> bool:
    """The comparison orders two things: `return a.x < b.x` in a sort."""
    around = next((one for one in ancestors(node) if one.type in FUNCTIONS), None)
    named = ground.says(around.child_by_field_name("name")) if around else ""
    is_callback = around is not None and around.type in ("lambda", "arrow_function", "func_literal")
    return is_callback or named in ("__lt__", "__le__", "Less", "compareTo", "compare", "less")


def reverse_comparisons(ground: PlantingGround) -> Iterator[Proposal]:
    """`==` for `!=`, `in` for `not in`, `is None` for `is not None`."""
    for node in ground.nodes(*COMPARISONS):
        for left, operator, right in _operands(node):
            old = " ".join(ground.says(operator).split())
            if old in REVERSES and not _narrows(ground, left, right) and not _is_idiom(ground, left, right):
                yield Proposal(
                    (ByteEdit(operator.start_byte, operator.end_byte, REVERSES[old].encode()),),
                    f"The comparison is reversed: {excerpt(ground.says(node))} now uses `{REVERSES[old]}` "
                    f"instead of "
                    f"`{old}`, so the code does for every case what it should do for the opposite one.",
                )


def _narrows(ground: PlantingGround, left: Node, right: Node) -> bool:
    is_watched = ground.language.name == "typescript"
    return is_watched and any(NARROWING.search(ground.says(side)) for side in (left, right))


def _is_idiom(ground: PlantingGround, left: Node, right: Node) -> bool:
    return "__main__" in ground.says(right) or ground.says(left) in (
        "sys.platform",
        "os.name",
        "runtime.GOOS",
    )


def swap_connectives(ground: PlantingGround) -> Iterator[Proposal]:
    """`and` for `or` in a condition; `a or b` as a value with a default is left alone."""
    for node in ground.nodes("boolean_operator", "binary_expression"):
        operator = node.child_by_field_name("operator")
        old = ground.says(operator)
        if operator is None or old not in CONNECTIVES or not _is_tested(node):
            continue
        if _leans_on_left(ground, node):
            continue
        new = CONNECTIVES[old]
        meaning = "one of the two is enough" if new in ("or", "||") else "both must hold"
        yield Proposal(
            (ByteEdit(operator.start_byte, operator.end_byte, new.encode()),),
            f"The condition is joined wrongly: {excerpt(ground.says(node))} now uses `{new}` instead of "
            f"`{old}`, so "
            f"{meaning} where it should be the other way round.",
        )


def _is_tested(node: Node) -> bool:
    """The node is the whole condition of a branch, or a part of one."""
    inner = node
    for outer in ancestors(node):
        if outer.type in TESTED or outer.type == "for_statement":
            return outer.child_by_field_name("condition") == inner or (
                outer.type == "conditional_expression" and named_part(outer, 1) == inner
            )
        is_joined = outer.type == "binary_expression" and _operator_type(outer) in ("&&", "||")
        if outer.type not in TRANSPARENT and not is_joined:
            return False
        inner = outer
    return False


def _operator_type(node: Node) -> str:
    operator = node.child_by_field_name("operator")
    return operator.type if operator else ""


def _leans_on_left(ground: PlantingGround, node: Node) -> bool:
    """The right side reads what the left one tests, which a type checker follows."""
    if not ground.is_typed:
        return False
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    names = [
        {ground.says(one) for one in descendants(side) if one.type == "identifier"}
        for side in (left, right)
        if side is not None
    ]
    return len(names) == 2 and not names[0].isdisjoint(names[1])


def lose_negations(ground: PlantingGround) -> Iterator[Proposal]:
    """`not x` without its `not`."""
    for node in ground.nodes(*NEGATIONS):
        argument = node.child_by_field_name("argument") or node.child_by_field_name("operand")
        is_negation = node.type == "not_operator" or _operator_type(node) == "!"
        if argument is None or not is_negation or not _is_tested(node) or not _may_turn(ground, argument):
            continue
        yield Proposal(
            (ByteEdit(node.start_byte, argument.start_byte),),
            f"The negation is lost: the condition should be {excerpt(ground.says(node))}, but tests "
            f"{excerpt(ground.says(argument))}, so the branch is taken in exactly the wrong cases.",
        )


def add_negations(ground: PlantingGround) -> Iterator[Proposal]:
    """`if x` as `if not x`, for a plain name or call."""
    for node in ground.nodes("if_statement", "elif_clause"):
        condition = node.child_by_field_name("condition")
        tested = (
            named_part(condition, 0)
            if condition and condition.type == "parenthesized_expression"
            else condition
        )
        if tested is None or not _is_plain(tested) or not _may_turn(ground, tested):
            continue
        yield Proposal(
            (ByteEdit(tested.start_byte, tested.start_byte, b"not " if ground.family == "python" else b"!"),),
            f"The condition is negated: the branch should be taken where {excerpt(ground.says(tested))} "
            f"holds, and is "
            "now taken where it does not.",
        )


def _is_plain(node: Node) -> bool:
    return node.type in (
        *CALLS,
        "identifier",
        "attribute",
        "member_expression",
        "selector_expression",
        "field_access",
    )


def _may_turn(ground: PlantingGround, tested: Node) -> bool:
    """A TypeScript compiler narrows a tested name to what is there, and by calls that ask for a type."""
    if ground.language.name != "typescript":
        return True
    return tested.type in CALLS and not TYPE_QUESTION.search(called_name(ground, tested))
