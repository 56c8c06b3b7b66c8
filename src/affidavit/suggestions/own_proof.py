"""What proves a patch, kept out of its reach: its files in, the part that tests may judge out."""

import re
from collections.abc import Callable

from affidavit.languages.test_files import is_proof
from affidavit.records.runs.run import ProgramRun
from affidavit.suggestions.patched import Contents


def without_proof(contents: Contents) -> Contents:
    """The part of a patch that its proof may judge; all of it where it mends nothing but tests."""
    code = {path: content for path, content in contents.items() if not is_proof(path)}
    return code or contents


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
