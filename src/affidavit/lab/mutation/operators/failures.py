"""Break the handling of failures: an except that takes everything, an error that nobody notices."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from affidavit.lab.mutation.ground import FUNCTIONS, Ground, descendants, excerpt, named_part
from affidavit.lab.mutation.mutant import Edit, Operator, Proposal
from affidavit.lab.mutation.operators.layout import whole_lines
from affidavit.languages.engine.grammars import ancestors
from affidavit.records.finding import Category, Severity

BROAD = re.compile(r"(?:Base)?Exception|Error|Throwable")
CATCHES = ("catch_clause",)


def widen_excepts(ground: Ground) -> Iterator[Proposal]:
    """`except ValueError` as `except Exception`, where the body goes on as if all were well."""
    for clause in ground.nodes("except_clause"):
        caught = _caught(clause)
        body = clause.named_children[-1] if clause.named_children else None
        if caught is None or body is None or BROAD.fullmatch(ground.says(caught)) or not _is_last(clause):
            continue
        if any(one.type == "raise_statement" for one in descendants(body)):
            continue
        yield Proposal(
            (Edit(caught.start_byte, caught.end_byte, b"Exception"),),
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


def swallow_exceptions(ground: Ground) -> Iterator[Proposal]:
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


def _silenced(ground: Ground, raised: Node) -> Edit:
    if ground.family == "python":
        return Edit(raised.start_byte, raised.end_byte, b"pass")
    return Edit(*(whole_lines(ground.text, raised) or (raised.start_byte, raised.end_byte)))


def _returns_a_value(clause: Node) -> bool:
    """A compiler would miss a return, or a value, after the handler."""
    around = next((one for one in ancestors(clause) if one.type in FUNCTIONS), None)
    return around is not None and any(
        one.type == "return_statement" and one.named_children for one in descendants(around)
    )


def return_no_error(ground: Ground) -> Iterator[Proposal]:
    """Go: `return nil, err` as `return nil, nil`."""
    for node in ground.nodes("return_statement"):
        test = next((one for one in ancestors(node) if one.type == "if_statement"), None)
        condition = ground.says(test.child_by_field_name("condition")) if test else ""
        listed = named_part(node, 0)
        last = listed.named_children[-1] if listed is not None and listed.named_children else None
        if last is None or condition != f"{ground.says(last)} != nil":
            continue
        yield Proposal(
            (Edit(last.start_byte, last.end_byte, b"nil"),),
            f"The error is lost: where {excerpt(condition)} this returns `nil` instead of "
            f"`{ground.says(last)}`, so the "
            "caller takes the failure for success.",
        )


PYTHON = frozenset({"python"})
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
