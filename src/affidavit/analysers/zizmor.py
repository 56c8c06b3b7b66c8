"""Zizmor, offline: GitHub workflows and actions that outsiders can turn against the repository."""

import json
import re
from collections.abc import Sequence
from typing import Any

from affidavit.analysers.analyser import CHECKOUT, Analyser, Inspection, Invocation
from affidavit.analysers.engine.configuration import MAX_CONFIG_BYTES
from affidavit.analysers.reading import Faults, Printed, Reading, lines_after
from affidavit.analysers.rule import Rule, RuleMaker
from affidavit.ports import Tree
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.records.finding import Category, Severity

CONFIG_NAMES = (".github/zizmor.yml", ".github/zizmor.yaml", "zizmor.yml", "zizmor.yaml")
# No file could be loaded; each of them is named as unread.
NOTHING_TO_AUDIT = 3
COMPLETED = "INFO audit: zizmor: 🌈 completed "
REFUSED = "failed to validate "
# What anybody can write who can open an issue or a pull request. Zizmor also names what only people with the
# right to write to the repository can: tags, releases, inputs of a workflow that is started by hand.
OUTSIDE = re.compile(
    r"github\.(head_ref|event\.(issue|pull_request|discussion|comment|review|review_comment|pages|commits"
    r"|head_commit|workflow_run)\b(?!\.base)[\w.\[\]*'\"-]*"
    r"(title|body|name|message|email|ref|label|branch|homepage))"
)
# How a workflow gets at what an outsider wrote: by checking it out, fetching it, or loading what it built.
TAKEN = re.compile(
    r"^[^#]*(\b(ref|repository):.*(\bhead|refs/pull)|\bgh pr checkout\b|\bdownload-artifact\b"
    r"|\bgh run download\b|\bgit\s+(fetch|checkout|pull|switch|merge)\b.*(pull/|head|HEAD_|PR_))"
)
HIGH, LOW = Severity.HIGH, Severity.LOW

_insecure = RuleMaker("zizmor", category=Category.SECURITY, failing_input="A run of the workflow {file}.")
ZIZMOR_RULES: tuple[Rule, ...] = (
    *_insecure(
        "template-injection",
        "Text from outside becomes part of the script that the workflow runs",
        "Whoever writes the text (a title, a branch name, a comment) runs commands in the workflow.",
        'Hand the value over in `env` and use it as `"$NAME"`.',
        severity=HIGH,
        failing_input='A title, branch name or comment that holds `$(…)` or `"; command; "`.',
    ),
    *_insecure(
        "github-env",
        "Text from outside can reach the environment of later steps",
        "Whoever writes the text sets variables such as `LD_PRELOAD` and runs code in later steps.",
        "Do not write to `GITHUB_ENV` or `GITHUB_PATH` in workflows that outsiders can trigger.",
        severity=HIGH,
    ),
    *_insecure(
        "insecure-commands",
        "Commands in the log can set the environment again",
        "Anything that prints to the log sets variables and paths of later steps.",
        "Write to `$GITHUB_ENV` and leave `ACTIONS_ALLOW_UNSECURE_COMMANDS` off.",
        severity=HIGH,
    ),
    *_insecure(
        "hardcoded-container-credentials",
        "A password stands in the workflow",
        "Everybody who can read the repository has it.",
        "Keep it in a secret, and change it now.",
        severity=HIGH,
    ),
    *_insecure(
        "bot-conditions",
        "The check for a bot can be met by others",
        "`github.actor` is whoever triggered the last event, so an outsider's code can run as the bot's.",
        "Compare `github.event.pull_request.user.login`.",
    ),
    *_insecure(
        "unredacted-secrets",
        "A secret is taken apart, so that logs do not hide it",
        "A part of the secret can be printed in clear text.",
        "Keep each value in a secret of its own.",
    ),
    *_insecure(
        "unsound-condition unsound-contains",
        "The condition holds for more than it seems to",
        "The job or step runs where it should not.",
        "Write the condition without the surrounding text, or compare whole names with `fromJSON`.",
    ),
    *_insecure(
        "dangerous-triggers",
        "The workflow runs with the repository's rights on behalf of outsiders",
        "If any step uses the pull request's own code, its author gets the rights and the secrets.",
        "Use `pull_request`, or keep the pull request's code out of this workflow.",
    ),
    *_insecure(
        "dependabot-execution",
        "Updates of dependencies may run outside code",
        "A dependency's own code runs with access to the registries.",
        "Leave `insecure-external-code-execution` out.",
    ),
    *_insecure(
        "overprovisioned-secrets",
        "Every secret of the repository is handed over at once",
        "The step can read secrets that it does not need.",
        "Name the secrets that are needed.",
        severity=LOW,
    ),
)


