"""What proves a patch, kept out of its reach: its files in, which of them are proof, and what it lost out."""

import re
from collections.abc import Callable
from pathlib import PurePosixPath

from affidavit.languages.test_files import TEST_FOLDERS, UNSURE_FOLDERS, is_code, is_test
from affidavit.ports import Case
from affidavit.records.runs.run import ProgramRun
from affidavit.specialists.lost_tests.loss import TEST_RULES
from affidavit.specialists.lost_tests.specialist import find_losses
from affidavit.suggestions.patched import Contents

DATA_FOLDERS = TEST_FOLDERS | UNSURE_FOLDERS | {"testdata", "__snapshots__"}
RUNS_TESTS = frozenset({"conftest", "sitecustomize", "usercustomize", "unittest", "pytest", "_pytest"})
"""What runs the tests, or is loaded before them."""
MAX_NAMED = 3
_TITLES = {rule.id: rule.title for rule in TEST_RULES}


def is_proof(path: str) -> bool:
    """Test code, what tests are compared with, and what runs them."""
    *folders, _ = path.lower().split("/")
    if is_test(path) or any(
        part.lstrip(".").split(".")[0] in RUNS_TESTS for part in PurePosixPath(path).parts
    ):
        return True
    return not is_code(path) and not DATA_FOLDERS.isdisjoint(folders)


def without_proof(contents: Contents) -> Contents:
    """The part of a patch that its proof may judge; all of it where it mends nothing but tests."""
    code = {path: content for path, content in contents.items() if not is_proof(path)}
    return code or contents


def lost_tests(case: Case) -> str:
    """What the tests lose by a patch, in words; empty where nothing."""
    said = [
        _TITLES[loss.rule].format(name=loss.name) + f" ({loss.path}:{loss.line})"
        for loss in find_losses(case)
    ]
    more = f"; and {len(said) - MAX_NAMED} more" if len(said) > MAX_NAMED else ""
    return "; ".join(said[:MAX_NAMED]) + more


def fewer_tests(before: ProgramRun, after: ProgramRun) -> str:
    """That fewer tests pass than before, in words; empty where as many do, or nobody counted them."""
    then, now = passed_tests(before.output), passed_tests(after.output)
    if then is None or (now is not None and now >= then):
        return ""
    return f"{then} passed without the patch, with it {'nobody counted them' if now is None else now}"


def passed_tests(output: str) -> int | None:
    """How many tests passed, as their runner counted them at the end; None where none did."""
    for pattern, count in COUNTS:
        found = [*pattern.finditer(output)]
        if found:
            return count(found)
    return None


def _of_pytest(found: list[re.Match[str]]) -> int:
    passed = re.search(r"(\d+) passed", found[-1][0])
    return int(passed[1]) if passed else 0


def _of_unittest(found: list[re.Match[str]]) -> int:
    return int(found[-1]["ran"]) - sum(map(int, re.findall(r"=(\d+)", found[-1]["others"] or "")))


def _of_ruby(found: list[re.Match[str]]) -> int:
    ran, *others = map(int, found[-1].groups())
    return ran - sum(others)


COUNTS: tuple[tuple[re.Pattern[str], Callable[[list[re.Match[str]]], int]], ...] = (
    (re.compile(r"^=*\s*(?:no tests ran|\d+ \w+(?:, \d+ \w+)*) in [\d.]+s", re.MULTILINE), _of_pytest),
    (
        re.compile(
            r"^Ran (?P<ran>\d+) tests? in .*\n\s*(?:OK|FAILED|NO TESTS RAN)(?: \((?P<others>.*)\))?",
            re.MULTILINE,
        ),
        _of_unittest,
    ),
    (re.compile(r"^(?:#|\u2139) pass (\d+)$", re.MULTILINE), lambda found: int(found[-1][1])),
    (
        re.compile(
            r"^(\d+) (?:runs|tests), \d+ assertions, (\d+) failures, (\d+) errors, (\d+)", re.MULTILINE
        ),
        _of_ruby,
    ),
    (re.compile(r"^ok\s+\S+\s(?!.*\[no tests to run\])", re.MULTILINE), len),
)
"""The last line of each runner, and what it counts; Go's names packages."""
