"""Say what in an agent's work only a person may accept: edited tests, deleted code, silenced findings."""

import configparser
import json
import re
import tomllib
from collections.abc import Collection, Iterator
from pathlib import PurePosixPath
from typing import Any

from affidavit.languages.test_files import is_proof, runs_tests
from affidavit.ports import Case, Tree
from affidavit.records.candidate import Candidate
from affidavit.records.change import FileChange
from affidavit.records.context import Symbol
from affidavit.records.diagnostics import Reason
from affidavit.records.report import Report
from affidavit.symbols.changed import symbol_changes
from affidavit.symbols.definitions import symbols_of

KINDS = ("function", "method", "class")
SETTINGS_FILE = re.compile(
    r"^(?:\.?pytest\.(?:ini|toml)|tox\.ini|noxfile\.py|\.coveragerc|\.rspec|\.mocharc\.\w+|phpunit\.xml(?:\.dist)?"
    r"|(?:jest|vitest|vite|playwright|cypress)\.config\.\w+|karma\.conf\.\w+)$"
)
CI_FILE = re.compile(
    r"^(?:\.github/workflows/.+|\.gitlab-ci\.yml|(?:.+/)?(?:GNUm|M|m)akefile|(?:.+/)?Jenkinsfile)$"
)
TEST_WORD = re.compile(r"test|tox\b|\bnox\b|jest|mocha|karma|rspec|phpunit|playwright|cypress|coverage")
SCRIPT_RUNNERS = ("jest", "vitest", "mocha", "ava", "karma", "nyc", "c8")
_CONSTANT = r"""None|True|False|true|false|null|nil|undefined|-?[\d.]+|"[^"]*"|'[^']*'|\[\]|\{\}|\(\)"""
_EMPTY = re.compile(
    rf"(?:pass|\.\.\.|return(?:\s+(?:{_CONSTANT}))?|(?:raise|throw|panic|todo|unimplemented)\b.*|end|[{{}}()]*"
    r"|(?:#|//|/\*|\*|\"\"\"|\'\'\').*);?"
)
"""A line that does nothing: a constant result, a failure, a remark."""


def held_back(reviewed: Case, work: Case, first: Report, not_taken: Collection[str]) -> list[str]:
    """Say why only a person may accept the work: one sentence for each thing, none where the loop may.

    `reviewed` is the change as it was when the loop began, `first` its report, `work` all that the agent did
    since, and `not_taken` the files that it left and no commit has.
    """
    found = [*_edited_tests(work), *_deleted_code(reviewed, work, first), *_lacking(work, not_taken)]
    return list(dict.fromkeys(found))


def silenced_since(report: Report, first: Report) -> list[str]:
    """Name the findings that comments silence now and did not when the loop began."""
    then = {one.fingerprint for one in first.candidates if _is_silenced(one)}
    new = [one for one in report.candidates if _is_silenced(one) and one.fingerprint not in then]
    places = [(one.finding.file, one.finding.line, one.finding.title) for one in new if one.finding]
    return [f"silences a finding at {file}:{line}: {title}" for file, line, title in sorted(set(places))]


def _is_silenced(one: Candidate) -> bool:
    return one.finding is not None and one.withheld is not None and one.withheld.code is Reason.SUPPRESSED


def _edited_tests(work: Case) -> Iterator[str]:
    base, head = work.repository.base, work.repository.head
    for file in work.change.files:
        for path in sorted({file.base_path or file.path, file.path}):
            # A new test takes nothing away; what runs the tests may.
            if runs_tests(path) or SETTINGS_FILE.match(PurePosixPath(path).name):
                yield f"edits the settings of the tests: {path}"
            elif file.base_path and is_proof(path):
                yield f"edits a test: {path}"
            elif _test_settings(base, path) != _test_settings(head, path):
                yield f"edits how tests are run: {path}"


def _test_settings(tree: Tree, path: str) -> Any:
    """Return what a shared settings file says of tests; its whole text where it cannot be read."""
    content, name = tree.read(path), PurePosixPath(path).name
    if not content:
        return {}
    text = content.decode("utf-8", "replace")
    try:
        if name == "pyproject.toml":
            tools = tomllib.loads(text).get("tool", {})
            return {tool: said for tool, said in tools.items() if TEST_WORD.search(tool)}
        if name == "setup.cfg":
            parser = configparser.RawConfigParser(strict=False)
            parser.read_string(text)
            return {one: dict(parser[one]) for one in parser.sections() if TEST_WORD.search(one)}
        if name == "package.json":
            return _script_settings(json.loads(text))
    except (ValueError, configparser.Error, AttributeError, TypeError, RecursionError):
        return text
    lines = text.splitlines() if CI_FILE.match(path) else []
    return [line.strip() for line in lines if TEST_WORD.search(line)] or {}


