"""From a diagnostic that counts to a finding of the contract, worded for the user."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from affidavit.analysers.causes import NamedCause
from affidavit.analysers.rule import Rule, fill
from affidavit.records.diagnostics import Diagnostic, Reason, SetAside
from affidavit.records.evidence import IN_NAME, AnalyserDiagnostic
from affidavit.records.finding import Category, Severity

MAX_QUOTED_LINES = 12
SHORT_QUOTE = 24


@dataclass(frozen=True)
class Proof:
    """Who proved it: the analyser with its version, and how much of the code it was run on."""

    analyser: str
    extent: str


def write_finding(
    number: int,
    diagnostic: AnalyserDiagnostic,
    rule: Rule,
    lines: Sequence[str],
    *,
    proof: Proof,
    cause: NamedCause | None,
    is_impact: bool,
    patch: str = "",
) -> dict[str, Any]:
    """A finding as the contract wants it."""
    if diagnostic.line == IN_NAME:
        rule, diagnostic = _of_name(rule, diagnostic)
    line = min(diagnostic.line, len(lines))
    end = min(max(diagnostic.end_line or line, line), line + MAX_QUOTED_LINES - 1, len(lines))
    finding = {
        "id": f"{rule.id.partition('/')[0]}-{number}",
        "severity": rule.severity_of(diagnostic).value,
        "category": rule.category.value,
        "title": fill(rule.title, diagnostic, "\n".join(lines[line - 1 : end])),
        "file": diagnostic.path,
        "line": line,
        "message": _message(rule, diagnostic, cause, is_impact=is_impact),
        "suggestion": fill(rule.suggestion, diagnostic),
        "confidence": "high",
        "rule_id": rule.id,
        "verification": _verification(diagnostic, rule, lines, (line, end), proof)
        | _impact(cause, is_impact=is_impact)
        | ({"patch": patch} if patch else {}),
    }
    return finding if end == line else {**finding, "end_line": end}


def _of_name(rule: Rule, diagnostic: AnalyserDiagnostic) -> tuple[Rule, AnalyserDiagnostic]:
    """What is said of a file's name; it has no line, so the file's first one is quoted."""
    said = replace(
        rule,
        title=f"{rule.title} in a file name",
        failing_input="Anybody who lists the files of this commit.",
    )
    message = f"{diagnostic.message}, in the name of the file"
    return said, diagnostic.model_copy(update={"line": 1, "message": message})


def _message(rule: Rule, diagnostic: AnalyserDiagnostic, cause: NamedCause | None, *, is_impact: bool) -> str:
    said = [fill(rule.meaning, diagnostic), *([cause.sentence] if cause else [])]
    if cause and is_impact:
        said.append(f"{diagnostic.path}:{diagnostic.line} still relies on what it was before.")
    return " ".join(said)


def _verification(
    diagnostic: AnalyserDiagnostic,
    rule: Rule,
    lines: Sequence[str],
    span: tuple[int, int],
    proof: Proof,
) -> dict[str, Any]:
    start, end = quoted_range(lines, span)
    finder = f"Affidavit's own check beside {proof.analyser}" if rule.is_own else proof.analyser
    reported = f"{finder} reports {rule.id.partition('/')[2]} at head and not at base"
    return {
        "code_examined": "\n".join(lines[start - 1 : end]),
        "line_range_examined": [start, end],
        "verification_method": f"{reported}: {diagnostic.message}",
        "checked_for_handling_elsewhere": True,
        "where_checked": f"{proof.extent}, at base and at head",
        "side": "head",
        "failing_input": fill(rule.failing_input, diagnostic),
        "wrong_outcome": fill(rule.wrong_outcome, diagnostic),
        "is_absence_finding": False,
        "searches": [],
    }


def _impact(cause: NamedCause | None, *, is_impact: bool) -> dict[str, Any]:
    caused_by = {"caused_by": cause.cause.model_dump()} if cause else {}
    return {"is_impact_finding": is_impact, **caused_by}


def quoted_range(lines: Sequence[str], span: tuple[int, int]) -> tuple[int, int]:
    """The lines to quote; a short or blank line gets its neighbours."""
    start, end = span
    quote = "".join("".join(line.split()) for line in lines[start - 1 : end])
    if len(quote) < SHORT_QUOTE:
        start, end = max(1, start - 1), min(len(lines), end + 1)
    return start, end


MAX_LISTED = 200


def note_set_aside(
    specialist: str, rules: Mapping[str, Rule], dropped: Sequence[tuple[AnalyserDiagnostic, str]]
) -> tuple[Diagnostic, ...]:
    """A note for each of the first, and one for all the others with how many there are by rule.

    What is said of a line in the same words, for the same reason, is said once.
    """
    note = partial(Diagnostic, code=Reason.FINDING_DROPPED, specialist=specialist)
    said = list(dict.fromkeys(_set_aside(rules, *one) for one in dropped))
    results = said[:MAX_LISTED]
    listed = [
        note(detail=f"{one.rule} at {one.file}:{one.line} ({one.message}): {one.reason}", set_aside=one)
        for one in results
    ]
    others = Counter(one.rule for one in said[MAX_LISTED:])
    if not others:
        return tuple(listed)
    rest = note(detail=f"and {others.total()} more of the same kinds", unlisted=dict(sorted(others.items())))
    return (*listed, rest)


def _set_aside(rules: Mapping[str, Rule], diagnostic: AnalyserDiagnostic, reason: str) -> SetAside:
    rule = rules.get(diagnostic.rule)
    return SetAside(
        rule=diagnostic.rule,
        severity=rule.severity_of(diagnostic) if rule else Severity.INFO,
        category=rule.category if rule else Category.MAINTAINABILITY,
        file=diagnostic.path,
        line=diagnostic.line,
        message=diagnostic.message,
        reason=reason,
    )


MOST_REPEATED = 3
LONGEST = 200


def shortened(command: Sequence[str]) -> str:
    """The command, with an option that is given many times written once, and cut where it is long."""
    counted = Counter(_option(part) for part in command)
    parts: list[str] = []
    for part in command:
        often = counted[_option(part)] if part.startswith("-") else 1
        shown = f"{_option(part)}=… ({often} times)" if often > MOST_REPEATED else part
        if often <= MOST_REPEATED or shown not in parts:
            parts.append(shown)
    text = " ".join(parts)
    return text if len(text) <= LONGEST else f"{text[:LONGEST].rpartition(' ')[0]} …"


def _option(part: str) -> str:
    return part.partition("=")[0]
