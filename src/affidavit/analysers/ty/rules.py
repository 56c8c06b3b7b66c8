"""The ty rules that are run, and what each means: broken calls, names and imports."""

from affidavit.analysers.rule import Rule, RuleMaker
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
        meaning="`{name}` is used here, but nothing in this file defines or imports it: running this line"
        " raises NameError.",
        equivalents=("ruff/F821",),
    ),
    *_wrong.raising(
        "missing-argument",
        "TypeError",
        "The call leaves out the required argument `{name}`",
        "Pass the argument, or give the parameter a default value.",
    ),
    *_wrong.raising(
        "unknown-argument",
        "TypeError",
        "The call passes `{name}`, which is no parameter",
        "Drop or rename the argument, or add the parameter.",
    ),
    *_wrong.raising(
        "too-many-positional-arguments",
        "TypeError",
        "The call passes too many arguments",
        "Drop the extra arguments, or add parameters for them.",
    ),
    *_wrong.raising(
        "parameter-already-assigned",
        "TypeError",
        "The call passes one parameter twice",
        "Pass the argument once.",
    ),
    *_wrong.raising(
        "positional-only-parameter-as-kwarg",
        "TypeError",
        "A positional-only parameter is passed by name",
        "Pass the argument by position.",
    ),
    *_wrong.raising(
        "import-not-found",
        "ImportError",
        "This import does not exist",
        "Import what exists now, or put back what was removed.",
        meaning="{message}: importing this file raises ImportError.",
    ),
    *_wrong.raising(
        "missing-attribute",
        "AttributeError",
        "`{second}` does not exist",
        "Correct the name, or add what it asks for.",
    ),
    *_wrong.raising(
        "invalid-await",
        "TypeError",
        "What is awaited here cannot be awaited any more",
        "Drop the `await`, or make the function asynchronous again.",
    ),
    *_wrong.raising(
        "duplicate-base",
        "TypeError",
        "A base class is named twice",
        "Name each base class once.",
        equivalents=("ruff/PLE0241",),
    ),
    *_wrong(
        "unused-awaitable",
        "The coroutine is never awaited",
        "The function does not run, and Python warns that the coroutine was never awaited.",
        "Put `await` before the call.",
        severity=Severity.HIGH,
        meaning="The call only makes a coroutine. Without `await` nothing of it runs.",
    ),
    *_wrong.not_compiling("invalid-syntax", "Correct the syntax.", equivalents=("ruff/invalid-syntax",)),
)
