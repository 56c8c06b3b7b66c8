"""Word a diagnostic as a finding of the contract, with its patch, and note those that are not findings."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from affidavit.analysers.engine.rule import Rule, fill
from affidavit.ports import Tree
from affidavit.records.diagnostics import Diagnostic, Reason, SetAside
from affidavit.records.evidence import IN_NAME, AnalyserDiagnostic, Edit
from affidavit.records.finding import Category, Severity

if TYPE_CHECKING:
    from affidavit.analysers.engine.causes import NamedCause

MAX_QUOTED_LINES = 12
SHORT_QUOTE = 24


@dataclass(frozen=True)
class Proof:
    """The analyser with its version, and the code that it was run on."""

    analyser: str
    extent: str


@dataclass(frozen=True)
class Counted:
    """A new diagnostic that is a finding, with the lines of its file and the part of the change to blame."""

    diagnostic: AnalyserDiagnostic
    lines: tuple[str, ...]
    cause: "NamedCause | None"
    patch: str = ""
    """The analyser's own fix, as a diff against head."""
    suppressed_by: str = ""
    """The change's own comment that suppresses it."""
    is_impact: bool = False
    """The change does not touch its file."""


def write_finding(number: int, found: Counted, rule: Rule, proof: Proof) -> dict[str, Any]:
    """Write a finding as the contract requires it."""
    if found.diagnostic.line == IN_NAME:
        rule, found = _of_name(rule, found)
    diagnostic, lines = found.diagnostic, found.lines
    line = min(diagnostic.line, len(lines))
    end = min(max(diagnostic.end_line or line, line), line + MAX_QUOTED_LINES - 1, len(lines))
    finding = {
        "id": f"{rule.id.partition('/')[0]}-{number}",
        "severity": rule.severity_of(diagnostic).value,
        "category": rule.category.value,
        "title": fill(rule.title, diagnostic, "\n".join(lines[line - 1 : end])),
        "file": diagnostic.path,
        "line": line,
        "message": _message(rule, found),
        "suggestion": fill(rule.suggestion, diagnostic),
        "confidence": "high",
        "rule_id": rule.id,
        "verification": _verification(found, rule, (line, end), proof),
    }
    return finding if end == line else {**finding, "end_line": end}


def _of_name(rule: Rule, found: Counted) -> tuple[Rule, Counted]:
    """Word a finding in a file's name; the file's first line is quoted."""
    said = replace(
        rule,
        title=f"{rule.title} in a file name",
        failing_input="Anybody who lists the files of this commit.",
    )
    message = f"{found.diagnostic.message}, in the name of the file"
    return said, replace(
        found, diagnostic=found.diagnostic.model_copy(update={"line": 1, "message": message})
    )


def _message(rule: Rule, found: Counted) -> str:
    diagnostic, cause = found.diagnostic, found.cause
    said = [fill(rule.meaning, diagnostic), *([cause.sentence] if cause else [])]
    if cause and found.is_impact:
        said.append(f"{diagnostic.path}:{diagnostic.line} still relies on what it was before.")
    return " ".join(said)


def _verification(found: Counted, rule: Rule, span: tuple[int, int], proof: Proof) -> dict[str, Any]:
    start, end = quoted_range(found.lines, span)
    finder = f"Affidavit's own check beside {proof.analyser}" if rule.is_own else proof.analyser
    reported = f"{finder} reports {rule.id.partition('/')[2]} at head and not at base"
    return {
        "code_examined": "\n".join(found.lines[start - 1 : end]),
        "line_range_examined": [start, end],
        "verification_method": f"{reported}: {found.diagnostic.message}",
        "checked_for_handling_elsewhere": True,
        "where_checked": f"{proof.extent}, at base and at head",
        "side": "head",
        "failing_input": fill(rule.failing_input, found.diagnostic),
        "wrong_outcome": fill(rule.wrong_outcome, found.diagnostic),
        "is_absence_finding": False,
        "searches": [],
        "is_impact_finding": found.is_impact,
        **({"caused_by": found.cause.cause.model_dump()} if found.cause else {}),
        **({"patch": found.patch} if found.patch else {}),
    }


def quoted_range(lines: Sequence[str], span: tuple[int, int]) -> tuple[int, int]:
    """Return the range to quote; a short or blank line gets its neighbours."""
    start, end = span
    quote = "".join("".join(line.split()) for line in lines[start - 1 : end])
    if len(quote) < SHORT_QUOTE:
        start, end = max(1, start - 1), min(len(lines), end + 1)
    return start, end


MAX_LISTED = 200


def note_set_aside(
    specialist: str, rules: Mapping[str, Rule], dropped: Sequence[tuple[AnalyserDiagnostic, str]]
) -> tuple[Diagnostic, ...]:
    """Note each of the first, and count the others by rule; duplicates count once."""
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


MAX_LINES = 60
"""A longer fix is not a small one."""
NOT_IN_NAMES = frozenset('"\\\t\n\r')
"""Git quotes names with these."""
BYTE_ORDER_MARK = "\ufeff"


def patch_of(diagnostic: AnalyserDiagnostic, head: Tree) -> str:
    """Return a unified diff of the diagnostic's edits; empty if it has none or they do not fit."""
    path = diagnostic.path
    places = [line for one in diagnostic.edits for line in (one.line, one.end_line)]
    if not places or max(places) - min(places) > MAX_LINES or NOT_IN_NAMES & set(path):
        return ""
    # If the file has a secret, a patch would show it, or no longer apply.
    if head.lines(path) is None or head.redacted_lines(path) != head.lines(path):
        return ""
    before = _text_of(head.read(path))
    after = edited(before, diagnostic.edits) if before else None
    return unified(path, before, after) if before and after is not None else ""


def _text_of(content: bytes | None) -> str:
    try:
        text = (content or b"").decode("utf-8")
    except UnicodeDecodeError:
        return ""
    # Line ends that tools count differently give no reliable places.
    is_plain = "\r" not in text.replace("\r\n", "\n") and not text.startswith(BYTE_ORDER_MARK)
    return text if is_plain else ""


def edited(text: str, edits: Sequence[Edit]) -> str | None:
    """Apply all edits; None if one is outside of the text, or two overlap."""
    lines = text.split("\n")
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))

    def offset(line: int, column: int) -> int:
        is_inside = 1 <= line <= len(lines) and 1 <= column <= len(lines[line - 1]) + 1
        return starts[line - 1] + column - 1 if is_inside else -1

    spans = sorted(
        (offset(one.line, one.column), offset(one.end_line, one.end_column), one.text) for one in edits
    )
    edges = [edge for start, end, _ in spans for edge in (start, end)]
    if edges != sorted(edges) or -1 in edges:
        return None
    for start, end, new in reversed(spans):
        text = text[:start] + new + text[end:]
    return text


def unified(path: str, before: str, after: str) -> str:
    """Return the difference; empty if there is none, or a last line has no end."""
    from difflib import unified_diff  # noqa: PLC0415 - few findings have a patch

    if not (before.endswith("\n") and after.endswith("\n")):
        return ""
    old, new = (text.split("\n")[:-1] for text in (before, after))
    rows = list(unified_diff(old, new, f"a/{path}", f"b/{path}", lineterm=""))
    return "\n".join([*rows, ""]) if rows else ""
