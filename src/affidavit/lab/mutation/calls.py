"""Break a call: arguments in the wrong order, no `await`, no escaping, no normalisation, unsafe options."""

import re
from collections.abc import Iterator
from itertools import pairwise

from tree_sitter import Node

from affidavit.lab.mutation.known_calls import (
    ESCAPES,
    KNOWN_ORDER,
    NORMALISING_CALLS,
    NORMALISING_METHODS,
    OPTIONS,
    UnsafeOption,
)
from affidavit.lab.mutation.mutant import (
    CALLS,
    FAMILIES,
    FUNCTIONS,
    PYTHON,
    ByteEdit,
    Operator,
    PlantingGround,
    Proposal,
    called_name,
    descendants,
    excerpt,
    function_around,
    named_part,
    positional_arguments,
)
from affidavit.languages.engine.grammars import ancestors
from affidavit.records.finding import Category, Severity

NAMES = frozenset({"identifier", "attribute", "member_expression", "selector_expression", "field_access"})
COMPARED = frozenset({"comparison_operator", "binary_expression"})
PLACEHOLDER = re.compile(r"%s")


def swap_arguments(ground: PlantingGround) -> Iterator[Proposal]:
    """Two arguments in the wrong order, where names or the library's manual show the right one."""
    signatures = _signatures(ground)
    for call in ground.nodes(*CALLS):
        given = positional_arguments(call) or []
        name = called_name(ground, call)
        for at, (first, second) in enumerate(pairwise(given)):
            if ground.says(first) == ground.says(second):
                continue
            known = KNOWN_ORDER.get(name) if at == 0 else None
            named = known or _named_order(ground, signatures.get(name.rpartition(".")[2]), given, at)
            if named:
                yield _swapped(ground, call, (first, second), named)


def _swapped(ground: PlantingGround, call: Node, pair: tuple[Node, Node], named: tuple[str, str]) -> Proposal:
    first, second = pair
    old, new = ground.says(first), ground.says(second)
    return Proposal(
        (
            ByteEdit(first.start_byte, first.end_byte, new.encode()),
            ByteEdit(second.start_byte, second.end_byte, old.encode()),
        ),
        f"Two arguments of {excerpt(called_name(ground, call))} are swapped: it takes `{named[0]}` and then "
        f"`{named[1]}`, but is given {excerpt(new, 40)} and then {excerpt(old, 40)}.",
    )


Parameters = list[tuple[str, str]]


def _signatures(ground: PlantingGround) -> dict[str, Parameters | None]:
    """The parameters (name and type) of each function of the file; None where a name is defined twice."""
    found: dict[str, Parameters | None] = {}
    for node in descendants(ground.root):
        name = ground.says(node.child_by_field_name("name")) if node.type in FUNCTIONS else ""
        listed = node.child_by_field_name("parameters")
        if name and listed is not None:
            found[name] = None if name in found else _parameters(ground, listed)
    return found


def _parameters(ground: PlantingGround, listed: Node) -> Parameters:
    found: Parameters = []
    for one in listed.named_children:
        kind = ground.says(one.child_by_field_name("type"))
        names = one.children_by_field_name("name") or one.children_by_field_name("pattern")
        plain = names or [part for part in (one, *one.named_children[:1]) if part.type == "identifier"][:1]
        found += [(ground.says(name), kind) for name in plain]
    return found[1:] if found and found[0][0] in ("self", "cls", "this") else found


def _named_order(
    ground: PlantingGround, parameters: Parameters | None, given: list[Node], at: int
) -> tuple[str, str] | None:
    """The names of two neighbouring parameters, where the arguments bear the same names."""
    if parameters is None or len(parameters) < at + 2:
        return None
    (one, one_type), (other, other_type) = parameters[at : at + 2]
    if ground.is_typed and ((not one_type and ground.family != "go") or one_type != other_type):
        return None
    is_named = all(node.type in NAMES for node in given[at : at + 2])
    own = [ground.says(node).rpartition(".")[2] for node in given[at : at + 2]]
    is_in_order = is_named and (own[0] == one or own[1] == other) and own[0] != other and own[1] != one
    return (one, other) if is_in_order else None


def drop_awaits(ground: PlantingGround) -> Iterator[Proposal]:
    """A call whose result nobody waits for."""
    for node in ground.nodes("await", "await_expression"):
        called = named_part(node, 0)
        around = node.parent
        # At the top of a module the program waits for what is pending before it ends.
        if called is None or around is None or called.type not in CALLS or function_around(node) is None:
            continue
        is_statement = around.type == "expression_statement"
        is_assigned = around.type in ("assignment", "variable_declarator") and not ground.is_typed
        if not (is_statement or is_assigned):
            continue
        effect = (
            "the coroutine is made and never runs"
            if ground.family == "python"
            else "the code goes on before it is done, and its failure is lost"
        )
        consequence = effect if is_statement else "the name holds the pending call, not its result"
        yield Proposal(
            (ByteEdit(node.start_byte, called.start_byte),),
            f"`await` is missing before {excerpt(ground.says(called))}: {consequence}.",
        )


def remove_escapes(ground: PlantingGround) -> Iterator[Proposal]:
    """`escape(x)` as `x`."""
    for call in ground.nodes(*CALLS, in_strings=True):
        danger = ESCAPES.get(called_name(ground, call)) or ESCAPES.get(
            called_name(ground, call).rpartition(".")[2]
        )
        given = positional_arguments(call)
        if danger is None or not given or _is_constant(given[0]):
            continue
        yield Proposal(
            (ByteEdit(call.start_byte, call.end_byte, ground.says(given[0]).encode()),),
            f"{excerpt(ground.says(given[0]))} is used as it comes, without "
            f"`{called_name(ground, call)}`: {danger}.",
        )


