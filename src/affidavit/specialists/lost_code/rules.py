"""The rules about code that a loop lost or lacks, and a finding by one of them."""

from typing import NamedTuple

from affidavit.analysers.rule import Rule
from affidavit.ports import Case
from affidavit.records.finding import Category, Severity
from affidavit.records.record import Side

DELETED = Rule(
    id="change/deleted",
    severity=Severity.HIGH,
    category=Category.CORRECTNESS,
    title="Deleted code under review: `{name}`",
    meaning="It was deleted, emptied or put back as it was at base, and its code is nowhere else.",
    failing_input="Any use of what was defined there.",
    wrong_outcome="What the change was there to do is not done any more.",
    suggestion="Restore it, and change what the feedback names instead.",
)
NOT_TAKEN = Rule(
    id="change/not-taken",
    severity=Severity.HIGH,
    category=Category.CORRECTNESS,
    title="Missing file `{name}`",
    meaning="Git ignores it, it is large, or it leads out of the repository: no branch has it.",
    failing_input="Any checkout of the branch.",
    wrong_outcome="What this line imports or names is not there.",
    suggestion="Put it where git does not ignore it, or do without it.",
)
CODE_RULES: tuple[Rule, ...] = (DELETED, NOT_TAKEN)


class Place(NamedTuple):
    """A line on one side."""

    path: str
    line: int
    side: Side


def finding_of(rule: Rule, number: int, at: Place, name: str, case: Case, who: str) -> dict[str, object]:
    """A finding by a rule, as the contract wants it."""
    lines = case.repository.side(at.side).redacted_lines(at.path) or []
    return {
        "id": f"{who}-{number}",
        "severity": rule.severity.value,
        "category": rule.category.value,
        "title": rule.title.format(name=name),
        "file": at.path,
        "line": at.line,
        "message": rule.meaning,
        "suggestion": rule.suggestion,
        "confidence": "high",
        "rule_id": rule.id,
        "verification": {
            "code_examined": lines[at.line - 1],
            "line_range_examined": [at.line, at.line],
            "verification_method": f"{who} compared both sides",
            "checked_for_handling_elsewhere": True,
            "where_checked": "all changed files",
            "side": at.side,
            "failing_input": rule.failing_input,
            "wrong_outcome": rule.wrong_outcome,
        },
    }
