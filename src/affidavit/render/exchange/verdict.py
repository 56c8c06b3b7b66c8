"""Write a report as a `ReviewVerdict`, whose numbers are counted from the lists beside them."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from affidavit.contract.vocabulary import CONFIDENCE_NUMBER, VERDICT_CATEGORY, verdict_severity
from affidavit.records.candidate import Candidate, Status
from affidavit.records.change import FileStatus
from affidavit.records.diagnostics import Reason
from affidavit.records.finding import Finding
from affidavit.records.report import Gap, Report
from affidavit.render import wording
from affidavit.render.account import set_aside_words
from affidavit.render.exchange.shapes import as_json
from affidavit.render.formats import RenderOptions
from affidavit.render.proof import said_under

_CHANGE_TYPES = {
    FileStatus.ADDED: "added",
    FileStatus.COPIED: "added",
    FileStatus.MODIFIED: "modified",
    FileStatus.RENAMED: "modified",
    FileStatus.DELETED: "deleted",
}


def write(report: Report, _options: RenderOptions) -> str:
    """The report in this format."""
    return as_json(to_verdict(report))


def to_verdict(report: Report) -> dict[str, Any]:
    """The verdict with one review a file, the findings that were refuted, and what to do next."""
    files = _file_reviews(report)
    refuted = [one for one in report.candidates if one.status is Status.FALSE_POSITIVE and not is_fixed(one)]
    false_positives = _findings(refuted, report)
    return {
        "verdict": report.verdict.decision,
        "summary": _summary(report),
        "confidence": min(max(report.verdict.confidence, 0.0), 1.0),
        "files": files,
        "stats": _stats(files, false_positives, reviewed=_reviewed_paths(report)),
        "false_positives": false_positives,
        "recommendations": recommendations(report),
        "review_duration_ms": report.duration_ms,
    }


def _summary(report: Report) -> str:
    """The computed outcome comes first, so that no words of a model can stand in its place."""
    aside = f" Dropped: {set_aside_words(report)}." if report.set_aside else ""
    if report.words is None or not report.words.summary:
        return wording.summarize(report) + aside
    return f"{report.verdict.summary}{aside} {report.words.summary}"


def _file_reviews(report: Report) -> list[dict[str, Any]]:
    """A review for each changed file that was not skipped, and for each other file that has a finding."""
    groups = wording.by_file([one for one in report.shown if one.status is not Status.FALSE_POSITIVE])
    reviews = []
    for file in report.change.files:
        found = groups.pop(file.path, [])
        # A file that moved may have findings under both of its names.
        found += groups.pop(file.old_path, []) if file.old_path and file.base_path == file.old_path else []
        if found or file.skipped is None:
            reviews.append(_file_review(report, file.path, file.language, _CHANGE_TYPES[file.status], found))
            reviews[-1]["positive_notes"] = _notes(report, file.path)
    for path, found in groups.items():
        language = wording.language_of(report.change, path)
        reviews.append(_file_review(report, path, language, "modified", found))
    return reviews


def _file_review(
    report: Report, path: str, language: str, change_type: str, found: Sequence[Candidate]
) -> dict[str, Any]:
    return {
        "file_path": path,
        "language": language or "unknown",
        "change_type": change_type,
        "findings": _findings(found, report),
        "positive_notes": [],
    }


def _notes(report: Report, path: str) -> list[str]:
    return [note.note for note in report.words.positive_notes if note.file == path] if report.words else []


def is_fixed(candidate: Candidate) -> bool:
    """It was true in the review before, and is no more: no false positive."""
    return candidate.withheld is not None and candidate.withheld.code is Reason.FIXED


def _findings(candidates: Sequence[Candidate], report: Report) -> list[dict[str, Any]]:
    return [_finding(one, one.finding, report) for one in wording.ordered(candidates) if one.finding]


def _finding(candidate: Candidate, finding: Finding, report: Report) -> dict[str, Any]:
    first, last = finding.lines
    return {
        "file_path": finding.file,
        "line_start": first,
        "line_end": last if last != first else None,
        "severity": verdict_severity(finding.severity, finding.category),
        "category": VERDICT_CATEGORY[finding.category],
        "title": finding.title,
        "description": _description(candidate, finding, report),
        "suggestion": finding.suggestion,
        "verification_status": candidate.status.value,
        "confidence": CONFIDENCE_NUMBER[candidate.confidence],
        "code_snippet": (candidate.quote.code if candidate.quote else "") or None,
    }


def _description(candidate: Candidate, finding: Finding, report: Report) -> str:
    """The message, and claim, cause and what it stands for, which have no field of their own here."""
    said = [finding.message]
    said += [f"{label.capitalize()}: {text}" for label, text in wording.claim(finding)]
    cause = finding.verification.caused_by if finding.verification else None
    if cause is not None:
        said.append(f"Caused by: {cause.file}" + (f" ({cause.symbol})" if cause.symbol else ""))
    said += [f"{label.capitalize()}: {text}" for label, text in said_under(candidate, report)]
    return "\n".join(said)


def _reviewed_paths(report: Report) -> set[str]:
    """The files that somebody read; where coverage was not kept, those that were not skipped.

    One that was only searched for secrets was not reviewed.
    """
    examined = {
        file.path
        for file in report.coverage
        if file.state == "examined"
        or (file.state == "partly" and any(hunk.examined_by for hunk in file.hunks))
    }
    return examined if report.coverage else {file.path for file in report.change.reviewed_files()}


def _stats(
    files: Sequence[dict[str, Any]], false_positives: Sequence[dict[str, Any]], *, reviewed: set[str]
) -> dict[str, int]:
    findings = [finding for file in files for finding in file["findings"]]
    severities = Counter(finding["severity"] for finding in findings)
    return {
        "total_files_reviewed": sum(
            bool(file["findings"]) or file["file_path"] in reviewed for file in files
        ),
        "total_findings": len(findings),
        "critical_count": severities["critical"],
        "warning_count": severities["warning"],
        "info_count": severities["info"],
        "style_count": severities["style"],
        "verified_count": sum(finding["verification_status"] == "verified" for finding in findings),
        "false_positive_count": len(false_positives),
    }


def recommendations(report: Report) -> list[str]:
    """What to do next, most pressing first."""
    blocking = len(report.verdict.blocking)
    doubtful = [one for one in report.shown if one.status in (Status.LIKELY, Status.UNVERIFIED)]
    broken = {one.finding.file for one in report.shown if one.finding and one.finding.is_impact}
    said = []
    if blocking:
        said.append(f"Fix the {_counted_blocking(blocking)} before merging.")
    if broken:
        said.append(f"Adapt the code outside the change that it breaks: {wording.listed(sorted(broken))}.")
    if doubtful:
        said.append(f"Check by hand what could not be proven: {wording.counted(len(doubtful), 'finding')}.")
    said += [_advice("was not completed", part) for part in report.incomplete]
    said += [_advice("did not run", part) for part in report.not_run]
    return said + list(report.words.recommendations if report.words else ())


def _counted_blocking(number: int) -> str:
    return "blocking finding" if number == 1 else f"{number} blocking findings"


def _advice(what: str, part: Gap) -> str:
    reason = part.reason.strip().rstrip(".")
    said = f"{part.name} {what}: {reason}." if reason else f"{part.name} {what}."
    return f"{part.advice.strip()} ({said})" if part.advice.strip() else said
