"""Scores, confidence and verdict of a feedback document: candidates in, numbers and one of four words out.

The overall score is a product: every finding takes its share away from what the others leave.

    score = (1 - share * certainty) * (1 - share * certainty) * …

| severity | share of the whole | share of its own item |
| --- | --- | --- |
| critical | 0.6 | 0.9 |
| high | 0.35 | 0.7 |
| medium | 0.2 | 0.5 |
| low | 0.05 | 0.25 |
| info | 0.02 | 0.1 |

Certainty: verified 1, likely 0.7, unverified 0.4; half of that for what is only maybe worth acting on.
"""

from collections.abc import Sequence
from math import prod

from affidavit.contract.vocabulary import CONFIDENCE_NUMBER
from affidavit.records.candidate import Candidate, Status, Worth
from affidavit.records.finding import Severity
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
"""What a part that was begun and not completed leaves of the confidence."""
REPEATED = 3
"""So often the same issue makes it a person's business: `alert_threshold`."""
LEAST_CONFIDENCE, LEAST_SCORE, GOOD_SCORE = 0.5, 0.5, 0.8
MINOR = frozenset({Severity.LOW, Severity.INFO})
"""What alone does not keep a change from being accepted."""


def item_score(candidate: Candidate) -> float:
    """How good the aspect is where one finding speaks of it."""
    return round(1 - ITEM_SHARE[_severity(candidate)] * _certainty(candidate), 3)


def what_counts(report: Report) -> list[Candidate]:
    """What counts at verdict and gate, shown or not; a nit never does."""
    return [one for one in report.candidates if one.is_open and one.worth is not Worth.NIT]


def overall_score(counted: Sequence[Candidate]) -> float:
    """The score of a change in which these findings count; 1 where there are none."""
    return round(prod(1 - SHARE[_severity(one)] * _certainty(one) for one in counted), 3)


def confidence_of(counted: Sequence[Candidate], *, is_incomplete: bool) -> float:
    """How sure the findings are, the graver the more it counts; that no model looked lowers nothing."""
    weights = [SHARE[_severity(one)] for one in counted]
    sure = sum(
        weight * CONFIDENCE_NUMBER[one.confidence] for weight, one in zip(weights, counted, strict=True)
    )
    sure = sure / sum(weights) if weights else CONFIDENCE_NUMBER["high"]
    return round(sure * (INCOMPLETE if is_incomplete else 1), 3)


def decide_verdict(
    counted: Sequence[Candidate], *, score: float, confidence: float, most_times: int, is_final: bool
) -> FeedbackVerdict:
    """The rules in their order; the first that fits decides."""
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
