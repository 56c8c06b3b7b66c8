"""Write a report as SARIF 2.1.0: shown findings as results, what is not shown as suppressed results."""

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from affidavit import HOME_PAGE
from affidavit.records.candidate import Candidate
from affidavit.records.change import Change
from affidavit.records.finding import Category, Cause, Finding, Severity
from affidavit.records.report import Gap, Report
from affidavit.render import wording
from affidavit.render.account import headline_words
from affidavit.render.changed_lines import HeadPlace, changed_place, head_line, head_place
from affidavit.render.exchange.shapes import (
    MAX_TEXT_LENGTH,
    account_of,
    as_json,
    as_uri,
    fingerprint_of,
    inert,
    rule_of,
    set_aside_candidates,
    set_aside_remarks,
    whole_characters,
)
from affidavit.render.formats import RenderOptions
from affidavit.render.proof import proof_steps

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
VERSIONS = ("2.1.0", "github")
LEVELS = {
    Severity.CRITICAL: "error",
    Severity.HIGH: "error",
    Severity.MEDIUM: "warning",
    Severity.LOW: "note",
    Severity.INFO: "note",
}
MAX_RESULTS = {"2.1.0": 25_000, "github": 5_000}
"""GitHub refuses a run of more than 25,000 results and keeps 5,000 of them."""
_SCP_ADDRESS = re.compile(r"^(?:git@)?([\w.-]+):(?!/)(.+)$")
"""`git@host:owner/name`, as git writes ssh."""
_ADDRESS = re.compile(r"^(?:https?|ssh|git)://[\w.:\[\]-]+/\S+$", re.ASCII)
_RANKS = {"high": 90.0, "medium": 60.0, "low": 30.0}
_MAX_SNIPPET_LENGTH = 4_000
_MEANINGS = {
    Category.CORRECTNESS: "The code does not do what it is meant to do.",
    Category.SECURITY: "Somebody can make the code do something that they should not be able to do.",
    Category.PERFORMANCE: "The code takes more time or memory than it needs to.",
    Category.RELIABILITY: "The code fails where it should handle the situation.",
    Category.MAINTAINABILITY: "The code is harder to change than it needs to be.",
    Category.STYLE: "The code is written differently from what the project asks for.",
    Category.TEST: "A test is missing, or does not test what it seems to.",
}
_SECURITY_SEVERITY = {
    Severity.CRITICAL: "9.5",
    Severity.HIGH: "8.0",
    Severity.MEDIUM: "5.5",
    Severity.LOW: "3.0",
    Severity.INFO: "1.0",
}
"""GitHub sorts security alerts by a number from 0 to 10."""
_PROBLEM_SEVERITY = {
    Severity.CRITICAL: "error",
    Severity.HIGH: "error",
    Severity.MEDIUM: "warning",
    Severity.LOW: "recommendation",
    Severity.INFO: "recommendation",
}
_PROVEN = (
    "The change under review introduces it. The code that the finding quotes was checked against the commit; "
    "the properties of the result say how the finding was proven."
)
_DISMISS = "affidavit ignore FINGERPRINT --why REASON"


def write(report: Report, options: RenderOptions) -> str:
    """The report in this format."""
    return as_json(to_sarif(report, options.version))


def to_sarif(report: Report, version: str = "2.1.0") -> dict[str, Any]:
    """The log. `github` leaves withheld findings out: code scanning opens alerts for suppressed results."""
    results = _candidates(report, version)
    kept = results[: MAX_RESULTS[version]]
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [_run(report, kept, left_out=len(results) - len(kept))],
    }


def _candidates(report: Report, version: str) -> list[tuple[Candidate, Finding]]:
    """What becomes a result, shown before withheld, worst first; what is no finding is a notification."""
    chosen = wording.ordered(report.shown)
    if version != "github":
        chosen += [*wording.ordered(report.withheld), *set_aside_candidates(report)]
    return [(one, one.finding) for one in chosen if one.finding]


def _run(report: Report, results: Sequence[tuple[Candidate, Finding]], *, left_out: int) -> dict[str, Any]:
    rules = _sarif_rules([finding for _, finding in results])
    indices = {rule["id"]: index for index, rule in enumerate(rules)}
    run = {
        "tool": {"driver": _driver(report, rules)},
        "automationDetails": {"id": "affidavit/"},
        "invocations": [_invocation(report, left_out)],
        "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "The root of the repository."}}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(one, finding, report, indices) for one, finding in results],
        "properties": _properties(report),
    }
    provenance = _provenance(report.change)
    return {**run, "versionControlProvenance": provenance} if provenance else run


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


def _invocation(report: Report, left_out: int) -> dict[str, Any]:
    notes = [_notification(part, "error", "incomplete") for part in report.incomplete]
    notes += [_notification(part, "note", "not-run") for part in report.not_run]
    notes += [_dropped(one) for one in report.withheld if one.finding is None]
    notes += [_note("withheld", one) for one in set_aside_remarks(report)]
    if left_out:
        said = f"{wording.counted(left_out, 'result')} left out: more than a reader of this file accepts."
        notes.append({"descriptor": {"id": "left-out"}, "level": "warning", "message": _message(said)})
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
    """What the contract dropped has no place and no rule, so it cannot be a result."""
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
        "level": LEVELS[finding.severity],
        "message": _message(account_of(finding, candidate, report)),
        "locations": [_location(place.path, place.first, place.last, _snippet(candidate, place))],
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
    return {**result, **_causes(candidate, finding, report.change, place)}


