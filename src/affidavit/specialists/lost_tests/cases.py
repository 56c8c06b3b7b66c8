"""The tests of one file: its text in, each test with its lines and how much it checks out."""

import re
from collections.abc import Sequence

from affidavit.languages.registry import LANGUAGES
from affidavit.proof.quoting.quotes import fold
from affidavit.specialists.lost_tests.checks import Check, TestCase

_QUOTED = r"['\"`](?P<{name}>[^'\"`]{{1,200}})"
CASES: dict[str, re.Pattern[str]] = {
    "python": re.compile(r"^\s*(?:async\s+)?def\s+(?P<a>test\w*)\s*\("),
    "javascript": re.compile(r"^\s*[xf]?(?:it|test)(?:\.\w+)*\s*\(\s*" + _QUOTED.format(name="a")),
    "go": re.compile(r"^func\s+(?P<a>(?:Test|Fuzz)\w+)\s*\("),
    "rust": re.compile(r"^\s*(?:pub\s+)?(?:async\s+)?fn\s+(?P<a>\w*test\w*|\w+)\s*\(\s*\)"),
    "java": re.compile(r"^\s*(?:public\s+)?void\s+(?P<a>\w+)\s*\("),
    "ruby": re.compile(r"^\s*(?:def\s+(?P<a>test_\w+)|(?:it|test)\s+" + _QUOTED.format(name="b") + ")"),
    "php": re.compile(r"^\s*(?:public\s+)?function\s+(?P<a>test\w*)\s*\("),
    "csharp": re.compile(r"^\s*public\s+(?:async\s+)?(?:void|Task)\s+(?P<a>\w+)\s*\("),
}
"""Family of languages to the line with which a test begins."""
ASSERTS = re.compile(
    r"\bassert\w*\b|\bexpect\w*\s*\(|\brequire\.\w+\(|\bt\.(?:Error|Fatal)\w*\(|\bpytest\.raises\b|\bshould\b|\bverify\("
)
EMPTY = re.compile(
    r"\bassertTrue\(\s*[Tt]rue\s*\)|\bexpect\(\s*(?:true|1)\s*\)\.to\w*\((?:true|1)?\)|\bassert!\(\s*true\s*\)"
    r"|\bassert(?:\.ok)?\(\s*true\s*\)"
)
_COMMENT = re.compile(r"^\s*(?://|#(?!\[)|/?\*)")
_RETURN = re.compile(r"^(?P<indent>\s*)return\s*;?\s*$")


def cases_by_line(path: str, lines: Sequence[str]) -> list[TestCase]:
    """The tests of a file by the look of its lines; each goes to the next one."""
    pattern = CASES.get(LANGUAGES.of(path).family)
    if pattern is None:
        return []
    starts = [(at, found) for at, line in enumerate(lines) if (found := pattern.match(line))]
    tests = []
    for number, (at, found) in enumerate(starts):
        end = starts[number + 1][0] if number + 1 < len(starts) else len(lines)
        body = _reached(lines[at:end])
        checks = tuple(Check(fold(line)) for line in body if ASSERTS.search(line) and not EMPTY.search(line))
        name = next(text for text in found.groups() if text)
        code = tuple(text for line in lines[at:end] if (text := fold(line)))
        tests.append(TestCase(name, path, at + 1, max(at + 1, end), checks, lines=code))
    return tests


def _reached(body: Sequence[str]) -> list[str]:
    """The lines without comments, to a bare `return` that stands as far out as the body does."""
    reached: list[str] = []
    indent: int | None = None
    for number, line in enumerate(body):
        if not line.strip() or _COMMENT.match(line):
            continue
        if number > 0 and indent is None:
            indent = len(line) - len(line.lstrip())
        ended = _RETURN.match(line)
        if ended and number > 0 and indent is not None and len(ended["indent"]) <= indent:
            break
        reached.append(line)
    return reached
