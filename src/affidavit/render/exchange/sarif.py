"""Write a report as SARIF 2.1.0: shown findings as results, what is not shown as suppressed results."""

import re
from collections.abc import Sequence
from typing import Any

from affidavit import HOME_PAGE
from affidavit.records.candidate import Candidate
from affidavit.records.change import Change
from affidavit.records.finding import Category, Cause, Finding, Severity
from affidavit.records.report import Gap, Report
from affidavit.render import wording
from affidavit.render.account import headline_words, set_aside_lines
from affidavit.render.changed_lines import changed_place, head_line, head_place
from affidavit.render.exchange.shapes import (
    MAX_TEXT_LENGTH,
    account_of,
    as_json,
    as_uri,
    fingerprint_of,
    inert,
    rule_of,
)
from affidavit.render.formats import RenderOptions
from affidavit.render.proof import proof_steps

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
VERSIONS = ("2.1.0", "github")
_SEVERITIES = {
    Severity.CRITICAL: ("error", "9.5"),
    Severity.HIGH: ("error", "8.0"),
    Severity.MEDIUM: ("warning", "5.5"),
    Severity.LOW: ("note", "3.0"),
    Severity.INFO: ("note", "1.0"),
}
"""SARIF's level, and the number from 0 to 10 by which GitHub sorts security alerts."""
_RANKS = {"high": 90.0, "medium": 60.0, "low": 30.0}
_MEANINGS = {
    Category.CORRECTNESS: "The code does not do what it is meant to do.",
    Category.SECURITY: "The code can be abused.",
    Category.PERFORMANCE: "The code takes more time or memory than it needs to.",
    Category.RELIABILITY: "The code fails where it should handle the situation.",
    Category.MAINTAINABILITY: "The code is harder to change than it needs to be.",
    Category.STYLE: "The code is written differently from what the project asks for.",
    Category.TEST: "A test is missing, or does not test what it seems to.",
}
_PROVEN = (
    "The change under review introduces it. The quoted code was checked against the commit; "
    "the result's properties list the proof."
)
_DISMISS = "affidavit ignore FINGERPRINT --why REASON"


def write(report: Report, options: RenderOptions) -> str:
    return as_json(to_sarif(report, options.version))


def to_sarif(report: Report, version: str = "2.1.0") -> dict[str, Any]:
    """Return the log. `github` omits withheld findings: code scanning opens alerts for suppressed results."""
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(report, _candidates(report, version))]}


def _candidates(report: Report, version: str) -> list[tuple[Candidate, Finding]]:
    chosen = wording.ordered(report.shown)
    if version != "github":
        chosen += wording.ordered(report.withheld)
    return [(one, one.finding) for one in chosen if one.finding]


def _run(report: Report, results: Sequence[tuple[Candidate, Finding]]) -> dict[str, Any]:
    rules = _sarif_rules([finding for _, finding in results])
    indices = {rule["id"]: index for index, rule in enumerate(rules)}
    return {
        "tool": {"driver": _driver(report, rules)},
        "automationDetails": {"id": "affidavit/"},
        "invocations": [_invocation(report)],
        "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "The root of the repository."}}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(one, finding, report, indices) for one, finding in results],
        "properties": _properties(report),
    }


def _driver(report: Report, rules: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "name": "Affidavit",
        "informationUri": HOME_PAGE,
        "version": inert(report.affidavit_version) or "0",
        "shortDescription": {"text": "Code review that says only what it can prove."},
        "rules": rules,
    }


def _properties(report: Report) -> dict[str, Any]:
    return {
        "reportId": inert(report.id),
        "verdict": report.verdict.decision,
        "summary": inert(wording.summarize(report)),
        "exitCode": report.gate.exit_code,
        "withheld": len(report.withheld),
        "setAside": report.set_aside_count,
        **({"measured": rate} if (rate := headline_words(report.measured)) else {}),
    }


def _invocation(report: Report) -> dict[str, Any]:
    notes = [_notification(part, "error", "incomplete") for part in report.incomplete]
    notes += [_notification(part, "note", "not-run") for part in report.not_run]
    notes += [_dropped(one) for one in report.withheld if one.finding is None]
    notes += [_note("withheld", one) for one in set_aside_lines(report)]
    return {
        "executionSuccessful": not report.incomplete,
        "exitCode": report.gate.exit_code,
        "toolExecutionNotifications": notes,
    }


def _notification(part: Gap, level: str, name: str) -> dict[str, Any]:
    return {
        "descriptor": {"id": name},
        "level": level,
        "message": _message(wording.part_sentence(part)),
    }


def _dropped(candidate: Candidate) -> dict[str, Any]:
    """Note a finding that the contract dropped: it has no place and no rule, so it is not a result."""
    return _note("withheld", f"{wording.title_of(candidate)}: {_justification(candidate)}")


