"""What the assertions of a Python test ask for: the parts of it that are reached in."""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

from affidavit.specialists.lost_tests.python.reach import Reached, last_name, resolved
from affidavit.specialists.lost_tests.python.sizes import Names, called, number_of
from affidavit.specialists.lost_tests.strength import Asked, Bound, Leeway, Strength

EQUAL = re.compile(
    r"assert(?:Equals?|Is|AlmostEquals?|(?:List|Dict|Tuple|Set|Sequence|MultiLine|Count)Equal)"
    r"|assert_(?:equal|array_equal|almost_equal|allclose|frame_equal|series_equal)"
)
CLOSE = frozenset({"isclose", "allclose"})
LOOSE = re.compile(
    r"assert(?:True|False|IsNotNone|IsNot|IsInstance|In|NotIn|NotEqual|(?:Greater|Less)(?:Equal)?)"
)
ASKING = frozenset({"len", "bool", "isinstance", "hasattr", "callable", "any", "all", "type"})
"""Functions that tell something of what they are given, and little."""
RAISES = frozenset({"raises", "assertRaises", "assertRaisesRegex"})
CALLED = re.compile(r"assert_(?:any_|has_)?(?:called|awaited|calls?|awaits?|await)(?:_once)?(?P<with>_with)?")
WIDTHS = frozenset({"abs", "delta", "atol", "abs_tol"})
SHARES = frozenset({"rel", "rtol", "rel_tol"})
NOISE = 0.01
"""A value that is off by a hundredth may be off by what was rounded."""
SAYING = 2
"""A pattern with fewer letters in it asks for no message."""


def strength_of(reached: Iterable[Reached]) -> Strength:
    """What the assertions among these nodes ask for."""
    asked = _Asked()
    for one in reached:
        names = one.around.names or {}
        if isinstance(one.node, ast.Assert):
            asked.condition(one.node.test, names)
        elif isinstance(one.node, ast.Call):
            asked.call(one.node, called(one.node), names)
    return asked.strength


class _Asked(Asked):
    """Sorts the assertions of Python."""

    def condition(self, test: ast.expr, names: Names) -> None:
        """Sort what a condition speaks of."""
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            for one in test.values:
                self.condition(one, names)
        elif isinstance(test, ast.BoolOp | ast.IfExp):
            sides = test.values if isinstance(test, ast.BoolOp) else [test.body, test.orelse]
            for one in sides:
                self.loose += _named([one.left, *one.comparators] if isinstance(one, ast.Compare) else [one])
        elif isinstance(test, ast.Compare):
            self._comparison(test, names)
        elif isinstance(test, ast.Call) and called(test) in CLOSE:
            self._compared(test.args[:2], names, test.keywords)
        else:
            self.loose += _named([test.operand if isinstance(test, ast.UnaryOp) else test])

    def call(self, call: ast.Call, name: str, names: Names) -> None:
        """Sort what an assertion that is a call speaks of."""
        first = call.args[:2]
        if name in RAISES and call.args:
            self._raised(call, name)
        elif name in ("assertTrue", "assert_") and first:
            self.condition(first[0], names)
        elif EQUAL.fullmatch(name) and len(first) == 2:
            self._compared(first, names, call.keywords)
        elif LOOSE.fullmatch(name):
            self.loose += _named(first[:1] if name == "assertIsInstance" else first)
        elif isinstance(call.func, ast.Attribute) and (found := CALLED.fullmatch(name)):
            asks = self.exact if found["with"] or "call" in name[-5:] else self.loose
            asks.append(f"calls of {ast.unparse(call.func.value)}")

    def _comparison(self, test: ast.Compare, names: Names) -> None:
        sides = [test.left, *test.comparators]
        if all(isinstance(one, ast.Eq | ast.Is) for one in test.ops):
            self._compared(sides, names, [])
            return
        self.loose += _named(sides)
        (op, *more), right = test.ops, test.comparators[0]
        numbers = [number_of(test.left), number_of(right)]
        if more or not isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE) or numbers.count(None) != 1:
            return
        is_left = numbers[0] is None
        is_low = isinstance(op, ast.Gt | ast.GtE) == is_left
        number = numbers[1] if is_left else numbers[0]
        self.bounds.append(Bound(ast.unparse(test.left if is_left else right), is_low, number or 0.0))

    def _compared(self, sides: Sequence[ast.expr], names: Names, words: Sequence[ast.keyword]) -> None:
        """Sides that must be equal, or nearly so."""
        if _is_same(sides, names) or any(last_name(one) == "ANY" for one in sides):
            self.loose += _named(sides)
            return
        bare = [_bare(one) for one in sides]
        is_partly = any(isinstance(one, ast.Call) and called(one) in ASKING for one in bare)
        asks = self.partly if is_partly else self.exact
        asks += _named(bare)
        wide = _width([*_words(sides), *words], bare)
        wide = max([wide, *(_rounded(one) for one in sides)])
        if wide:
            values = [abs(number) for one in bare if (number := number_of(one)) is not None]
            noise = NOISE * max([1.0, *values])
            self.leeways += [Leeway(thing, wide, noise) for thing in _named(bare)]

    def _raised(self, call: ast.Call, name: str) -> None:
        kinds = call.args[0].elts if isinstance(call.args[0], ast.Tuple) else [call.args[0]]
        self.errors.append(",".join(sorted(last_name(one) or ast.unparse(one) for one in kinds)))
        patterns = [word.value for word in call.keywords if word.arg == "match"]
        patterns += call.args[1:2] if name == "assertRaisesRegex" else []
        self.messages += any(map(_asks_for_words, patterns))


