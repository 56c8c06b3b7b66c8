"""Why findings are not shown, in plain words: candidates or a report in, a few words out."""

from collections import Counter
from collections.abc import Sequence

from affidavit.records.candidate import Candidate
from affidavit.records.diagnostics import Reason
from affidavit.records.report import Report
from affidavit.render.report.wording import withheld_reason

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


def why_words(candidate: Candidate) -> str:
    """The reason why a candidate is not shown, for people; its code is in the native report."""
    code = withheld_reason(candidate)
    return WORDS.get(Reason(code), code.replace("_", " "))


def withheld_counts(candidates: Sequence[Candidate]) -> list[tuple[str, int]]:
    """How many were withheld for which reason, the most frequent first."""
    counts = Counter(map(why_words, candidates))
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def set_aside_lines(report: Report) -> list[str]:
    """What analysers reported and their own part dropped, each with its reason."""
    return [f"{one.specialist or 'an analyser'}: {one.detail}" for one in report.set_aside]
