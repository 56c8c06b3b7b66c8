"""Compute scores, confidence and verdict of a feedback document.

The overall score is a product, `(1 - share * certainty)` for each finding; an item has `ITEM_SHARE`.
Certainty is halved for a finding that is only maybe worth acting on.
"""

import re
from collections import Counter
from collections.abc import Sequence
from math import prod
from typing import Literal, cast

from affidavit.contract.vocabulary import CONFIDENCE_NUMBER, FEEDBACK_ASPECT
from affidavit.languages.registry import LANGUAGES, is_document, language_of
from affidavit.languages.test_files import is_test
from affidavit.records.candidate import Candidate, Status, Worth
from affidavit.records.change import Change
from affidavit.records.finding import Category, Finding, Severity
from affidavit.records.iteration import FeedbackVerdict
from affidavit.records.report import Report

SHARE = {
    Severity.CRITICAL: 0.6,
    Severity.HIGH: 0.35,
    Severity.MEDIUM: 0.2,
    Severity.LOW: 0.05,
    Severity.INFO: 0.02,
}
ITEM_SHARE = {
    Severity.CRITICAL: 0.9,
    Severity.HIGH: 0.7,
    Severity.MEDIUM: 0.5,
    Severity.LOW: 0.25,
    Severity.INFO: 0.1,
}
CERTAINTY = {Status.VERIFIED: 1.0, Status.LIKELY: 0.7, Status.UNVERIFIED: 0.4, Status.FALSE_POSITIVE: 0.0}
MAYBE = 0.5
INCOMPLETE = 0.8
"""Factor for the confidence of an incomplete review."""
REPEATED = 3
"""Reviews with the same issue after which a person has to look: `alert_threshold`."""
LEAST_CONFIDENCE, LEAST_SCORE, GOOD_SCORE = 0.5, 0.5, 0.8
MINOR = frozenset({Severity.LOW, Severity.INFO})
"""Severities that do not keep a change from being accepted."""


def item_score(candidate: Candidate) -> float:
    return round(1 - ITEM_SHARE[_severity(candidate)] * _certainty(candidate), 3)


def what_counts(report: Report) -> list[Candidate]:
    """Return the findings that count at verdict and gate; nits never do."""
    return [one for one in report.candidates if one.is_open and one.worth is not Worth.NIT]


def overall_score(counted: Sequence[Candidate]) -> float:
    """Return the score of a change with these findings; 1 without any."""
    return round(prod(1 - SHARE[_severity(one)] * _certainty(one) for one in counted), 3)


def confidence_of(counted: Sequence[Candidate], *, is_incomplete: bool) -> float:
    """Return how sure the findings are, weighted by severity."""
    weights = [SHARE[_severity(one)] for one in counted]
    sure = sum(
        weight * CONFIDENCE_NUMBER[one.confidence] for weight, one in zip(weights, counted, strict=True)
    )
    sure = sure / sum(weights) if weights else CONFIDENCE_NUMBER["high"]
    return round(sure * (INCOMPLETE if is_incomplete else 1), 3)


def decide_verdict(
    counted: Sequence[Candidate], *, score: float, confidence: float, most_times: int, is_final: bool
) -> FeedbackVerdict:
    """Return the verdict of the first rule that fits."""
    severities = {_severity(one) for one in counted}
    if most_times >= REPEATED or confidence < LEAST_CONFIDENCE:
        return "escalate"
    if Severity.CRITICAL in severities or score < LEAST_SCORE:
        return "reject" if is_final else "refine"
    if severities <= MINOR and score >= GOOD_SCORE:
        return "accept"
    return "escalate" if is_final else "refine"


def _severity(candidate: Candidate) -> Severity:
    return candidate.finding.severity if candidate.finding else Severity.INFO


def _certainty(candidate: Candidate) -> float:
    return CERTAINTY[candidate.status] * (MAYBE if candidate.worth is not Worth.ACT else 1)


FileKind = Literal["code", "document", "artifact", "configuration", "test", "schema"]
CONFIGURATION = frozenset(
    {"yaml", "json", "toml", "ini", "terraform", "nix", "dockerfile", "gitattributes", "gitignore"}
    | {"go-mod", "requirements", "makefile", "cmake", "starlark", "just"}
)
SCHEMAS = frozenset({"protobuf", "graphql", "thrift", "sql"})
_SCHEMA_NAME = re.compile(
    r"(?:^|[._/-])schemas?(?:[._/-]|$)|\.(?:xsd|avsc|rng|wsdl)$|openapi|swagger", re.IGNORECASE
)
_LICENCE = re.compile(r"(?:^|/)(?:LICENSE|LICENCE|NOTICE|AUTHORS|README|CHANGELOG|CONTRIBUTING)[^/]*$")


def kind_of(path: str) -> FileKind:
    """Return the kind of a file: schema and test by name, others by language."""
    language = language_of(path)
    if language in SCHEMAS or (_SCHEMA_NAME.search(path) and not LANGUAGES.of(path).is_code):
        return "schema"
    if is_test(path):
        return "test"
    if is_document(path) or _LICENCE.search(path):
        return "document"
    if language in CONFIGURATION:
        return "configuration"
    if LANGUAGES.of(path).is_code or language in ("html", "xml", "css"):
        return "code"
    return "artifact"


def target_kind(change: Change) -> FileKind:
    """Return the kind of file with the most changed lines."""
    lines: Counter[FileKind] = Counter()
    for file in change.files:
        lines[kind_of(file.path)] += max(
            sum(line[:1] != " " for hunk in file.hunks for line in hunk.lines), 1
        )
    return max(lines, key=lambda kind: lines[kind], default="code")


Aspect = Literal[
    "correctness",
    "completeness",
    "clarity",
    "consistency",
    "efficiency",
    "security",
    "style",
    "documentation",
    "testability",
    "maintainability",
]
_OF_THEIR_OWN = (Category.SECURITY, Category.PERFORMANCE, Category.TEST)


def aspect_of(finding: Finding) -> Aspect:
    category = finding.category
    if category in _OF_THEIR_OWN:
        return cast("Aspect", FEEDBACK_ASPECT[category])
    if finding.verification is not None and finding.verification.is_absence_finding:
        return "completeness"
    if finding.is_impact:
        return "consistency"
    if kind_of(finding.file) == "document":
        return "documentation" if category in (Category.CORRECTNESS, Category.RELIABILITY) else "clarity"
    return cast("Aspect", FEEDBACK_ASPECT[category])
