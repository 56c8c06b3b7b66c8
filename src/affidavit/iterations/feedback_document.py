"""Write the actionable-feedback document of a report, for people and coding agents."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from affidavit.contract.vocabulary import FEEDBACK_SEVERITY
from affidavit.iterations.feedback_words import (
    at_least,
    clarity,
    clean,
    cut,
    folded,
    lint_issue,
    plainer,
    sentence,
    suggestion_of,
)
from affidavit.iterations.scores import (
    LEAST_CONFIDENCE,
    MINOR,
    REPEATED,
    aspect_of,
    confidence_of,
    decide_verdict,
    item_score,
    overall_score,
    target_kind,
    what_counts,
)
from affidavit.proof.running.outputs import printed_lines
from affidavit.records.candidate import Candidate, PlaceKind, Worth
from affidavit.records.change import SkipReason
from affidavit.records.finding import Finding
from affidavit.records.iteration import FeedbackVerdict
from affidavit.records.report import Report

MAX_LINES, MAX_LINE_LENGTH, MAX_TEXT = 8, 60, 1_500


def evidence_of(candidate: Candidate, finding: Finding) -> dict[str, str]:
    """Collect the evidence: reproduction, judgement, quote and searches."""
    said = {
        "test_result": _test_result(candidate),
        "metric": _metric(candidate),
        "reference": _reference(candidate, finding),
    }
    return {name: cut(clean(text), MAX_TEXT) for name, text in said.items() if text}


def _test_result(candidate: Candidate) -> str:
    check = candidate.reproduction
    if check is None:
        return ""
    runs = [*([check.base] if check.base else []), *check.head[:1]]
    lines = [folded(f"{check.outcome.replace('_', ' ')}: {check.detail}".rstrip(": "))]
    for run in runs:
        lines += [f"at {run.side}: {run.summary}", *printed_lines(run.output, MAX_LINES, MAX_LINE_LENGTH)]
    return "\n".join(lines)


def _metric(candidate: Candidate) -> str:
    parts = [f"{candidate.status.replace('_', ' ')}, confidence {candidate.confidence}"]
    parts += [f"agreed by {', '.join(candidate.agreed_by)}"] if candidate.agreed_by else []
    said = [one for one in candidate.judgements if one.by == "verifier" and one.answer]
    parts += [f"verifier: {one.answer}, {folded(one.reason)}" for one in said[-1:]]
    return "; ".join(parts)


def _reference(candidate: Candidate, finding: Finding) -> str:
    parts = [f"rule {finding.rule_id}"] if finding.rule_id else []
    quote = candidate.quote
    if quote and quote.start:
        end = quote.end if quote.end and quote.end != quote.start else None
        place = f"{quote.file}:{quote.start}" + (f"-{end}" if end else "")
        parts.append(f"quoted at {place} ({quote.side}, {quote.outcome})")
    for run in candidate.searches:
        found = f"{len(run.hits)} hits" if run.hits else run.state.replace("_", " ")
        parts.append(f"searched for {run.search.pattern!r}: {found}")
    return "; ".join(parts)


BY_NAME: tuple[PlaceKind, ...] = ("function", "section", "element", "path")


def reference_of(candidate: Candidate, finding: Finding) -> str:
    """Return `path:10-12`, or `path::symbol` if the place has a name."""
    place = candidate.place
    if place is not None and place.kind in BY_NAME and place.name:
        return f"{finding.file}::{place.name}"
    first, last = finding.lines
    return f"{finding.file}:{first}-{last}" if last != first else f"{finding.file}:{first}"


def location_of(candidate: Candidate, finding: Finding) -> dict[str, Any]:
    """Return the location, with the lines of a named place in `lines`."""
    place = candidate.place
    first, last = finding.lines
    location: dict[str, Any] = {
        "type": place.kind if place else "range" if last != first else "line",
        "reference": clean(reference_of(candidate, finding)),
    }
    if place and place.before:
        location["context_before"] = clean(place.before)
    if place and place.after:
        location["context_after"] = clean(place.after)
    location["path"] = clean(finding.file)
    location["lines"] = {"start": first, "end": last}
    if finding.side == "base":
        location["side"] = "base"
    if place and place.name and place.name_start:
        location["within"] = {
            "name": clean(place.name),
            "start": place.name_start,
            "end": place.name_end or place.name_start,
        }
    return location


def is_exact(candidate: Candidate) -> bool:
    """Check whether the quote is in the file, in one place."""
    return candidate.quote is not None and candidate.quote.outcome in ("exact", "relocated")


MAX_ITERATIONS = 5
"""Default limit of reviews of one change."""
MIN_ISSUE, MAX_ISSUE = 20, 500
MIN_SUMMARY, MAX_SUMMARY = 50, 500
MAX_PRIORITY = 10

Phase = Literal["initial", "refinement", "final"]


@dataclass(frozen=True)
class Assessment:
    """Score, confidence and verdict of a report."""

    number: int
    max: int
    phase: Phase
    score: float
    confidence: float
    verdict: FeedbackVerdict
    most_times: int
    lacks: str = ""
    """Why the review is incomplete; empty if it is complete."""


def assess(report: Report, most: int | None = None) -> Assessment:
    """Return score, confidence and verdict of a report; `most` is the limit of the loop."""
    number = report.follow_up.iteration if report.follow_up else 1
    limit = most or int(report.settings.get("max_iterations") or MAX_ITERATIONS)
    phase: Phase = "final" if number >= limit else "initial" if number == 1 else "refinement"
    counted = what_counts(report)
    score = overall_score(counted)
    confidence = confidence_of(counted, is_incomplete=bool(report.incomplete))
    most_times = max((times_of(one, report) for one in counted), default=1)
    verdict = decide_verdict(
        counted, score=score, confidence=confidence, most_times=most_times, is_final=phase == "final"
    )
    lacks = lacks_of(report)
    if lacks and verdict == "accept":
        # Silence is never approval.
        verdict = "escalate"
    return Assessment(number, limit, phase, score, confidence, verdict, most_times, lacks)


def lacks_of(report: Report) -> str:
    """Say why a review is incomplete; empty if complete."""
    if report.incomplete:
        return f"the review was not completed ({', '.join(unfinished(report))})"
    is_all_left_out = bool(left_out(report)) and not report.change.reviewed_files()
    return "the choice of paths left out all that there was to look at" if is_all_left_out else ""


def unfinished(report: Report) -> list[str]:
    """Return the names of what was not completed."""
    return list(dict.fromkeys(gap.name for gap in report.incomplete))


def left_out(report: Report) -> list[str]:
    """Return the files of the change that the path options exclude."""
    return [file.path for file in report.change.files if file.skipped is SkipReason.EXCLUDED]


def times_of(candidate: Candidate, report: Report) -> int:
    """Count the reviews of this series that have the finding, this one included."""
    follow_up = report.follow_up
    decided = [(one.now, one.times) for one in follow_up.decisions] if follow_up else []
    back = [(one.now, one.times) for one in follow_up.returned] if follow_up else []
    return max((times for now, times in (*decided, *back) if now == candidate.id), default=1)


def feedback_document(report: Report, most: int | None = None) -> dict[str, Any] | None:
    """Return the document; None if there is nothing to ask for."""
    assessment = assess(report, most)
    asked = [(one, one.finding) for one in _asked_for(report, assessment) if one.finding]
    if not asked:
        return None
    items = [_item(number, one, finding, report) for number, (one, finding) in enumerate(asked, 1)]
    clear = [item["clarity"] for item in items]
    return {
        "id": str(uuid.uuid5(uuid.NAMESPACE_URL, f"affidavit:feedback:{report.id}")),
        "timestamp": report.created_at,
        "iteration": {"number": assessment.number, "max": assessment.max, "phase": assessment.phase},
        "target": _target(report),
        "feedback_items": items,
        "overall_assessment": {
            "score": assessment.score,
            "verdict": assessment.verdict,
            "summary": _summary(report, assessment, [finding for _, finding in asked]),
            "confidence": assessment.confidence,
        },
        "quality_tracking": {"feedback_clarity_score": round(sum(clear) / len(clear), 3)},
    }


def by_urgency(report: Report) -> list[Candidate]:
    """Return the open findings in the order to fix them: blocking, then by severity, folded last."""
    blocking = set(report.verdict.blocking)

    def order(one: Candidate) -> tuple[bool, bool, int, str, int]:
        rank = one.finding.severity.rank if one.finding else 9
        file, line = (one.finding.file, one.finding.line) if one.finding else ("", 0)
        return one.id not in blocking, one.folded, rank, file, line

    return sorted((one for one in report.candidates if one.is_open), key=order)


def _asked_for(report: Report, assessment: Assessment) -> list[Candidate]:
    """Return what is shown, and what is hidden but keeps the change from being accepted."""
    opened = by_urgency(report)
    asked = [
        one
        for one in opened
        if one.is_shown
        or not (one.worth is Worth.NIT or one.finding is None or one.finding.severity in MINOR)
    ]
    return asked or (opened if assessment.verdict != "accept" else [])


def _item(number: int, candidate: Candidate, finding: Finding, report: Report) -> dict[str, Any]:
    issue = _issue(finding)
    about_issue = lint_issue(issue)
    if about_issue.forbidden:
        issue = cut(plainer(issue), MAX_ISSUE)
        about_issue = lint_issue(issue)
    suggested = suggestion_of(finding, clean(reference_of(candidate, finding)))
    suggestion: dict[str, Any] = {"action": suggested.action, "rationale": suggested.rationale}
    if suggested.example:
        suggestion["example"] = suggested.example
    suggestion["priority"] = min(number, MAX_PRIORITY)
    item: dict[str, Any] = {
        "aspect": aspect_of(finding),
        "severity": FEEDBACK_SEVERITY[finding.severity],
        "score": item_score(candidate),
        "issue": issue,
        "location": location_of(candidate, finding),
        "suggestion": suggestion,
        "evidence": evidence_of(candidate, finding),
        "finding": candidate.id,
        "fingerprint": candidate.fingerprint,
        "times": times_of(candidate, report),
        "blocks": candidate.id in report.verdict.blocking,
        "clarity": clarity(about_issue, suggested.lint, is_exact=is_exact(candidate)),
    }
    if candidate.withheld:
        item["hidden_as"] = str(candidate.withheld.code)
    flags = [*about_issue.flags, *suggested.lint.flags]
    return {**item, "wording_flags": flags} if flags else item


def _issue(finding: Finding) -> str:
    """Return title, message and outcome, as far as there is room."""
    wrong = finding.verification.wrong_outcome if finding.verification else None
    title, message = (sentence(folded(clean(text))) for text in (finding.title, finding.message))
    outcome = sentence(folded(clean(wrong or "")))
    room = MAX_ISSUE - len(title) - 1
    told = (
        cut(message, max(room - (len(outcome) + 1 if outcome else 0), room // 2)) if room > MIN_ISSUE else ""
    )
    parts = [title, told, outcome if outcome.rstrip(".") not in told else ""]
    joined = cut(" ".join(part for part in parts if part), MAX_ISSUE)
    return at_least(joined, MIN_ISSUE, f"Found at {folded(clean(finding.file))}:{finding.line}.")


def _target(report: Report) -> dict[str, str]:
    change = report.change
    paths = [file.path for file in change.files]
    named = paths[0] if len(paths) == 1 else change.request or change.target or change.source
    target = {
        "type": target_kind(change),
        "path": clean(named),
        "version": change.head.commit or change.head.tree,
    }
    return {**target, "context": cut(folded(clean(change.title)), 500)} if change.title else target


def _summary(report: Report, assessment: Assessment, findings: Sequence[Finding]) -> str:
    words = [FEEDBACK_SEVERITY[finding.severity] for finding in findings]
    counts = [
        f"{words.count(word)} {word}"
        for word in ("critical", "major", "minor", "suggestion")
        if word in words
    ]
    worst = folded(clean(findings[0].title)).rstrip(".")
    said = f"{', '.join(counts)}: {_next_step(assessment)} First: {worst}."
    if report.follow_up:
        fates = report.follow_up.counts
        told = [f"{count} {fate.replace('_', ' ')}" for fate, count in fates.items() if count]
        said += f" Of what was asked before: {', '.join(told) or 'nothing was open'}."
    return at_least(
        cut(said, MAX_SUMMARY), MIN_SUMMARY, f"{len(findings)} findings at {clean(report.change.target)}"
    )


def _next_step(assessment: Assessment) -> str:
    if assessment.verdict != "escalate":
        return _NEXT[assessment.verdict]
    if assessment.most_times >= REPEATED:
        return "a person has to look: the same issue was reported for the third time."
    if assessment.lacks:
        return f"a person has to look: {assessment.lacks}."
    if assessment.confidence < LEAST_CONFIDENCE:
        return "a person has to look: the review is not sure enough."
    return "this was the last iteration, and what is left has to be decided by a person."


_NEXT: dict[str, str] = {
    "accept": "nothing of it has to be done before this is accepted.",
    "refine": "change the code as the items say, in their order, and have it reviewed again.",
    "reject": "this was the last iteration, and what is left is too grave to accept it.",
}
