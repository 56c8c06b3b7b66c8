"""Bandit: what can be abused in the changed Python files, minus what the base commit's settings skip."""

import json
import re
from collections.abc import Sequence
from typing import Any

from affidavit.analysers.analyser import (
    LONE_RETURN,
    Analyser,
    Counting,
    Faults,
    Inspection,
    Invocation,
    Printed,
    Reading,
)
from affidavit.analysers.configuration import read_ini, read_toml, strings, subtable
from affidavit.analysers.python_judgement import (
    judge_evaluation,
    judge_reordered_text,
    judge_shell_command,
    judge_sql_text,
    judge_unpickling,
    judge_yaml_loader,
)
from affidavit.analysers.rule import Rule, RuleMaker
from affidavit.ports import Tree
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.records.finding import Category, Severity

HIGH = Severity.HIGH
_insecure = RuleMaker("bandit", category=Category.SECURITY)

BANDIT_RULES: tuple[Rule, ...] = (
    *_insecure(
        "B602 B605",
        "Shell injection{through}",
        "Whoever controls the text can run any command.",
        "Pass a list of arguments and no shell.",
        severity=HIGH,
        in_tests=False,
        failing_input="A value that holds `; rm -rf ~` or another shell command.",
        equivalents=("ruff/S602", "ruff/S605"),
    ),
    *_insecure(
        "B608",
        "SQL injection{through}",
        "Whoever controls the text can read or alter the database.",
        "Pass the values as parameters of the query.",
        severity=HIGH,
        in_tests=False,
        failing_input="A value that holds `' OR 1=1 --`.",
        equivalents=("ruff/S608",),
    ),
    *_insecure(
        "B307",
        "Code injection through `eval`",
        "Whoever controls the text runs any code.",
        "Use `ast.literal_eval`, or parse the text.",
        in_tests=False,
        failing_input="A text such as `__import__('os').system('id')`.",
        equivalents=("ruff/S307",),
    ),
    *_insecure(
        "B301 B302",
        "Unsafe deserialization",
        "Whoever controls the data runs any code.",
        "Use JSON or another format that holds data only.",
        severity=Severity.LOW,
        in_tests=False,
        failing_input="A crafted pickle or marshal stream.",
        equivalents=("ruff/S301", "ruff/S302"),
    ),
    *_insecure(
        "B506",
        "Unsafe YAML loading",
        "A crafted document runs code.",
        "Use `yaml.safe_load`.",
        severity=HIGH,
        in_tests=False,
        failing_input="A document with `!!python/object/apply:os.system [id]`.",
        equivalents=("ruff/S506",),
    ),
    *_insecure(
        "B501 B323 B507",
        "Certificate or host key is not verified",
        "Somebody between the two can read and alter everything that is sent.",
        "Leave the check of certificates or host keys on.",
        severity=HIGH,
        in_tests=False,
        failing_input="A connection through a network that somebody else controls.",
        equivalents=("ruff/S501", "ruff/S507"),
    ),
    *_insecure(
        "B502 B503 B504",
        "Outdated TLS version",
        "The connection can be talked down to one that is known to be broken.",
        "Allow TLS 1.2 and newer only.",
        in_tests=False,
        failing_input="A connection through a network that somebody else controls.",
    ),
    *_insecure(
        "B505",
        "Weak cryptographic key",
        "The key can be broken with means that are within reach.",
        "Use at least 2048 bits for RSA and DSA, 224 for elliptic curves.",
        in_tests=False,
        failing_input="Anything that is protected with this key.",
    ),
    *_insecure(
        "B201",
        "Flask debugger is on",
        "Whoever reaches it can run code through the debugger.",
        "Leave `debug` off, or take it from a setting of the development machine.",
        severity=HIGH,
        in_tests=False,
        failing_input="A request that raises an error.",
    ),
    *_insecure(
        "B306",
        "Insecure temporary file",
        "Somebody else can put a file or link of that name there first.",
        "Use `tempfile.mkstemp` or `NamedTemporaryFile`.",
        in_tests=False,
        failing_input="A link of that name, made in the moment between.",
        equivalents=("ruff/S306",),
    ),
    *_insecure(
        "B613",
        "Hidden bidirectional characters (Trojan Source)",
        "The reader sees other code than Python runs.",
        "Delete the characters that change the direction of text.",
        in_tests=False,
        equivalents=("ruff/PLE2502",),
    ),
    *_insecure(
        "B612",
        "Logging configuration from the network",
        "Whoever reaches the port runs code.",
        "Pass `verify`, or read the configuration from a file.",
        in_tests=False,
        failing_input="A configuration that is sent to the port.",
    ),
)