def _causes(candidate: Candidate, finding: Finding, change: Change, place: HeadPlace) -> dict[str, Any]:
    """For an impact finding, the changed definition, and the way from it to the code that it breaks."""
    cause = finding.verification.caused_by if finding.verification else None
    changed = _cause_location(change, cause) if cause else None
    if changed is None:
        return {}
    broken = _location(place.path, place.first, place.last, _snippet(candidate, place))
    broken["message"] = _message(finding.title, 1_000)
    return {
        "relatedLocations": [{"id": 1, **changed}],
        "codeFlows": [_code_flow("From the changed definition to what it breaks.", [changed, broken])],
    }


def _snippet(candidate: Candidate, place: HeadPlace) -> str:
    """The file's own text of the finding's lines, where the quote holds all of them."""
    quoted = candidate.quote
    if quoted is None or quoted.start is None or not place.is_exact or quoted.outcome == "not_found":
        return ""
    lines = quoted.code.split("\n")[place.first - quoted.start :] if place.first >= quoted.start else []
    wanted = place.last - place.first + 1
    return whole_characters("\n".join(lines[:wanted])) if len(lines) >= wanted else ""


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


def _provenance(change: Change) -> list[dict[str, Any]]:
    """Where the code comes from; SARIF takes an address only, and a folder's name is none."""
    address = _SCP_ADDRESS.sub(r"ssh://\1/\2", change.repository or "")
    if not _ADDRESS.match(address):
        return []
    details: dict[str, Any] = {
        "repositoryUri": quote(whole_characters(address), safe="/:@~!$&'()*+,;=%[]"),
        "mappedTo": {"uriBaseId": "%SRCROOT%"},
    }
    if change.head.commit:
        details["revisionId"] = change.head.commit
    return [details]


def _message(text: str, limit: int = MAX_TEXT_LENGTH) -> dict[str, str]:
    """A text that says what it says: in SARIF, `[this](there)` would be a link of the change's choice."""
    return {"text": inert(text, limit).replace("](", "] (")}


def _location(path: str, first: int, last: int, snippet: str = "") -> dict[str, Any]:
    """A region of a file of the repository; lines only, so the columns are whole lines."""
    region: dict[str, Any] = {"startLine": first, "endLine": last}
    if snippet:
        region["snippet"] = {"text": snippet[:_MAX_SNIPPET_LENGTH]}
    artifact = {"uri": as_uri(path), "uriBaseId": "%SRCROOT%"}
    return {"physicalLocation": {"artifactLocation": artifact, "region": region}}


def _cause_location(change: Change, cause: Cause) -> dict[str, Any] | None:
    """Where the change touched what an impact finding depends on."""
    place = changed_place(change, cause)
    if place is None:
        return None
    line = head_line(place, change)
    snippet = whole_characters(place.anchor.text) if place.anchor.mark == "+" else ""
    said = f"The change of {cause.symbol} here" if cause.symbol.strip() else "The change here"
    return {**_location(place.path, line, line, snippet), "message": _message(said, 1_000)}


def _code_flow(said: str, steps: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """One thread that passes through these locations in their order."""
    flow = [{"location": step, "executionOrder": number} for number, step in enumerate(steps, 1)]
    return {"message": _message(said), "threadFlows": [{"locations": flow}]}


def _sarif_rules(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    """One descriptor a rule, sorted by id; a rule is as bad as the worst of its findings."""
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
        "help": {**_message(_help(rule, finding.category)), "markdown": _help_markdown(finding.category)},
        "defaultConfiguration": {"level": LEVELS[finding.severity]},
        "properties": _rule_properties(finding),
    }


def _rule_name(rule: str, finding: Finding) -> str:
    """A name that people read, in one word and not the id again: `RuffF821Correctness`."""
    words = re.findall(r"[A-Za-z0-9]+", f"{rule} {finding.category}")
    return "".join(word[:1].upper() + word[1:] for word in words)


def _rule_properties(finding: Finding) -> dict[str, Any]:
    properties: dict[str, Any] = {
        "tags": [str(finding.category)],
        "precision": "very-high",
        "problem.severity": _PROBLEM_SEVERITY[finding.severity],
    }
    if finding.category is Category.SECURITY:
        properties["security-severity"] = _SECURITY_SEVERITY[finding.severity]
    return properties


def _help(rule: str, category: Category) -> str:
    return f"{rule}: {_MEANINGS[category]} {_PROVEN} To dismiss a finding: {_DISMISS}"


def _help_markdown(category: Category) -> str:
    return f"{_MEANINGS[category]}\n\n{_PROVEN}\n\nTo dismiss a finding: `{_DISMISS}`"