def _note(name: str, said: str) -> dict[str, Any]:
    return {"descriptor": {"id": name}, "level": "note", "message": _message(said)}


def _justification(candidate: Candidate) -> str:
    detail = candidate.withheld.detail if candidate.withheld else ""
    reason = wording.withheld_reason(candidate)
    return inert(f"{reason}: {detail}" if detail.strip() else reason)


def _result(
    candidate: Candidate, finding: Finding, report: Report, indices: dict[str, int]
) -> dict[str, Any]:
    rule = rule_of(finding)
    place = head_place(finding, report.change)
    result = {
        "ruleId": rule,
        "ruleIndex": indices[rule],
        "kind": "fail",
        "level": _SEVERITIES[finding.severity][0],
        "message": _message(account_of(finding, candidate, report)),
        "locations": [_location(place.path, place.first, place.last)],
        "partialFingerprints": {"affidavit/v1": fingerprint_of(candidate)},
        "baselineState": "new",
        "rank": _RANKS[candidate.confidence],
        # Without this list, a reader that knows suppressions has to take every result's state as unknown.
        "suppressions": [],
        "properties": _standing(candidate, finding, report),
    }
    if candidate.withheld is not None and candidate.id not in report.gate.failed_by:
        justification = _justification(candidate)
        result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": justification}]
    cause = finding.verification.caused_by if finding.verification else None
    related = _cause_location(report.change, cause) if cause else None
    return {**result, "relatedLocations": [{"id": 1, **related}]} if related else result


def _standing(candidate: Candidate, finding: Finding, report: Report) -> dict[str, Any]:
    return {
        "id": inert(candidate.id),
        "severity": finding.severity,
        "category": finding.category,
        "status": candidate.status,
        "worth": candidate.worth,
        "blocks": candidate.id in report.verdict.blocking,
        "failsGate": candidate.id in report.gate.failed_by,
        "proof": [inert(part, 1_000) for part in proof_steps(candidate)][:50],
    }


def _message(text: str, limit: int = MAX_TEXT_LENGTH) -> dict[str, str]:
    """Return a message without links: in SARIF, `[this](there)` would be one."""
    return {"text": inert(text, limit).replace("](", "] (")}


def _location(path: str, first: int, last: int) -> dict[str, Any]:
    artifact = {"uri": as_uri(path), "uriBaseId": "%SRCROOT%"}
    region = {"startLine": first, "endLine": last}
    return {"physicalLocation": {"artifactLocation": artifact, "region": region}}


def _cause_location(change: Change, cause: Cause) -> dict[str, Any] | None:
    """Return where the change touched the code that an impact finding depends on."""
    place = changed_place(change, cause)
    if place is None:
        return None
    line = head_line(place, change)
    said = f"The change of {cause.symbol} here" if cause.symbol.strip() else "The change here"
    return {**_location(place.path, line, line), "message": _message(said, 1_000)}


def _sarif_rules(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """Return one descriptor per rule, sorted by id, with the severity of its worst finding."""
    worst: dict[str, Finding] = {}
    for finding in findings:
        rule = rule_of(finding)
        if rule not in worst or finding.severity.rank < worst[rule].severity.rank:
            worst[rule] = finding
    return [_rule(rule, worst[rule]) for rule in sorted(worst)]


def _rule(rule: str, finding: Finding) -> dict[str, Any]:
    source, _, name = rule.partition("/")
    title = (
        f"{name} ({source}, {finding.category})"
        if finding.rule_id and name
        else f"A {finding.category} problem"
    )
    return {
        "id": rule,
        "name": _rule_name(rule, finding),
        "shortDescription": _message(title, 1_000),
        "fullDescription": {"text": _MEANINGS[finding.category]},
        "help": _help(rule, finding.category),
        "defaultConfiguration": {"level": _SEVERITIES[finding.severity][0]},
        "properties": _rule_properties(finding),
    }


def _rule_name(rule: str, finding: Finding) -> str:
    """Return a readable name in one word: `RuffF821Correctness`."""
    words = re.findall(r"[A-Za-z0-9]+", f"{rule} {finding.category}")
    return "".join(word[:1].upper() + word[1:] for word in words)


def _rule_properties(finding: Finding) -> dict[str, Any]:
    level, number = _SEVERITIES[finding.severity]
    is_security = finding.category is Category.SECURITY
    return {
        "tags": [str(finding.category)],
        "precision": "very-high",
        "problem.severity": "recommendation" if level == "note" else level,
        **({"security-severity": number} if is_security else {}),
    }


def _help(rule: str, category: Category) -> dict[str, str]:
    text = f"{rule}: {_MEANINGS[category]} {_PROVEN} To dismiss a finding: {_DISMISS}"
    markdown = f"{_MEANINGS[category]}\n\n{_PROVEN}\n\nTo dismiss a finding: `{_DISMISS}`"
    return {**_message(text), "markdown": markdown}
