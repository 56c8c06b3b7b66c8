"""What analysers set aside, as withheld candidates: for formats that list what is not shown, too."""

from affidavit.records.candidate import Candidate, Withheld
from affidavit.records.diagnostics import Diagnostic, Reason, SetAside
from affidavit.records.finding import Finding
from affidavit.records.report import Report
from affidavit.render.report.withheld import set_aside_lines


def set_aside_candidates(report: Report) -> list[Candidate]:
    """A candidate for each that has a rule and a place; the report itself has none of them."""
    listed = [(one, one.set_aside) for one in report.set_aside if one.set_aside]
    return [_candidate(number, one, result) for number, (one, result) in enumerate(listed)]


def set_aside_remarks(report: Report) -> list[str]:
    """What is said of those that are not listed one by one, and of all in reports before 2.9."""
    lines = zip(report.set_aside, set_aside_lines(report), strict=True)
    return [line for one, line in lines if one.set_aside is None]


def _candidate(number: int, note: Diagnostic, result: SetAside) -> Candidate:
    name = f"{note.specialist}-set-aside-{number}"
    finding = Finding(
        id=name,
        severity=result.severity,
        category=result.category,
        title=result.message or result.rule,
        file=result.file,
        line=max(result.line, 1),
        message=f"{note.specialist} set it aside: {result.reason}.",
        rule_id=result.rule,
    )
    withheld = Withheld(code=Reason.FINDING_DROPPED, detail=result.reason)
    return Candidate(
        id=name,
        specialist=note.specialist or "",
        kind="mechanical",
        index=number,
        finding=finding,
        withheld=withheld,
    )
