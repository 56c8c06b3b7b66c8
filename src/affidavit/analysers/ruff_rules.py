"""List the ruff rules that run, with their meaning: those that are nearly always real bugs."""

from functools import partial

from affidavit.analysers.engine.rule import Rule, RuleMaker
from affidavit.analysers.ruff_security import SECURITY_RULES
from affidavit.records.finding import Category, Severity

LOW, MEDIUM = Severity.LOW, Severity.MEDIUM

_wrong = RuleMaker("ruff")
_perhaps = partial(_wrong, severity=LOW, in_tests=False)
_raising, _not_compiling = _wrong.raising, _wrong.not_compiling


_NAMES = [
    *_wrong(
        "F821",
        "`{name}` is not defined",
        "NameError is raised.",
        "Define or import `{name}`, or correct its spelling.",
        severity=Severity.HIGH,
        meaning="`{name}` is used here, but nothing in this file defines or imports it.",
        equivalents=("ty/unresolved-reference",),
        raises=("NameError",),
    ),
    *_raising(
        "F823",
        "UnboundLocalError",
        "`{name}` is used before assignment",
        "Assign `{name}` before it is read, or declare it `global` or `nonlocal`.",
    ),
    *_wrong(
        "F822",
        "Undefined `{name}` in `__all__`",
        "Importing everything from this module raises AttributeError.",
        "Define `{name}` or take it out of `__all__`.",
    ),
    *_wrong(
        "F811",
        "`{name}` is defined twice",
        "The earlier definition can never be used; if it is a test, it never runs.",
        "Rename one of the two or delete the one that is not wanted.",
    ),
    *_wrong(
        "F401",
        "Unused import `{name}`",
        "The import costs time and misleads the reader.",
        "Delete the import.",
        severity=Severity.INFO,
        category=Category.MAINTAINABILITY,
    ),
    *_wrong(
        "F841",
        "Unused variable `{name}`",
        "The value is thrown away.",
        "Use the value or delete the assignment.",
        severity=Severity.INFO,
        category=Category.MAINTAINABILITY,
    ),
]

_SYNTAX = _not_compiling(
    "invalid-syntax F404 F407 F622 F701 F702 F704 F706 F707 PLE0115 PLE0117 PLE0118 PLE1142 PLE1700",
    "Correct the syntax.",
    equivalents=("ty/invalid-syntax",),
)

_ENCODING = _not_compiling(
    "E902",
    "Save the file as UTF-8, or declare its encoding in the first line.",
    meaning="The file is not UTF-8 and declares no encoding that fits.",
    equivalents=("ty/invalid-syntax",),
)

_FORMATTING = [
    *_raising(
        "F501 F509 F521 F525 PLE1300",
        "ValueError",
        "Invalid format string",
        "Correct the format string.",
    ),
    *_raising(
        "F502 F503 F506 F507 F508",
        "TypeError",
        "Format string does not match its arguments",
        "Make the placeholders and the arguments agree.",
    ),
    *_raising("F505", "KeyError", "Format string lacks a value", "Pass the missing value."),
    *_raising(
        "F524",
        "IndexError or KeyError",
        "Format string lacks an argument",
        "Pass the value.",
    ),
    *_wrong(
        "F504 F522 F523",
        "Unused argument of a format string",
        "The value that is passed does not appear in the text.",
        "Add the placeholder that is missing, or drop the argument.",
    ),
    *_wrong(
        "PLE1205 PLE1206",
        "Log message does not match its arguments",
        "Logging prints an error about its arguments instead of the message.",
        "Make the placeholders and the arguments agree.",
        category=Category.RELIABILITY,
    ),
    *_wrong(
        "PLE1307",
        "Wrong type for a format placeholder",
        "Formatting fails with TypeError or prints something else.",
        "Use the placeholder that fits the value.",
    ),
    *_wrong(
        "INT001 INT002 INT003",
        "Text is formatted before it is translated",
        "The finished text is not in the catalogue, so it is never translated.",
        "Translate the template first and fill it in afterwards.",
    ),
]

