"""The tests of a Python file as pytest and unittest find them, by its syntax: text in, tests out."""

import ast
from collections.abc import Iterator, Mapping, Sequence

from affidavit.proof.quoting.quotes import fold
from affidavit.specialists.lost_tests.checks import Check, Size, TestCase
from affidavit.specialists.lost_tests.python.reach import (
    CHECKS,
    Around,
    Function,
    Reach,
    Reached,
    has_check,
    last_name,
)
from affidavit.specialists.lost_tests.python.sizes import Names, called, comprehended, fixed_names, size_of
from affidavit.specialists.lost_tests.python.strength import strength_of

Helpers = Mapping[str, Function]


def python_cases(path: str, lines: Sequence[str]) -> list[TestCase] | None:
    """The tests; None where the text is not Python of this version."""
    try:
        module = ast.parse("\n".join(lines))
        return _cases(path, module, lines)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _cases(path: str, module: ast.Module, lines: Sequence[str]) -> list[TestCase]:
    reading = _Reading(module)
    # A later definition of the same name takes the place of an earlier one.
    found: dict[str, TestCase] = {}
    for prefix, function in _functions(module):
        end = function.end_lineno or function.lineno
        code = tuple(text for line in lines[function.lineno - 1 : end] if (text := fold(line)))
        reached = reading.reached(function)
        found[f"{prefix}{function.name}"] = TestCase(
            function.name,
            path,
            function.lineno,
            end,
            reading.checks(reached),
            does=any(isinstance(one.node, ast.Call | ast.Assert) for one in reached),
            cases=reading.cases(function),
            goes_through=reading.goes_through(function),
            lines=code,
            strength=strength_of([*reached, *reading.handed_on(reached)]),
        )
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


class _Reading:
    """One module: what its names stand for, and its functions that tests may call."""

    def __init__(self, module: ast.Module) -> None:
        self._names: Names = fixed_names(module.body)
        self._helpers: Helpers = {one.name: one for one in ast.walk(module) if isinstance(one, Function)}

    def reached(self, function: Function) -> list[Reached]:
        """What is run of a function, and can fail; nothing of a test that has become a generator."""
        reach = Reach(self._names)
        reach.block(function.body, Around())
        is_test = function.name.startswith("test")
        is_generator = any(isinstance(one.node, ast.Yield | ast.YieldFrom) for one in reach.found)
        return [] if is_test and is_generator else reach.found

    def checks(self, reached: Sequence[Reached]) -> tuple[Check, ...]:
        """The assertions among these nodes that can fail."""
        found = [(one, self._check(one)) for one in reached if isinstance(one.node, ast.Assert | ast.Call)]
        return tuple(check for _, check in found if check is not None)

    def handed_on(self, reached: Sequence[Reached]) -> list[Reached]:
        """What is run of the helpers that are called."""
        names = {called(one.node) for one in reached if isinstance(one.node, ast.Call)}
        helpers = [one for name in sorted(names) if (one := self._helper(name))]
        return [part for one in helpers for part in self.reached(one)]

    def goes_through(self, function: Function) -> int:
        """The most elements of what loops and comprehensions of a function go through."""
        names = {**self._names, **fixed_names(function.body)}
        parts = [one.iter for one in ast.walk(function) if isinstance(one, ast.For | ast.comprehension)]
        return max([size_of(one, names).count for one in parts], default=0)

    def cases(self, function: Function) -> Size:
        """How many tests a parametrized one stands for."""
        size = Size()
        for mark in function.decorator_list:
            if isinstance(mark, ast.Call) and last_name(mark.func) == "parametrize":
                named = [word.value for word in mark.keywords if word.arg == "argvalues"]
                values = next(iter([*mark.args[1:2], *named]), None)
                size = size.times(size_of(values, self._names)) if values else size
        return size

    def _helper(self, name: str) -> Function | None:
        helper = self._helpers.get(name)
        return None if helper is None or helper.name.startswith("test") else helper

    def _check(self, one: Reached) -> Check | None:
        node, around = one.node, one.around
        if isinstance(node, ast.Assert):
            return self._assertion(node.test, around)
        if not isinstance(node, ast.Call):
            return None
        name = called(node)
        helper = self._helper(name)
        if helper is not None and has_check(helper.body):
            parts = sum(_is_check(part.node) for part in self.reached(helper))
        else:
            parts = int(_is_check(node))
        most = max([parts, *(_elements(part) for part in node.args[:2])])
        return Check(ast.unparse(node), parts, most, around.rounds, around.is_sure) if parts else None

    def _assertion(self, test: ast.expr, around: Around) -> Check | None:
        if _is_always(test):
            return None
        rounds, text = around.rounds, ast.unparse(test)
        inner = test.args[0] if isinstance(test, ast.Call) and called(test) == "all" and test.args else None
        if isinstance(inner, ast.GeneratorExp | ast.ListComp):
            rounds = rounds.times(comprehended(inner.generators, {**self._names, **(around.names or {})}))
            text = f"all {ast.unparse(inner.elt)}"
        if not rounds.count:
            return None
        return Check(text, _parts(test), _most(test), rounds, around.is_sure)


def _is_check(node: ast.AST) -> bool:
    """It asserts something that may not hold, or calls what does."""
    if isinstance(node, ast.Assert):
        return not _is_always(node.test)
    name = called(node) if isinstance(node, ast.Call) else ""
    is_named = bool(CHECKS.fullmatch(name))
    return is_named and not (name.startswith("assert") and _says_nothing(node))  # type: ignore[arg-type]


def _parts(test: ast.expr) -> int:
    """How many things an assertion checks: `a and b` two, pairs of them as many as they have."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return sum(map(_parts, test.values))
    sides = [test.left, *test.comparators] if isinstance(test, ast.Compare) else []
    return max([len(one.elts) for one in sides if isinstance(one, ast.Tuple)], default=1) or 1


def _most(test: ast.expr) -> int:
    """How many it may check, if a list that it compares counts by its elements."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return sum(map(_most, test.values))
    sides = [test.left, *test.comparators] if isinstance(test, ast.Compare) else []
    return max([1, *map(_elements, sides)])


def _elements(one: ast.expr) -> int:
    if isinstance(one, ast.Dict):
        return len(one.keys)
    return len(one.elts) if isinstance(one, ast.List | ast.Tuple | ast.Set) else 1


def _says_nothing(call: ast.Call) -> bool:
    """`assertTrue(True)`, `assertEqual(a, a)`."""
    first = call.args[:2]
    if len(first) == 1:
        return isinstance(first[0], ast.Constant) and bool(first[0].value) == (
            "False" not in last_name(call.func)
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
