"""Take away what protects: a check that ends the function early, a lock, a transaction, a cleanup."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from affidavit.lab.mutation.mutant import (
    FAMILIES,
    FUNCTIONS,
    PYTHON,
    ByteEdit,
    Operator,
    PlantingGround,
    Proposal,
    condition_of,
    dedented_block,
    descendants,
    excerpt,
    function_around,
    has_siblings,
    named_part,
    whole_lines,
)
from affidavit.languages.engine.grammars import ancestors
from affidavit.records.finding import Category, Severity

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


FAILURES = (
    Operator("widened_except", Category.RELIABILITY, Severity.MEDIUM, PYTHON, widen_excepts),
    Operator(
        "swallowed_exception",
        Category.RELIABILITY,
        Severity.HIGH,
        frozenset({"python", "javascript", "java"}),
        swallow_exceptions,
    ),
    Operator("lost_error", Category.RELIABILITY, Severity.HIGH, frozenset({"go"}), return_no_error),
)


RAISES = frozenset({"raise_statement", "throw_statement"})
LEAVES = frozenset({"return_statement", "continue_statement"})
NOTHING = re.compile(
    r"(?:not\s+|!)\s*(?P<a>[\w.]+)|(?P<b>[\w.]+)\s+is\s+None|(?P<c>[\w.]+)\s*===?\s*(?:null|undefined|nil)"
)
FAILED = re.compile(r"(?P<a>err\w*|\w+Err)\s*!=\s*nil")
LOCK = re.compile(r"lock|mutex|semaphore", re.IGNORECASE)
TRANSACTION = re.compile(r"(?:^|\.)(?:atomic|transaction|begin)\(", re.IGNORECASE)
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


def remove_locks(ground: PlantingGround) -> Iterator[Proposal]:
    """The body of `with lock:` or `with transaction.atomic():` without it."""
    for node in ground.nodes("with_statement"):
        subject, target = _with_item(node)
        text = ground.says(subject)
        is_lock, is_transaction = bool(LOCK.search(text)), bool(TRANSACTION.search(text))
        if subject is None or target is not None or not (is_lock or is_transaction):
            continue
        edits = dedented_block(ground, node, b"")
        if edits:
            lost = "lock" if is_lock else "transaction"
            effect = (
                "two threads or tasks can do this at the same time"
                if is_lock
                else "a failure half way leaves the first part of the writes behind"
            )
            yield Proposal(
                edits,
                f"The {lost} is missing: this code should run inside {excerpt('with ' + text)}; without it "
                f"{effect}.",
                is_spread=True,
            )


def leave_open(ground: PlantingGround) -> Iterator[Proposal]:
    """`with open(…) as f:` as a plain assignment that nobody closes."""
    for node in ground.nodes("with_statement"):
        subject, target = _with_item(node)
        name = ground.says(target)
        if subject is None or target is None or subject.type != "call" or not name.isidentifier():
            continue
        call = ground.says(subject)
        if not re.match(
            r"(?:[\w.]*\.)?(?:open|urlopen|NamedTemporaryFile|TemporaryFile|socket|connect|ZipFile)\(", call
        ):
            continue
        edits = dedented_block(ground, node, f"{name} = {call}".encode())
        if edits:
            yield Proposal(
                edits,
                f"The resource is never closed: {excerpt(call)} is assigned to `{name}` without a `with` "
                f"block or a "
                "`close()`, so it stays open, above all where an exception is raised.",
            )


def _with_item(node: Node) -> tuple[Node | None, Node | None]:
    """What the one item of a `with` opens, and the name it is given; nothing where there are several."""
    clause = next((one for one in node.named_children if one.type == "with_clause"), None)
    items = [one for one in clause.named_children if one.type == "with_item"] if clause else []
    if len(items) != 1 or any(child.type == "async" for child in node.children):
        return None, None
    value = items[0].child_by_field_name("value")
    if value is not None and value.type == "as_pattern":
        alias = value.child_by_field_name("alias")
        return named_part(value, 0), named_part(alias, 0) if alias else None
    return value, None


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


GUARDS = (
    Operator("removed_guard", Category.CORRECTNESS, Severity.HIGH, FAMILIES, remove_guards),
    Operator("removed_lock", Category.RELIABILITY, Severity.HIGH, PYTHON, remove_locks),
    Operator("resource_not_closed", Category.RELIABILITY, Severity.MEDIUM, PYTHON, leave_open),
    Operator(
        "removed_cleanup",
        Category.RELIABILITY,
        Severity.HIGH,
        frozenset({"python", "javascript", "go"}),
        skip_cleanup,
    ),
)
