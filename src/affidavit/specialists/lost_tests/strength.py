"""How much the assertions of a test ask for: its code in, what it compares and what it only looks at out.

An assertion became weaker where what it compared with a value is still asserted, and no longer with a value.
It is known by what it speaks of, so that a test which asks for other things, or for more, is no weaker.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

EQUAL = re.compile(r"assert(?:Equals?|Is|(?:List|Dict|Tuple|Set|Sequence|MultiLine|Count)Equal)")
LOOSE = re.compile(
    r"assert(?:True|False|IsNotNone|IsNot|IsInstance|In|NotIn|NotEqual|(?:Greater|Less)(?:Equal)?)"
)
ASKING = frozenset({"len", "bool", "isinstance", "hasattr", "callable", "any", "all"})
"""Functions that tell something of what they are given, and little."""
RAISES = frozenset({"raises", "assertRaises", "assertRaisesRegex"})
ANY_ERROR = frozenset({"Exception", "BaseException"})
_EXPECT = re.compile(
    r"\bexpect\((?P<of>.{1,300}?)\)(?:\.(?:resolves|rejects))?(?P<not>\.not)?\.(?P<how>\w+)\("
)
_EXPECTS_VALUE = frozenset({"toBe", "toEqual", "toStrictEqual", "toMatchObject", "toHaveLength", "toBeNull"})


@dataclass(frozen=True)
class Strength:
    """What the assertions of a test ask for."""

    exact: tuple[str, ...] = ()
    """What is compared with a value, once for each time."""
    loose: tuple[str, ...] = ()
    """What is only looked at: that it is there, is true, is greater, is not something."""
    errors: tuple[str, ...] = ()
    """The errors that must be raised, by their names."""
    messages: int = 0
    """How many of them must say something."""


def is_weaker(before: Strength, after: Strength) -> bool:
    """Whether something that was compared with a value is now only looked at, or any error will do."""
    fewer = len(after.exact) < len(before.exact)
    if fewer and any(_is_only_looked_at(one, before, after) for one in set(before.exact)):
        return True
    narrow = [[one for one in side.errors if one not in ANY_ERROR] for side in (before, after)]
    if len(before.errors) != len(after.errors):
        return False
    asks_less = before.errors == after.errors and after.messages < before.messages
    return asks_less or len(narrow[1]) < len(narrow[0])


def _is_only_looked_at(one: str, before: Strength, after: Strength) -> bool:
    if one in after.exact or one not in after.loose or one in before.loose:
        return False
    # A part of it, or what is made of it, may be compared instead.
    is_part = re.compile(rf"(?<!\w){re.escape(one)}(?!\w)")
    return not any(is_part.search(other) for other in after.exact if other not in before.exact)


def strength_of(reached: Iterable[ast.AST]) -> Strength:
    """What the assertions among these nodes ask for."""
    exact: list[str] = []
    loose: list[str] = []
    errors: list[str] = []
    messages = 0
    for one in reached:
        if isinstance(one, ast.Assert):
            _take(one.test, exact, loose)
        elif isinstance(one, ast.Call) and (EQUAL.fullmatch(_called(one)) or LOOSE.fullmatch(_called(one))):
            _take_call(one, _called(one), exact, loose)
        elif isinstance(one, ast.Call) and _called(one) in RAISES and one.args:
            errors.append(ast.unparse(one.args[0]))
            messages += _called(one) == "assertRaisesRegex" or any(
                word.arg == "match" for word in one.keywords
            )
    return Strength(tuple(sorted(exact)), tuple(sorted(loose)), tuple(sorted(errors)), messages)


def _take_call(call: ast.Call, name: str, exact: list[str], loose: list[str]) -> None:
    first = call.args[:2]
    if EQUAL.fullmatch(name) and len(first) == 2:
        (loose if ast.dump(first[0]) == ast.dump(first[1]) else exact).extend(_named(first))
    elif name == "assertTrue" and first:
        _take(first[0], exact, loose)
    elif LOOSE.fullmatch(name):
        loose.extend(_named(first[:1] if name == "assertIsInstance" else first))


def _take(test: ast.expr, exact: list[str], loose: list[str]) -> None:
    """Sort what a condition speaks of."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for one in test.values:
            _take(one, exact, loose)
    elif isinstance(test, ast.Compare):
        sides = [test.left, *test.comparators]
        is_exact = all(isinstance(one, ast.Eq | ast.Is) for one in test.ops)
        is_same = len({ast.dump(one) for one in sides}) == 1
        (exact if is_exact and not is_same else loose).extend(_named(sides))
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        loose.extend(_named([test.operand]))
    else:
        loose.extend(_named([test]))


def _named(sides: Sequence[ast.expr]) -> Iterator[str]:
    """What the sides speak of, without values that are written out."""
    for one in sides:
        inner = one
        while isinstance(inner, ast.Call) and _called(inner) in ASKING and inner.args:
            inner = inner.args[0]
        if any(isinstance(part, ast.Name | ast.Call) for part in ast.walk(inner)):
            yield ast.unparse(inner)


def _called(call: ast.Call) -> str:
    one = call.func
    return one.attr if isinstance(one, ast.Attribute) else one.id if isinstance(one, ast.Name) else ""


def strength_by_line(lines: Iterable[str]) -> Strength:
    """The same of `expect(…).toBe(…)` and its like, by the look of the lines."""
    found = [match for line in lines for match in _EXPECT.finditer(line)]
    exact = [one["of"] for one in found if one["how"] in _EXPECTS_VALUE and not one["not"]]
    loose = [one["of"] for one in found if one["how"] not in _EXPECTS_VALUE or one["not"]]
    return Strength(tuple(sorted(exact)), tuple(sorted(loose)))
