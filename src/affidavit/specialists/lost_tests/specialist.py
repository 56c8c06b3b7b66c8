"""The specialist that looks for tests which a change deletes, skips, weakens or no longer runs.

An agent that is asked to make findings go away may make the tests go away. An ordinary change may do so for
good reasons, so that only a loop with an agent in it asks this specialist.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import partial
from pathlib import PurePosixPath

from affidavit.contract.schema import ASKED_SCHEMA_VERSION
from affidavit.contract.versions import NO_PROMPT_VERSION
from affidavit.languages.registry import LANGUAGES
from affidavit.languages.test_files import is_test
from affidavit.ports import Case
from affidavit.proof.quoting.quotes import fold
from affidavit.records.candidate import SpecialistKind
from affidavit.records.change import FileChange
from affidavit.records.record import Side
from affidavit.records.report import Reply
from affidavit.specialists.lost_tests.cases import cases_by_line
from affidavit.specialists.lost_tests.checks import TestCase
from affidavit.specialists.lost_tests.collection import FILES
from affidavit.specialists.lost_tests.loss import TEST_RULES, Loss
from affidavit.specialists.lost_tests.python.cases import python_cases
from affidavit.specialists.lost_tests.scripts.cases import script_cases
from affidavit.specialists.lost_tests.switches import find_switched_off, is_switch
from affidavit.specialists.lost_tests.weaker import is_weaker

NAME = "tests"
MAX_FINDINGS = 50
SAME_TEST = 0.6
"""So much of its code a test keeps that is only called otherwise."""
LIKE_CASE = 0.3
"""So much of it one that has become a case of a parametrized test."""
SKIPS = re.compile(
    r"@(?:pytest\.mark\.)?(?:unittest\.)?(?:skip|skipIf|skipUnless|skipif|xfail|expectedFailure)\b"
    r"|\bmark\.(?:skip|skipif|xfail)\b|\bunittest\.skip|\bSkipTest\b|\b__test__\s*=\s*False"
    r"|\bpytest\.(?:skip|xfail|importorskip)\(|\bself\.skipTest\("
    r"|\b(?:it|test|describe|context|suite)(?:\.\w+)*\.(?:skip|todo|only|fixme)\b"
    r"|\b[xf](?:it|test|describe|context)\(|\bt\.Skip(?:f|Now)?\(|#\[ignore|@(?:Disabled|Ignore)\b"
    r"|\bmarkTestSkipped\(|\[(?:Ignore|Fact\(Skip)|^//go:build\s+(?:ignore|never)\b"
)
ONLY = re.compile(r"\.only\b|\bf(?:it|test|describe|context)\(")
"""What leaves out all the others, so that it may stand at a new test as well."""
_RULES = {rule.id: rule for rule in TEST_RULES}


class LostTests:
    """Compares the tests of both sides."""

    name = NAME
    kind: SpecialistKind = "mechanical"

    def examines(self, file: FileChange) -> bool:
        """Test code and what switches tests off, whatever happened to it."""
        paths = [path for path in (file.path, file.old_path) if path]
        return file.skipped is None and any(is_test(path) or is_switch(path) for path in paths)

    async def examine(self, case: Case) -> Reply:
        """Every test that is gone, skipped, weaker or not run at head."""
        losses = [*find_losses(case)][:MAX_FINDINGS]
        findings = [_finding(number, one, case) for number, one in enumerate(losses)]
        result = {
            "schema_version": ASKED_SCHEMA_VERSION,
            "prompt_version": NO_PROMPT_VERSION,
            "findings": findings,
        }
        return Reply(specialist=NAME, kind="mechanical", text=json.dumps(result))


def find_losses(case: Case) -> Iterator[Loss]:
    """What the tests lost between base and head."""
    files = [file for file in case.change.files if LostTests().examines(file)]
    before = [one for file in files for one in _tests_of(file, "base", case)]
    after = [one for file in files for one in _tests_of(file, "head", case)]
    partners = pair_tests(before, after, {file.base_path or "": file.head_path or "" for file in files})
    for file in files:
        yield from _gone(file, before, partners)
    for one in before:
        now = partners.get(one)
        if now is not None and is_weaker(one, now):
            yield Loss("tests/weakened", now.path, "head", now.start, now.start, one.name)
    yield from _skipped(files, after, partners, case)
    yield from find_switched_off(case)


def tests_in(path: str, lines: Sequence[str]) -> list[TestCase]:
    """The tests of a file: by its syntax where it is Python or a script, else by the look of its lines."""
    readers = {"python": python_cases, "javascript": script_cases}
    read = readers.get(LANGUAGES.of(path).family)
    found = read(path, lines) if read else None
    return cases_by_line(path, lines) if found is None else found


def pair_tests(
    before: Sequence[TestCase], after: Sequence[TestCase], moved: dict[str, str]
) -> dict[TestCase, TestCase]:
    """Each test with what it is now: by its file and name, by its name, by what it does."""
    room = {one: one.room for one in after}
    pairs: dict[TestCase, TestCase] = {}
    for is_same in (partial(_is_same_place, moved), _is_same_name, _is_like):
        for one in before:
            fitting = [other for other in after if room[other] > 0 and is_same(one, other)]
            if one in pairs or not fitting:
                continue
            now = max(fitting, key=partial(_likeness, one))
            pairs[one] = now
            # Of a test that was there before, only cases that are new may stand for others.
            room[now] -= one.room if one.name == now.name else 1
    return pairs


def _is_same_place(moved: dict[str, str], one: TestCase, other: TestCase) -> bool:
    return one.name == other.name and moved.get(one.path) == other.path


def _is_same_name(one: TestCase, other: TestCase) -> bool:
    return one.name == other.name


def _is_like(one: TestCase, other: TestCase) -> bool:
    """Called otherwise, or one of the cases of another by now."""
    return _likeness(one, other) >= (SAME_TEST if other.room == 1 else LIKE_CASE)


def _likeness(one: TestCase, other: TestCase) -> float:
    """How much of the code, without the line with the name, is the same."""
    return SequenceMatcher(None, one.lines[1:], other.lines[1:], autojunk=False).ratio()


def _tests_of(file: FileChange, side: Side, case: Case) -> list[TestCase]:
    path = file.path_at(side)
    if path is None or not is_test(path):
        return []
    is_python = LANGUAGES.of(path).family == "python"
    is_named = any(PurePosixPath(path).match(pattern) for pattern in FILES)
    if side == "head" and is_python and not is_named and file.base_path != path:
        # Only what is called so is collected, unless base had such files before.
        return []
    return tests_in(path, case.repository.side(side).redacted_lines(path) or [])


def _gone(file: FileChange, before: Sequence[TestCase], partners: dict[TestCase, TestCase]) -> Iterator[Loss]:
    gone = [one for one in before if one.path == file.base_path and one not in partners]
    if gone and file.head_path is None:
        yield Loss("tests/deleted", gone[0].path, "base", gone[0].start, gone[0].start, gone[0].path)
        return
    for one in gone:
        yield Loss("tests/removed", one.path, "base", one.start, one.start, one.name)


def _skipped(
    files: Sequence[FileChange],
    after: Sequence[TestCase],
    partners: dict[TestCase, TestCase],
    case: Case,
) -> Iterator[Loss]:
    """Lines that keep tests from being run which base ran; what was skipped there, or is new, is no loss."""
    known = Counter(text for file in files for text in _skips(file.base_path, "base", case).values())
    old = set(partners.values())
    new = {(one.path, line) for one in after if one not in old for line in range(one.start, one.end + 1)}
    marks = {(one.path, one.start): one for one in after if one not in old}
    has_old = {one.path for one in old}
    for file in files:
        if file.path not in has_old and not is_switch(file.path):
            continue
        changed = set(file.changed_lines("head"))
        for line, text in _skips(file.head_path, "head", case).items():
            is_known = known[text] > 0
            known[text] -= is_known
            is_new = (file.path, line) in new or _marks_new(file.path, line, marks, case)
            is_loss = not is_new or ONLY.search(text)
            if not is_known and is_loss and line in changed:
                yield Loss("tests/skipped", file.path, "head", line, line, text[:100])


def _skips(path: str | None, side: Side, case: Case) -> dict[int, str]:
    lines = case.repository.side(side).redacted_lines(path) or [] if path else []
    return {number: fold(line) for number, line in enumerate(lines, 1) if SKIPS.search(line)}


def _marks_new(path: str, line: int, starts: dict[tuple[str, int], TestCase], case: Case) -> bool:
    """The line is a mark above a test that base did not have."""
    lines = case.repository.head.redacted_lines(path) or []
    at = line
    while at <= len(lines) and (lines[at - 1].lstrip().startswith("@") or at == line):
        at += 1
    return (path, at) in starts and lines[line - 1].lstrip().startswith("@")


def _finding(number: int, loss: Loss, case: Case) -> dict[str, object]:
    rule = _RULES[loss.rule]
    lines = case.repository.side(loss.side).redacted_lines(loss.path) or []
    return {
        "id": f"tests-{number}",
        "severity": rule.severity.value,
        "category": rule.category.value,
        "title": rule.title.format(name=loss.name),
        "file": loss.path,
        "line": loss.line,
        "message": rule.meaning,
        "suggestion": rule.suggestion,
        "confidence": "high",
        "rule_id": rule.id,
        "verification": {
            "code_examined": lines[loss.line - 1] if loss.line <= len(lines) else "",
            "line_range_examined": [loss.line, loss.end],
            "verification_method": f"{NAME} compared the tests of both sides",
            "checked_for_handling_elsewhere": True,
            "where_checked": "all tests of the change",
            "side": loss.side,
            "failing_input": rule.failing_input,
            "wrong_outcome": rule.wrong_outcome,
        },
    }
