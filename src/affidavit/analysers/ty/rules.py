"""The ty rules that are run, and what each means: broken calls, names and imports."""

from affidavit.analysers.rule import Rule
from affidavit.records.candidate import Worth
from affidavit.records.finding import Category, Severity

CALL_RULES = frozenset(
    {
        "ty/missing-argument",
        "ty/unknown-argument",
        "ty/too-many-positional-arguments",
        "ty/parameter-already-assigned",
        "ty/positional-only-parameter-as-kwarg",
    }
)


def _raising(
    name: str, exception: str, title: str, fix: str, *, meaning: str = "", equivalents: tuple[str, ...] = ()
) -> Rule:
    return Rule(
        id=f"ty/{name}",
        severity=Severity.HIGH,
        category=Category.CORRECTNESS,
        worth=Worth.ACT,
        title=title,
        meaning=meaning or f"{{message}}: running this line raises {exception}.",
        failing_input="Any input that reaches {file}:{line}.",
        wrong_outcome=f"{exception} is raised.",
        suggestion=fix,
        equivalents=equivalents,
        raises=(exception,),
    )


TY_RULES: tuple[Rule, ...] = (
    _raising(
        "unresolved-reference",
        "NameError",
        "`{name}` is not defined",
        "Define or import `{name}`, or correct its spelling.",
        meaning="`{name}` is used here, but nothing in this file defines or imports it: running this line"
        " raises NameError.",
        equivalents=("ruff/F821",),
    ),
    _raising(
        "missing-argument",
        "TypeError",
        "The call leaves out the required argument `{name}`",
        "Pass the argument, or give the parameter a default value.",
    ),
    _raising(
        "unknown-argument",
        "TypeError",
        "The call passes `{name}`, which is no parameter",
        "Drop or rename the argument, or add the parameter.",
    ),
    _raising(
        "too-many-positional-arguments",
        "TypeError",
        "The call passes too many arguments",
        "Drop the extra arguments, or add parameters for them.",
    ),
    _raising(
        "parameter-already-assigned",
        "TypeError",
        "The call passes one parameter twice",
        "Pass the argument once.",
    ),
    _raising(
        "positional-only-parameter-as-kwarg",
        "TypeError",
        "A positional-only parameter is passed by name",
        "Pass the argument by position.",
    ),
    _raising(
        "import-not-found",
        "ImportError",
        "This import does not exist",
        "Import what exists now, or put back what was removed.",
        meaning="{message}: importing this file raises ImportError.",
    ),
    _raising(
        "missing-attribute",
        "AttributeError",
        "`{second}` does not exist any more",
        "Use what replaces it, or put it back.",
    ),
    _raising(
        "invalid-await",
        "TypeError",
        "What is awaited here cannot be awaited any more",
        "Drop the `await`, or make the function asynchronous again.",
    ),
    _raising(
        "duplicate-base",
        "TypeError",
        "A base class is named twice",
        "Name each base class once.",
        equivalents=("ruff/PLE0241",),
    ),
    Rule(
        id="ty/unused-awaitable",
        severity=Severity.HIGH,
        category=Category.CORRECTNESS,
        worth=Worth.ACT,
        title="The coroutine is never awaited",
        meaning="The call only makes a coroutine. Without `await` nothing of it runs.",
        failing_input="Any input that reaches {file}:{line}.",
        wrong_outcome="The function does not run, and Python warns that the coroutine was never awaited.",
        suggestion="Put `await` before the call.",
    ),
    Rule(
        id="ty/invalid-syntax",
        severity=Severity.CRITICAL,
        category=Category.CORRECTNESS,
        worth=Worth.ACT,
        title="This file does not compile",
        meaning="{message}: Python refuses the whole file with SyntaxError, so it cannot be imported.",
        failing_input="Importing or running {file}.",
        wrong_outcome="SyntaxError is raised before any code of the file runs.",
        suggestion="Correct the syntax.",
        equivalents=("ruff/invalid-syntax",),
    ),
)
