"""What a Python function or class does: its text in."""

import ast
from collections.abc import Iterator, Sequence

from affidavit.specialists.lost_code.doing import TALK, Doing, varied

Function = ast.FunctionDef | ast.AsyncFunctionDef
_WORK = (ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.Lambda, ast.comprehension)
_ENDS = (ast.Return, ast.Raise)


def python_doing(text: Sequence[str]) -> Doing | None:
    """Of the lines of one definition; None where they cannot be read."""
    margin = len(text[0]) - len(text[0].lstrip()) if text else 0
    try:
        module = ast.parse("\n".join(line[margin:] for line in text))
        found = module.body[0] if module.body else None
        if isinstance(found, ast.ClassDef):
            return Doing(acts=not all(_says_nothing(one) for one in found.body))
        return _Reading(found).doing() if isinstance(found, Function) else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _says_nothing(statement: ast.stmt) -> bool:
    is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return is_text or isinstance(statement, ast.Pass)


class _Reading:
    """One function, statement by statement."""

    def __init__(self, function: Function) -> None:
        self.live, self.dead = _split(function.body)
        given = function.args
        single = [one for one in (given.vararg, given.kwarg) if one]
        self.own = {one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs, *single)}
        self.inner = [one for statement in self.live for one in _walk(statement)]
        self.outer = {
            name for one in self.inner if isinstance(one, ast.Global | ast.Nonlocal) for name in one.names
        }
        bound = [one for one in self.inner if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
        plain = [one for one in self.inner if isinstance(one, ast.Assign | ast.AnnAssign)]
        fixed = {name for one in plain if self._is_fixed(one.value) for name in _names_of(one)}
        changed = {name for one in plain if not self._is_fixed(one.value) for name in _names_of(one)}
        once = {one.id for one in bound} - self.own
        defined = {one.name for one in self.inner if isinstance(one, Function | ast.ClassDef)}
        self.own |= defined | (once - (fixed - changed - _stepped(self.inner)))
        self.fixed = once - self.own

    def doing(self) -> Doing:
        """All that is seen of it."""
        effects = [one for one in self.inner if self._is_effect(one)]
        talk = [one for one in effects if isinstance(one, ast.Expr) and _is_talk(one.value)]
        values = [one.value for one in self.inner if isinstance(one, ast.Return)]
        answers = [ast.unparse(one) if one else "" for one in values]
        is_through = not self.live or not isinstance(self.live[-1], _ENDS)
        return Doing(
            acts=len(effects) > len(talk),
            talks=bool(talk),
            works_out=varied({"" if one == "None" else one for one in answers}, falls_through=is_through)
            or any(self._works(one) for one in values if one),
            returns_a_name=any(self._has_name(one) for one in values if one),
            live=tuple(ast.unparse(one) for one in self.live if not _says_nothing(one)),
            dead=tuple(ast.unparse(one) for one in self.dead),
        )

    def _is_fixed(self, value: ast.expr | None) -> bool:
        return value is not None and not any(isinstance(one, (ast.Name, *_WORK)) for one in ast.walk(value))

    def _works(self, value: ast.expr) -> bool:
        """It is made by calls, or of what the function was given or made."""
        inner = list(ast.walk(value))
        names = {one.id for one in inner if isinstance(one, ast.Name)}
        return bool(names & self.own) or any(isinstance(one, _WORK) for one in inner)

    def _has_name(self, value: ast.expr) -> bool:
        return any(isinstance(one, ast.Name) and one.id not in self.fixed for one in ast.walk(value))

    def _is_effect(self, one: ast.AST) -> bool:
        if isinstance(one, ast.Expr):
            return any(isinstance(part, _WORK) for part in ast.walk(one.value))
        if isinstance(one, ast.Raise):
            # One that stands at the end of all is no refusal: nothing else is left to do.
            return one not in self.live
        if isinstance(one, ast.With | ast.AsyncWith | ast.Assert | ast.Yield | ast.YieldFrom):
            return True
        targets = (
            [one.target] if isinstance(one, ast.AugAssign | ast.AnnAssign) else getattr(one, "targets", [])
        )
        flat = [part for target in targets for part in ast.walk(target)]
        is_outside = any(isinstance(part, ast.Attribute | ast.Subscript) for part in flat)
        return is_outside or any(isinstance(part, ast.Name) and part.id in self.outer for part in flat)


def _split(body: Sequence[ast.stmt]) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """The statements to the one with which the function surely ends, and those behind it."""
    live: list[ast.stmt] = []
    for at, one in enumerate(body):
        taken = _taken(one)
        if taken is None:
            live.append(one)
            if isinstance(one, _ENDS):
                return live, list(body[at + 1 :])
            continue
        inner, hidden = _split(taken)
        live += inner
        if inner and isinstance(inner[-1], _ENDS):
            return live, [*hidden, *body[at + 1 :]]
    return live, []


def _taken(one: ast.stmt) -> Sequence[ast.stmt] | None:
    """The branch that a condition which is a constant leads to; None where it is none."""
    if not isinstance(one, ast.If) or not isinstance(one.test, ast.Constant):
        return None
    return one.body if one.test.value else one.orelse


def _walk(one: ast.AST) -> Iterator[ast.AST]:
    """A statement and what is in it, without the insides of other functions."""
    yield one
    if not isinstance(one, Function | ast.ClassDef | ast.Lambda):
        for child in ast.iter_child_nodes(one):
            yield from _walk(child)


def _names_of(one: ast.Assign | ast.AnnAssign) -> list[str]:
    targets = one.targets if isinstance(one, ast.Assign) else [one.target]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _stepped(inner: Sequence[ast.AST]) -> set[str]:
    """Names that get other values than by a plain assignment: in a loop, by `+=`, in a pattern."""
    plain = {
        id(target)
        for one in inner
        if isinstance(one, ast.Assign | ast.AnnAssign)
        for target in (one.targets if isinstance(one, ast.Assign) else [one.target])
    }
    stored = [one for one in inner if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
    return {one.id for one in stored if id(one) not in plain}


def _is_talk(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and TALK.match(ast.unparse(value.func)) is not None
