"""What of a Python test is run: its body in, each part that is reached with what stands around it out."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from affidavit.specialists.lost_tests.checks import Size
from affidavit.specialists.lost_tests.endings import Ending, either
from affidavit.specialists.lost_tests.python.sizes import Names, called, size_of

CHECKS = re.compile(r"(?:assert|check|verify|expect|ensure)\w*|raises|warns|fail", re.IGNORECASE)
"""How a function is called that checks something."""
Function = ast.FunctionDef | ast.AsyncFunctionDef
_CATCHES = frozenset({"Exception", "BaseException", "AssertionError"})
_SKIPS = frozenset({"skip", "skipTest", "xfail"})
_EXITS = frozenset({"exit", "_exit"})


@dataclass(frozen=True)
class Around:
    """What stands around a part of a test."""

    is_sure: bool = True
    rounds: Size = field(default_factory=Size)
    names: Names | None = None
    """What the names that were just given a value stand for."""


@dataclass(frozen=True)
class Reached:
    """A node that is run, and what stands around it."""

    node: ast.AST
    around: Around


class Reach:
    """Goes through the statements of one function in their order."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self.found: list[Reached] = []

    def block(self, body: Sequence[ast.stmt], around: Around) -> Ending:
        """Take what is reached of some statements; how they end."""
        ending: Ending = "goes on"
        for one in body:
            now = self._statement(one, around)
            if now in ("leaves", "stops", "fails"):
                return now
            if now in ("may leave", "may stop"):
                around = replace(around, is_sure=False)
                ending = "may leave" if "may leave" in (now, ending) else now
            around = replace(around, names=_after(one, around.names or {}))
        return ending

    def _statement(self, one: ast.stmt, around: Around) -> Ending:
        if isinstance(one, Function | ast.ClassDef):
            return "goes on"
        if isinstance(one, ast.If):
            return self._condition(one, around)
        if isinstance(one, ast.For | ast.AsyncFor | ast.While):
            return self._loop(one, around)
        if isinstance(one, ast.Try | ast.TryStar):
            return self._trial(one, around)
        if isinstance(one, ast.With | ast.AsyncWith):
            return self._within(one, around)
        if isinstance(one, ast.Match):
            self._take(one.subject, around)
            return either([self.block(case.body, replace(around, is_sure=False)) for case in one.cases])
        self._take(one, around)
        return _end_of(one)

    def _condition(self, one: ast.If, around: Around) -> Ending:
        if isinstance(one.test, ast.Constant):
            return self.block(one.body if one.test.value else one.orelse, around)
        self._take(one.test, around)
        # Where both branches check something, one of them always does.
        is_sure = around.is_sure and has_check(one.body) and has_check(one.orelse)
        ends = [
            (branch, self.block(branch, replace(around, is_sure=is_sure)))
            for branch in (one.body, one.orelse)
        ]
        # Who checks something before it leaves has a test of its own.
        return either(["fails" if end == "leaves" and has_check(branch) else end for branch, end in ends])

    def _loop(self, one: ast.For | ast.AsyncFor | ast.While, around: Around) -> Ending:
        if isinstance(one, ast.While):
            never = isinstance(one.test, ast.Constant) and not one.test.value
            size = Size(0 if never else 1)
            inner = replace(around, is_sure=around.is_sure and isinstance(one.test, ast.Constant))
            self._take(one.test, around)
        else:
            size = size_of(one.iter, {**self._names, **(around.names or {})})
            inner = replace(around, rounds=around.rounds.times(size), names=None)
            self._take(one.iter, around)
        ending = self.block(one.body, inner) if size.count else "goes on"
        self.block(one.orelse, around)
        return "may leave" if ending in ("leaves", "may leave") else "goes on"

    def _trial(self, one: ast.Try | ast.TryStar, around: Around) -> Ending:
        # Where a failure is forgotten, no assertion within can fail.
        is_heard = not any(map(_forgets, one.handlers))
        ending = self.block(one.body, around) if is_heard else _end_of_all(one.body)
        caught = [self.block(handler.body, replace(around, is_sure=False)) for handler in one.handlers]
        after = self.block(one.orelse, around)
        last = self.block(one.finalbody, around)
        if last == "leaves":
            return last
        return either([ending if ending != "goes on" else after, *caught]) if caught else ending

    def _within(self, one: ast.With | ast.AsyncWith, around: Around) -> Ending:
        if any(map(_suppresses, one.items)):
            return "goes on"
        for item in one.items:
            self._take(item.context_expr, around)
        return self.block(one.body, around)

    def _take(self, one: ast.AST, around: Around) -> None:
        self.found += [Reached(node, around) for node in walk(one)]


def walk(one: ast.AST) -> Iterator[ast.AST]:
    """A node and what is in it, without the insides of other functions."""
    yield one
    for child in ast.iter_child_nodes(one):
        if not isinstance(child, Function | ast.ClassDef | ast.Lambda):
            yield from walk(child)


def has_check(body: Sequence[ast.stmt]) -> bool:
    """Whether something is asserted there, or the test is made to fail."""
    return any(
        isinstance(node, ast.Raise)
        or (isinstance(node, ast.Assert) and not isinstance(node.test, ast.Constant))
        or (isinstance(node, ast.Call) and CHECKS.fullmatch(called(node)))
        for one in body
        for node in walk(one)
    )


def _end_of(one: ast.stmt) -> Ending:
    if isinstance(one, ast.Return):
        return "leaves"
    if isinstance(one, ast.Continue | ast.Break):
        return "stops"
    name = called(one.value) if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call) else ""
    if isinstance(one, ast.Raise) or name in _SKIPS:
        return "fails"
    return "leaves" if name in _EXITS else "goes on"


def _end_of_all(body: Sequence[ast.stmt]) -> Ending:
    return next((end for one in body if (end := _end_of(one)) != "goes on"), "goes on")


def _after(one: ast.stmt, names: Names) -> Names:
    """What names stand for behind a statement: what was called before may say something else by then."""
    if isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.targets[0], ast.Name):
        return {**names, one.targets[0].id: resolved(one.value, names)}
    if isinstance(one, ast.Assert):
        return names
    return {name: value for name, value in names.items() if not _calls(value)}


def _calls(value: ast.expr) -> bool:
    return any(isinstance(node, ast.Call | ast.Await) for node in ast.walk(value))


class _Replacing(ast.NodeTransformer):
    def __init__(self, names: Names) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._names.get(node.id, node)


def resolved(one: ast.expr, names: Names) -> ast.expr:
    """An expression with what its names stand for."""
    if not any(isinstance(node, ast.Name) and node.id in names for node in ast.walk(one)):
        return one
    copy = ast.parse(ast.unparse(one), mode="eval").body
    found: ast.expr = _Replacing(names).visit(copy)
    return found


def _forgets(handler: ast.ExceptHandler) -> bool:
    """It catches a failed assertion, and does not say so."""
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    is_wide = any(one is None or last_name(one) in _CATCHES for one in types)
    return is_wide and not has_check(handler.body)


def _suppresses(item: ast.withitem) -> bool:
    call = item.context_expr
    is_suppress = isinstance(call, ast.Call) and called(call) == "suppress"
    return is_suppress and any(last_name(one) in _CATCHES for one in call.args)  # type: ignore[attr-defined]


def last_name(one: ast.expr) -> str:
    """The last part of `a.b.c`, called or not."""
    if isinstance(one, ast.Call):
        return last_name(one.func)
    return one.attr if isinstance(one, ast.Attribute) else one.id if isinstance(one, ast.Name) else ""
