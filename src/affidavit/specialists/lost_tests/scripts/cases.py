"""The tests of a script as Jest, Vitest and Mocha find them, by its syntax: text in, tests out."""

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from affidavit.languages.engine.grammars import ancestors, parse
from affidavit.languages.javascript.syntax import FUNCTIONS, arguments
from affidavit.languages.registry import grammar_of
from affidavit.proof.quoting.quotes import fold
from affidavit.specialists.lost_tests.checks import Check, Size, TestCase
from affidavit.specialists.lost_tests.scripts.reach import EACH, Around, Asserted, Reach, functions_of
from affidavit.specialists.lost_tests.scripts.sizes import fixed_values, rounds_of, size_of, text_of
from affidavit.specialists.lost_tests.scripts.strength import strength_of

_TEST = re.compile(r"[xf]?(?:it|test)(?:\.(?!each\b|step\b|describe\b)\w+)*")
_EACH = re.compile(r"[xf]?(?:it|test|describe)(?:\.\w+)*\.each")


def script_cases(path: str, lines: Sequence[str]) -> list[TestCase] | None:
    """The tests; None where the text cannot be parsed, or nests deeper than anybody does in earnest."""
    grammar = grammar_of(path)
    root = parse(grammar, "\n".join(lines).encode()) if grammar else None
    try:
        return None if root is None else list(_Reading(root).tests(path, lines))
    except RecursionError:
        return None


class _Reading:
    """One file: what its names stand for, and its functions that tests may call."""

    def __init__(self, root: Node) -> None:
        self._root = root
        self._values = fixed_values(root)
        self._helpers = dict(functions_of(root))

    def tests(self, path: str, lines: Sequence[str]) -> Iterator[TestCase]:
        """Every test, in the order of the text."""
        for call, tables in _test_calls(self._root):
            given = arguments(call)
            function = next((one for one in given[1:] if one.type in FUNCTIONS), None)
            if len(given) < 2 or given[0].type not in ("string", "template_string"):
                continue
            reach = Reach(self._values, self._helpers)
            if function is not None:
                reach.function(function, Around())
            start, end = call.start_point.row + 1, call.end_point.row + 1
            yield TestCase(
                text_of(given[0])[1:-1],
                path,
                start,
                end,
                self._checks(reach.found),
                does=reach.does or function is None,
                cases=self._cases(call, tables),
                goes_through=reach.goes_through,
                lines=tuple(text for line in lines[start - 1 : end] if (text := fold(line))),
                strength=strength_of(
                    (one.assertion, one.around.names)
                    for one in [*reach.found, *self._handed_on(reach.found)]
                    if one.assertion is not None
                ),
            )

    def _checks(self, found: Sequence[Asserted]) -> tuple[Check, ...]:
        checks = []
        for one in found:
            parts = 1 if one.assertion else len([part for part in self._inner(one.helper) if part.assertion])
            given = one.assertion.given[:1] if one.assertion else ()
            most = max(
                [parts, *(len(part.named_children) for part in given if part.type in ("array", "object"))]
            )
            if parts:
                text = text_of(one.node)
                checks.append(Check(text, parts, most, one.around.rounds, one.around.is_sure))
        return tuple(checks)

    def _handed_on(self, found: Sequence[Asserted]) -> list[Asserted]:
        return [part for name in sorted({one.helper for one in found} - {""}) for part in self._inner(name)]

    def _inner(self, helper: str) -> list[Asserted]:
        """The assertions of a helper."""
        reach = Reach(self._values, {})
        reach.function(self._helpers[helper], Around())
        return reach.found

    def _cases(self, call: Node, tables: Sequence[Node]) -> Size:
        """How many tests it stands for: its tables, and the loops that it stands in."""
        size = Size()
        for table in tables:
            size = size.times(size_of(table, self._values))
        for one in ancestors(call):
            if one.type in ("for_statement", "for_in_statement"):
                size = size.times(rounds_of(one, self._values))
            size = size.times(self._handed(one)) if one.type == "call_expression" else size
        return size

    def _handed(self, call: Node) -> Size:
        """How often a call runs what it is given."""
        function = call.child_by_field_name("function")
        if function is not None and (table := _table(function)) is not None:
            return size_of(table, self._values)
        if function is None or function.type != "member_expression":
            return Size()
        is_each = text_of(function.child_by_field_name("property")) in EACH
        return size_of(function.child_by_field_name("object"), self._values) if is_each else Size()


def _test_calls(root: Node) -> Iterator[tuple[Node, list[Node]]]:
    """The calls that make a test, each with its tables of cases."""
    waiting = [root]
    while waiting:
        one = waiting.pop()
        waiting += reversed(one.named_children)
        function = one.child_by_field_name("function") if one.type == "call_expression" else None
        if function is None:
            continue
        if _TEST.fullmatch(text_of(function)):
            yield one, []
        elif (table := _table(function)) is not None and not text_of(function).startswith(
            ("describe", "xdescribe")
        ):
            yield one, [table]


def _table(function: Node) -> Node | None:
    """The cases of `it.each(table)`, as what is called."""
    inner = function.child_by_field_name("function") if function.type == "call_expression" else None
    if inner is None or not _EACH.fullmatch(text_of(inner)):
        return None
    given = function.child_by_field_name("arguments")
    return (
        given
        if given is not None and given.type == "template_string"
        else next(iter(arguments(function)), None)
    )
