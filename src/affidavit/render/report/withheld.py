"""Why findings are not shown, in plain words: candidates or a report in, a few words out."""

from collections import Counter
from collections.abc import Mapping, Sequence

from affidavit.records.candidate import Candidate
from affidavit.records.diagnostics import Diagnostic, Reason
from affidavit.records.evidence import IN_NAME
from affidavit.records.report import Report
from affidavit.render.report.wording import counted, withheld_reason

WORDS: dict[Reason, str] = {
    Reason.REFUTED: "refuted",
    Reason.NIT: "too small to act on",
    Reason.DUPLICATE_OF: "said by another finding",
    Reason.EVIDENCE_NOT_FOUND: "quote not in the file",
    Reason.ABSENCE_NOT_SEARCHED: "missing, with no search for it",
    Reason.ABSENCE_DISPROVED: "found, not missing",
    Reason.BELOW_THRESHOLD: "milder than asked for",
    Reason.OUT_OF_FOCUS: "outside of what was asked for",
    Reason.STYLE_OFF: "style, not asked for",
    Reason.DISMISSED: "dismissed by people",
    Reason.SUPPRESSED: "silenced by the change itself",
    Reason.FIXED: "fixed since the last review",
    Reason.FINDING_DROPPED: "not readable as a finding",
    Reason.MISSING_REQUIRED_FIELD: "not readable as a finding",
    Reason.FILE_NOT_IN_CHANGED_FILES: "about a file outside the change",
}
"""A code that is not here is read with spaces."""
MAX_RULES = 5


def why_words(candidate: Candidate) -> str:
    """The reason why a candidate is not shown, for people; its code is in the native report."""
    code = withheld_reason(candidate)
    return WORDS.get(Reason(code), code.replace("_", " "))


def withheld_counts(candidates: Sequence[Candidate]) -> list[tuple[str, int]]:
    """How many were withheld for which reason, the most frequent first."""
    counts = Counter(map(why_words, candidates))
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def set_aside_words(report: Report) -> str:
    """How many results of analysers were set aside, by their rules; empty: none."""
    if not report.set_aside:
        return ""
    said = f"{counted(report.set_aside_count, 'result')} of analysers, set aside"
    rules: Counter[str] = Counter()
    for one in report.set_aside:
        rules.update([one.set_aside.rule] if one.set_aside else one.unlisted)
    return f"{said}: {_by_rule(rules)}" if rules else said


def set_aside_lines(report: Report) -> list[str]:
    """What analysers reported and their own part dropped, with rule, place and reason.

    Those that are too many to be listed are counted by rule, in one line an analyser.
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
    """The most frequent rules, and how many others there are."""
    often = sorted(rules.items(), key=lambda pair: (-pair[1], pair[0]))
    named = [f"{rule} ({count})" if count > 1 else rule for rule, count in often[:MAX_RULES]]
    left = len(often) - MAX_RULES
    return ", ".join([*named, f"and {counted(left, 'other rule')}"] if left > 0 else named)
