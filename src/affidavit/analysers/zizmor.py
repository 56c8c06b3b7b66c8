"""Zizmor, offline: GitHub workflows and actions that outsiders can turn against the repository."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from affidavit.analysers.engine.analyser import (
    CHECKOUT,
    Analyser,
    Faults,
    Inspection,
    Invocation,
    Printed,
    Reading,
    lines_after,
)
from affidavit.analysers.engine.configuration import read_text
from affidavit.analysers.engine.rule import Rule, RuleMaker
from affidavit.analysers.engine.takeover import TAKEOVER, find_takeovers
from affidavit.analysers.plain_http import find_unencrypted_scripts, unencrypted_script
from affidavit.analysers.registry import listed
from affidavit.ports import Tree
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.records.finding import Category, Severity

CONFIG_NAMES = (".github/zizmor.yml", ".github/zizmor.yaml", "zizmor.yml", "zizmor.yaml")
# No file could be loaded; each of them is named as unread.
NOTHING_TO_AUDIT = 3
COMPLETED = "INFO audit: zizmor: 🌈 completed "
REFUSED = "failed to validate "
# Text that anybody can write in an issue or a pull request. Zizmor also names text that only people with the
# right to write to the repository can: tags, releases, inputs of a workflow that is started by hand.
OUTSIDE = re.compile(
    r"github\.(head_ref|event\.(issue|pull_request|discussion|comment|review|review_comment|pages|commits"
    r"|head_commit|workflow_run)\b(?!\.base)[\w.\[\]*'\"-]*"
    r"(title|body|name|message|email|ref|label|branch|homepage))"
)
# How a workflow gets an outsider's code: by checking it out, fetching it, or downloading an artifact.
TAKEN = re.compile(
    r"^[^#]*(\b(ref|repository):.*(\bhead|refs/pull)|\bgh pr checkout\b|\bdownload-artifact\b"
    r"|\bgh run download\b|\bgit\s+(fetch|checkout|pull|switch|merge)\b.*(pull/|head|HEAD_|PR_))"
)
# `actions` and `github` own GitHub's own actions.
FOLLOWS_A_BRANCH = re.compile(
    r"uses:\s*[\"']?(?!(?:actions|github)/)[\w./-]+@(?:main|master|develop|dev|trunk|head)(?![\w./+-])",
    re.IGNORECASE,
)
HIGH, LOW = Severity.HIGH, Severity.LOW

_insecure = RuleMaker("zizmor", category=Category.SECURITY, failing_input="A run of the workflow {file}.")
ZIZMOR_RULES: tuple[Rule, ...] = (
    *_insecure(
        "pull-request-takeover",
        "Workflow takeover by a pull request (pwn request)",
        "Code of the fork runs with the secrets and the write token of this repository.",
        "Use `pull_request`, or keep the head of the pull request out of this job.",
        severity=Severity.CRITICAL,
        meaning="`pull_request_target` runs for every fork, and this job checks out the fork's code.",
        failing_input="A pull request from a fork that changes a script, a test or a build file.",
        silenced_as=("zizmor/dangerous-triggers",),
        is_own=True,
    ),
    *_insecure(
        "template-injection",
        "Script injection in a workflow",
        "The author of that text runs commands in the workflow.",
        'Pass the value in `env` and use it as `"$NAME"`.',
        severity=HIGH,
        failing_input='A title, branch name or comment that holds `$(…)` or `"; command; "`.',
    ),
    *_insecure(
        "github-env",
        "Untrusted text can reach `GITHUB_ENV`",
        "An outsider sets variables such as `LD_PRELOAD` and runs code in later steps.",
        "Do not write to `GITHUB_ENV` or `GITHUB_PATH` in workflows that outsiders can trigger.",
        severity=HIGH,
        failing_input="Text of an outsider that holds a line such as `LD_PRELOAD=…`.",
    ),
    *_insecure(
        "insecure-commands",
        "Insecure workflow commands are switched on",
        "Anything that prints to the log sets variables and paths of later steps.",
        "Write to `$GITHUB_ENV` and leave `ACTIONS_ALLOW_UNSECURE_COMMANDS` off.",
        severity=HIGH,
        failing_input="Output that holds `::set-env` or `::add-path`.",
    ),
    *_insecure(
        "hardcoded-container-credentials",
        "Hard-coded container registry password",
        "Everybody who can read the repository can log in to the registry.",
        "Change the password now and keep the new one in a secret.",
        severity=HIGH,
        failing_input="Anybody who reads {file} at this commit.",
    ),
    *_insecure(
        "bot-conditions",
        "Spoofable bot check",
        "An outsider's code runs as if it were the bot's.",
        "Compare `github.event.pull_request.user.login`.",
        meaning="`github.actor` is whoever caused the last event, not the author of the pull request.",
        failing_input="A fork whose last commit is the bot's.",
    ),
    *_insecure(
        "unredacted-secrets",
        "Secret is not masked in the log",
        "The log can show a part of the secret in clear text.",
        "Keep each value in a secret of its own.",
        meaning="The value is taken out of a structured secret, and GitHub masks whole secrets only.",
        failing_input="A step that prints the value.",
    ),
    *_insecure(
        "unsound-condition",
        "Condition is always true",
        "The job or step always runs.",
        "Write the condition without text around `${{{{ … }}}}`, and fold it with `>-`.",
    ),
    *_insecure(
        "unsound-contains",
        "Substring check that others can pass",
        "The job or step runs for a name that is only a part of an allowed one.",
        "Compare with a list: `contains(fromJSON('[…]'), …)`.",
        failing_input="A branch or an actor whose name is a part of the text.",
    ),
    *_insecure(
        "excessive-permissions",
        "Workflow token has all permissions",
        "A compromised step or action can push code, publish packages and change releases.",
        "List the permissions that the job needs under `permissions`.",
        meaning="`permissions: write-all` gives every step a token that may change everything.",
        failing_input="A compromised action or dependency in a step.",
    ),
    *_insecure(
        "dangerous-triggers",
        "Risky workflow trigger",
        "If a step runs something of the pull request, its author gets the token and the secrets.",
        "Use `pull_request`, or keep everything of the pull request out of this workflow.",
        severity=LOW,
        meaning="{message}. The workflow loads what an outsider wrote.",
        failing_input="A pull request from a fork.",
    ),
    *_insecure(
        "unpinned-uses",
        "Action is pinned to a branch",
        "The next push to that branch runs here, with the secrets of this workflow.",
        "Pin the action to a commit: `@<sha> # v1.2.3`.",
        severity=LOW,
        meaning="The owner of the action can change what runs here at any time.",
        failing_input="A compromised account or repository of the action's owner.",
    ),
    *_insecure(
        "dependabot-execution",
        "Dependabot may run code of dependencies",
        "A dependency's code runs with access to the registries.",
        "Leave `insecure-external-code-execution` out.",
        failing_input="An update of a compromised dependency.",
    ),
    *_insecure(
        "overprovisioned-secrets",
        "Step receives every secret",
        "The step can read secrets that it does not need.",
        "Name the secrets that are needed.",
        severity=LOW,
    ),
    *unencrypted_script("zizmor"),
)


def invoke_zizmor(base: Tree, _paths: Sequence[str]) -> Invocation:
    """Run offline, with the base commit's configuration, which can only ignore and tune."""
    content = read_text(base, *CONFIG_NAMES)
    return Invocation(
        (
            "--offline",
            "--no-progress",
            "--color=never",
            "--no-exit-codes",
            "--collect=all",
            # The only one that reports all permissions of a workflow with a single job.
            "--persona=pedantic",
            "--format=json-v1",
            "--config=../zizmor.yml" if content else "--no-config",
            # By its whole path, which no workflow can know: zizmor repeats text of a workflow in the lines in
            # which it says what it has read.
            CHECKOUT,
        ),
        outside={"zizmor.yml": content.encode()} if content else {},
    )


