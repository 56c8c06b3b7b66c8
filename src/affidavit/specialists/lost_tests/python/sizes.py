"""How many elements a Python expression has, as far as it is written out."""

import ast
import sys
from collections.abc import Mapping, Sequence

from affidavit.specialists.lost_tests.checks import MANY, Size

Names = Mapping[str, ast.expr]
"""Names that stand for one expression each."""
DEPTH = 8
_SAME = frozenset({"list", "tuple", "sorted", "set", "frozenset", "iter", "reversed", "enumerate", "dict"})
_METHODS = frozenset({"items", "keys", "values", "copy"})


def size_of(one: ast.expr, names: Names, depth: int = DEPTH) -> Size:
    """Its size; many of its own kind where that is not known."""
    found = (_written(one, names, depth) or _made(one, names, depth)) if depth > 0 else None
    return found or Size(MANY, ast.unparse(one))


def _written(one: ast.expr, names: Names, depth: int) -> Size | None:
    """The size of what stands there, or under a name."""
    if isinstance(one, ast.Name):
        return size_of(names[one.id], names, depth - 1) if one.id in names else None
    if isinstance(one, ast.List | ast.Tuple | ast.Set):
        return _sum([_element(part, names, depth) for part in one.elts])
    if isinstance(one, ast.Dict):
        return Size(len(one.keys))
    is_text = isinstance(one, ast.Constant) and isinstance(one.value, str | bytes)
    return Size(len(one.value)) if is_text else None  # type: ignore[attr-defined]


def _made(one: ast.expr, names: Names, depth: int) -> Size | None:
    """The size of what is made of other things."""
    if isinstance(one, ast.Subscript) and isinstance(one.slice, ast.Slice):
        return _sliced(size_of(one.value, names, depth - 1), one.slice)
    if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Add):
        return _sum([size_of(side, names, depth - 1) for side in (one.left, one.right)])
    if isinstance(one, ast.ListComp | ast.SetComp | ast.GeneratorExp):
        return comprehended(one.generators, names, depth)
    return _of_call(one, names, depth) if isinstance(one, ast.Call) else None


def comprehended(generators: Sequence[ast.comprehension], names: Names, depth: int = DEPTH) -> Size:
    """How many rounds a comprehension makes; a condition leaves out at least one."""
    size = Size()
    for one in generators:
        size = size.times(size_of(one.iter, names, depth - 1))
    return Size(max(size.count - 1, 0), size.source) if any(one.ifs for one in generators) else size


def _element(part: ast.expr, names: Names, depth: int) -> Size:
    return size_of(part.value, names, depth - 1) if isinstance(part, ast.Starred) else Size()


def _sum(sizes: Sequence[Size]) -> Size:
    sources = sorted({one.source for one in sizes} - {""})
    return Size(sum(one.count for one in sizes), "|".join(sources))


def _sliced(size: Size, by: ast.Slice) -> Size | None:
    start, stop, step = (_whole(part) for part in (by.lower, by.upper, by.step))
    if [start, stop, step].count(None) > [by.lower, by.upper, by.step].count(None):
        return None
    return Size(len(range(size.count)[slice(start, stop, step or None)]), size.source)


def _of_call(call: ast.Call, names: Names, depth: int) -> Size | None:
    name = called(call)
    if name == "range":
        return _of_range(call)
    if isinstance(call.func, ast.Attribute) and name in _METHODS:
        return size_of(call.func.value, names, depth - 1)
    sizes = [size_of(one, names, depth - 1) for one in call.args]
    if name in _SAME or name == "product":
        return _product(sizes[:1] if name in _SAME else sizes) if sizes else Size(0)
    if name == "zip" and sizes:
        return min(sizes, key=lambda one: one.count)
    if name == "filter" and len(sizes) > 1:
        return Size(max(sizes[1].count - 1, 0), sizes[1].source)
    most = _whole(call.args[1]) if name == "islice" and len(call.args) == 2 else None
    return None if most is None else Size(min(sizes[0].count, most), sizes[0].source)


def _of_range(call: ast.Call) -> Size | None:
    known = [number for one in call.args if (number := _whole(one)) is not None]
    is_known = 0 < len(known) == len(call.args) <= 3 and 0 not in known[2:]
    return Size(len(range(*known))) if is_known else None


def _product(sizes: Sequence[Size]) -> Size:
    whole = Size()
    for one in sizes:
        whole = whole.times(one)
    return whole


def number_of(one: ast.expr | None) -> float | None:
    """The number that is written there; None where it is none."""
    if isinstance(one, ast.UnaryOp) and isinstance(one.op, ast.USub):
        inner = number_of(one.operand)
        return None if inner is None else -inner
    if not isinstance(one, ast.Constant) or not isinstance(one.value, int | float):
        return None
    return max(min(float(min(one.value, sys.float_info.max)), sys.float_info.max), -sys.float_info.max)


def _whole(one: ast.expr | None) -> int | None:
    """The whole number that is written there, within what a test can count to."""
    number = number_of(one)
    return None if number is None else int(max(min(number, MANY * MANY), -MANY * MANY))


def called(call: ast.Call) -> str:
    """The last part of `a.b.c()`."""
    one = call.func
    return one.attr if isinstance(one, ast.Attribute) else one.id if isinstance(one, ast.Name) else ""


def fixed_names(body: Sequence[ast.stmt]) -> dict[str, ast.expr]:
    """Names that these statements give one value each, and change no more."""
    found: dict[str, ast.expr] = {}
    again: set[str] = set()
    for one in body:
        targets = one.targets if isinstance(one, ast.Assign) else [getattr(one, "target", None)]
        value = getattr(one, "value", None)
        for target in targets:
            if isinstance(target, ast.Name) and isinstance(value, ast.expr):
                is_plain = isinstance(one, ast.Assign | ast.AnnAssign) and target.id not in found
                again |= set() if is_plain else {target.id}
                found[target.id] = value
    return {name: value for name, value in found.items() if name not in again}
