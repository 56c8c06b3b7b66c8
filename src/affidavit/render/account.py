"""Put into words what was withheld, what became of earlier findings, and the error rate."""

from collections import Counter
from collections.abc import Mapping, Sequence

from affidavit.iterations.review_summary import alerts_of
from affidavit.records.candidate import Candidate
from affidavit.records.diagnostics import Diagnostic, Reason
from affidavit.records.evidence import IN_NAME
from affidavit.records.iteration import Fate, FindingDecision
from affidavit.records.measure import Rate, TooFew
from affidavit.records.report import Report
from affidavit.render.wording import counted, is_same_commits, withheld_reason

WORDS: dict[Reason, str] = {
    Reason.REFUTED: "refuted",
    Reason.NIT: "too small to act on",
    Reason.DUPLICATE_OF: "duplicate of another finding",
    Reason.EVIDENCE_NOT_FOUND: "quote not in the file",
    Reason.ABSENCE_NOT_SEARCHED: "claims an absence without a search",
    Reason.ABSENCE_DISPROVED: "disproved: it exists",
    Reason.BELOW_THRESHOLD: "below the severity threshold",
    Reason.OUT_OF_FOCUS: "outside the focus",
    Reason.STYLE_OFF: "style is off",
    Reason.DISMISSED: "dismissed by people",
    Reason.SUPPRESSED: "suppressed by the change itself",
    Reason.FIXED: "fixed since the last review",
    Reason.PRE_EXISTING: "there before the change",
    Reason.FINDING_DROPPED: "not readable as a finding",
    Reason.MISSING_REQUIRED_FIELD: "not readable as a finding",
    Reason.FILE_NOT_IN_CHANGED_FILES: "about a file outside the change",
}
"""Other codes are shown with spaces."""
MAX_RULES = 5


def why_words(candidate: Candidate) -> str:
    code = withheld_reason(candidate)
    return WORDS.get(Reason(code), code.replace("_", " "))


def withheld_counts(candidates: Sequence[Candidate]) -> list[tuple[str, int]]:
    counts = Counter(map(why_words, candidates))
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def set_aside_words(report: Report) -> str:
    if not report.set_aside:
        return ""
    said = f"{counted(report.set_aside_count, 'result')} of analysers, set aside"
    rules: Counter[str] = Counter()
    for one in report.set_aside:
        rules.update([one.set_aside.rule] if one.set_aside else one.unlisted)
    return f"{said}: {_by_rule(rules)}" if rules else said


def set_aside_lines(report: Report) -> list[str]:
    """Return the analyser results that were set aside, with rule, place and reason.

    Where there are too many, one line for each analyser counts them by rule.
    """
    return [_set_aside_line(one) for one in report.set_aside]


def _set_aside_line(note: Diagnostic) -> str:
    by = f"{note.specialist or 'an analyser'}: "
    if note.unlisted:
        return f"{by}{sum(note.unlisted.values())} more that are not listed: {_by_rule(note.unlisted)}"
    result = note.set_aside
    if result is None:
        return by + note.detail
    place = f"{result.file}:{result.line}" if result.line != IN_NAME else f"the name of {result.file}"
    said = f" ({result.message})" if result.message else ""
    # Most rules are named after their analyser.
    named = result.rule if result.rule.startswith(f"{note.specialist}/") else by + result.rule
    return f"{named} at {place}: {result.reason}{said}"


def _by_rule(rules: Mapping[str, int]) -> str:
    often = sorted(rules.items(), key=lambda pair: (-pair[1], pair[0]))
    named = [f"{rule} ({count})" if count > 1 else rule for rule, count in often[:MAX_RULES]]
    left = len(often) - MAX_RULES
    return ", ".join([*named, f"and {counted(left, 'other rule')}"] if left > 0 else named)


FATES: dict[Fate, str] = {
    "fixed": "fixed",
    "partly_fixed": "partly fixed",
    "still_open": "still open",
    "cannot_tell": "unknown",
    "dismissed": "dismissed",
}
BACK = "back again"


def series_sentence(report: Report) -> str:
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
            f"(found in review {one.review}, gone in review {one.review + 1}: finding {one.key})",
        )
        for one in returned
        if one.now in known
    ]


def alert_lines(report: Report) -> list[str]:
    found = alerts_of(report) if report.follow_up else []
    return [f"{one.kind.replace('_', ' ')}: {one.detail}" for one in found]


def _line(decision: FindingDecision) -> str:
    title = " ".join(decision.title.split())
    reason = " ".join(decision.reason.split())
    return f"{decision.file}:{decision.line} {title} ({decision.by}: {reason})" if reason else title


EN_DASH = "\u2013"
NOT_MEASURED = "not measured yet"


def percent(share: float) -> str:
    """Return `2.1%`; only zero is shown as 0%, and only all as 100%."""
    value = f"{100 * share:.1f}"
    if value == "0.0" and share > 0:
        return "<0.1%"
    if value == "100.0" and share < 1:
        return ">99.9%"
    return value.removesuffix(".0") + "%" if value in ("0.0", "100.0") else value + "%"


def rate_words(rate: Rate, dash: str = EN_DASH) -> str:
    """Return `2.1% [0.9-4.8], n=190`."""
    return f"{percent(rate.share)} [{100 * rate.low:.1f}{dash}{100 * rate.high:.1f}], n={rate.n}"


def measured_words(rate: Rate | TooFew | None, dash: str = EN_DASH) -> str:
    """Return the error rate of an installation: `wrong: 2.1% [0.9-4.8], n=190`, or why there is none."""
    return f"wrong: {rate_words(rate, dash)}" if isinstance(rate, Rate) else rate or NOT_MEASURED


def headline_words(rate: Rate | TooFew | None) -> str:
    """Return the error rate for a report; empty while there are too few labels."""
    return measured_words(rate) if isinstance(rate, Rate) else ""