def _is_constant(node: Node) -> bool:
    return "string" in node.type and not any("interpolation" in one.type for one in descendants(node))


def join_queries(ground: PlantingGround) -> Iterator[Proposal]:
    """`execute(sql, (x,))` as `execute(sql % (x,))`: the values become part of the statement."""
    for call in ground.nodes("call"):
        given = positional_arguments(call) or []
        if not re.fullmatch(r".*\.(?:execute|raw)", called_name(ground, call), re.DOTALL) or len(given) != 2:
            continue
        query, values = given
        items = [ground.says(one) for one in values.named_children]
        is_written = query.type == "string" and values.type in ("tuple", "list") and bool(items)
        if not is_written or len(PLACEHOLDER.findall(ground.says(query))) != len(items):
            continue
        joined = f"{ground.says(query)} % ({', '.join(items)}{',' if len(items) == 1 else ''})"
        yield Proposal(
            (ByteEdit(query.start_byte, values.end_byte, joined.encode()),),
            f"SQL injection: {excerpt(', '.join(items), 60)} is put into the text of the query with `%` "
            f"instead of "
            "being handed over as a parameter.",
        )


def remove_normalisation(ground: PlantingGround) -> Iterator[Proposal]:
    """A comparison with a normal form, of a value that is no longer brought into it."""
    for call in ground.nodes(*CALLS):
        if call.parent is None or not _is_compared_plainly(ground, call):
            continue
        name, value = _normalised(ground, call)
        if value is None:
            continue
        yield Proposal(
            (ByteEdit(call.start_byte, call.end_byte, ground.says(value).encode()),),
            f"{excerpt(ground.says(value))} is compared without `{name}`: in "
            f"{excerpt(ground.says(call.parent))} "
            "a value that differs only in what this call evens out no longer matches.",
        )


def _normalised(ground: PlantingGround, call: Node) -> tuple[str, Node | None]:
    name = called_name(ground, call)
    given = positional_arguments(call)
    if name in NORMALISING_CALLS and given:
        return name, given[0]
    function = call.child_by_field_name("function")
    owner = call.child_by_field_name("object")
    if function is not None and function.type in ("attribute", "member_expression"):
        owner = function.child_by_field_name("object")
    method = name.rpartition(".")[2]
    return f".{method}()", owner if method in NORMALISING_METHODS and not given else None


def _is_compared_plainly(ground: PlantingGround, call: Node) -> bool:
    around = call.parent
    if around is None or around.type not in COMPARED:
        return False
    others = [ground.says(one) for one in around.named_children if one != call]
    operator = next((ground.says(one) for one in around.children if not one.is_named), "")
    is_about_equality = operator in ("==", "!=", "===", "!==", "in", "not in")
    is_known = any(
        re.search(r"['\"][^'\"\s]+['\"]", text) or called_alike(text, ground.says(call)) for text in others
    )
    return is_about_equality and is_known


def called_alike(text: str, call: str) -> bool:
    """Both sides of a comparison end in the same call."""
    return (
        "(" in call
        and text.endswith(re.split(r"[.\w]+\(", call)[-1])
        and _method(text) == _method(call) != ""
    )


def _method(text: str) -> str:
    found = re.search(r"(\w+)\([^()]*\)$", text)
    return found[1] if found else ""


def turn_options(ground: PlantingGround) -> Iterator[Proposal]:
    """An option that protects, turned off."""
    for node in ground.nodes(
        "keyword_argument", "default_parameter", "typed_default_parameter", "pair", "keyed_element"
    ):
        name, value = _option(ground, node)
        known = OPTIONS.get(name)
        if value is None or known is None or ground.says(value) != known.safe:
            continue
        if known.is_for_calls and _is_parameter(node):
            continue
        yield _turned(ground, node, value, known)


def _option(ground: PlantingGround, node: Node) -> tuple[str, Node | None]:
    name = node.child_by_field_name("name") or node.child_by_field_name("key")
    value = node.child_by_field_name("value")
    if node.type == "keyed_element" and len(node.named_children) == 2:
        name, value = node.named_children
        value = named_part(value, 0) or value
    return ground.says(name).strip("'\""), value


def _is_parameter(node: Node) -> bool:
    return any(one.type in ("parameters", "lambda_parameters") for one in ancestors(node))


def _turned(ground: PlantingGround, node: Node, value: Node, known: UnsafeOption) -> Proposal:
    return Proposal(
        (ByteEdit(value.start_byte, value.end_byte, known.unsafe.encode()),),
        f"{excerpt(ground.says(node))} became `{known.unsafe}`: {known.effect}.",
        known.category,
    )


ASYNC = frozenset({"python", "javascript"})
CALL_OPERATORS = (
    Operator("swapped_arguments", Category.CORRECTNESS, Severity.HIGH, FAMILIES, swap_arguments),
    Operator("dropped_await", Category.CORRECTNESS, Severity.HIGH, ASYNC, drop_awaits),
    Operator("removed_escape", Category.SECURITY, Severity.HIGH, FAMILIES, remove_escapes),
    Operator("joined_query", Category.SECURITY, Severity.CRITICAL, PYTHON, join_queries),
    Operator("removed_normalisation", Category.CORRECTNESS, Severity.MEDIUM, FAMILIES, remove_normalisation),
    Operator("turned_option", Category.RELIABILITY, Severity.MEDIUM, FAMILIES, turn_options),
)