CODES = tuple(rule.id.removeprefix("bandit/") for rule in BANDIT_RULES)
CODE = re.compile(r"B\d{3}")
INI_NAMES = (".bandit", "setup.cfg", "tox.ini")
NOT_PYTHON = "syntax error"
VERSION = re.compile(r"(?:SSL|TLS)v\w*?(?=_METHOD|\b)")


def invoke_bandit(base: Tree, _paths: Sequence[str]) -> Invocation:
    """Our tests minus those that the base commit skips; a settings file of the change is not even there."""
    skipped = skipped_tests(base)
    chosen = [code for code in CODES if code not in skipped]
    # Bandit refuses an empty choice and a test that is both chosen and skipped.
    asked = ",".join(chosen or CODES[:1])
    excluded = excluded_folders(base)
    return Invocation(
        (
            "--quiet",
            "--format=json",
            "--exit-zero",
            f"--tests={asked}",
            # Instead of bandit's own list, which leaves out `.tox` and others whatever stands in them.
            f"--exclude={','.join(excluded)}",
            "--recursive",
            ".",
        ),
        has_exclusions=bool(excluded),
    )


def excluded_folders(base: Tree) -> list[str]:
    """The folders that the base commit's settings leave out, as bandit's own options name them."""
    named = strings(subtable(read_toml(base, "pyproject.toml"), "tool", "bandit").get("exclude_dirs"))
    for name in INI_NAMES:
        parser = read_ini(base, name)
        if parser.has_section("bandit"):
            named += (part.strip() for part in parser["bandit"].get("exclude", "").split(","))
    return [_from_root(one) for one in named if one and one.isprintable() and "," not in one]


def _from_root(folder: str) -> str:
    # A plain folder counts from where bandit is run, which is written with a dot before it.
    return folder if any(mark in folder for mark in "*?[") else f"./{folder.strip('/').removeprefix('./')}"


def skipped_tests(base: Tree) -> set[str]:
    """The tests that pyproject.toml, .bandit or setup.cfg of the base commit skip."""
    named = strings(subtable(read_toml(base, "pyproject.toml"), "tool", "bandit").get("skips"))
    for name in INI_NAMES:
        parser = read_ini(base, name)
        if parser.has_section("bandit"):
            named += CODE.findall(parser["bandit"].get("skips", ""))
    return set(named)


def read_bandit(text: str) -> list[AnalyserDiagnostic]:
    """The issues of bandit's JSON; a file that it could not parse is ruff's to report."""
    return [_diagnostic(row) for row in json.loads(text)["results"]]


def read_bandit_files(printed: Printed) -> Reading:
    """The files that bandit counted, and those that it could not parse or open."""
    report = json.loads(printed.output)
    failed: Faults = {
        row["filename"]: ("unparsed" if row["reason"].startswith(NOT_PYTHON) else "unreadable", row["reason"])
        for row in report["errors"]
    }
    return Reading(frozenset(report["metrics"]) - {"_totals"}, failed)


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
        "bandit/B301": judge_unpickling,
        "bandit/B307": judge_evaluation,
        "bandit/B502": _judge_version,
        "bandit/B503": _judge_version,
        "bandit/B506": judge_yaml_loader,
        "bandit/B602": judge_shell_command,
        "bandit/B605": judge_shell_command,
        "bandit/B608": judge_sql_text,
        "bandit/B613": judge_reordered_text,
    }.get(diagnostic.rule)
    text = inspection.repository.head.read(diagnostic.path)
    if text is None:
        return "the file cannot be read at head"
    return judge(diagnostic, inspection, text) if judge else None


def _judge_version(diagnostic: AnalyserDiagnostic, _inspection: Inspection, text: bytes) -> str | None:
    lines = text.decode("utf-8", errors="replace").split("\n")
    named = set(
        VERSION.findall("\n".join(lines[diagnostic.line - 1 : diagnostic.end_line or diagnostic.line]))
    )
    # The old name of what agrees on the best version that both sides have.
    return "`SSLv23` stands for any version of TLS" if named == {"SSLv23"} else None


BANDIT = Analyser(
    name="bandit",
    executable="bandit",
    patterns=("*.py", "*.pyw"),
    scope="file",
    invoke=invoke_bandit,
    read_output=read_bandit,
    rules={rule.id: rule for rule in BANDIT_RULES},
    read_files=read_bandit_files,
    counting=Counting(LONE_RETURN, by_bytes=True),
    ignored_at=lambda base, _path: [f"bandit/{code}" for code in skipped_tests(base)],
    subject="Python code that can be abused",
    languages=("Python",),
    version_tried="1.9.4",
    distribution="bandit",
    judge=judge_bandit,
)
