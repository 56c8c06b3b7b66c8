"""A report in a few lines: what memory, alerts, history and the curve are made of."""

from affidavit.iterations.feedback.conditions import conditions_of
from affidavit.iterations.feedback.document import (
    assess,
    by_urgency,
    feedback_document,
    left_out,
    times_of,
    unfinished,
)
from affidavit.records.candidate import Candidate
from affidavit.records.iteration import IterationSummary, RememberedItem
from affidavit.records.report import Report

MAX_REMEMBERED = 30


def summary_of(report: Report, digest: str = "") -> IterationSummary:
    """A report in a few lines."""
    assessment = assess(report)
    document = feedback_document(report)
    follow_up, change = report.follow_up, report.change
    prices = [one.cost_usd for one in report.usage]
    known = [price for price in prices if price is not None]
    return IterationSummary(
        number=assessment.number,
        report_id=report.id,
        digest=digest,
        created_at=report.created_at,
        head=change.head.commit or change.head.tree,
        tree=change.head.tree,
        score=assessment.score,
        verdict=assessment.verdict,
        clarity=document["quality_tracking"]["feedback_clarity_score"] if document else None,
        open=tuple(_remembered(one, report) for one in by_urgency(report)[:MAX_REMEMBERED]),
        fates=follow_up.counts if follow_up else {},
        followed=sum(
            one.code_changed and one.fate in ("fixed", "partly_fixed")
            for one in (follow_up.decisions if follow_up else ())
        ),
        new=len(follow_up.new) if follow_up else len(report.shown),
        back=len(follow_up.returned) if follow_up else 0,
        spent_usd=sum(known) if known and len(known) == len(prices) else None,
        tokens=sum(one.input_tokens + one.output_tokens for one in report.usage),
        incomplete=tuple(unfinished(report)[:MAX_REMEMBERED]),
        left_out=tuple(left_out(report)[:MAX_REMEMBERED]),
        conditions=conditions_of(report),
    )


def key_of(candidate: Candidate, report: Report) -> str:
    """The name of a finding for as long as its series goes on, also where it was gone in between."""
    if candidate.carried:
        return candidate.carried.key
    follow_up = report.follow_up
    decided = [(one.now, one.key) for one in follow_up.decisions] if follow_up else []
    back = [(one.now, one.key) for one in follow_up.returned] if follow_up else []
    return next((key for now, key in (*decided, *back) if now == candidate.id), candidate.fingerprint)


def _remembered(candidate: Candidate, report: Report) -> RememberedItem:
    finding = candidate.finding
    if finding is None:
        raise ValueError("what is open has a finding")
    return RememberedItem(
        key=key_of(candidate, report),
        severity=finding.severity,
        place=f"{finding.file}:{finding.line}",
        title=finding.title[:200],
        times=times_of(candidate, report),
    )
