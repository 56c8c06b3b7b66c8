"""How many elements an expression of a script has, as far as it is written out."""

import re
from collections.abc import Mapping

from tree_sitter import Node

from affidavit.languages.javascript.syntax import arguments, bare
from affidavit.specialists.lost_tests.checks import MANY, Size

Values = Mapping[str, Node]
"""Names that stand for one expression each."""
DEPTH = 8
_SAME = frozenset(
    {"map", "sort", "reverse", "toSorted", "toReversed", "keys", "values", "entries", "flatMap"}
)
_NUMBER = re.compile(r"-?\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d{1,3})?")


def text_of(one: Node | None) -> str:
    """A node as it is written, white space folded."""
    return "" if one is None or one.text is None else " ".join(one.text.decode("utf-8", "replace").split())


def number_of(one: Node | None) -> float | None:
    """The number that is written there; None where it is none."""
    said = text_of(one)
    return float(said.replace("_", "")) if _NUMBER.fullmatch(said) else None


def size_of(one: Node | None, values: Values, depth: int = DEPTH) -> Size:
    """Its size; many of its own kind where that is not known."""
    found = _known(bare(one), values, depth) if one is not None and depth > 0 else None
    return found or Size(MANY, text_of(one))


def _known(one: Node, values: Values, depth: int) -> Size | None:
    if one.type == "identifier":
        named = values.get(text_of(one))
        return size_of(named, values, depth - 1) if named is not None else None
    parts = [part for part in one.named_children if part.type != "comment"]
    if one.type == "array":
        spread = [size_of(part.named_children[0], values, depth - 1) for part in parts if _is_spread(part)]
        sources = sorted({size.source for size in spread} - {""})
        plain = sum(not _is_spread(part) for part in parts)
        return Size(plain + sum(size.count for size in spread), "|".join(sources))
    if one.type == "object":
        return Size(len(parts))
    if one.type == "template_string":
        # A table of `each`: every line with a value in it is a case.
        return Size(sum("${" in line for line in (one.text or b"").decode("utf-8", "replace").splitlines()))
    return _of_call(one, values, depth) if one.type == "call_expression" else None


def _is_spread(one: Node) -> bool:
    return one.type == "spread_element" and bool(one.named_children)


def _of_call(call: Node, values: Values, depth: int) -> Size | None:
    function, given = call.child_by_field_name("function"), arguments(call)
    said = text_of(function)
    if said in ("Object.keys", "Object.values", "Object.entries", "Array.from", "new Set") and given:
        return size_of(given[0], values, depth - 1)
    if said == "Array" and given and (length := number_of(given[0])) is not None:
        return Size(int(min(max(length, 0), MANY * MANY)))
    if function is None or function.type != "member_expression":
        return None
    name = text_of(function.child_by_field_name("property"))
    size = size_of(function.child_by_field_name("object"), values, depth - 1)
    if name == "slice":
        bounds = [number_of(part) for part in given[:2]]
        whole = [None if bound is None else int(min(max(bound, -MANY), MANY)) for bound in bounds]
        start, stop = (*whole, None, None)[:2]
        return None if None in whole else Size(len(range(size.count)[start:stop]), size.source)
    if name == "filter":
        return Size(max(size.count - 1, 0), size.source)
    return size if name in _SAME else None


def rounds_of(loop: Node, values: Values) -> Size:
    """How many rounds a loop makes."""
    if loop.type == "for_in_statement":
        return size_of(loop.child_by_field_name("right"), values)
    condition = loop.child_by_field_name("condition")
    said = text_of(condition).strip("() ;")
    if said in ("false", "0"):
        return Size(0)
    first = loop.child_by_field_name("initializer")
    counted = re.fullmatch(r"(?:let|var) (\w+) = (\d{1,6});?", text_of(first))
    until = re.fullmatch(r"(\w+) (<=?) (\d{1,6});?", text_of(condition))
    is_step = (
        text_of(loop.child_by_field_name("increment")) in {f"{counted[1]}++", f"++{counted[1]}"}
        if counted
        else False
    )
    if not counted or not until or not is_step or counted[1] != until[1]:
        return Size(MANY, f"{text_of(first)} {said}") if loop.type == "for_statement" else Size()
    return Size(max(int(until[3]) - int(counted[2]) + (until[2] == "<="), 0))


def fixed_values(root: Node) -> dict[str, Node]:
    """Names that are given one value each on the level of the file."""
    found: dict[str, Node] = {}
    for one in root.named_children:
        inner = one.child_by_field_name("declaration") if one.type == "export_statement" else one
        found |= declared(inner) if inner is not None else {}
    return found


def declared(one: Node) -> dict[str, Node]:
    """What a declaration gives names to."""
    makers = [part for part in one.named_children if part.type == "variable_declarator"]
    pairs = [(part.child_by_field_name("name"), part.child_by_field_name("value")) for part in makers]
    return {text_of(name): value for name, value in pairs if name is not None and value is not None}
