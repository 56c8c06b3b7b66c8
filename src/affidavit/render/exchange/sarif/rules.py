"""Describe the rules of a SARIF log, from the findings that name them."""

from collections.abc import Sequence
from typing import Any

from affidavit.records.finding import Category, Finding, Severity
from affidavit.render.exchange.sarif.places import message
from affidavit.render.exchange.shapes import rule_of

_MEANINGS = {
    Category.CORRECTNESS: "The code does something else than it is meant to do.",
    Category.SECURITY: "Somebody can make the code do what they must not be able to do.",
    Category.PERFORMANCE: "The code takes more time or memory than it needs to.",
    Category.RELIABILITY: "The code fails where it should cope.",
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
    "The change under review brings it in. The code that the finding quotes was checked against the commit; "
    "the properties of the result say how the finding was proven."
)
_DISMISS = "affidavit ignore FINGERPRINT --why REASON"
_LEVELS = {"error": "error", "warning": "warning", "recommendation": "note"}


def sarif_rules(findings: Sequence[Finding]) -> list[dict[str, Any]]:
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
    severity = _PROBLEM_SEVERITY[finding.severity]
    return {
        "id": rule,
        "name": rule,
        "shortDescription": message(title, 1_000),
        "fullDescription": {"text": _MEANINGS[finding.category]},
        "help": {**message(_help(rule, finding.category)), "markdown": _help_markdown(finding.category)},
        "defaultConfiguration": {"level": _LEVELS[severity]},
        "properties": _properties(finding, severity),
    }


def _properties(finding: Finding, severity: str) -> dict[str, Any]:
    properties: dict[str, Any] = {
        "tags": [str(finding.category)],
        "precision": "very-high",
        "problem.severity": severity,
    }
    if finding.category is Category.SECURITY:
        properties["security-severity"] = _SECURITY_SEVERITY[finding.severity]
    return properties


def _help(rule: str, category: Category) -> str:
    return f"{rule}: {_MEANINGS[category]} {_PROVEN} To dismiss a finding: {_DISMISS}"


def _help_markdown(category: Category) -> str:
    return f"{_MEANINGS[category]}\n\n{_PROVEN}\n\nTo dismiss a finding: `{_DISMISS}`"
