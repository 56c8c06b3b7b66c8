"""The specialist that looks for tests which a change deletes, skips or weakens.

An agent that is asked to make findings go away may make the tests go away. An ordinary change may do so for
good reasons, so that only a loop with an agent in it asks this specialist.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from affidavit.analysers.rule import Rule
from affidavit.contract.schema import ASKED_SCHEMA_VERSION
from affidavit.contract.versions import NO_PROMPT_VERSION
from affidavit.languages.registry import LANGUAGES
from affidavit.languages.test_files import is_test
from affidavit.ports import Case
from affidavit.records.candidate import SpecialistKind, Worth
from affidavit.records.change import FileChange
from affidavit.records.finding import Category, Severity
from affidavit.records.record import Side
from affidavit.records.report import Reply

NAME = "tests"
MAX_FINDINGS = 50
_QUOTED = r"['\"`](?P<{name}>[^'\"`]{{1,200}})"
CASES: dict[str, re.Pattern[str]] = {
    "python": re.compile(r"^\s*(?:async\s+)?def\s+(?P<a>test\w*)\s*\("),
    "javascript": re.compile(r"^\s*(?:it|test)(?:\.\w+)*\s*\(\s*" + _QUOTED.format(name="a")),
    "go": re.compile(r"^func\s+(?P<a>(?:Test|Fuzz)\w+)\s*\("),
    "rust": re.compile(r"^\s*(?:pub\s+)?(?:async\s+)?fn\s+(?P<a>\w*test\w*|\w+)\s*\(\s*\)"),
    "java": re.compile(r"^\s*(?:public\s+)?void\s+(?P<a>\w+)\s*\("),
    "ruby": re.compile(r"^\s*(?:def\s+(?P<a>test_\w+)|(?:it|test)\s+" + _QUOTED.format(name="b") + ")"),
    "php": re.compile(r"^\s*(?:public\s+)?function\s+(?P<a>test\w*)\s*\("),
    "csharp": re.compile(r"^\s*public\s+(?:async\s+)?(?:void|Task)\s+(?P<a>\w+)\s*\("),
}
"""Family of languages to the line with which a test begins."""
SKIPS = re.compile(
    r"@(?:pytest\.mark\.)?(?:unittest\.)?(?:skip|skipIf|skipUnless|skipif|xfail|expectedFailure)\b"
    r"|\bpytest\.(?:skip|xfail|importorskip)\(|\bself\.skipTest\(|\b(?:it|test|describe|context)\.(?:skip|todo)\b"
    r"|\bx(?:it|test|describe)\(|\bt\.Skip(?:f|Now)?\(|#\[ignore|@(?:Disabled|Ignore)\b|\bmarkTestSkipped\("
    r"|\[(?:Ignore|Fact\(Skip)"
)
ASSERTS = re.compile(
    r"\bassert\w*\b|\bexpect\w*\s*\(|\brequire\.\w+\(|\bt\.(?:Error|Fatal)\w*\(|\bpytest\.raises\b|\bshould\b|\bverify\("
)
EMPTY = re.compile(
    r"\bassert\s+(?:True|1)\s*(?:#.*)?$|\bassertTrue\(\s*[Tt]rue\s*\)|\bexpect\(\s*(?:true|1)\s*\)\.to\w*\((?:true|1)?\)"
    r"|\bassert!\(\s*true\s*\)"
)
_OUTCOME = "What the test was there to notice is not noticed any more."


def _rule(name: str, title: str, meaning: str) -> Rule:
    return Rule(
        id=f"tests/{name}",
        severity=Severity.HIGH,
        category=Category.TEST,
        worth=Worth.ACT,
        title=title,
        meaning=meaning,
        failing_input="A bug in the code under test.",
        wrong_outcome=_OUTCOME,
        suggestion="Restore the test as it was, and change the code under test instead.",
    )


TEST_RULES: tuple[Rule, ...] = (
    _rule("deleted", "The tests of `{name}` are deleted", "The file and its tests are gone."),
    _rule("removed", "The test `{name}` is removed", "No changed file has a test of this name."),
    _rule("skipped", "A test is skipped: `{name}`", "The line keeps tests from being run."),
    _rule(
        "weakened",
        "The test `{name}` checks less than it did",
        "It asserts less, or what always holds.",
    ),
)
_RULES = {rule.id: rule for rule in TEST_RULES}


@dataclass(frozen=True)
class TestCase:
    """One test of a file: its name and its lines."""

    __test__ = False
    name: str
    start: int
    end: int
    asserts: int
    empty: int


@dataclass(frozen=True)
class Loss:
    """One thing that the tests lost."""

    rule: str
    path: str
    side: Side
    line: int
    end: int
    name: str


class WeakenedTests:
    """Compares the tests of both sides."""

    name = NAME
    kind: SpecialistKind = "mechanical"

    def examines(self, file: FileChange) -> bool:
        """Test code, whatever happened to it."""
        return file.skipped is None and any(is_test(path) for path in (file.path, file.old_path) if path)

    async def examine(self, case: Case) -> Reply:
        """Every test that is gone, skipped or weaker at head."""
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
    files = [file for file in case.change.files if WeakenedTests().examines(file)]
    at_head = {
        one.name
        for file in files
        if file.head_path
        for one in tests_in(file.head_path, case.repository.head.redacted_lines(file.head_path) or [])
    }
    for file in files:
        base = case.repository.base.redacted_lines(file.base_path) or [] if file.base_path else []
        head = case.repository.head.redacted_lines(file.head_path) or [] if file.head_path else []
        yield from _losses_in(file, base, head, at_head)


def tests_in(path: str, lines: Sequence[str]) -> list[TestCase]:
    """The tests of a file; each goes to the next one."""
    pattern = CASES.get(LANGUAGES.of(path).family)
    if pattern is None:
        return []
    starts = [(at, found) for at, line in enumerate(lines) if (found := pattern.match(line))]
    tests = []
    for number, (at, found) in enumerate(starts):
        end = starts[number + 1][0] if number + 1 < len(starts) else len(lines)
        body = lines[at:end]
        name = next(text for text in found.groups() if text)
        asserts = sum(ASSERTS.search(line) is not None for line in body)
        empty = sum(EMPTY.search(line) is not None for line in body)
        tests.append(TestCase(name, at + 1, max(at + 1, end), asserts - empty, empty))
    return tests


def _losses_in(
    file: FileChange, base: Sequence[str], head: Sequence[str], at_head: set[str]
) -> Iterator[Loss]:
    before = tests_in(file.base_path, base) if file.base_path else []
    if file.head_path is None:
        gone = [one for one in before if one.name not in at_head]
        if gone and file.base_path:
            yield Loss("tests/deleted", file.base_path, "base", gone[0].start, gone[0].start, file.base_path)
        return
    after = {one.name: one for one in tests_in(file.head_path, head)}
    for one in before:
        now = after.get(one.name)
        if now is None and one.name not in at_head and file.base_path:
            yield Loss("tests/removed", file.base_path, "base", one.start, one.start, one.name)
        elif now is not None and now.asserts < one.asserts:
            yield Loss("tests/weakened", file.head_path, "head", now.start, now.start, one.name)
    for line in file.changed_lines("head"):
        text = head[line - 1] if line <= len(head) else ""
        if SKIPS.search(text):
            yield Loss("tests/skipped", file.head_path, "head", line, line, text.strip()[:100])


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