def read_zizmor(text: str) -> list[AnalyserDiagnostic]:
    """Read the certain results; zizmor prints nothing if it could load no file."""
    if not text.strip():
        return []
    rows = json.loads(text)
    return [_diagnostic(row) for row in rows if _is_sure(row["determinations"]) and _is_regular(row)]


def read_zizmor_files(printed: Printed) -> Reading:
    """Return the files with a completed audit; others could not be loaded."""
    named: Faults = {
        path.removeprefix("file://"): ("unreadable", why)
        for path, _, why in (line.partition(" as ") for line in lines_after(REFUSED, printed.errors))
    }
    completed = lines_after(COMPLETED, printed.errors)
    return Reading(completed, named, others=("unreadable", "it could not be loaded"), is_log=True)


def _is_regular(row: Any) -> bool:
    return "Regular" in row["determinations"]["persona"] or "excessive-permissions" in row["ident"]


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


def add_to_zizmor(path: str, text: str) -> Iterator[AnalyserDiagnostic]:
    """Find takeovers, and scripts that are downloaded without encryption."""
    yield from find_takeovers(path, text)
    yield from find_unencrypted_scripts("zizmor", path, text)


def judge_zizmor(diagnostic: AnalyserDiagnostic, inspection: Inspection) -> str | None:
    """Return why a new problem is not a finding: it is only advice, or outsiders cannot reach it."""
    lines = inspection.head.lines(diagnostic.path) or []
    named = "\n".join(lines[diagnostic.line - 1 : diagnostic.end_line or diagnostic.line])
    rule = diagnostic.rule.partition("/")[2]
    if rule == "dangerous-triggers":
        if next(find_takeovers(diagnostic.path, "\n".join(lines)), None):
            return f"{TAKEOVER} says more"
        is_taken = any(map(TAKEN.search, lines))
        return None if is_taken else "the workflow takes nothing of the pull request's own code"
    if rule == "excessive-permissions" and "write-all" not in diagnostic.message:
        return "to narrow single permissions is advice"
    if rule == "unpinned-uses" and not FOLLOWS_A_BRANCH.search(named):
        return "only actions of others that follow a branch count"
    if rule == "template-injection" and not OUTSIDE.search(named):
        return "only people who may write to the repository can write the text"
    return None


ZIZMOR = Analyser(
    **listed("zizmor"),
    executable="zizmor",
    invoke=invoke_zizmor,
    read_output=read_zizmor,
    rules={rule.id: rule for rule in ZIZMOR_RULES},
    elsewhere="cargo install zizmor",
    read_files=read_zizmor_files,
    subject="GitHub workflows that outsiders can turn against the repository",
    version_tried="1.32.0",
    distribution="zizmor",
    adds=add_to_zizmor,
    judge=judge_zizmor,
    accepted_exit_codes=frozenset({0, NOTHING_TO_AUDIT}),
)
