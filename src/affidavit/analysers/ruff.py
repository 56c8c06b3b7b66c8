"""Ruff: run our rules on the changed files, without what the base commit's configuration ignores."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from posixpath import dirname
from typing import Any

from affidavit.analysers.engine.analyser import Analyser, Faults, Invocation, Printed, Reading, lines_after
from affidavit.analysers.engine.configuration import (
    Table,
    folders_above,
    oldest_python,
    read_ini,
    read_toml,
    strings,
    subtable,
    toml_list,
    toml_string,
    within_repository,
)
from affidavit.analysers.engine.readers import json_rows
from affidavit.analysers.engine.rule import RuleMaker
from affidavit.analysers.registry import listed
from affidavit.analysers.ruff_judgement import judge_ruff
from affidavit.analysers.ruff_rules import RUFF_RULES
from affidavit.analysers.ruff_security import SECURITY_RULES, bandit_code
from affidavit.git.glob import matches_any
from affidavit.ports import Tree
from affidavit.records.evidence import AnalyserDiagnostic, Edit

CODES = tuple(rule.id.removeprefix("ruff/") for rule in RUFF_RULES if rule.id != "ruff/invalid-syntax")
CONFIG_NAME = ".ruff.toml"
CHECKED = "[ruff::diagnostics][DEBUG] Checking: "
BANDIT_FILES = (".bandit", "setup.cfg", "tox.ini")
BANDIT_TEST = re.compile(r"B\d{3}")
FAILED = "warning: Failed to lint "
MAX_EXTENDS = 5
# Versions that ruff knows; it would refuse a file with any other.
TARGET_VERSIONS = tuple(f"py3{minor}" for minor in range(7, 15))
ARGUMENTS = (
    "check",
    # Makes ruff list the files that it checks.
    "--verbose",
    "--no-cache",
    "--no-fix",
    "--exit-zero",
    "--no-respect-gitignore",
    "--force-exclude",
    "--output-format=json",
    ".",
)


@dataclass(frozen=True)
class RuffSettings:
    """The settings of a ruff or flake8 configuration that are honoured."""

    ignored: tuple[str, ...] = ()
    per_file: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    excluded: tuple[str, ...] = ()
    builtins: tuple[str, ...] = ()
    target_version: str | None = None


def invoke_ruff(base: Tree, paths: Sequence[str]) -> Invocation:
    """Write one configuration file for each of the base commit, and always one at the root."""
    files = {}
    has_exclusions = False
    python = oldest_python(base)
    version = f"py{python[0]}{python[1]}" if python else None
    for folder in folders_above(paths):
        settings = read_settings(base, folder)
        if settings is None and folder == "":
            settings = read_flake8(base)
        if settings is not None:
            name = f"{folder}/{CONFIG_NAME}" if folder else CONFIG_NAME
            files[name] = write_settings(settings, version).encode()
            has_exclusions = has_exclusions or bool(settings.excluded)
    return Invocation(ARGUMENTS, files, has_exclusions=has_exclusions)


def read_settings(base: Tree, folder: str) -> RuffSettings | None:
    """Return the ruff settings of a folder; None if there are none."""
    tables = _tables(base, folder)
    parts = [part for table in tables for part in (table, subtable(table, "lint"))]

    def listed(*keys: str) -> tuple[str, ...]:
        # Older configurations have the linter's settings at the top.
        return tuple(one for part in parts for key in keys for one in strings(part.get(key)))

    versions = [one for table in tables if (one := table.get("target-version")) in TARGET_VERSIONS]
    if not tables:
        return None
    return RuffSettings(
        ignored=listed("ignore", "extend-ignore"),
        per_file={
            pattern: tuple(strings(codes))
            for part in parts
            for key in ("per-file-ignores", "extend-per-file-ignores")
            for pattern, codes in subtable(part, key).items()
            if pattern.isprintable()
        },
        excluded=listed("exclude", "extend-exclude"),
        builtins=listed("builtins"),
        target_version=versions[-1] if versions else None,
    )


def _tables(base: Tree, folder: str) -> list[Table]:
    """Return the ruff settings of a folder, after those that they extend."""
    tables: list[Table] = []
    table = _ruff_table(base, folder)
    while table is not None and len(tables) <= MAX_EXTENDS:
        tables.insert(0, table)
        extended = table.get("extend")
        place = within_repository(folder, extended) if isinstance(extended, str) else None
        if place is None:
            break
        folder, table = dirname(place), read_toml(base, place)
        table = subtable(table, "tool", "ruff") if place.endswith("pyproject.toml") else table
    return tables


def _ruff_table(base: Tree, folder: str) -> Table | None:
    prefix = f"{folder}/" if folder else ""
    for name in (".ruff.toml", "ruff.toml"):
        if base.entry(prefix + name) is not None:
            return read_toml(base, prefix + name)
    tool = subtable(read_toml(base, f"{prefix}pyproject.toml"), "tool")
    return subtable(tool, "ruff") if "ruff" in tool else None


def read_flake8(base: Tree) -> RuffSettings:
    """Read a flake8 configuration at the root, for projects without ruff."""
    for name in (".flake8", "setup.cfg", "tox.ini"):
        parser = read_ini(base, name)
        if parser.has_section("flake8"):
            section = parser["flake8"]
            ignored = ",".join(section.get(key, "") for key in ("ignore", "extend-ignore"))
            return RuffSettings(
                ignored=tuple(_listed(ignored)),
                per_file=_flake8_per_file(section.get("per-file-ignores", "")),
            )
    return RuffSettings()


def _listed(text: str) -> list[str]:
    return [part for part in text.replace(",", " ").split() if part.isprintable()]


def _flake8_per_file(text: str) -> dict[str, tuple[str, ...]]:
    rows = (line.partition(":") for line in text.splitlines())
    return {
        pattern.strip(): tuple(_listed(codes))
        for patterns, _, codes in rows
        for pattern in patterns.split(",")
        if pattern.strip()
    }


def write_settings(settings: RuffSettings, python: str | None) -> str:
    """Write a configuration file with our rules and the project's honoured settings."""
    ignored = _known(settings.ignored)
    selected = [code for code in CODES if not any(_covers(prefix, code) for prefix in ignored)]
    version = settings.target_version or python
    lines = [f"target-version = {toml_string(version)}"] if version in TARGET_VERSIONS else []
    # Replaces ruff's own list, which excludes `dist`, `venv` and others.
    lines += ['extend-include = ["*.pyw"]', 'extension = { pyw = "python" }']
    lines.append(f"exclude = {toml_list(settings.excluded)}")
    lines.append(f"builtins = {toml_list(settings.builtins)}")
    lines += ["[lint]", f"select = {toml_list(selected)}", "[lint.per-file-ignores]"]
    lines += [
        f"{toml_string(pattern)} = {toml_list(known)}"
        for pattern, codes in settings.per_file.items()
        if (known := _known(codes))
    ]
    return "\n".join(lines) + "\n"


