"""Oxlint: our rules on the changed JavaScript and TypeScript files, minus what the base commit turns off."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from affidavit.analysers.analyser import Analyser, Inspection, Invocation
from affidavit.analysers.disclaimer import Disclaimer, Excuse
from affidavit.analysers.engine.configuration import MAX_CONFIG_BYTES, strings
from affidavit.analysers.engine.places import LONE_RETURN, Counting
from affidavit.analysers.reading import Faults, Printed, Reading
from affidavit.analysers.rule import Rule, RuleMaker
from affidavit.ports import Tree
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.records.finding import Category, Severity

HIGH, LOW = Severity.HIGH, Severity.LOW
SYNTAX = "oxlint/syntax"
_wrong = RuleMaker("oxlint")

_FAILING = [
    *_wrong(
        "syntax",
        "This file does not parse",
        "The file cannot be loaded or built.",
        "Correct the syntax.",
        severity=Severity.CRITICAL,
        failing_input="Loading or building {file}.",
        in_tests=False,
    ),
    *_wrong(
        "eslint/no-const-assign eslint/no-import-assign eslint/no-obj-calls eslint/no-this-before-super"
        " eslint/constructor-super",
        "Running this line throws an error",
        "TypeError or ReferenceError is thrown.",
        "Use `let` for what is assigned again; call what can be called.",
        severity=HIGH,
    ),
    *_wrong(
        "eslint/no-unsafe-optional-chaining",
        "The optional chain ends where `undefined` cannot be used",
        "TypeError is thrown where the value before `?.` is missing.",
        "Give a default with `??`, or check the value before.",
        failing_input="The value before `?.` at {file}:{line} is undefined.",
        in_tests=False,
    ),
    *_wrong(
        "eslint/no-invalid-regexp eslint/no-new-native-nonconstructor",
        "Running this line throws an error",
        "SyntaxError or TypeError is thrown.",
        "Correct the expression.",
        severity=HIGH,
    ),
]

_LOST = [
    *_wrong(
        "eslint/no-dupe-keys eslint/no-dupe-class-members react/jsx-no-duplicate-props",
        "The same name is given twice, and the first one is lost",
        "Only the last one counts.",
        "Rename one of the two, or delete the one that is not wanted.",
    ),
    *_wrong(
        "eslint/no-dupe-else-if eslint/no-duplicate-case",
        "This branch can never run",
        "An earlier condition is the same.",
        "Correct the condition, or delete the branch.",
    ),
    *_wrong(
        "eslint/no-unreachable",
        "This code can never run",
        "The statement before it always leaves.",
        "Delete it, or move it before the statement that leaves.",
        severity=LOW,
    ),
    *_wrong(
        "eslint/no-unsafe-finally",
        "`finally` overrides what was returned or thrown",
        "The error or the result of the `try` is lost.",
        "Leave `return`, `throw`, `break` and `continue` out of `finally`.",
    ),
    *_wrong(
        "eslint/no-self-assign",
        "A value is assigned to itself",
        "The line does nothing; another name was probably meant.",
        "Assign the value that is meant.",
    ),
    *_wrong(
        "oxc/missing-throw",
        "An error is made and not thrown",
        "The code goes on as if nothing had happened.",
        "Write `throw` before `new`.",
    ),
    *_wrong(
        "eslint/no-setter-return eslint/getter-return",
        "The accessor gives no value, or one that is thrown away",
        "Reading the property gives undefined, or the returned value is lost.",
        "Return a value from the getter and none from the setter.",
    ),
]

_COMPARING = [
    *_wrong(
        "eslint/use-isnan eslint/valid-typeof eslint/no-compare-neg-zero eslint/no-unsafe-negation"
        " eslint/no-constant-binary-expression oxc/const-comparisons oxc/bad-comparison-sequence"
        " oxc/bad-object-literal-comparison oxc/bad-char-at-comparison",
        "The comparison always gives the same answer",
        "One of the two outcomes can never happen.",
        "Compare with what is meant, such as `Number.isNaN(value)` or `!(key in object)`.",
    ),
    *_wrong(
        "eslint/no-cond-assign",
        "The condition assigns instead of comparing",
        "The condition is the assigned value, and the variable is overwritten.",
        "Use `===`.",
    ),
    *_wrong(
        "eslint/for-direction",
        "The loop counts in the wrong direction",
        "The loop does not end, or ends only when the number overflows.",
        "Count towards the bound.",
        severity=HIGH,
    ),
]

_VALUES = [
    *_wrong(
        "eslint/no-func-assign eslint/no-class-assign eslint/no-ex-assign eslint/no-global-assign",
        "Something that others rely on is overwritten",
        "Later uses of the name get the new value.",
        "Use another name.",
    ),
    *_wrong(
        "eslint/no-loss-of-precision",
        "The number cannot be held exactly",
        "Another number is used than the one that is written.",
        "Use a BigInt or a text.",
    ),
    *_wrong(
        "oxc/bad-min-max-func oxc/bad-replace-all-arg oxc/erasing-op oxc/number-arg-out-of-range"
        " oxc/uninvoked-array-callback oxc/bad-array-method-on-arguments oxc/bad-bitwise-operator",
        "The call or the operator does not do what it seems to do",
        "The result is not the one that is meant, or an error is thrown.",
        "Correct the arguments or the operator.",
    ),
    *_wrong(
        "eslint/no-empty-character-class",
        "The empty brackets of the pattern match nothing",
        "The pattern never matches.",
        "Put characters between the brackets, or escape them.",
    ),
    *_wrong(
        "typescript/no-duplicate-enum-values",
        "Two members of the enum have the same value",
        "The two cannot be distinguished.",
        "Give each its own value.",
        severity=LOW,
    ),
    *_wrong(
        "unicorn/no-invalid-fetch-options",
        "A GET or HEAD request cannot have a body",
        "`fetch` throws TypeError.",
        "Use another method, or drop the body.",
    ),
    *_wrong(
        "unicorn/no-invalid-remove-event-listener",
        "The listener is not removed",
        "A new function is never the one that was added, so the old one goes on being called.",
        "Keep the function in a variable and pass that.",
    ),
    *_wrong(
        "eslint/no-async-promise-executor",
        "Errors of the asynchronous executor are lost",
        "The promise never settles where the executor throws.",
        "Make the executor synchronous, or use the asynchronous function itself.",
        severity=LOW,
    ),
]

_LEFT_BEHIND = [
    *_wrong(
        "eslint/no-debugger",
        "A `debugger` statement was left behind",
        "The page stops here for everybody who has the developer tools open.",
        "Delete the statement.",
    ),
    *_wrong(
        "jest/no-focused-tests",
        "Only this test runs",
        "All other tests of the file are skipped in silence.",
        "Drop `.only` or the leading `f`.",
        category=Category.TEST,
    ),
    *_wrong(
        "react/rules-of-hooks",
        "The hook is called where it may be skipped",
        "React mixes up the state of the hooks of this component.",
        "Call the hook at the top level of the component, before any return.",
    ),
    *_wrong(
        "eslint/no-eval",
        "Text is evaluated as code",
        "Whoever controls the text runs any code.",
        "Parse the text, or look the value up.",
        category=Category.SECURITY,
        in_tests=False,
        failing_input="A text that an attacker wrote.",
    ),
]

OXLINT_RULES: tuple[Rule, ...] = (*_FAILING, *_LOST, *_COMPARING, *_VALUES, *_LEFT_BEHIND)


NAMES = tuple(rule.id.removeprefix("oxlint/") for rule in OXLINT_RULES if rule.id != SYNTAX)
PLUGINS = ("eslint", "oxc", "unicorn", "typescript", "react", "jest")
HOOKS = "oxlint/react/rules-of-hooks"
ASSIGNS = "oxlint/eslint/no-cond-assign"
EVALUATES = "oxlint/eslint/no-eval"
WRITTEN = re.compile(r"""\w*\(?\s*(['"])[^'"\\]*\1\s*\)""")
KEEPS = re.compile(r"=\s*(await\s|new\s|[\w$.?!]+[(\[]|[\w$]+\.)")
MAX_REST = 200
REACT = re.compile(rb"""from\s+['"](react|preact/hooks)['"]""")
CONFIG_NAME = ".oxlintrc.json"
UNOPENED = re.compile(r'Failed to open file (?P<path>.+) with error "(?P<why>.*)"', re.DOTALL)
OFF = ("off", "allow", 0)
# Each of these reads another dialect than its name says, or is filled in before it is read.
FLOW = b"@flow"
FLOW_CONFIG = ".flowconfig"
FOREIGN_MARKS = (FLOW, b"{% ", b"<%= ")
# Scripts for programs of Adobe: `#target photoshop`, `#include "lib.jsx"`.
EXTENDSCRIPT = re.compile(
    rb"^[ \t]*#(target|targetengine|include|includepath|script|strict|engine)\b", re.MULTILINE
)


def invoke_oxlint(base: Tree, _paths: Sequence[str]) -> Invocation:
    """A configuration of ours at the root, where its patterns count from; no other is looked for."""
    settings = _base_settings(base)
    off = set(_switched_off(settings.get("rules")))
    chosen = [name for name in NAMES if name not in off and name.partition("/")[2] not in off]
    ignored = strings(settings.get("ignorePatterns"))
    configuration = {"plugins": list(PLUGINS), "ignorePatterns": ignored}
    chosen_files = (f"--config={CONFIG_NAME}", "--disable-nested-config", "--no-error-on-unmatched-pattern")
    return Invocation(
        (
            *chosen_files,
            "--format=json",
            # Unlike a configuration file, the command line may name a rule that this version lacks.
            "--allow=all",
            *(f"--deny={name}" for name in chosen),
            ".",
        ),
        files={CONFIG_NAME: json.dumps(configuration, sort_keys=True).encode()},
        listing=(*chosen_files, "--debug=files", "."),
        has_exclusions=bool(ignored),
    )


def _base_settings(base: Tree) -> Mapping[str, Any]:
    """The base commit's .oxlintrc.json as far as it is plain JSON; plug-ins and `extends` are not taken."""
    content = base.read(CONFIG_NAME) or b""
    if len(content) > MAX_CONFIG_BYTES:
        return {}
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _switched_off(rules: Any) -> Iterable[str]:
    for name, value in rules.items() if isinstance(rules, dict) else ():
        level = value[0] if isinstance(value, list) and value else value
        if level in OFF:
            yield name


def read_oxlint(text: str) -> list[AnalyserDiagnostic]:
    """The diagnostics of oxlint's JSON that stand in a file."""
    return [_diagnostic(row) for row in json.loads(text)["diagnostics"] if row.get("filename")]


def read_oxlint_files(printed: Printed) -> Reading:
    """The files that oxlint lists, but for those that it failed to open."""
    rows = json.loads(printed.output)["diagnostics"]
    opened = (UNOPENED.match(row["message"]) for row in rows if not row.get("filename"))
    failed: Faults = {found["path"]: ("unreadable", found["why"]) for found in opened if found}
    return Reading(frozenset(printed.listing.split("\n")), failed)


def _diagnostic(row: Any) -> AnalyserDiagnostic:
    spans = [label["span"] for label in row["labels"]] or [{"line": 1, "column": 1}]
    # The last label is what is wrong, the ones before it what it goes back to.
    span = spans[-1]
    return AnalyserDiagnostic(
        rule=_rule_id(row.get("code")),
        message=row["message"].replace("'", "`"),
        path=row["filename"],
        line=span["line"],
        column=span["column"],
    )


def _rule_id(code: str | None) -> str:
    if not code:
        return SYNTAX
    plugin, _, name = code.rstrip(")").partition("(")
    return f"oxlint/{plugin.removesuffix('-hooks')}/{name}"


def judge_oxlint(diagnostic: AnalyserDiagnostic, inspection: Inspection) -> Excuse | None:
    """The reason why a new diagnostic is no finding: another dialect, or another library."""
    text = inspection.repository.head.read(diagnostic.path) or b""
    if diagnostic.rule == HOOKS:
        return _judge_hook(diagnostic, text)
    if diagnostic.rule == ASSIGNS:
        return _judge_assignment(diagnostic, inspection)
    if diagnostic.rule == EVALUATES:
        is_written = WRITTEN.match(_rest_of_line(diagnostic, inspection))
        return "the text is written here, and nothing is put into it" if is_written else None
    if diagnostic.rule != SYNTAX:
        return None
    was_broken = any(
        known.rule == SYNTAX and known.path == diagnostic.path for known in inspection.base_diagnostics
    )
    dialect = "the file is written in a dialect that oxlint does not read"
    is_flow = FLOW in text and inspection.repository.base.entry(FLOW_CONFIG) is not None
    if was_broken or is_flow:
        return dialect
    return Disclaimer(dialect, is_foreign) if is_foreign(text) else None


def is_foreign(text: bytes) -> bool:
    """The file says of itself that it is written in another dialect, or filled in before it is read."""
    return EXTENDSCRIPT.search(text) is not None or any(mark in text for mark in FOREIGN_MARKS)


def _judge_assignment(diagnostic: AnalyserDiagnostic, inspection: Inspection) -> str | None:
    # `if (found = find())` keeps what is tested; nobody means to compare with a call.
    is_kept = KEEPS.match(_rest_of_line(diagnostic, inspection))
    return "the condition keeps the result of a call or a step" if is_kept else None


def _rest_of_line(diagnostic: AnalyserDiagnostic, inspection: Inspection) -> str:
    lines = inspection.repository.head.lines(diagnostic.path) or []
    return "".join(lines[diagnostic.line - 1 : diagnostic.line])[(diagnostic.column or 1) - 1 :][:MAX_REST]


def _judge_hook(diagnostic: AnalyserDiagnostic, text: bytes) -> str | None:
    # Other libraries have functions that are called `use…` and may be called anywhere.
    if not REACT.search(text):
        return "the file does not use React"
    is_skipped = "called conditionally" in diagnostic.message or "in a loop" in diagnostic.message
    return None if is_skipped else "the hook is not skipped, only called from an unusual place"


OXLINT = Analyser(
    name="oxlint",
    executable="oxlint",
    patterns=("*.js", "*.mjs", "*.cjs", "*.jsx", "*.ts", "*.mts", "*.cts", "*.tsx"),
    scope="file",
    invoke=invoke_oxlint,
    read_output=read_oxlint,
    elsewhere="npm install --global oxlint",
    rules={rule.id: rule for rule in (*OXLINT_RULES, *_wrong.conflict())},
    read_files=read_oxlint_files,
    counting=Counting(LONE_RETURN, by_bytes=True),
    # Of a file that does not parse and speaks of Flow, oxlint says nothing at all, as if it had no fault.
    disarm=lambda content: content.replace(FLOW, b"@xlow"),
    syntax_rules=frozenset({SYNTAX}),
    subject="JavaScript and TypeScript that fails or does not do what it seems to do",
    languages=("JavaScript", "TypeScript", "JSX"),
    version_tried="1.89.0",
    distribution="oxlint",
    judge=judge_oxlint,
    accepted_exit_codes=frozenset({0, 1}),
)
