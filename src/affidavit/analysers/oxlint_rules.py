"""List the oxlint rules that run, with their meaning: those that are nearly always real bugs."""

from affidavit.analysers.engine.rule import Rule, RuleMaker
from affidavit.records.finding import Category, Severity

HIGH, LOW = Severity.HIGH, Severity.LOW
SYNTAX = "oxlint/syntax"
_wrong = RuleMaker("oxlint")

_FAILING = [
    *_wrong(
        "syntax",
        "Syntax error",
        "The file cannot be loaded or built.",
        "Correct the syntax.",
        severity=Severity.CRITICAL,
        failing_input="Loading or building {file}.",
        in_tests=False,
    ),
    *_wrong.each(
        {
            "eslint/no-const-assign": "Assignment to a constant",
            "eslint/no-import-assign": "Assignment to an import",
            "eslint/no-obj-calls": "Call of a global object",
            "eslint/no-this-before-super": "`this` before `super()`",
            "eslint/constructor-super": "Missing or invalid `super()`",
            "eslint/no-new-native-nonconstructor": "`new` with a function that is no constructor",
        },
        "TypeError or ReferenceError is thrown.",
        "Use `let` for what is assigned again; call what can be called.",
        severity=HIGH,
    ),
    *_wrong(
        "eslint/no-unsafe-optional-chaining",
        "Unsafe optional chaining",
        "TypeError is thrown if the value before `?.` is missing.",
        "Give a default with `??`, or check the value before.",
        failing_input="The value before `?.` at {file}:{line} is undefined.",
        in_tests=False,
    ),
    *_wrong(
        "eslint/no-invalid-regexp",
        "Invalid regular expression",
        "SyntaxError is thrown.",
        "Correct the expression.",
        severity=HIGH,
    ),
]

_LOST = [
    *_wrong.each(
        {
            "eslint/no-dupe-keys": "Duplicate key",
            "eslint/no-dupe-class-members": "Duplicate class member",
            "react/jsx-no-duplicate-props": "Duplicate prop",
        },
        "Only the last one counts.",
        "Rename one of the two, or delete the one that is not wanted.",
    ),
    *_wrong.each(
        {"eslint/no-dupe-else-if": "Duplicate `else if`", "eslint/no-duplicate-case": "Duplicate `case`"},
        "The branch never runs: an earlier condition is the same.",
        "Correct the condition, or delete the branch.",
    ),
    *_wrong(
        "eslint/no-unreachable",
        "Unreachable code",
        "The statement before it always leaves.",
        "Delete it, or move it before the statement that leaves.",
        severity=LOW,
    ),
    *_wrong(
        "eslint/no-unsafe-finally",
        "`finally` overrides the result",
        "The error or the result of the `try` is lost.",
        "Leave `return`, `throw`, `break` and `continue` out of `finally`.",
    ),
    *_wrong(
        "eslint/no-self-assign",
        "Self-assignment",
        "The line does nothing; another name was probably meant.",
        "Assign the intended value.",
    ),
    *_wrong(
        "oxc/missing-throw",
        "Error is created but not thrown",
        "The code goes on as if nothing had happened.",
        "Write `throw` before `new`.",
    ),
    *_wrong.each(
        {
            "eslint/no-setter-return": "Setter returns a value",
            "eslint/getter-return": "Getter returns nothing",
        },
        "Reading the property gives undefined, or the returned value is lost.",
        "Return a value from the getter and none from the setter.",
    ),
]

