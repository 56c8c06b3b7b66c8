"""Take away what protects: a check that ends the function early, a lock, a transaction, a cleanup."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from affidavit.lab.mutation.mutant import (
    FUNCTIONS,
    ByteEdit,
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

SUBSCRIPTS = ("subscript", "subscript_expression", "index_expression", "array_access")
LAST_INDEX = re.compile(r"(?P<length>len\([\w.]+\)|[\w.]+\.length(?:\(\))?|[\w.]+\.size\(\))\s*-\s*1")
NEIGHBOUR = re.compile(r"[A-Za-z_]\w*\s+[+-]\s+1")


def shorten_ranges(ground: PlantingGround) -> Iterator[Proposal]:
    """Replace `range(n)` with `range(n - 1)`."""
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
            "too early, so the last item is skipped.",
        )


def miss_index(ground: PlantingGround) -> Iterator[Proposal]:
    """Replace `x[len(x) - 1]` with `x[len(x)]`, and `x[i + 1]` with `x[i]`."""
    for node in ground.nodes(*SUBSCRIPTS):
        index = node.child_by_field_name("subscript") or node.child_by_field_name("index")
        text = ground.says(index)
        last, neighbour = LAST_INDEX.fullmatch(text), NEIGHBOUR.fullmatch(text)
        if index is None or not (last or neighbour):
            continue
        new = last["length"] if last else text.split()[0]
        yield Proposal(
            (ByteEdit(index.start_byte, index.end_byte, new.encode()),),
            f"Off by one: the index in {excerpt(ground.says(node))} became `{new}`.",
        )


LOOPS = frozenset(
    {"for_statement", "while_statement", "for_in_statement", "enhanced_for_statement", "do_statement"}
)


def end_loops(ground: PlantingGround) -> Iterator[Proposal]:
    """Replace `continue` with `break`."""
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
            f"The loop ends too early: where {excerpt(condition)} holds, one item should be skipped "
            "(`continue`), but `break` skips the rest, too.",
        )


def _is_inside(node: Node, loop: Node | None) -> bool:
    return loop is not None and loop.start_byte < node.start_byte and node.end_byte <= loop.end_byte


BROAD = re.compile(r"(?:Base)?Exception|Error|Throwable")
CATCHES = ("catch_clause",)


def widen_excepts(ground: PlantingGround) -> Iterator[Proposal]:
    """`except ValueError` as `except Exception`, where the body goes on as if all were well."""
    for clause in ground.nodes("except_clause"):
        caught = _caught(clause)
        body = clause.named_children[-1] if clause.named_children else None
        if caught is None or body is None or BROAD.fullmatch(ground.says(caught)) or not _is_last(clause):
            continue
        if any(one.type == "raise_statement" for one in descendants(body)):
            continue
        yield Proposal(
            (ByteEdit(caught.start_byte, caught.end_byte, b"Exception"),),
            f"The `except` is too wide: it should catch {excerpt(ground.says(caught))} only, and now "
            f"catches every "
            "`Exception`, so that other failures and mistakes in the code are hidden and treated as this "
            "one.",
        )


def _caught(clause: Node) -> Node | None:
    """The exception types of a clause."""
    value = clause.child_by_field_name("value")
    return named_part(value, 0) if value is not None and value.type == "as_pattern" else value


def _is_last(clause: Node) -> bool:
    """No later clause would become dead."""
    after = clause.next_named_sibling
    return after is None or after.type != "except_clause"


def swallow_exceptions(ground: PlantingGround) -> Iterator[Proposal]:
    """A `raise` in an except or catch block replaced by nothing."""
    for clause in ground.nodes("except_clause", *CATCHES):
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
    """A compiler would miss a return, or a value, after the handler."""
    around = next((one for one in ancestors(clause) if one.type in FUNCTIONS), None)
    return around is not None and any(
        one.type == "return_statement" and one.named_children for one in descendants(around)
    )


def return_no_error(ground: PlantingGround) -> Iterator[Proposal]:
    """Go: `return nil, err` as `return nil, nil`."""
    for node in ground.nodes("return_statement"):
        test = next((one for one in ancestors(node) if one.type == "if_statement"), None)
        condition = ground.says(test.child_by_field_name("condition")) if test else ""
        listed = named_part(node, 0)
        last = listed.named_children[-1] if listed is not None and listed.named_children else None
        if last is None or condition != f"{ground.says(last)} != nil":
            continue
        yield Proposal(
            (ByteEdit(last.start_byte, last.end_byte, b"nil"),),
            f"The error is lost: where {excerpt(condition)} this returns `nil` instead of "
            f"`{ground.says(last)}`, so the "
            "caller takes the failure for success.",
        )


RAISES = frozenset({"raise_statement", "throw_statement"})
LEAVES = frozenset({"return_statement", "continue_statement"})
NOTHING = re.compile(
    r"(?:not\s+|!)\s*(?P<a>[\w.]+)|(?P<b>[\w.]+)\s+is\s+None|(?P<c>[\w.]+)\s*===?\s*(?:null|undefined|nil)"
)
FAILED = re.compile(r"(?P<a>err\w*|\w+Err)\s*!=\s*nil")
CLEANUP = re.compile(
    r"(?P<subject>[\w.()\[\]]+)\.(?P<verb>close|Close|release|Release|unlock|Unlock|RUnlock|unsubscribe|disconnect"
    r"|destroy|terminate|shutdown|rollback|Rollback|Stop|dispose)\(\)|(?P<function>clearTimeout|clearInterval"
    r"|cancelAnimationFrame|cancel)\((?P<argument>[\w.]*)\)"
)


def remove_guards(ground: PlantingGround) -> Iterator[Proposal]:
    """Without an early return or raise, where the code that follows relies on it."""
    for node in ground.nodes("if_statement"):
        end = _early_end(node)
        lines = whole_lines(ground.text, node)
        if end is None or lines is None or not has_siblings(node) or node.child_by_field_name("initializer"):
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
    """The last statement of a guard's body, where it leaves or raises and there is no else."""
    body = node.child_by_field_name("consequence")
    if body is None or node.child_by_field_name("alternative") is not None:
        return None
    if node.parent is not None and node.parent.type in ("else_clause", "if_statement"):
        return None
    if body.named_children and body.named_children[0].type == "statement_list":
        body = body.named_children[0]
    statements = [one for one in body.named_children if "comment" not in one.type] if body.is_named else []
    if body.type in RAISES | LEAVES:
        return body
    last = statements[-1] if 1 <= len(statements) <= 2 else None
    return last if last is not None and last.type in RAISES | LEAVES else None


