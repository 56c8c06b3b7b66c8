"""What of a test in a script is run: its function in, the assertions that are reached out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tree_sitter import Node

from affidavit.languages.javascript.syntax import FUNCTIONS, arguments, bare, walk
from affidavit.specialists.lost_tests.checks import Size
from affidavit.specialists.lost_tests.endings import Ending, either
from affidavit.specialists.lost_tests.scripts.asserts import FAILS, Assertion, assertion_of
from affidavit.specialists.lost_tests.scripts.sizes import Values, declared, rounds_of, size_of, text_of

LOOPS = frozenset({"for_statement", "for_in_statement", "while_statement", "do_statement"})
EACH = frozenset({"forEach", "map", "flatMap", "every", "some", "filter"})
_NEVER, _ALWAYS = frozenset({"false", "0"}), frozenset({"true", "1"})


@dataclass(frozen=True)
class Around:
    """What stands around a part of a test."""

    is_sure: bool = True
    rounds: Size = field(default_factory=Size)
    names: Mapping[str, str] = field(default_factory=dict)
    """What the names that were just given a value stand for."""


@dataclass(frozen=True)
class Asserted:
    """An assertion that is reached, or a call of a helper."""

    node: Node
    around: Around
    assertion: Assertion | None = None
    helper: str = ""


class Reach:
    """Goes through the statements of one function in their order."""

    def __init__(self, values: Values, helpers: Mapping[str, Node]) -> None:
        self._values, self._helpers = values, helpers
        self.found: list[Asserted] = []
        self.does = False
        self.goes_through = 0

    def function(self, function: Node, around: Around) -> None:
        """All that a function does when it is called."""
        body = function.child_by_field_name("body")
        if body is not None and body.type == "statement_block":
            self.block(body.named_children, around)
        elif body is not None:
            self._take(body, around)

    def block(self, body: Sequence[Node], around: Around) -> Ending:
        """Take what is reached of some statements; how they end."""
        ending: Ending = "goes on"
        for one in body:
            now = self._statement(one, around)
            if now in ("leaves", "stops", "fails"):
                return now
            if now in ("may leave", "may stop"):
                around = replace(around, is_sure=False)
                ending = "may leave" if "may leave" in (now, ending) else now
            around = replace(around, names=_after(one, around.names))
        return ending

    def _statement(self, one: Node, around: Around) -> Ending:
        if one.type == "statement_block":
            return self.block(one.named_children, around)
        if one.type == "if_statement":
            return self._condition(one, around)
        if one.type in LOOPS:
            return self._loop(one, around)
        if one.type == "try_statement":
            return self._trial(one, around)
        if one.type == "switch_statement":
            cases = [case.named_children for case in _parts(one.child_by_field_name("body"))]
            return either([self.block(case, replace(around, is_sure=False)) for case in cases])
        if one.type not in FUNCTIONS:
            self._take(one, around)
        ends: dict[str, Ending] = {
            "return_statement": "leaves",
            "throw_statement": "fails",
            "break_statement": "stops",
            "continue_statement": "stops",
        }
        return ends.get(one.type, "goes on")

    def _condition(self, one: Node, around: Around) -> Ending:
        test = one.child_by_field_name("condition")
        branches = [_parts(one.child_by_field_name(name)) for name in ("consequence", "alternative")]
        said = text_of(test).strip("() ")
        if said in _NEVER | _ALWAYS:
            return self.block(branches[said in _NEVER], around)
        if test is not None:
            self._take(test, around)
        is_sure = around.is_sure and all(map(has_check, branches))
        ends = [(branch, self.block(branch, replace(around, is_sure=is_sure))) for branch in branches]
        # Who checks something before it leaves has a test of its own.
        return either(["fails" if end == "leaves" and has_check(branch) else end for branch, end in ends])

    def _loop(self, one: Node, around: Around) -> Ending:
        size = rounds_of(one, self._values)
        is_counted = one.type in ("for_statement", "for_in_statement")
        said = text_of(one.child_by_field_name("condition")).strip("() ")
        is_sure = around.is_sure and (is_counted or one.type == "do_statement" or said in _ALWAYS)
        inner = replace(around, is_sure=is_sure, rounds=around.rounds.times(size))
        self.goes_through = max(self.goes_through, size.count)
        ending = self.block(_parts(one.child_by_field_name("body")), inner) if size.count else "goes on"
        return "may leave" if ending in ("leaves", "may leave") else "goes on"

    def _trial(self, one: Node, around: Around) -> Ending:
        handler, last = one.child_by_field_name("handler"), one.child_by_field_name("finalizer")
        caught = _parts(handler.child_by_field_name("body")) if handler else []
        body = _parts(one.child_by_field_name("body"))
        is_heard = handler is None or has_check(caught)
        ends: list[Ending] = [self.block(body, around) if is_heard else "goes on"]
        ends += [self.block(caught, replace(around, is_sure=False))] if handler else []
        after = self.block(_parts(last.child_by_field_name("body")), around) if last else "goes on"
        return "leaves" if after == "leaves" else either(ends)

    def _take(self, one: Node, around: Around) -> None:
        """The assertions of an expression, and of functions that are handed to somebody to be called."""
        asserted = assertion_of(one)
        if asserted is not None:
            self.found.append(Asserted(one, around, asserted))
            self.does = True
            return
        if one.type == "call_expression":
            self.does = True
            self._called(one, around)
        for child in one.named_children:
            if child.type not in FUNCTIONS:
                self._take(child, around)

    def _called(self, call: Node, around: Around) -> None:
        function = call.child_by_field_name("function")
        name = text_of(function)
        if name in self._helpers:
            self.found.append(Asserted(call, around, helper=name))
        inner = around
        if function is not None and function.type == "member_expression":
            how = text_of(function.child_by_field_name("property"))
            size = size_of(function.child_by_field_name("object"), self._values) if how in EACH else Size()
            self.goes_through = max(self.goes_through, size.count if how in EACH else 0)
            inner = replace(around, rounds=around.rounds.times(size))
        elif function is not None and bare(function).type in FUNCTIONS:
            self.function(bare(function), around)
        if inner.rounds.count:
            for given in arguments(call):
                if given.type in FUNCTIONS:
                    self.function(given, inner)


def _parts(block: Node | None) -> list[Node]:
    """The statements of a block, or of what stands in the place of one."""
    if block is None:
        return []
    if block.type in ("statement_block", "switch_body"):
        return [one for one in block.named_children if one.type != "comment"]
    if block.type == "else_clause":
        return [part for one in block.named_children for part in _parts(one)]
    return [block]


def has_check(body: Sequence[Node]) -> bool:
    """Whether something is asserted there, or the test is made to fail."""
    return any(
        node.type == "throw_statement"
        or assertion_of(node) is not None
        or (node.type == "call_expression" and text_of(node.child_by_field_name("function")) in FAILS)
        for one in body
        for node in walk(one)
    )


def _after(one: Node, names: Mapping[str, str]) -> Mapping[str, str]:
    """What names stand for behind a statement: what was called before may say something else by then."""
    if one.type in ("lexical_declaration", "variable_declaration"):
        made = {name: text_of(value) for name, value in declared(one).items()}
        return {**names, **{name: names.get(value, value) for name, value in made.items()}}
    if one.type == "expression_statement" and any(map(assertion_of, one.named_children)):
        return names
    return {name: value for name, value in names.items() if "(" not in value}


def functions_of(root: Node) -> Iterator[tuple[str, Node]]:
    """The functions of a file by their names."""
    for one in _all(root):
        value = one.child_by_field_name("value") if one.type == "variable_declarator" else one
        name = one.child_by_field_name("name")
        if value is not None and value.type in FUNCTIONS and name is not None:
            yield text_of(name), value


def _all(root: Node) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += one.named_children