_COMPARING = [
    *_wrong.each(
        {
            "eslint/use-isnan": "Comparison with NaN",
            "eslint/valid-typeof": "`typeof` compared with an unknown type",
            "eslint/no-compare-neg-zero": "Comparison with -0",
            "eslint/no-unsafe-negation": "Negation of the left operand only",
            "eslint/no-constant-binary-expression": "Constant condition",
            "oxc/const-comparisons": "Comparison with a constant result",
            "oxc/bad-comparison-sequence": "Chained comparison",
            "oxc/bad-object-literal-comparison": "Comparison with a new object",
            "oxc/bad-char-at-comparison": "`charAt` compared with several characters",
        },
        "It does not compare what it seems to compare.",
        "Compare with the intended value, such as `Number.isNaN(value)` or `!(key in object)`.",
    ),
    *_wrong(
        "eslint/no-cond-assign",
        "Assignment in a condition",
        "The condition is the assigned value, and the variable is overwritten.",
        "Use `===`.",
    ),
    *_wrong(
        "eslint/for-direction",
        "Loop counts in the wrong direction",
        "The loop does not end, or ends only when the number overflows.",
        "Count towards the bound.",
        severity=HIGH,
    ),
]

_VALUES = [
    *_wrong.each(
        {
            "eslint/no-func-assign": "Assignment to a function",
            "eslint/no-class-assign": "Assignment to a class",
            "eslint/no-ex-assign": "Assignment to a caught error",
            "eslint/no-global-assign": "Assignment to a built-in global",
        },
        "Later uses of the name get the new value.",
        "Use another name.",
    ),
    *_wrong(
        "eslint/no-loss-of-precision",
        "Number loses precision",
        "The number that is used differs from the one in the code.",
        "Use a BigInt or a text.",
    ),
    *_wrong.each(
        {
            "oxc/bad-min-max-func": "`min` and `max` are swapped",
            "oxc/bad-replace-all-arg": "`replaceAll` without the global flag",
            "oxc/erasing-op": "Operation that is always zero",
            "oxc/number-arg-out-of-range": "Number argument out of range",
            "oxc/uninvoked-array-callback": "Callback of an empty array never runs",
            "oxc/bad-array-method-on-arguments": "Array method on `arguments`",
            "oxc/bad-bitwise-operator": "Bitwise operator instead of a logical one",
        },
        "The result is wrong, or an error is thrown.",
        "Correct the arguments or the operator.",
    ),
    *_wrong(
        "eslint/no-empty-character-class",
        "Empty character class",
        "The pattern never matches.",
        "Put characters between the brackets, or escape them.",
    ),
    *_wrong(
        "typescript/no-duplicate-enum-values",
        "Duplicate enum value",
        "The two cannot be distinguished.",
        "Give each its own value.",
        severity=LOW,
    ),
    *_wrong(
        "unicorn/no-invalid-fetch-options",
        "GET or HEAD request with a body",
        "`fetch` throws TypeError.",
        "Use another method, or drop the body.",
    ),
    *_wrong(
        "unicorn/no-invalid-remove-event-listener",
        "Event listener is never removed",
        "A new function is never the one that was added, so the old one goes on being called.",
        "Keep the function in a variable and pass that.",
    ),
    *_wrong(
        "eslint/no-async-promise-executor",
        "Async promise executor",
        "The promise never settles if the executor throws.",
        "Make the executor synchronous, or use the asynchronous function itself.",
        severity=LOW,
    ),
]

_LEFT_BEHIND = [
    *_wrong(
        "eslint/no-debugger",
        "`debugger` statement",
        "The page stops here for everybody who has the developer tools open.",
        "Delete the statement.",
    ),
    *_wrong(
        "jest/no-focused-tests",
        "Focused test",
        "All other tests of the file are silently skipped.",
        "Drop `.only` or the leading `f`.",
        category=Category.TEST,
    ),
    *_wrong(
        "react/rules-of-hooks",
        "Conditional React hook",
        "React mixes up the state of the hooks of this component.",
        "Call the hook at the top level of the component, before any return.",
    ),
    *_wrong(
        "eslint/no-eval",
        "Code injection through `eval`",
        "Whoever controls the text runs any code.",
        "Parse the text, or look the value up.",
        severity=LOW,
        category=Category.SECURITY,
        in_tests=False,
        failing_input="A text that an attacker wrote.",
    ),
]

OXLINT_RULES: tuple[Rule, ...] = (*_FAILING, *_LOST, *_COMPARING, *_VALUES, *_LEFT_BEHIND)
