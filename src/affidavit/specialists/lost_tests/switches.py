"""What switches tests off without touching them: settings of pytest and JavaScript, `conftest.py`."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from affidavit.languages.test_files import is_test
from affidavit.ports import Case
from affidavit.records.change import FileChange
from affidavit.records.record import Side
from affidavit.specialists.lost_tests.collection import (
    CONFTEST,
    SETTINGS,
    Ignores,
    Selection,
    collects,
    ignores_of,
    selection_of,
)
from affidavit.specialists.lost_tests.loss import Loss

SETTINGS_FILES = frozenset(path for path, _ in SETTINGS)
_SCRIPT_SETTINGS = re.compile(r"(?:^|/)(?:package\.json|(?:jest|vitest|vite|playwright|karma)\.config\.\w+)$")
_SCRIPT_IGNORES = re.compile(
    r"\b(?:testPathIgnorePatterns|testIgnore|modulePathIgnorePatterns|passWithNoTests)\b"
)
ALWAYS = frozenset(
    {"pytest_ignore_collect", "pytest_runtest_protocol", "pytest_pyfunc_call", "pytest_runtestloop"}
)
"""Hooks whose very presence may keep a test from being run."""
_PASSES_OVER = re.compile(
    r"\bskip\w*|\bxfail\b|\bdeselected\b|\bitems\s*\[|\bitems\.(?:clear|remove|pop)|\bdel\s+items|\boutcome\b"
    r"|\bexitstatus\b|\bexcinfo\b|\breturn\s+(?:True|None|\[\])",
    re.IGNORECASE,
)
_ENDS = re.compile(r"\b(?:os\._exit|sys\.exit|pytest\.exit)\s*\(")


def is_switch(path: str) -> bool:
    """A file that may switch tests off."""
    return (
        PurePosixPath(path).name == CONFTEST or path in SETTINGS_FILES or bool(_SCRIPT_SETTINGS.search(path))
    )


def find_switched_off(case: Case) -> Iterator[Loss]:
    """Everything between base and head that keeps tests from being run."""
    files = [file for file in case.change.files if is_switch(file.path) or is_switch(file.old_path or "")]
    if not files:
        return
    yield from _no_longer_collected(files, case)
    for file in files:
        if file.head_path is None:
            continue
        head = case.repository.head.redacted_lines(file.head_path) or []
        if PurePosixPath(file.head_path).name == CONFTEST:
            yield from _hooks(file, head, case)
        elif _SCRIPT_SETTINGS.search(file.head_path):
            yield from _lines(file, head, _SCRIPT_IGNORES)


def _no_longer_collected(files: Sequence[FileChange], case: Case) -> Iterator[Loss]:
    """Test files that both sides have and only base collects, and options that leave tests out."""
    base, head = case.repository.base, case.repository.head
    then, now = selection_of(base), selection_of(head)
    both = [path for path in base.entries() if path.endswith(".py") and head.entry(path) is not None]
    before, after = ignores_of(base), ignores_of(head)
    known = [path for path in both if is_test(path) and collects(path, then, before)]
    by_settings = [path for path in known if not collects(path, now, before)]
    by_conftest = [path for path in known if not collects(path, then, after)]
    if by_settings:
        yield from _at(
            _file_of(files, then, now), "testpaths|python_files|norecursedirs|ignore", by_settings, case
        )
    if by_conftest:
        changed = [file for file in files if file.head_path and PurePosixPath(file.path).name == CONFTEST]
        blamed = [file for file in changed if _alone(file, by_conftest, then, before, after)]
        yield from _at(next(iter((*blamed, *changed)), None), "collect_ignore", by_conftest, case)
    new = sorted(now.left_out - then.left_out)
    if new:
        yield from _at(_file_of(files, then, now), new[0].partition("=")[0], new, case)
    for name, old, own, must in (
        ("python_functions", then.functions, now.functions, "test"),
        ("python_classes", then.classes, now.classes, "Test"),
    ):
        is_narrower = old != own and any(_takes(one, must) for one in old)
        if is_narrower and not any(_takes(one, must) for one in own):
            yield from _at(_file_of(files, then, now), name, [name], case)


def _takes(pattern: str, prefix: str) -> bool:
    """Whether every name that begins so is taken."""
    return prefix.startswith(pattern.rstrip("*"))


def _alone(
    file: FileChange, lost: Sequence[str], selection: Selection, before: Ignores, after: Ignores
) -> bool:
    """This `conftest.py` alone leaves one of them out."""
    folder = file.path.rpartition("/")[0]
    names = {**before.names, folder: after.names.get(folder, ())}
    globs = {**before.globs, folder: after.globs.get(folder, ())}
    return not all(collects(path, selection, replace(before, names=names, globs=globs)) for path in lost)


def _file_of(files: Sequence[FileChange], then: Selection, now: Selection) -> FileChange | None:
    """The changed file of settings that counts now, or that counted before."""
    by_path = {path: file for file in files for path in (file.path, file.old_path or file.path)}
    return by_path.get(now.path) or by_path.get(then.path)


def _at(file: FileChange | None, wanted: str, lost: Sequence[str], case: Case) -> Iterator[Loss]:
    """One loss at the line that says so: a changed one, the one with the word before all others."""
    if file is None:
        return
    side: Side = "head" if file.head_path and file.changed_lines("head") else "base"
    path = file.path_at(side) or file.path
    lines = case.repository.side(side).redacted_lines(path) or []
    changed = [line for line in file.changed_lines(side) if line <= len(lines) and lines[line - 1].strip()]
    named = [line for line in changed if re.search(wanted, lines[line - 1])]
    at = next(iter((*named, *changed)), 0)
    if at:
        more = f" and {len(lost) - 1} more" if len(lost) > 1 else ""
        yield Loss("tests/unselected", path, side, at, at, f"{lost[0]}{more}")


def _hooks(file: FileChange, head: Sequence[str], case: Case) -> Iterator[Loss]:
    """Hooks of pytest that are new or changed and pass tests over; programs that end the run."""
    base = case.repository.base.redacted_lines(file.base_path) or [] if file.base_path else []
    known = {text for _, _, text in _hooks_in(base)}
    for name, line, text in _hooks_in(head):
        if text not in known and (name in ALWAYS or _PASSES_OVER.search(text.partition("\n")[2])):
            yield Loss("tests/skipped", file.path, "head", line, line, name)
    yield from _lines(file, head, _ENDS)


def _hooks_in(lines: Sequence[str]) -> list[tuple[str, int, str]]:
    """Name, line and text of each hook."""
    try:
        module = ast.parse("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    functions = [one for one in module.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [
        (one.name, one.lineno, "\n".join(lines[one.lineno - 1 : one.end_lineno]))
        for one in functions
        if one.name.startswith("pytest_")
    ]


def _lines(file: FileChange, head: Sequence[str], pattern: re.Pattern[str]) -> Iterator[Loss]:
    for line in file.changed_lines("head"):
        text = head[line - 1] if line <= len(head) else ""
        if pattern.search(text):
            yield Loss("tests/skipped", file.path, "head", line, line, text.strip()[:100])