def _script_settings(package: dict[str, Any]) -> dict[str, Any]:
    scripts = {
        name: line for name, line in package.get("scripts", {}).items() if TEST_WORD.search(name + str(line))
    }
    return scripts | {f"{name} settings": package[name] for name in SCRIPT_RUNNERS if name in package}


def _deleted_code(reviewed: Case, work: Case, first: Report) -> Iterator[str]:
    """Name files and definitions under review that are deleted, emptied or put back."""
    paths = {file.head_path for file in reviewed.change.reviewed_files() if file.head_path}
    for file in work.change.files:
        if file.base_path in paths and not is_proof(file.base_path or ""):
            yield from _gone_file(file, reviewed, work)
    named = _under_review(reviewed, first)
    for one in symbol_changes(work.change, work.repository):
        old, new = one.base, one.head
        if old is None or (old.path, old.qualified) not in named:
            continue
        if new is None:
            yield f"deletes {old.path}::{old.qualified}"
        elif _is_empty(work.repository.head, new) and not _is_empty(work.repository.base, old):
            yield f"empties {new.path}::{new.qualified}"


def _gone_file(file: FileChange, reviewed: Case, work: Case) -> Iterator[str]:
    before = reviewed.change.file_at(file.base_path or "")
    if file.head_path is None:
        yield f"deletes {file.path}"
    elif (
        before
        and before.base_path
        and _code(reviewed.repository.base, before.base_path) == _code(work.repository.head, file.head_path)
    ):
        yield f"puts {file.path} back to what it was before the change"


def _under_review(reviewed: Case, first: Report) -> set[tuple[str, str]]:
    """Path and name of each definition that the change adds or edits, or that a finding points at."""
    changes = symbol_changes(reviewed.change, reviewed.repository)
    found = [one.head for one in changes if one.head and one.head.kind in KINDS]
    for place in [one.finding for one in first.candidates if one.is_shown and one.finding]:
        around = symbols_of(reviewed.repository.head, place.file)
        found += [one for one in around if one.kind in KINDS and one.line <= place.line <= one.end_line]
    return {(one.path, one.qualified) for one in found if not is_proof(one.path)}


def _is_empty(tree: Tree, symbol: Symbol) -> bool:
    """Whether a function does nothing but return a constant or fail."""
    lines = [line.strip() for line in (tree.lines(symbol.path) or [])[symbol.line - 1 : symbol.end_line]]
    header, *body = lines or [""]
    # `def f(): pass` and `function f() { return 1 }` have their body on the line of the header.
    inner = re.split(r"[:{]\s+", header)[-1] if not body else ""
    said = [line for line in (body or [inner]) if line]
    return symbol.kind != "class" and all(_EMPTY.fullmatch(line) for line in said)


def _lacking(work: Case, not_taken: Collection[str]) -> Iterator[str]:
    """Name files that no commit has and a new line mentions by their name."""
    head = work.repository.head
    added = [
        line
        for file in work.change.files
        if file.head_path and PurePosixPath(file.path).name != ".gitignore"
        for line in _lines_at(file, head)
    ]
    for path in not_taken:
        place = PurePosixPath(path)
        stem = place.stem if place.stem not in ("__init__", "index", "mod") else place.parent.name
        pattern = re.compile(rf"(?<!\w){re.escape(stem)}(?!\w)")
        if stem and head.entry(path) is None and any(pattern.search(line) for line in added):
            yield f"may need {path}, which no commit has"


def _lines_at(file: FileChange, head: Tree) -> list[str]:
    lines = head.lines(file.path) or []
    return [lines[number - 1] for number in file.changed_lines("head") if number <= len(lines)]


def _code(tree: Tree, path: str) -> list[str]:
    """The lines of a file without blank lines and remarks."""
    lines = [line.strip() for line in tree.lines(path) or []]
    return [line for line in lines if line and not line.startswith(("#", "//", "/*", "*"))]
