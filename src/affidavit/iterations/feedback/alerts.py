"""When a series of reviews does not get anywhere: summaries in, what a person should know out."""

from collections.abc import Sequence
from typing import Literal

from affidavit.iterations.feedback.scores import REPEATED
from affidavit.iterations.feedback.summary import summary_of
from affidavit.records.diagnostics import Reason
from affidavit.records.iteration import IterationSummary
from affidavit.records.record import Record
from affidavit.records.report import Report

STUCK_ITERATIONS, STUCK_CHANGE = 3, 0.02
"""So many reviews with less change of the score than this are a standstill."""

AlertKind = Literal["repeated_issue", "stuck", "oscillation", "regression", "budget"]


class Alert(Record):
    """One thing that a person should know about a series of reviews."""

    kind: AlertKind
    detail: str


def alerts_of(report: Report) -> list[Alert]:
    """The alerts of a report, by what it remembers of the reviews before it."""
    earlier = report.inputs.earlier
    summaries = [*(earlier.history if earlier else ()), summary_of(report)]
    return [*find_alerts(summaries), *_budget(report)]


def find_alerts(series: Sequence[IterationSummary]) -> list[Alert]:
    """The alerts of the newest review of a series, oldest review first."""
    if not series:
        return []
    return [*_repeated(series[-1]), *_stuck(series), *_oscillation(series), *_regression(series)]


def _repeated(newest: IterationSummary) -> list[Alert]:
    return [
        Alert(kind="repeated_issue", detail=f"{one.title} ({one.place}) stands the {_nth(one.times)} time")
        for one in newest.open
        if one.times >= REPEATED
    ]


def _stuck(series: Sequence[IterationSummary]) -> list[Alert]:
    scores = [one.score for one in _like_newest(series)[-STUCK_ITERATIONS:]]
    is_still = len(scores) == STUCK_ITERATIONS and max(scores) - min(scores) < STUCK_CHANGE
    if not is_still or series[-1].verdict == "accept":
        return []
    said = ", ".join(f"{score:.2f}" for score in scores)
    return [Alert(kind="stuck", detail=f"the score hardly moved in {STUCK_ITERATIONS} reviews: {said}")]


def _oscillation(series: Sequence[IterationSummary]) -> list[Alert]:
    """The change is what it was two reviews ago, or an issue that was gone is back, however long it was."""
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


def _regression(series: Sequence[IterationSummary]) -> list[Alert]:
    scores = [one.score for one in _like_newest(series)[-2:]]
    if len(scores) < 2 or scores[1] >= scores[0] - STUCK_CHANGE:
        return []
    fell = f"the score fell from {scores[0]:.2f} to {scores[1]:.2f}"
    return [Alert(kind="regression", detail=fell)]


def _like_newest(series: Sequence[IterationSummary]) -> list[IterationSummary]:
    """The reviews whose scores can be compared with the newest one's; others looked at less, or otherwise."""
    return [one for one in series if one.is_like(series[-1])]


def _budget(report: Report) -> list[Alert]:
    is_spent = any(note.code is Reason.BUDGET_EXHAUSTED for note in report.diagnostics)
    is_spent = is_spent or any("budget" in gap.reason for gap in report.incomplete)
    ended = Alert(kind="budget", detail="the budget ran out before the review was complete")
    return [ended] if is_spent else []


def _nth(number: int) -> str:
    return {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth"}.get(number, f"{number}th")
