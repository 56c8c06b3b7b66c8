"""Summarise a report for the history of its series, and raise alerts."""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Literal

from affidavit.iterations.feedback_document import (
    assess,
    by_urgency,
    feedback_document,
    left_out,
    times_of,
    unfinished,
)
from affidavit.iterations.scores import REPEATED
from affidavit.records.candidate import Candidate
from affidavit.records.iteration import IterationSummary, RememberedItem
from affidavit.records.record import Record
from affidavit.records.report import Report

VIEW_SETTINGS = frozenset(
    {"fail_on", "severity_threshold", "focus", "include_style", "nits", "fold", "max_iterations", "origins"}
    | {"sources", "budget_usd", "budget_tokens", "prices_usd_per_million", "model_timeout_seconds"}
)
"""Settings that do not change who reviews what."""


def settings_digest(settings: Mapping[str, Any]) -> str:
    kept = {name: value for name, value in settings.items() if name not in VIEW_SETTINGS}
    return _digest(kept)


def conditions_of(report: Report) -> str:
    """Return a digest of everything that decides who reviewed what, and how."""
    prompts = report.prompt_version if report.models else ""
    return _digest([settings_digest(report.settings), report.models, prompts, report.change.base.name])


def _digest(content: Any) -> str:
    return sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()[:16]


MAX_REMEMBERED = 30


def summary_of(report: Report, digest: str = "") -> IterationSummary:
    assessment = assess(report)
    document = feedback_document(report)
    follow_up, change = report.follow_up, report.change
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
        spent_usd=report.cost_usd if report.usage else None,
        tokens=report.tokens,
        incomplete=tuple(unfinished(report)[:MAX_REMEMBERED]),
        left_out=tuple(left_out(report)[:MAX_REMEMBERED]),
        conditions=conditions_of(report),
    )


def key_of(candidate: Candidate, report: Report) -> str:
    """Return the name of a finding in its series, also if it was gone in between."""
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


STUCK_ITERATIONS, STUCK_CHANGE = 3, 0.02
"""A series is stuck if its score changes by less than this over STUCK_ITERATIONS reviews."""

AlertKind = Literal["repeated_issue", "stuck", "oscillation"]


class Alert(Record):
    """One thing that a person should know about a series of reviews."""

    kind: AlertKind
    detail: str


def alerts_of(report: Report) -> list[Alert]:
    earlier = report.inputs.earlier
    summaries = [*(earlier.history if earlier else ()), summary_of(report)]
    return find_alerts(summaries)


def find_alerts(series: Sequence[IterationSummary]) -> list[Alert]:
    """Return the alerts of the newest review; the series starts with the oldest."""
    if not series:
        return []
    return [*_repeated(series[-1]), *_stuck(series), *_oscillation(series)]


def _repeated(newest: IterationSummary) -> list[Alert]:
    return [
        Alert(kind="repeated_issue", detail=f"{one.title} ({one.place}): reported the {_nth(one.times)} time")
        for one in newest.open
        if one.times >= REPEATED
    ]


def _stuck(series: Sequence[IterationSummary]) -> list[Alert]:
    scores = [one.score for one in [one for one in series if one.is_like(series[-1])][-STUCK_ITERATIONS:]]
    is_still = len(scores) == STUCK_ITERATIONS and max(scores) - min(scores) < STUCK_CHANGE
    if not is_still or series[-1].verdict == "accept":
        return []
    said = ", ".join(f"{score:.2f}" for score in scores)
    return [Alert(kind="stuck", detail=f"the score hardly moved in {STUCK_ITERATIONS} reviews: {said}")]


def _oscillation(series: Sequence[IterationSummary]) -> list[Alert]:
    """Alert if the change is what it was two reviews ago, or a fixed issue is back."""
    if len(series) < 3:
        return []
    first, second, third = series[-3:]
    if first.tree == third.tree != second.tree:
        return [Alert(kind="oscillation", detail=f"the change is again what it was in review {first.number}")]
    gone = {one.key for before in series[:-2] for one in before.open} - {one.key for one in second.open}
    back = [one for one in third.open if one.key in gone]
    return [
        Alert(kind="oscillation", detail=f"{one.title} ({one.place}) was gone and is back") for one in back
    ]


def _nth(number: int) -> str:
    return {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth"}.get(number, f"{number}th")
