"""Whether two signatures differ in nothing but annotations that one has and the other has not."""

import ast

from affidavit.records.context import Symbol

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def gains_only_annotations(old: Symbol, new: Symbol) -> bool:
    """Who calls the function need not care: types were added or taken away, and none is another now."""
    if old.language != "python" or old.kind not in ("function", "method"):
        return False
    before, after = _parsed(old.signature), _parsed(new.signature)
    if before is None or after is None or type(before) is not type(after):
        return False
    pairs = zip(_annotations(before), _annotations(after), strict=False)
    is_compatible = all(one is None or other is None or one == other for one, other in pairs)
    return is_compatible and _bare(before) == _bare(after)


def _parsed(signature: str) -> _Function | None:
    try:
        statement = ast.parse(f"{signature.rstrip().removesuffix(':')}: pass").body[0]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return statement if isinstance(statement, _Function) else None


def _annotations(function: _Function) -> list[str | None]:
    given = [*(one.annotation for one in _arguments(function)), function.returns]
    return [None if one is None else ast.dump(one) for one in given]


def _arguments(function: _Function) -> list[ast.arg]:
    args = function.args
    starred = [one for one in (args.vararg, args.kwarg) if one is not None]
    return [*args.posonlyargs, *args.args, *args.kwonlyargs, *starred]


def _bare(function: _Function) -> str:
    """The function as it is without annotations."""
    for one in _arguments(function):
        one.annotation = None
    function.returns = None
    return ast.dump(function)