def _covers(prefix: str, code: str) -> bool:
    return prefix == "ALL" or code.startswith(prefix)


def _known(prefixes: Sequence[str]) -> list[str]:
    """Return the selectors of our rules; ruff rejects a file with an unknown one."""
    return [
        prefix
        for prefix in dict.fromkeys(prefixes)
        if prefix and any(_covers(prefix, code) for code in CODES)
    ]


def read_ruff(text: str) -> list[AnalyserDiagnostic]:
    """Return the diagnostics of ruff's JSON."""
    return [_diagnostic(row) for row in json_rows(text)]


def _diagnostic(row: Any) -> AnalyserDiagnostic:
    return AnalyserDiagnostic(
        rule=f"ruff/{row['code'] or 'invalid-syntax'}",
        message=row["message"],
        path=row["filename"],
        line=row["location"]["row"],
        end_line=row["end_location"]["row"],
        column=row["location"]["column"],
        edits=_safe_edits(row.get("fix")),
    )


def _safe_edits(fix: Any) -> tuple[Edit, ...]:
    """Return ruff's edits; unsafe ones may change the meaning of the code."""
    if not fix or fix["applicability"] != "safe":
        return ()
    return tuple(
        Edit(
            line=one["location"]["row"],
            column=one["location"]["column"],
            end_line=one["end_location"]["row"],
            end_column=one["end_location"]["column"],
            text=one["content"],
        )
        for one in fix["edits"]
    )


def read_ruff_files(printed: Printed) -> Reading:
    """Return every file that ruff checked, and those that it failed to read."""
    failed: Faults = {
        path: ("unreadable", why)
        for path, _, why in (line.partition(": ") for line in lines_after(FAILED, printed.errors))
    }
    return Reading(lines_after(CHECKED, printed.errors), failed, is_log=True)


def ignored_by_ruff(base: Tree, path: str) -> list[str]:
    """Return the rules that the settings nearest to a path ignore for it."""
    settings = None
    for folder in sorted(folders_above([path]), key=len, reverse=True):
        settings = settings or read_settings(base, folder)
    settings = settings or read_flake8(base)
    per_file = [
        code
        for pattern, codes in settings.per_file.items()
        if matches_any(path, [pattern.removeprefix("!")]) != pattern.startswith("!")
        for code in codes
    ]
    ignored = _known((*settings.ignored, *per_file))
    return [f"ruff/{code}" for code in CODES if any(_covers(prefix, code) for prefix in ignored)]


def ignored_by_bandit(base: Tree, path: str) -> list[str]:
    """Return the tests that bandit's settings skip for a path; all of them if they exclude it."""
    table = subtable(read_toml(base, "pyproject.toml"), "tool", "bandit")
    left_out = strings(table.get("exclude_dirs"))
    skipped, chosen = strings(table.get("skips")), strings(table.get("tests"))
    for name in BANDIT_FILES:
        parser = read_ini(base, name)
        if parser.has_section("bandit"):
            section = parser["bandit"]
            left_out += (part.strip() for part in section.get("exclude", "").split(","))
            skipped += BANDIT_TEST.findall(section.get("skips", ""))
            chosen += BANDIT_TEST.findall(section.get("tests", ""))
    if any(_is_in(path, folder) for folder in left_out if folder):
        return ["bandit/*"]
    known = {bandit_code(rule.id.removeprefix("ruff/")) for rule in SECURITY_RULES}
    return [f"bandit/{code}" for code in known if code in skipped or (chosen and code not in chosen)]


def _is_in(path: str, folder: str) -> bool:
    """Return whether bandit takes a path as part of a folder that it leaves out."""
    if any(mark in folder for mark in "*?["):
        return fnmatchcase(f"./{path}", folder)
    return f"{path}/".startswith(f"{folder.removeprefix('./').strip('/')}/")


RUFF = Analyser(
    **listed("ruff"),
    executable="ruff",
    invoke=invoke_ruff,
    read_output=read_ruff,
    elsewhere="take it from https://github.com/astral-sh/ruff/releases",
    rules={rule.id: rule for rule in (*RUFF_RULES, *RuleMaker("ruff").conflict("ty"))},
    read_files=read_ruff_files,
    ignored_at=lambda base, path: [*ignored_by_ruff(base, path), *ignored_by_bandit(base, path)],
    syntax_rules=frozenset({"ruff/invalid-syntax", "ruff/E902"}),
    subject="Python that fails, does not do what it seems to do, or can be abused",
    version_tried="0.17.4",
    distribution="ruff",
    judge=judge_ruff,
)
