"""From a diagnostic that counts to a finding of schema 1.1, worded for the user."""

from collections.abc import Sequence
from typing import Any

from affidavit.analysers.rule import Rule, fill
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.specialists.causes import NamedCause

MAX_QUOTED_LINES = 12
SHORT_QUOTE = 24


def write_finding(
    number: int,
    diagnostic: AnalyserDiagnostic,
    rule: Rule,
    lines: Sequence[str],
    *,
    proven_by: str,
    cause: NamedCause | None,
) -> dict[str, Any]:
    """A finding as the contract wants it; `proven_by` is the analyser with its version."""
    line = min(diagnostic.line, len(lines))
    end = min(max(diagnostic.end_line or line, line), line + MAX_QUOTED_LINES - 1, len(lines))
    finding = {
        "id": f"{rule.id.partition('/')[0]}-{number}",
        "severity": rule.severity.value,
        "category": rule.category.value,
        "title": fill(rule.title, diagnostic),
        "file": diagnostic.path,
        "line": line,
        "message": _message(rule, diagnostic, cause),
        "suggestion": fill(rule.suggestion, diagnostic),
        "confidence": "high",
        "rule_id": rule.id,
        "verification": _verification(diagnostic, rule, lines, (line, end), proven_by, cause),
    }
    return finding if end == line else {**finding, "end_line": end}


def _message(rule: Rule, diagnostic: AnalyserDiagnostic, cause: NamedCause | None) -> str:
    meaning = fill(rule.meaning, diagnostic)
    if cause is None:
        return meaning
    return (
        f"{meaning} {cause.sentence} {diagnostic.path}:{diagnostic.line} still relies on what it was before."
    )


def _verification(
    diagnostic: AnalyserDiagnostic,
    rule: Rule,
    lines: Sequence[str],
    span: tuple[int, int],
    proven_by: str,
    cause: NamedCause | None,
) -> dict[str, Any]:
    start, end = quoted_range(lines, span)
    code = rule.id.partition("/")[2]
    written: dict[str, Any] = {
        "code_examined": "\n".join(lines[start - 1 : end]),
        "line_range_examined": [start, end],
        "verification_method": f"{proven_by} reports {code} at head and not at base: {diagnostic.message}",
        "checked_for_handling_elsewhere": True,
        "where_checked": f"{diagnostic.path} and what it imports, with {proven_by}, at base and at head",
        "is_impact_finding": cause is not None,
        "side": "head",
        "failing_input": fill(rule.failing_input, diagnostic),
        "wrong_outcome": fill(rule.wrong_outcome, diagnostic),
        "is_absence_finding": False,
        "searches": [],
    }
    if cause is not None:
        written["caused_by"] = cause.cause.model_dump()
    return written


def quoted_range(lines: Sequence[str], span: tuple[int, int]) -> tuple[int, int]:
    """The lines to quote; a short or blank line gets its neighbours."""
    start, end = span
    quote = "".join("".join(line.split()) for line in lines[start - 1 : end])
    if len(quote) < SHORT_QUOTE:
        start, end = max(1, start - 1), min(len(lines), end + 1)
    return start, end
