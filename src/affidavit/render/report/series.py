"""What a report says of the review before it, in plain sentences; the text is raw, as in `wording`."""

from affidavit.iterations.feedback.alerts import alerts_of
from affidavit.records.iteration import Fate, FindingDecision
from affidavit.records.report import Report
from affidavit.render.report.wording import counted, is_same_commits

FATES: dict[Fate, str] = {
    "fixed": "fixed",
    "partly_fixed": "partly fixed",
    "still_open": "still open",
    "cannot_tell": "can't be told",
    "dismissed": "dismissed",
}
BACK = "back again"
"""What was fixed, or gone, and is there again."""


def series_sentence(report: Report) -> str:
    """Which review of its series it is, and what became of the findings before; empty for a first one."""
    follow_up = report.follow_up
    if follow_up is None:
        return ""
    counts = [f"{count} {FATES[fate]}" for fate, count in follow_up.counts.items() if count]
    counts += [f"{len(follow_up.returned)} {BACK}"] if follow_up.returned else []
    same = f"same commits as review {follow_up.previous[:8]}" if is_same_commits(report) else ""
    if same and not counts:
        return f"review {follow_up.iteration} of this change: {same}"
    counts += [f"{len(follow_up.new)} new"] if follow_up.new else []
    became = ", ".join(counts) or "nothing was open, nothing is new"
    said = f"review {follow_up.iteration} of this change: {became}" + (f"; {same}" if same else "")
    scope = follow_up.scope
    if scope is not None and not scope.is_whole:
        files = counted(len(scope.touched) + len(scope.reached), "file")
        said += f"; models looked at {files}: {scope.reason}"
    return said


def decision_lines(report: Report) -> list[tuple[str, str]]:
    """What is back, and each finding of the review before with its fate: the word, the rest of the line."""
    decisions = report.follow_up.decisions if report.follow_up else ()
    order = list(FATES)
    fates = sorted(decisions, key=lambda one: order.index(one.fate))
    return [*_returned_lines(report), *((FATES[one.fate], _line(one)) for one in fates)]


def _returned_lines(report: Report) -> list[tuple[str, str]]:
    known = {one.id: one.finding for one in report.candidates if one.finding}
    returned = report.follow_up.returned if report.follow_up else ()
    return [
        (
            BACK,
            f"{known[one.now].file}:{known[one.now].line} {' '.join(known[one.now].title.split())} "
            f"(stood in review {one.review}, was gone in review {one.review + 1}: finding {one.key})",
        )
        for one in returned
        if one.now in known
    ]


def alert_lines(report: Report) -> list[str]:
    """What a person should know about the series."""
    found = alerts_of(report) if report.follow_up else []
    return [f"{one.kind.replace('_', ' ')}: {one.detail}" for one in found]


def _line(decision: FindingDecision) -> str:
    title = " ".join(decision.title.split())
    reason = " ".join(decision.reason.split())
    return f"{decision.file}:{decision.line} {title} ({decision.by}: {reason})" if reason else title