def invoke_zizmor(base: Tree, _paths: Sequence[str]) -> Invocation:
    """Everything offline; the base commit's configuration, which can only ignore and tune, is laid beside."""
    content = next((text for name in CONFIG_NAMES if (text := base.read(name))), None)
    is_used = content is not None and len(content) <= MAX_CONFIG_BYTES
    return Invocation(
        (
            "--offline",
            "--no-progress",
            "--color=never",
            "--no-exit-codes",
            "--collect=all",
            "--format=json-v1",
            "--config=../zizmor.yml" if is_used else "--no-config",
            # By its whole path, which no workflow can know: zizmor repeats text of a workflow in the lines in
            # which it says what it has read.
            CHECKOUT,
        ),
        outside={"zizmor.yml": content} if content is not None and is_used else {},
    )


def read_zizmor(text: str) -> list[AnalyserDiagnostic]:
    """What zizmor is sure of; it prints nothing at all where it could load none of the files."""
    if not text.strip():
        return []
    return [_diagnostic(row) for row in json.loads(text) if _is_sure(row["determinations"])]


def read_zizmor_files(printed: Printed) -> Reading:
    """The files whose audit was completed; any other that it was given could not be loaded."""
    named: Faults = {
        path.removeprefix("file://"): ("unreadable", why)
        for path, _, why in (line.partition(" as ") for line in lines_after(REFUSED, printed.errors))
    }
    completed = lines_after(COMPLETED, printed.errors)
    return Reading(completed, named, others=("unreadable", "it could not be loaded"), is_log=True)


def _is_sure(determinations: Any) -> bool:
    sureness = determinations["confidence"], determinations["severity"]
    return sureness[0] == "High" or sureness == ("Medium", "High")


def _diagnostic(row: Any) -> AnalyserDiagnostic:
    primary = next(place for place in row["locations"] if place["symbolic"]["kind"] == "Primary")
    location = primary["concrete"]["location"]
    return AnalyserDiagnostic(
        rule=f"zizmor/{row['ident']}",
        message=f"{row['desc']}: {primary['symbolic']['annotation']}",
        path=primary["symbolic"]["key"]["Local"]["verbatim_path"],
        line=location["start_point"]["row"] + 1,
        end_line=location["end_point"]["row"] + 1,
        column=location["start_point"]["column"] + 1,
    )


def judge_zizmor(diagnostic: AnalyserDiagnostic, inspection: Inspection) -> str | None:
    """The reason why a new problem is no finding: nothing that an outsider wrote reaches the workflow."""
    lines = inspection.repository.head.lines(diagnostic.path) or []
    if diagnostic.rule == "zizmor/dangerous-triggers":
        is_taken = any(TAKEN.search(line) for line in lines)
        return None if is_taken else "the workflow takes nothing of the pull request's own code"
    if diagnostic.rule != "zizmor/template-injection":
        return None
    named = lines[diagnostic.line - 1 : diagnostic.end_line or diagnostic.line]
    is_outside = any(OUTSIDE.search(line) for line in named)
    return None if is_outside else "only people who may write to the repository can write the text"


ZIZMOR = Analyser(
    name="zizmor",
    executable="zizmor",
    patterns=(
        ".github/workflows/*.yml",
        ".github/workflows/*.yaml",
        "action.yml",
        "action.yaml",
        ".github/dependabot.yml",
        ".github/dependabot.yaml",
    ),
    scope="file",
    invoke=invoke_zizmor,
    read_output=read_zizmor,
    rules={rule.id: rule for rule in ZIZMOR_RULES},
    elsewhere="cargo install zizmor",
    read_files=read_zizmor_files,
    subject="GitHub workflows that outsiders can turn against the repository",
    languages=("GitHub workflows",),
    version_tried="1.32.0",
    distribution="zizmor",
    judge=judge_zizmor,
    accepted_exit_codes=frozenset({0, NOTHING_TO_AUDIT}),
)
