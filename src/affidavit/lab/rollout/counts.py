"""Count in a report what distinguishes good prompts from bad ones: only what models handed in counts."""

from affidavit.records.candidate import Candidate, Status, Worth
from affidavit.records.diagnostics import Reason
from affidavit.records.lab.rollout import ReviewCounts
from affidavit.records.report import Report

CONFIRMED = (Status.VERIFIED, Status.LIKELY)


def count_review(report: Report) -> ReviewCounts:
    """The counts of one review."""
    asked = [reply for reply in report.replies if reply.kind == "model"]
    replies = [reply for reply in asked if reply.state != "none"]
    standing = [one for one in report.candidates if one.kind == "model" and one.finding is not None]
    judged = [one for one in standing if any(judgement.by == "verifier" for judgement in one.judgements)]
    confirmed = [one for one in judged if one.status in CONFIRMED]
    return ReviewCounts(
        asked=len(asked),
        unanswered=len(asked) - len(replies),
        replies=len(replies),
        coerced=_replies_with(report, Reason.COERCION_APPLIED),
        incompatible=_replies_with(report, Reason.INCOMPATIBLE_VERSION),
        rejected=sum(reply.state == "rejected" for reply in replies),
        findings=sum(reply.findings + reply.dropped for reply in replies),
        dropped=sum(reply.dropped for reply in replies),
        not_quoted=sum(_ended(one, Reason.EVIDENCE_NOT_FOUND) for one in standing),
        judged=len(judged),
        refuted=sum(_ended(one, Reason.REFUTED, Reason.ABSENCE_DISPROVED) for one in judged),
        unverified=sum(one.status is Status.UNVERIFIED for one in judged),
        confirmed=len(confirmed),
        nits=sum(one.worth is Worth.NIT for one in confirmed),
        shown=tuple(one.id for one in standing if one.is_shown),
        cost_usd=_cost(report),
        duration_ms=report.duration_ms,
    )


def _replies_with(report: Report, code: Reason) -> int:
    models = {reply.specialist for reply in report.replies if reply.kind == "model"}
    return len({item.specialist for item in report.diagnostics if item.code is code} & models)


def _ended(candidate: Candidate, *codes: Reason) -> bool:
    return candidate.withheld is not None and candidate.withheld.code in codes


def _cost(report: Report) -> float | None:
    costs = [usage.cost_usd for usage in report.usage]
    known = [cost for cost in costs if cost is not None]
    # A sum that leaves out what has no price would make the dearer version look cheap.
    return sum(known) if costs and len(known) == len(costs) else None
