"""Write the shown findings as a `ReviewResult` of the contract, in the schema version that was asked for."""

from typing import Any

from affidavit.contract.schema import to_json
from affidavit.records.candidate import Candidate
from affidavit.records.change import Change
from affidavit.records.finding import Finding, ReviewResult, Verification
from affidavit.records.report import Report
from affidavit.render import wording
from affidavit.render.account import headline_words
from affidavit.render.changed_lines import changed_place, head_line
from affidavit.render.exchange.shapes import as_json, under_lines
from affidavit.render.formats import RenderOptions

VERSIONS = ("1.0", "1.1")


def write(report: Report, options: RenderOptions) -> str:
    return as_json(to_review_result(report, options.version))


def to_review_result(report: Report, version: str = "1.1") -> dict[str, Any]:
    """Return the shown findings, worst first; in schema 1.0, impact findings are placed at their cause."""
    if version not in VERSIONS:
        raise ValueError(f"there is no schema version {version!r}; there are {wording.listed(VERSIONS)}")
    findings = [
        _with_accounts(_exported(one, report.change, version), one, report)
        for one in wording.ordered(report.shown)
    ]
    result = ReviewResult(
        schema_version=version,
        prompt_version=report.prompt_version,
        summary=wording.summarize(report),
        findings=tuple(finding for finding in findings if finding is not None),
        meta=_meta(report),
    )
    return to_json(result, version)


def _meta(report: Report) -> dict[str, Any]:
    return {
        "report_id": report.id,
        "affidavit_version": report.affidavit_version,
        "verdict": report.verdict.decision,
        "is_complete": not report.incomplete,
        "shown": len(report.shown),
        "withheld": len(report.withheld),
        "set_aside": report.set_aside_count,
        **({"measured": rate} if (rate := headline_words(report.measured)) else {}),
    }


def _exported(candidate: Candidate, change: Change, version: str) -> Finding | None:
    finding = candidate.finding
    if finding is None:
        return None
    # Two specialists may both call their first finding f1; the candidate's id is unique in the review.
    finding = finding.model_copy(update={"id": candidate.id, "confidence": candidate.confidence})
    if version == "1.0":
        return _at_its_cause(_with_its_side(finding), change)
    return finding.model_copy(update={"verification": _checked(candidate, finding)})


def _with_accounts(finding: Finding | None, candidate: Candidate, report: Report) -> Finding | None:
    """Add the joined findings to the message: they have no field of their own here."""
    accounts = under_lines(candidate, report)
    if finding is None or not accounts:
        return finding
    return finding.model_copy(update={"message": "\n".join([finding.message, *accounts])})


def _checked(candidate: Candidate, finding: Finding) -> Verification:
    """Return the evidence with the quote as it was found in the file."""
    evidence, quote = finding.verification, candidate.quote
    if evidence is None:
        evidence = _evidence_of_the_machine(finding)
    if quote is None or quote.start is None or not quote.code:
        return evidence
    examined = (quote.start, max(quote.start, quote.end or quote.start))
    return evidence.model_copy(
        update={"code_examined": quote.code, "line_range_examined": examined, "side": quote.side}
    )


def _evidence_of_the_machine(finding: Finding) -> Verification:
    """Return evidence, which schema 1.1 requires, for a finding without any."""
    return Verification(
        code_examined="(none was handed in)",
        line_range_examined=finding.lines,
        verification_method="none: handed in as schema 1.0, without evidence",
        checked_for_handling_elsewhere=False,
        failing_input="not stated",
        wrong_outcome="not stated",
    )


def _with_its_side(finding: Finding) -> Finding:
    """Name the line at base in the message: schema 1.0 has no sides."""
    if finding.side == "head":
        return finding
    return finding.model_copy(update={"message": f"At {wording.location(finding)}: {finding.message}"})


def _at_its_cause(finding: Finding, change: Change) -> Finding:
    """Move an impact finding to the changed line that causes it; its message says where the impact is."""
    cause = finding.verification.caused_by if finding.verification else None
    if cause is None or not finding.is_impact or finding.file in change.changed_files:
        return finding
    place = changed_place(change, cause)
    file = change.file_at(cause.file, "head") or change.file_at(cause.file, "base")
    impact = f"Impact at {wording.location(finding)}: {finding.message}"
    return finding.model_copy(
        update={
            "file": file.path if file else cause.file,
            "line": max(head_line(place, change), 1) if place else 1,
            "end_line": None,
            "message": impact,
        }
    )