def _reliance(ground: PlantingGround, node: Node, end: Node, condition: str) -> str:
    """Why the code cannot do without the guard; empty where that is not certain."""
    if end.type in RAISES:
        if ground.language.name == "typescript" and _is_about_nothing(condition):
            return ""
        return "What it refused now goes on as if it were valid."
    failed = FAILED.fullmatch(condition.strip())
    if failed:
        return f"The error `{failed['a']}` is ignored, and the code goes on with a result that is not there."
    absent = NOTHING.fullmatch(condition.strip())
    if absent is None or ground.language.name == "typescript":
        return ""
    name = absent["a"] or absent["b"] or absent["c"]
    # A negation alone may stand for "empty", and a loop over nothing does nothing: only None must be refused.
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


def skip_cleanup(ground: PlantingGround) -> Iterator[Proposal]:
    """Without a statement that closes, unlocks or cancels."""
    for node in ground.nodes("expression_statement", "defer_statement"):
        text = ground.says(node).rstrip(";").removeprefix("defer ").removeprefix("await ").strip()
        found = CLEANUP.fullmatch(text)
        lines = whole_lines(ground.text, node)
        if found is None or lines is None or not has_siblings(node) or not _is_held(ground, node, found):
            continue
        verb = found["verb"] or found["function"]
        effect = (
            "the next one that wants the lock waits forever"
            if verb.lower() in ("unlock", "runlock", "release")
            else "what was opened or started here stays so"
        )
        yield Proposal(
            (ByteEdit(*lines),),
            f"The cleanup is missing: nothing calls {excerpt(text)} any more, so {effect}.",
        )


def _is_held(ground: PlantingGround, node: Node, found: re.Match[str]) -> bool:
    """The same function opened, locked or started it, and nothing else in it cleans up."""
    around = function_around(node)
    subject = (found["subject"] or found["argument"] or found["function"] or "").split("(")[0]
    if around is None or not subject or subject in ("self", "this", "super()"):
        return False
    whole, call = ground.says(around), found.group()
    is_taken = re.search(rf"(?<![\w.]){re.escape(subject.split('.')[0])}\b[\w\s,]*:?=", whole) is not None
    is_locked = (
        "lock" in call.lower() and re.search(rf"{re.escape(subject)}\.R?[Ll]ock\(\)", whole) is not None
    )
    return (is_taken or is_locked) and whole.count(call) == 1
