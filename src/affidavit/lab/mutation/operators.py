"""Propose bugs in changed code that a reviewer should find, one operator per kind."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from affidavit.lab.mutation.mutant import (
    CALLS,
    FUNCTIONS,
    ByteEdit,
    Operator,
    PlantingGround,
    Proposal,
    called_name,
    condition_of,
    descendants,
    excerpt,
    function_around,
    has_siblings,
    named_part,
    positional_arguments,
    whole_lines,
)
from affidavit.languages.grammars import ancestors
from affidavit.records.finding import Category

COMPARISONS = ("comparison_operator", "binary_expression")
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
# One instant, one thousandth or one release more or less makes no provable difference.
CONTINUOUS = re.compile(
    r"time|now\b|deadline|elapsed|duration|date|ttl|version|random|score|ratio|percent|prob|float|\d\.\d|expir"
    r"|since|age\b|\bms\b|latency|threshold|seconds|rank|priority",
    re.IGNORECASE,
)
# A compiler narrows types by these tests.
NARROWING = re.compile(
    r"\b(?:null|undefined|nil|None|typeof|instanceof)\b|['\"`]|\btrue\b|\bfalse\b|[\w\]]\.[A-Z]\w*$"
)
LENGTH = re.compile(r"\blen\(|\.length\b|\.size\b|count", re.IGNORECASE)
ASSIGNMENTS = frozenset({"assignment", "assignment_expression", "assignment_statement"})
TESTED = frozenset(
    {"if_statement", "while_statement", "elif_clause", "conditional_expression", "ternary_expression"}
)
RAISES = frozenset({"raise_statement", "throw_statement"})
LEAVES = frozenset({"return_statement", "continue_statement"})
NOTHING = re.compile(
    r"(?:not\s+|!)\s*(?P<a>[\w.]+)|(?P<b>[\w.]+)\s+is\s+None|(?P<c>[\w.]+)\s*===?\s*(?:null|undefined|nil)"
)
MARKUP = "markup in it becomes part of the page (cross-site scripting)"
ADDRESS = "a special character in it (`&`, `/`, `#`, `?`) changes the meaning of the address"
COMMAND = "a special character in it becomes part of the shell command (command injection)"
PATTERN = "a special character in it becomes part of the regular expression"
PLACE = "a path with `..` or a folder in it leads outside of where it should stay"
ESCAPES = {
    "html.escape": MARKUP,
    "escape_html": MARKUP,
    "escapeHtml": MARKUP,
    "DOMPurify.sanitize": MARKUP,
    "strip_tags": MARKUP,
    "shlex.quote": COMMAND,
    "encodeURIComponent": ADDRESS,
    "re.escape": PATTERN,
    "secure_filename": PLACE,
    "os.path.basename": PLACE,
    "path.basename": PLACE,
}


def move_boundaries(ground: PlantingGround) -> Iterator[Proposal]:
    """Replace `<` by `<=` and the like, where equality makes a difference."""
    for node in ground.nodes(*COMPARISONS):
        for left, operator, right in _operands(node):
            old = ground.says(operator)
            if old in BOUNDARIES and not _equality_is_idle(ground, node, left, right):
                yield _boundary(ground, node, (left, operator, right))


def _operands(node: Node) -> Iterator[tuple[Node, Node, Node]]:
    """Yield the left side, operator and right side of each comparison in a node; `a < b < c` has two."""
    parts = [child for child in node.children if child.type != "comment"]
    for at in range(1, len(parts) - 1, 2):
        if not parts[at].is_named:
            yield parts[at - 1], parts[at], parts[at + 1]


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
    # `x if x < y else y`, and `if x > most: most = x`: for equal values both branches give the same.
    around = next((one for one in ancestors(node) if one.type in TESTED), None)
    if around is None:
        # A comparison outside of a test orders things as often as it decides.
        return True
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
    """Check for `len(items) > 0`: without items, nothing is mostly done anyway."""
    return ground.says(right) == "0" and LENGTH.search(ground.says(left)) is not None


def _caps(branch: str, sides: set[str]) -> bool:
    """Check for `if len(items) > most: items = items[:most]`: a cut at the end removes nothing."""
    return any(
        re.search(rf"\[[^\[\]]*{name}\s*:?\s*\]|(?:slice|substring|take|truncate)\([^()]*{name}", branch)
        for name in map(re.escape, sides)
    )


def reverse_comparisons(ground: PlantingGround) -> Iterator[Proposal]:
    """Replace `==` by `!=`, `in` by `not in`, `is None` by `is not None`."""
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
    return "__main__" in ground.says(right) or ground.says(left) in ("sys.platform", "os.name")


def remove_guards(ground: PlantingGround) -> Iterator[Proposal]:
    """Remove an early return or raise that the following code relies on."""
    for node in ground.nodes("if_statement"):
        end = _early_end(node)
        lines = whole_lines(ground.text, node)
        if end is None or lines is None or not has_siblings(node):
            continue
        condition = condition_of(ground, node)
        reason = _reliance(ground, node, end, condition)
        if reason:
            yield Proposal(
                (ByteEdit(*lines),),
                f"A check is missing: nothing tests {excerpt(condition)} any more "
                f"(it ended with {excerpt(ground.says(end), 60)}). {reason}",
                _category(condition),
            )


def _early_end(node: Node) -> Node | None:
    """Return the last statement of a guard without `else`, if it leaves or raises."""
    body = node.child_by_field_name("consequence")
    if body is None or node.child_by_field_name("alternative") is not None:
        return None
    if node.parent is not None and node.parent.type in ("else_clause", "if_statement"):
        return None
    statements = [one for one in body.named_children if "comment" not in one.type] if body.is_named else []
    if body.type in RAISES | LEAVES:
        return body
    last = statements[-1] if 1 <= len(statements) <= 2 else None
    return last if last is not None and last.type in RAISES | LEAVES else None


def _reliance(ground: PlantingGround, node: Node, end: Node, condition: str) -> str:
    """Say why the following code needs the guard; empty if that is not certain."""
    if end.type in RAISES:
        if ground.language.name == "typescript" and _is_about_nothing(condition):
            return ""
        return "What it refused now goes on as if it were valid."
    absent = NOTHING.fullmatch(condition.strip())
    if absent is None or ground.language.name == "typescript":
        return ""
    name = absent["a"] or absent["b"] or absent["c"]
    # A negation may mean "empty", and a loop over nothing does nothing: only None needs a guard.
    is_perhaps_empty = absent["a"] and ground.family == "python"
    use = r"\[-?\d+\]" if is_perhaps_empty else r"(?:\.\w|\[)"
    pattern = re.compile(rf"(?<![\w.]){re.escape(name)}{use}")
    found = pattern.search(_rest_of_block(ground, node))
    return f"Where `{name}` is not there, `{found.group()}…` below it fails." if found else ""


def _is_about_nothing(condition: str) -> bool:
    return bool(
        re.search(r"\b(?:null|undefined|typeof|instanceof)\b|\bin\b|^\s*!?[\w.?]+\s*$|!\w", condition)
    )


def _rest_of_block(ground: PlantingGround, node: Node) -> str:
    parts = []
    after = node.next_named_sibling
    while after is not None:
        parts.append(ground.says(after))
        after = after.next_named_sibling
    return "\n".join(parts)


def _category(condition: str) -> Category:
    is_security = re.search(
        r"perm|auth|allow|token|secret|signature|csrf|admin|owner|origin|access", condition, re.IGNORECASE
    )
    return Category.SECURITY if is_security else Category.CORRECTNESS


def swallow_exceptions(ground: PlantingGround) -> Iterator[Proposal]:
    """Remove the `raise` from an except or catch block."""
    for clause in ground.nodes("except_clause", "catch_clause"):
        body = clause.child_by_field_name("body") or (
            clause.named_children[-1] if clause.named_children else None
        )
        statements = [one for one in body.named_children if "comment" not in one.type] if body else []
        if len(statements) != 1 or statements[0].type not in ("raise_statement", "throw_statement"):
            continue
        if ground.is_typed and _returns_a_value(clause):
            continue
        raised = statements[0]
        yield Proposal(
            (_silenced(ground, raised),),
            f"The failure is swallowed: this handler should end with {excerpt(ground.says(raised))}, but "
            f"does nothing, "
            "so the code goes on as if the call had worked.",
        )


def _silenced(ground: PlantingGround, raised: Node) -> ByteEdit:
    if ground.family == "python":
        return ByteEdit(raised.start_byte, raised.end_byte, b"pass")
    return ByteEdit(*(whole_lines(ground.text, raised) or (raised.start_byte, raised.end_byte)))


def _returns_a_value(clause: Node) -> bool:
    """Check whether a compiler would miss a return, or a value, after the handler."""
    around = next((one for one in ancestors(clause) if one.type in FUNCTIONS), None)
    return around is not None and any(
        one.type == "return_statement" and one.named_children for one in descendants(around)
    )


def drop_awaits(ground: PlantingGround) -> Iterator[Proposal]:
    """Remove an `await`."""
    for node in ground.nodes("await", "await_expression"):
        called = named_part(node, 0)
        around = node.parent
        # At the top of a module, the program waits for pending calls before it ends.
        if called is None or around is None or called.type not in CALLS or function_around(node) is None:
            continue
        is_statement = around.type == "expression_statement"
        is_assigned = around.type in ("assignment", "variable_declarator") and not ground.is_typed
        if not (is_statement or is_assigned):
            continue
        yield Proposal(
            (ByteEdit(node.start_byte, called.start_byte),),
            f"`await` is missing before {excerpt(ground.says(called))}: the code goes on too early.",
        )


def remove_escapes(ground: PlantingGround) -> Iterator[Proposal]:
    """Replace `escape(x)` with `x`."""
    for call in ground.nodes(*CALLS, in_strings=True):
        danger = ESCAPES.get(called_name(ground, call)) or ESCAPES.get(
            called_name(ground, call).rpartition(".")[2]
        )
        given = positional_arguments(call)
        if danger is None or not given or _is_constant(given[0]):
            continue
        yield Proposal(
            (ByteEdit(call.start_byte, call.end_byte, ground.says(given[0]).encode()),),
            f"{excerpt(ground.says(given[0]))} is used without `{called_name(ground, call)}`: {danger}.",
        )


def _is_constant(node: Node) -> bool:
    return "string" in node.type and not any("interpolation" in one.type for one in descendants(node))


OPERATORS = (
    Operator("moved_boundary", move_boundaries),
    Operator("reversed_comparison", reverse_comparisons),
    Operator("removed_guard", remove_guards),
    Operator("dropped_await", drop_awaits),
    Operator("removed_escape", remove_escapes, Category.SECURITY),
    Operator("swallowed_exception", swallow_exceptions, Category.RELIABILITY),
)
"""All ways to plant a bug."""
