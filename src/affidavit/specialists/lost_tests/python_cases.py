"""The tests of a Python file as pytest and unittest find them, by its syntax: text in, tests out."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from affidavit.proof.quoting.quotes import fold
from affidavit.specialists.lost_tests.cases import MANY, TestCase
from affidavit.specialists.lost_tests.strength import strength_of

_CHECKS = re.compile(r"(?:assert|check|verify|expect|ensure)\w*|raises|warns|fail", re.IGNORECASE)
_CATCHES = frozenset({"Exception", "BaseException", "AssertionError"})
Function = ast.FunctionDef | ast.AsyncFunctionDef


def python_cases(path: str, lines: Sequence[str]) -> list[TestCase] | None:
    """The tests; None where the text is not Python of this version."""
    try:
        module = ast.parse("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    helpers = {one.name: one for one in ast.walk(module) if isinstance(one, Function)}
    # A later definition of the same name takes the place of an earlier one.
    found: dict[str, TestCase] = {}
    for prefix, function in _functions(module):
        found[f"{prefix}{function.name}"] = _case(path, function, helpers, lines)
    return [one for name, one in found.items() if name not in _taken_away(module)]


def _functions(module: ast.Module) -> Iterator[tuple[str, Function]]:
    waiting: list[tuple[str, ast.stmt]] = [("", one) for one in module.body]
    while waiting:
        prefix, one = waiting.pop(0)
        if isinstance(one, Function) and one.name.startswith("test"):
            yield prefix, one
        elif isinstance(one, ast.ClassDef) and (one.name.startswith("Test") or one.bases):
            waiting = [*((f"{prefix}{one.name}.", inner) for inner in one.body), *waiting]
        elif isinstance(one, ast.If) and not _is_never(one.test):
            waiting = [*((prefix, inner) for inner in (*one.body, *one.orelse)), *waiting]
        elif isinstance(one, ast.Try | ast.With):
            waiting = [*((prefix, inner) for inner in one.body), *waiting]


def _taken_away(module: ast.Module) -> set[str]:
    """Names that the module deletes, or gives to something else, on its own level."""
    deleted = [one for line in module.body if isinstance(line, ast.Delete) for one in line.targets]
    given = [one for line in module.body if isinstance(line, ast.Assign) for one in line.targets]
    return {one.id for one in (*deleted, *given) if isinstance(one, ast.Name)}


def _case(path: str, function: Function, helpers: Mapping[str, Function], lines: Sequence[str]) -> TestCase:
    reached = list(_reached(function.body))
    end = function.end_lineno or function.lineno
    code = tuple(text for line in lines[function.lineno - 1 : end] if (text := fold(line)))
    return TestCase(
        function.name,
        path,
        function.lineno,
        end,
        sum(_weight(one, helpers) for one in reached),
        does=any(isinstance(one, ast.Call | ast.Assert) for one in reached),
        room=_room(function),
        lines=code,
        strength=strength_of(reached),
    )


def _room(function: Function) -> int:
    """How many tests a parametrized one may stand for."""
    room = 1
    for mark in function.decorator_list:
        if isinstance(mark, ast.Call) and _name(mark.func) == "parametrize":
            values = mark.args[1] if len(mark.args) > 1 else None
            room *= len(values.elts) if isinstance(values, ast.List | ast.Tuple) else MANY
    return room


def _reached(body: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    """What is run and can fail: to the first return, without what never holds or is caught and forgotten."""
    waiting: list[ast.AST] = list(_until_end(body))
    while waiting:
        one = waiting.pop()
        if isinstance(one, Function | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(one, ast.If) and _is_never(one.test):
            waiting += _until_end(one.orelse)
        elif isinstance(one, ast.Try) and any(map(_forgets, one.handlers)):
            waiting += [*_until_end(one.orelse), *_until_end(one.finalbody)]
        elif isinstance(one, ast.With | ast.AsyncWith) and any(_suppresses(item) for item in one.items):
            continue
        else:
            yield one
            waiting += ast.iter_child_nodes(one)


def _until_end(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    for one in body:
        yield one
        is_skip = isinstance(one, ast.Expr) and isinstance(one.value, ast.Call)
        if isinstance(one, ast.Return | ast.Raise | ast.Continue | ast.Break):
            return
        if is_skip and _name(one.value.func) in ("skip", "skipTest", "xfail"):  # type: ignore[attr-defined]
            return


def _forgets(handler: ast.ExceptHandler) -> bool:
    """It catches a failed assertion, and does not say so."""
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    is_wide = any(one is None or _name(one) in _CATCHES for one in types)
    says = any(
        isinstance(one, ast.Raise | ast.Assert)
        or (isinstance(one, ast.Call) and _CHECKS.match(_name(one.func)))
        for line in handler.body
        for one in ast.walk(line)
    )
    return is_wide and not says


def _suppresses(item: ast.withitem) -> bool:
    call = item.context_expr
    is_suppress = isinstance(call, ast.Call) and _name(call.func) == "suppress"
    return is_suppress and any(_name(one) in _CATCHES for one in call.args)  # type: ignore[attr-defined]


def _weight(one: ast.AST, helpers: Mapping[str, Function]) -> int:
    """How many things a node checks: `a and b` two, a tuple as many as it has, a helper what it asserts."""
    if isinstance(one, ast.Assert):
        return 0 if _is_always(one.test) else _parts(one.test)
    if not isinstance(one, ast.Call):
        return 0
    name = _name(one.func)
    if _CHECKS.fullmatch(name) and not (name.startswith("assert") and _says_nothing(one)):
        return 1
    helper = helpers.get(name)
    if helper is None or helper.name.startswith("test"):
        return 0
    return sum(not _is_always(inner.test) for inner in ast.walk(helper) if isinstance(inner, ast.Assert))


def _parts(test: ast.expr) -> int:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return sum(map(_parts, test.values))
    sides = [test.left, *test.comparators] if isinstance(test, ast.Compare) else []
    return max([len(one.elts) for one in sides if isinstance(one, ast.Tuple)], default=1) or 1


def _says_nothing(call: ast.Call) -> bool:
    """`assertTrue(True)`, `assertEqual(a, a)`."""
    first = call.args[:2]
    if len(first) == 1:
        return isinstance(first[0], ast.Constant) and bool(first[0].value) == (
            "False" not in _name(call.func)
        )
    is_same = len(first) == 2 and ast.dump(first[0]) == ast.dump(first[1])
    return is_same and not any(isinstance(one, ast.Call) for one in ast.walk(first[0]))


def _is_always(test: ast.expr) -> bool:
    """What holds whatever the code does."""
    if isinstance(test, ast.Constant):
        return bool(test.value)
    if isinstance(test, ast.Tuple):
        return bool(test.elts)
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        return any(map(_is_always, test.values))
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _is_never(test.operand)
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq | ast.Is):
        is_same = ast.dump(test.left) == ast.dump(test.comparators[0])
        return is_same and not any(isinstance(one, ast.Call) for one in ast.walk(test.left))
    return False


def _is_never(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and not test.value


def _name(one: ast.expr) -> str:
    """The last part of `a.b.c`, called or not."""
    if isinstance(one, ast.Call):
        return _name(one.func)
    return one.attr if isinstance(one, ast.Attribute) else one.id if isinstance(one, ast.Name) else ""
