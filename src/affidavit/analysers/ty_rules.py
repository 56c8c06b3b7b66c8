"""The ty rules that are run, and what each means: broken calls, names and imports."""

from affidavit.analysers.engine.rule import Rule, RuleMaker
from affidavit.records.finding import Severity

CALL_RULES = frozenset(
    {
        "ty/missing-argument",
        "ty/unknown-argument",
        "ty/too-many-positional-arguments",
        "ty/parameter-already-assigned",
        "ty/positional-only-parameter-as-kwarg",
    }
)
_wrong = RuleMaker("ty")
TY_RULES: tuple[Rule, ...] = (
    *_wrong.raising(
        "unresolved-reference",
        "NameError",
        "`{name}` is not defined",
        "Define or import `{name}`, or correct its spelling.",
        meaning="`{name}` is used here, but nothing in this file defines or imports it.",
        equivalents=("ruff/F821",),
    ),
    *_wrong.raising(
        "missing-argument",
        "TypeError",
        "Missing argument `{name}`",
        "Pass the argument, or give the parameter a default value.",
    ),
    *_wrong.raising(
        "unknown-argument",
        "TypeError",
        "Unknown argument `{name}`",
        "Drop or rename the argument, or add the parameter.",
    ),
    *_wrong.raising(
        "too-many-positional-arguments",
        "TypeError",
        "Too many arguments",
        "Drop the extra arguments, or add parameters for them.",
    ),
    *_wrong.raising(
        "parameter-already-assigned",
        "TypeError",
        "Argument is passed twice",
        "Pass the argument once.",
    ),
    *_wrong.raising(
        "positional-only-parameter-as-kwarg",
        "TypeError",
        "Positional-only parameter is passed by name",
        "Pass the argument by position.",
    ),
    *_wrong.raising(
        "import-not-found",
        "ImportError",
        "Unresolved import",
        "Import what exists now, or put back what was removed.",
    ),
    *_wrong.raising(
        "missing-attribute",
        "AttributeError",
        "Missing attribute `{second}`",
        "Correct the name, or add what it asks for.",
    ),
    *_wrong.raising(
        "invalid-await",
        "TypeError",
        "`await` of something that is not awaitable",
        "Drop the `await`, or make the function asynchronous again.",
    ),
    *_wrong.raising(
        "duplicate-base",
        "TypeError",
        "Duplicate base class",
        "Name each base class once.",
        equivalents=("ruff/PLE0241",),
    ),
    *_wrong(
        "unused-awaitable",
        "Coroutine is never awaited",
        "The function does not run, and Python only warns.",
        "Put `await` before the call.",
        severity=Severity.HIGH,
        meaning="The call only makes a coroutine. Without `await` nothing of it runs.",
    ),
    *_wrong.not_compiling("invalid-syntax", "Correct the syntax.", equivalents=("ruff/invalid-syntax",)),
)