_LANGUAGE = [
    *_wrong(
        "F601",
        "Duplicate dictionary key {name}",
        "The first value is lost.",
        "Delete one of the two.",
    ),
    *_wrong(
        "F602",
        "Duplicate dictionary key",
        "The first value is lost.",
        "Delete one of the two.",
    ),
    *_wrong(
        "F631 PLW0129", "Assertion is always true", "Nothing is checked.", "Assert the condition itself."
    ),
    *_wrong(
        "F634",
        "Condition is always true",
        "The other branch never runs.",
        "Test the value, not a tuple.",
    ),
    *_wrong(
        "F632",
        "`is` comparison with a literal",
        "Whether two equal values are the same object is up to the interpreter.",
        "Compare with `==` or `!=`.",
    ),
    *_raising("F633", "TypeError", "`print >>` of Python 2", "Use `print(..., file=...)`."),
    *_raising("F621", "SyntaxError", "Too many names in a starred assignment", "Unpack fewer names."),
    *_raising("PLE1132", "TypeError", "Keyword argument is passed twice", "Pass it once."),
    *_raising("PLE0101", "TypeError", "`__init__` returns a value", "Return nothing from `__init__`."),
    *_raising("B016 F901", "TypeError", "Raised value is no exception", "Raise an exception."),
    *_raising("PLE0241", "TypeError", "Duplicate base class", "Name each base class once."),
    *_raising("PLE0643", "IndexError", "Index out of range", "Correct the index."),
    *_raising("PLE1507", "TypeError", "Environment variable name is no string", "Pass a string."),
    *_raising("PLW1501", "ValueError", "Invalid mode for `open`", "Use a mode that exists."),
    *_raising("TC010", "TypeError", "String in a `|` annotation", "Put the whole annotation in quotes."),
    *_raising("PLW0245", "AttributeError", "`super` without a call", "Write `super()`."),
    *_wrong("B002", "`++` and `--` do nothing", "The value does not change.", "Use `+= 1` or `-= 1`."),
    *_wrong(
        "B003",
        "Assignment to `os.environ`",
        "The environment stays as it was.",
        "Update it in place.",
        severity=LOW,
    ),
    *_wrong(
        "B012",
        "`finally` swallows the exception",
        "An exception that is on its way is lost without a trace.",
        "Leave after the `finally` block.",
        category=Category.RELIABILITY,
    ),
    *_wrong("B015", "Comparison without effect", "Nothing is checked.", "Assert or assign it."),
    *_perhaps(
        "B018",
        "Expression without effect",
        "Its value is thrown away.",
        "Use the value or delete the line.",
    ),
    *_wrong(
        "B025",
        "Duplicate exception handler",
        "The second handler never runs.",
        "Delete one of the handlers.",
    ),
    *_wrong(
        "B029 B030",
        "`except` without an exception class",
        "The exception passes or TypeError is raised.",
        "Name an exception class.",
    ),
    *_wrong("B032", "Annotation instead of an assignment", "Nothing is assigned.", "Use `=`."),
    *_wrong(
        "B035",
        "Comprehension with a constant key",
        "Only the last value stays.",
        "Use the loop variable in the key.",
    ),
    *_perhaps(
        "B006",
        "Mutable default argument",
        "Changes that one call makes to the default are seen by the next.",
        "Use None as the default and make the value inside.",
    ),
    *_perhaps(
        "B023",
        "Late binding of the loop variable `{name}`",
        "If it is called after its iteration, it sees the value of the last one.",
        "Bind the value as a default argument.",
    ),
    *_wrong(
        "PIE794",
        "Duplicate class attribute `{name}`",
        "The first value is lost.",
        "Delete one of the two.",
        severity=LOW,
    ),
    *_wrong(
        "PLW0133",
        "Exception is created but not raised",
        "The program goes on as if nothing were wrong.",
        "Put `raise` before it.",
    ),
    *_wrong("PLW0177", "Comparison with NaN", "The condition is always false.", "Use `math.isnan`."),
    *_wrong(
        "PLW0711",
        "`except A or B` catches only `A`",
        "The other exceptions are not caught.",
        "Name them as a tuple.",
    ),
    *_wrong(
        "PLW2101",
        "Lock protects nothing",
        "The lock is released at once.",
        "Keep the lock in a variable that is shared.",
        category=Category.RELIABILITY,
    ),
    *_wrong(
        "PLE0604 PLE0605",
        "Invalid `__all__`",
        "Importing everything from the module fails.",
        "List the names as strings.",
    ),
    *_wrong(
        "PLE0302",
        "Wrong number of parameters of a special method",
        "Python calls it with others, and TypeError is raised.",
        "Give it the parameters that Python passes.",
    ),
    *_wrong(
        "PLE0303 PLE0304 PLE0305 PLE0307 PLE0308 PLE0309",
        "Wrong return type of a special method",
        "TypeError is raised when Python calls it.",
        "Return the type that Python expects.",
    ),
]

_ASYNC = [
    *_wrong(
        "ASYNC210 ASYNC212 ASYNC250 ASYNC251",
        "Blocking call in an async function",
        "While it waits, nothing else in the event loop runs.",
        "Use the asynchronous call instead, or run it in a thread.",
        category=Category.PERFORMANCE,
        in_tests=False,
    ),
    *_wrong(
        "ASYNC220 ASYNC221 ASYNC222",
        "Blocking subprocess in an async function",
        "While it runs, nothing else in the event loop does.",
        "Use `asyncio.create_subprocess_exec`, or run it in a thread.",
        category=Category.PERFORMANCE,
        severity=LOW,
        in_tests=False,
    ),
    *_wrong(
        "RUF006",
        "Unreferenced asyncio task",
        "The task can be collected before it is done.",
        "Keep the task in a set until it is done.",
        category=Category.RELIABILITY,
        severity=LOW,
        in_tests=False,
    ),
]

RUFF_RULES: tuple[Rule, ...] = (
    *_NAMES,
    *_SYNTAX,
    *_ENCODING,
    *_FORMATTING,
    *_LANGUAGE,
    *_ASYNC,
    *SECURITY_RULES,
)
