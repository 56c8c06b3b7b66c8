"""Yamllint: YAML that cannot be read, and keys that silently replace each other."""

import re
from collections.abc import Sequence

from affidavit.analysers.engine.analyser import Analyser, Inspection, Invocation, Printed, Reading
from affidavit.analysers.engine.configuration import read_text
from affidavit.analysers.engine.rule import Rule, RuleMaker
from affidavit.analysers.registry import listed
from affidavit.ports import Tree
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.records.finding import Severity

# A file name can contain anything but a line end, so it is matched from the right.
LINE = re.compile(r"(?P<path>.+):(?P<line>\d+):(?P<column>\d+): \[\w+\] (?P<message>.*)")
ENDS = (("(syntax)", "syntax"), ("(key-duplicates)", "key-duplicates"))
OFF = re.compile(r"^\s+key-duplicates:\s*(disable|\{?\s*enable:\s*false)", re.MULTILINE)
CONFIG_NAMES = (".yamllint", ".yamllint.yaml", ".yamllint.yml")
JOINS_KEYS = re.compile(r"(^|/)\.cirrus\.ya?ml$")
WORKFLOW = re.compile(r"(^|/)\.github/")

_wrong = RuleMaker("yamllint", failing_input="Reading {file}.")
YAMLLINT_RULES: tuple[Rule, ...] = (
    *_wrong(
        "syntax",
        "Invalid YAML",
        "Every reader refuses the whole file.",
        "Correct the syntax.",
        severity=Severity.HIGH,
        in_tests=False,
    ),
    *_wrong(
        "key-duplicates",
        "Duplicate key {name}",
        "Most readers keep only the last value; some refuse the file.",
        "Delete or rename one of the two, or join their values.",
        in_tests=False,
    ),
)


def invoke_yamllint(base: Tree, paths: Sequence[str]) -> Invocation:
    """Run with our configuration, so that no other is searched, on named files."""
    # yamllint requires at least one rule; syntax errors are always reported.
    duplicates = "disable" if allows_duplicates(base) else "enable"
    rules = f"{{key-duplicates: {duplicates}, new-lines: disable}}"
    named = (f"./{path}" for path in paths)
    return Invocation(("--format=parsable", f"--config-data={{rules: {rules}}}", "--", *named))


def allows_duplicates(base: Tree) -> bool:
    """Return whether the base commit's configuration turns the rule about keys off."""
    return OFF.search(read_text(base, *CONFIG_NAMES)) is not None


def read_yamllint(text: str) -> list[AnalyserDiagnostic]:
    """Read yamllint's parsable format; raise ValueError for any other line."""
    return [_diagnostic(line) for line in text.split("\n") if line]


def _diagnostic(line: str) -> AnalyserDiagnostic:
    found = LINE.fullmatch(line)
    if found is None:
        raise ValueError(f"not a line of the parsable format: {line[:80]}")
    message = found["message"]
    rule = next((name for end, name in ENDS if message.endswith(end)), "other")
    return AnalyserDiagnostic(
        rule=f"yamllint/{rule}",
        message=message.rpartition(" (")[0].replace('"', "`"),
        path=found["path"],
        line=int(found["line"]),
        column=int(found["column"]),
    )


def read_yamllint_files(printed: Printed) -> Reading:
    """Return all files; raise ValueError if yamllint failed, because its exit code does not say so."""
    if printed.errors.strip():
        said = [line for line in printed.errors.splitlines() if line[:1].strip()]
        raise ValueError(said[-1] if said else "it failed")
    return Reading()


def judge_yamllint(diagnostic: AnalyserDiagnostic, _inspection: Inspection) -> str | None:
    """Return why a new error is not a finding: the file is a template."""
    if diagnostic.rule == "yamllint/key-duplicates" and JOINS_KEYS.search(diagnostic.path):
        return "Cirrus CI joins keys that are given twice"
    is_template = "/templates/" in f"/{diagnostic.path}" and not WORKFLOW.search(diagnostic.path)
    return "the file is a template, not YAML" if is_template else None


YAMLLINT = Analyser(
    **listed("yamllint"),
    executable="yamllint",
    invoke=invoke_yamllint,
    read_output=read_yamllint,
    rules={rule.id: rule for rule in (*YAMLLINT_RULES, *_wrong.conflict())},
    read_files=read_yamllint_files,
    syntax_rules=frozenset({"yamllint/syntax"}),
    subject="YAML that cannot be read, keys given twice",
    version_tried="1.38.0",
    distribution="yamllint",
    judge=judge_yamllint,
    accepted_exit_codes=frozenset({0, 1}),
)
