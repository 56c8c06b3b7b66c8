"""What a function of JavaScript or TypeScript does: the text of its file and its lines in."""

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from affidavit.languages.engine.grammars import Grammar, node_text, parse
from affidavit.languages.javascript.syntax import FUNCTIONS, deep, walk
from affidavit.specialists.lost_code.doing import TALK, Doing, varied

_WORK = frozenset({"call_expression", "new_expression", "await_expression", "yield_expression"})
_ENDS = frozenset({"return_statement", "throw_statement"})
_ASSIGNS = frozenset({"assignment_expression", "augmented_assignment_expression", "update_expression"})
_OUTSIDE = frozenset({"member_expression", "subscript_expression"})
_NAMES = frozenset({"identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern"})
_NOTHING = frozenset({"", "null", "undefined"})


def script_doing(grammar: Grammar, text: bytes, start: int, end: int) -> Doing | None:
    """Of the outermost function within these lines; None where there is none."""
    root = parse(grammar, text)
    function = next(_functions(root, start - 1, end - 1), None) if root else None
    body = function.child_by_field_name("body") if function else None
    try:
        return _Reading(function, body, text).doing() if function and body else None
    except RecursionError:
        return None


def _functions(root: Node, first: int, last: int) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        one = waiting.pop(0)
        if one.end_point.row < first or one.start_point.row > last:
            continue
        if one.type in FUNCTIONS and first <= one.start_point.row and one.end_point.row <= last:
            yield one
        waiting += one.named_children


class _Reading:
    """One function, statement by statement."""

    def __init__(self, function: Node, body: Node, text: bytes) -> None:
        self.text = text
        self.is_expression = body.type != "statement_block"
        self.live, self.dead = ([body], []) if self.is_expression else _split(body.named_children, text)
        self.inner = [one for statement in self.live for one in walk(statement)]
        parameters = [function.child_by_field_name(name) for name in ("parameters", "parameter")]
        given = {self._text(one) for part in parameters if part for one in _names(part)}
        made = [one for one in self.inner if one.type == "variable_declarator"]
        bound = {
            self._text(one): maker for maker in made for one in _names(maker.child_by_field_name("name"))
        }
        stepped = {self._text(target) for one in self.inner if (target := _assigned(one))}
        self.fixed = {
            name
            for name, maker in bound.items()
            if name not in stepped and self._is_fixed(maker.child_by_field_name("value"))
        }
        looped = {self._text(name) for one in self.inner if one.type == "for_in_statement"
                  for name in _names(one.child_by_field_name("left"))}  # fmt: skip
        functions = [one.child_by_field_name("name") for one in self.inner if one.type in FUNCTIONS]
        self.bound = given | set(bound) | looped
        self.own = (self.bound | {self._text(one) for one in functions if one} | {"this"}) - self.fixed

    def doing(self) -> Doing:
        """All that is seen of it."""
        effects = [one for one in self.inner if self._is_effect(one)]
        talk = [one for one in effects if self._is_talk(one)]
        values = self._answers()
        answers = {self._text(one) if one else "" for one in values}
        is_through = not self.live or self.live[-1].type not in _ENDS
        answers = {"" if one in _NOTHING else one for one in answers}
        return Doing(
            acts=len(effects) > len(talk),
            talks=bool(talk),
            works_out=varied(answers, falls_through=is_through and not self.is_expression)
            or any(self._works(one) for one in values if one),
            returns_a_name=any(self._has_name(one) for one in values if one),
            live=tuple(self._folded(one) for one in self.live if one.type != "empty_statement"),
            dead=tuple(map(self._folded, self.dead)),
        )

    def _answers(self) -> list[Node | None]:
        if self.is_expression:
            return list(self.live)
        ends = [one for one in self.inner if one.type == "return_statement"]
        return [next((part for part in one.named_children if part.type != "comment"), None) for one in ends]

    def _is_fixed(self, value: Node | None) -> bool:
        return value is None or not any(
            one.type in _WORK or one.type in FUNCTIONS or one.type in (*_NAMES, "this") for one in deep(value)
        )

    def _works(self, value: Node) -> bool:
        inner = list(deep(value))
        names = {self._text(one) for one in inner if one.type in _NAMES or one.type == "this"}
        return bool(names & self.own) or any(one.type in _WORK or one.type in FUNCTIONS for one in inner)

    def _has_name(self, value: Node) -> bool:
        return any(one.type in _NAMES and self._text(one) not in self.fixed for one in deep(value))

    def _is_effect(self, one: Node) -> bool:
        if one.type == "expression_statement":
            return any(part.type in _WORK for part in walk(one))
        if one.type == "throw_statement":
            # One that stands at the end of all is no refusal: nothing else is left to do.
            return one not in self.live
        if one.type == "unary_expression":
            return self._text(one.child_by_field_name("operator")) == "delete"
        target = _assigned(one)
        is_outside = target is not None and target.type in _OUTSIDE
        return is_outside or (target is not None and self._text(target) not in self.bound)

    def _is_talk(self, one: Node) -> bool:
        call = one.named_children[0] if one.named_children else None
        called = call.child_by_field_name("function") if call and call.type == "call_expression" else None
        return TALK.match(self._text(called)) is not None

    def _text(self, one: Node | None) -> str:
        return node_text(one, self.text)

    def _folded(self, one: Node) -> str:
        return " ".join(self._text(one).split())


def _split(statements: Sequence[Node], text: bytes) -> tuple[list[Node], list[Node]]:
    """The statements to the one with which a block surely ends, and those behind it."""
    live: list[Node] = []
    body = [one for one in statements if one.type != "comment"]
    for at, one in enumerate(body):
        taken = _taken(one, text)
        inner, hidden = _split(taken, text) if taken is not None else ([one], [])
        live += inner
        if inner and inner[-1].type in _ENDS:
            return live, [*hidden, *body[at + 1 :]]
    return live, []


def _taken(one: Node, text: bytes) -> Sequence[Node] | None:
    """The branch that a condition which is a constant leads to, or what a block holds; else None."""
    if one.type == "statement_block":
        return one.named_children
    if one.type != "if_statement":
        return None
    said = node_text(one.child_by_field_name("condition"), text).strip("() ")
    if said not in ("true", "false", "1", "0"):
        return None
    branch = one.child_by_field_name("consequence" if said in ("true", "1") else "alternative")
    inner = branch.named_children[0] if branch and branch.type == "else_clause" else branch
    return [] if inner is None else [inner]


def _names(one: Node | None) -> Iterator[Node]:
    if one is not None:
        yield from (part for part in deep(one) if part.type in _NAMES)


def _assigned(one: Node) -> Node | None:
    """What an assignment or a `++` changes."""
    if one.type not in _ASSIGNS:
        return None
    return one.child_by_field_name("argument" if one.type == "update_expression" else "left")
