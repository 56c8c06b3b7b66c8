"""Write a report as a `ReviewVerdict`."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

from affidavit.contract.vocabulary import (
    CONFIDENCE_NUMBER,
    VERDICT_CATEGORY,
    VerdictCategory,
    VerdictSeverity,
    verdict_severity,
)
from affidavit.records.candidate import Candidate, Status
from affidavit.records.change import FileStatus
from affidavit.records.diagnostics import Reason
from affidavit.records.finding import Finding
from affidavit.records.record import Record
from affidavit.records.report import Gap, Report
from affidavit.render import wording
from affidavit.render.account import set_aside_words
from affidavit.render.exchange.shapes import as_json, claim_lines, under_lines
from affidavit.render.formats import RenderOptions

_CHANGE_TYPES: dict[FileStatus, Literal["added", "modified", "deleted"]] = {
    FileStatus.ADDED: "added",
    FileStatus.COPIED: "added",
    FileStatus.MODIFIED: "modified",
    FileStatus.RENAMED: "modified",
    FileStatus.DELETED: "deleted",
}


class VerdictFinding(Record):
    file_path: str
    line_start: int
    line_end: int | None
    severity: VerdictSeverity
    category: VerdictCategory
    title: str
    description: str
    suggestion: str | None
    verification_status: Status
    confidence: float
    code_snippet: str | None


class FileReview(Record):
    file_path: str
    language: str
    change_type: Literal["added", "modified", "deleted"]
    findings: tuple[VerdictFinding, ...]
    positive_notes: tuple[str, ...]


class ReviewStats(Record):
    total_files_reviewed: int
    total_findings: int
    critical_count: int
    warning_count: int
    info_count: int
    style_count: int
    verified_count: int
    false_positive_count: int


class ReviewVerdict(Record):
    verdict: Literal["approve", "request_changes", "comment"]
    summary: str
    confidence: float
    files: tuple[FileReview, ...]
    stats: ReviewStats
    false_positives: tuple[VerdictFinding, ...]
    recommendations: tuple[str, ...]
    review_duration_ms: int | None


def write(report: Report, _options: RenderOptions) -> str:
    return as_json(to_verdict(report).model_dump(mode="json"))


def to_verdict(report: Report) -> ReviewVerdict:
    """Return the verdict with reviews by file, refuted findings and recommendations."""
    files = tuple(_file_reviews(report))
    refuted = [one for one in report.candidates if one.status is Status.FALSE_POSITIVE and not is_fixed(one)]
    false_positives = _findings(refuted, report)
    return ReviewVerdict(
        verdict=report.verdict.decision,
        summary=_summary(report),
        confidence=min(max(report.verdict.confidence, 0.0), 1.0),
        files=files,
        stats=_stats(files, len(false_positives), reviewed=_reviewed_paths(report)),
        false_positives=false_positives,
        recommendations=tuple(recommendations(report)),
        review_duration_ms=report.duration_ms,
    )


def _summary(report: Report) -> str:
    """Return the computed outcome, then the model's words: these must not pass for it."""
    aside = f" Dropped: {set_aside_words(report)}." if report.set_aside else ""
    if report.words is None or not report.words.summary:
        return wording.summarize(report) + aside
    return f"{report.verdict.summary}{aside} {report.words.summary}"


def _file_reviews(report: Report) -> Iterator[FileReview]:
    """Yield a review for each changed file that was not skipped, and for other files with findings."""
    groups = wording.by_file([one for one in report.shown if one.status is not Status.FALSE_POSITIVE])
    for file in report.change.files:
        found = groups.pop(file.path, [])
        # A file that moved may have findings under both of its names.
        found += groups.pop(file.old_path, []) if file.old_path and file.base_path == file.old_path else []
        if found or file.skipped is None:
            yield FileReview(
                file_path=file.path,
                language=file.language or "unknown",
                change_type=_CHANGE_TYPES[file.status],
                findings=_findings(found, report),
                positive_notes=_notes(report, file.path),
            )
    for path, found in groups.items():
        yield FileReview(
            file_path=path,
            language=wording.language_of(report.change, path) or "unknown",
            change_type="modified",
            findings=_findings(found, report),
            positive_notes=(),
        )


def _notes(report: Report, path: str) -> tuple[str, ...]:
    notes = report.words.positive_notes if report.words else ()
    return tuple(one.note for one in notes if one.file == path)


def is_fixed(candidate: Candidate) -> bool:
    return candidate.withheld is not None and candidate.withheld.code is Reason.FIXED


def _findings(candidates: Sequence[Candidate], report: Report) -> tuple[VerdictFinding, ...]:
    return tuple(_finding(one, one.finding, report) for one in wording.ordered(candidates) if one.finding)


def _finding(candidate: Candidate, finding: Finding, report: Report) -> VerdictFinding:
    first, last = finding.lines
    return VerdictFinding(
        file_path=finding.file,
        line_start=first,
        line_end=last if last != first else None,
        severity=verdict_severity(finding.severity, finding.category),
        category=VERDICT_CATEGORY[finding.category],
        title=finding.title,
        description="\n".join([*claim_lines(finding), *under_lines(candidate, report)]),
        suggestion=finding.suggestion,
        verification_status=candidate.status,
        confidence=CONFIDENCE_NUMBER[candidate.confidence],
        code_snippet=(candidate.quote.code if candidate.quote else "") or None,
    )


def _reviewed_paths(report: Report) -> set[str]:
    """Return the files that were examined; without coverage, those that were not skipped.

    Files that were only searched for secrets do not count.
    """
    examined = {
        file.path
        for file in report.coverage
        if file.state == "examined"
        or (file.state == "partly" and any(hunk.examined_by for hunk in file.hunks))
    }
    return examined if report.coverage else {file.path for file in report.change.reviewed_files()}


def _stats(files: Sequence[FileReview], false_positives: int, *, reviewed: set[str]) -> ReviewStats:
    findings = [finding for file in files for finding in file.findings]
    severities = Counter(finding.severity for finding in findings)
    return ReviewStats(
        total_files_reviewed=sum(bool(file.findings) or file.file_path in reviewed for file in files),
        total_findings=len(findings),
        critical_count=severities["critical"],
        warning_count=severities["warning"],
        info_count=severities["info"],
        style_count=severities["style"],
        verified_count=sum(finding.verification_status is Status.VERIFIED for finding in findings),
        false_positive_count=false_positives,
    )


def recommendations(report: Report) -> list[str]:
    blocking = len(report.verdict.blocking)
    doubtful = [one for one in report.shown if one.status in (Status.LIKELY, Status.UNVERIFIED)]
    broken = {one.finding.file for one in report.shown if one.finding and one.finding.is_impact}
    said = []
    if blocking:
        fix = "proven finding" if blocking == 1 else f"{blocking} proven findings"
        said.append(f"Fix the {fix} before merging.")
    if broken:
        said.append(f"Adapt the code outside the change that it breaks: {wording.listed(sorted(broken))}.")
    if doubtful:
        said.append(f"Check by hand what could not be proven: {wording.counted(len(doubtful), 'finding')}.")
    said += [_advice("was not completed", part) for part in report.incomplete]
    said += [_advice("did not run", part) for part in report.not_run]
    return said + list(report.words.recommendations if report.words else ())


def _advice(what: str, part: Gap) -> str:
    reason = part.reason.strip().rstrip(".")
    said = f"{part.name} {what}: {reason}." if reason else f"{part.name} {what}."
    return f"{part.advice.strip()} ({said})" if part.advice.strip() else said
