"""Bandit: what can be abused in the changed Python files, minus what the base commit's settings skip."""

import json
import re
from collections.abc import Sequence
from typing import Any

from affidavit.analysers.analyser import Analyser, Inspection, Invocation
from affidavit.analysers.bandit.rules import BANDIT_RULES
from affidavit.analysers.engine.configuration import read_ini, read_toml, strings, subtable
from affidavit.analysers.ruff.judgement import judge_reordered_text, judge_shell_command, judge_sql_text
from affidavit.ports import Tree
from affidavit.records.evidence import AnalyserDiagnostic

CODES = tuple(rule.id.removeprefix("bandit/") for rule in BANDIT_RULES)
CODE = re.compile(r"B\d{3}")


def invoke_bandit(base: Tree, _paths: Sequence[str]) -> Invocation:
    """Our tests minus those that the base commit skips; a settings file of the change is not even there."""
    skipped = skipped_tests(base)
    chosen = [code for code in CODES if code not in skipped]
    # Bandit refuses an empty choice and a test that is both chosen and skipped.
    asked = ",".join(chosen or CODES[:1])
    return Invocation(("--quiet", "--format=json", "--exit-zero", f"--tests={asked}", "--recursive", "."))


def skipped_tests(base: Tree) -> set[str]:
    """The tests that pyproject.toml, .bandit or setup.cfg of the base commit skip."""
    named = strings(subtable(read_toml(base, "pyproject.toml"), "tool", "bandit").get("skips"))
    for name in (".bandit", "setup.cfg", "tox.ini"):
        parser = read_ini(base, name)
        if parser.has_section("bandit"):
            named += CODE.findall(parser["bandit"].get("skips", ""))
    return set(named)


def read_bandit(text: str) -> list[AnalyserDiagnostic]:
    """The issues of bandit's JSON; a file that it could not parse is ruff's to report."""
    return [_diagnostic(row) for row in json.loads(text)["results"]]


def _diagnostic(row: Any) -> AnalyserDiagnostic:
    return AnalyserDiagnostic(
        rule=f"bandit/{row['test_id']}",
        message=row["issue_text"],
        path=row["filename"],
        # The number is that of an argument for some rules; the column is always that of the whole call.
        line=min([row["line_number"], *row.get("line_range", [])]),
        end_line=max([row["line_number"], *row.get("line_range", [])]),
        column=row["col_offset"] + 1,
    )


def judge_bandit(diagnostic: AnalyserDiagnostic, inspection: Inspection) -> str | None:
    """The reason why a new issue is no finding; injections are held to what ruff's are held to."""
    judge = {
        "bandit/B602": judge_shell_command,
        "bandit/B605": judge_shell_command,
        "bandit/B608": judge_sql_text,
        "bandit/B613": judge_reordered_text,
    }.get(diagnostic.rule)
    text = inspection.repository.head.read(diagnostic.path)
    if text is None:
        return "the file cannot be read at head"
    return judge(diagnostic, inspection, text) if judge else None


BANDIT = Analyser(
    name="bandit",
    executable="bandit",
    patterns=("*.py",),
    scope="file",
    invoke=invoke_bandit,
    read_output=read_bandit,
    rules={rule.id: rule for rule in BANDIT_RULES},
    install_hint="pip install bandit",
    subject="Python code that can be abused",
    languages=("Python",),
    version_tried="1.9.4",
    distribution="bandit",
    judge=judge_bandit,
)
