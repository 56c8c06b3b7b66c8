"""Oxlint: our rules on changed JavaScript and TypeScript files, without those that base turns off."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from affidavit.analysers.engine.analyser import Analyser, Faults, Inspection, Invocation, Printed, Reading
from affidavit.analysers.engine.configuration import read_text, strings
from affidavit.analysers.engine.rule import RuleMaker
from affidavit.analysers.oxlint_rules import OXLINT_RULES, SYNTAX
from affidavit.analysers.registry import listed
from affidavit.ports import Tree
from affidavit.records.evidence import AnalyserDiagnostic

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
# Each of these marks another dialect than the file's name says, or a template.
FLOW = b"@flow"
FLOW_CONFIG = ".flowconfig"


def invoke_oxlint(base: Tree, _paths: Sequence[str]) -> Invocation:
    """Run with our own configuration at the root, and no other."""
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
    """Read the base commit's .oxlintrc.json, without plug-ins and `extends`."""
    try:
        found = json.loads(read_text(base, CONFIG_NAME))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _switched_off(rules: Any) -> Iterable[str]:
    for name, value in rules.items() if isinstance(rules, dict) else ():
        level = value[0] if isinstance(value, list) and value else value
        if level in OFF:
            yield name


def read_oxlint(text: str) -> list[AnalyserDiagnostic]:
    """Return the diagnostics of oxlint's JSON that have a file."""
    return [_diagnostic(row) for row in json.loads(text)["diagnostics"] if row.get("filename")]


def read_oxlint_files(printed: Printed) -> Reading:
    """Return the files that oxlint lists, except those that it failed to open."""
    rows = json.loads(printed.output)["diagnostics"]
    opened = (UNOPENED.match(row["message"]) for row in rows if not row.get("filename"))
    failed: Faults = {found["path"]: ("unreadable", found["why"]) for found in opened if found}
    return Reading(frozenset(printed.listing.split("\n")), failed)


def _diagnostic(row: Any) -> AnalyserDiagnostic:
    spans = [label["span"] for label in row["labels"]] or [{"line": 1, "column": 1}]
    # The last label is the problem; earlier ones are its causes.
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


def judge_oxlint(diagnostic: AnalyserDiagnostic, inspection: Inspection) -> str | None:
    """Return why a new diagnostic is not a finding: another dialect, or another library."""
    text = inspection.head.read(diagnostic.path) or b""
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
    is_flow = FLOW in text and inspection.base.entry(FLOW_CONFIG) is not None
    return dialect if was_broken or is_flow else None


def _judge_assignment(diagnostic: AnalyserDiagnostic, inspection: Inspection) -> str | None:
    # `if (found = find())` keeps the tested value; nobody compares with a call by mistake.
    is_kept = KEEPS.match(_rest_of_line(diagnostic, inspection))
    return "the condition keeps the result of a call or a step" if is_kept else None


def _rest_of_line(diagnostic: AnalyserDiagnostic, inspection: Inspection) -> str:
    lines = inspection.head.lines(diagnostic.path) or []
    line = "".join(lines[diagnostic.line - 1 : diagnostic.line]).encode()
    # Oxlint counts bytes.
    return line[(diagnostic.column or 1) - 1 :][:MAX_REST].decode(errors="replace")


def _judge_hook(diagnostic: AnalyserDiagnostic, text: bytes) -> str | None:
    # Other libraries have functions that are called `use…` and may be called anywhere.
    if not REACT.search(text):
        return "the file does not use React"
    is_skipped = "called conditionally" in diagnostic.message or "in a loop" in diagnostic.message
    return None if is_skipped else "the hook is not skipped, only called from an unusual place"


OXLINT = Analyser(
    **listed("oxlint"),
    executable="oxlint",
    invoke=invoke_oxlint,
    read_output=read_oxlint,
    elsewhere="npm install --global oxlint",
    rules={rule.id: rule for rule in (*OXLINT_RULES, *RuleMaker("oxlint").conflict())},
    read_files=read_oxlint_files,
    # For a file that does not parse and mentions Flow, oxlint reports nothing.
    disarm=lambda content: content.replace(FLOW, b"@xlow"),
    syntax_rules=frozenset({SYNTAX}),
    subject="JavaScript and TypeScript that fails or does not do what it seems to do",
    version_tried="1.89.0",
    distribution="oxlint",
    judge=judge_oxlint,
    accepted_exit_codes=frozenset({0, 1}),
)