def _asks_for_words(pattern: ast.expr) -> bool:
    if not isinstance(pattern, ast.Constant):
        return True
    said = re.sub(r"\\.|[^\w]", "", str(pattern.value or ""))
    return len(said) >= SAYING


def _is_same(sides: Sequence[ast.expr], names: Names) -> bool:
    """What is compared with itself, by a name or not, or with what is made of it."""
    if len({ast.dump(resolved(one, names)) for one in sides}) == 1:
        return True
    calls = [one for one in sides if isinstance(one, ast.Call) and called(one) not in {"approx", *ASKING}]
    return any(
        ast.dump(inner) == ast.dump(one)
        for one in calls
        for other in sides
        if other is not one
        for inner in ast.walk(other)
    )


def _bare(one: ast.expr) -> ast.expr:
    """What is compared, without what makes it a little less exact."""
    is_about = isinstance(one, ast.Call) and called(one) in ("approx", "round")
    return one.args[0] if is_about and one.args else one  # type: ignore[attr-defined]


def _words(sides: Sequence[ast.expr]) -> Iterator[ast.keyword]:
    """How far off `approx` lets something be; the names of its places are those of its words."""
    for one in sides:
        if isinstance(one, ast.Call) and called(one) == "approx":
            yield from one.keywords
            places = zip(("rel", "abs"), one.args[1:], strict=False)
            yield from (ast.keyword(name, value) for name, value in places)


def _width(words: Sequence[ast.keyword], sides: Sequence[ast.expr]) -> float:
    values = [abs(number) for one in sides if (number := number_of(one)) is not None]
    wide = 0.0
    for word in words:
        number = number_of(word.value) or 0.0
        if word.arg in WIDTHS:
            wide = max(wide, number)
        elif word.arg in SHARES:
            wide = max(wide, number * max(values, default=1.0))
        elif word.arg in ("places", "decimal"):
            wide = max(wide, _by_places(number))
    return wide


def _rounded(one: ast.expr) -> float:
    if not isinstance(one, ast.Call) or called(one) != "round" or not one.args:
        return 0.0
    return _by_places(number_of(one.args[1]) or 0.0 if len(one.args) > 1 else 0.0)


def _by_places(places: float) -> float:
    return float(0.5 * 10 ** -max(min(places, 300), -300))


def _named(sides: Sequence[ast.expr]) -> Iterator[str]:
    """What the sides speak of, without values that are written out."""
    for one in sides:
        inner = one
        while isinstance(inner, ast.Call) and called(inner) in ASKING and inner.args:
            inner = inner.args[0]
        if any(isinstance(part, ast.Name | ast.Call) for part in ast.walk(inner)):
            yield ast.unparse(inner)
