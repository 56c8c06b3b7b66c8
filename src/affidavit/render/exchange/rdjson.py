"""Write the shown findings as reviewdog's diagnostics (rdjson)."""

from typing import Any

from affidavit.records.candidate import Candidate
from affidavit.records.change import Change
from affidavit.records.finding import Finding, Severity
from affidavit.records.report import Report
from affidavit.render import wording
from affidavit.render.changed_lines import head_place
from affidavit.render.exchange.shapes import (
    NOT_LOOKED_AT,
    account_of,
    as_json,
    inert,
    rule_of,
    whole_characters,
)
from affidavit.render.formats import RenderOptions

SEVERITIES = {
    Severity.CRITICAL: "ERROR",
    Severity.HIGH: "ERROR",
    Severity.MEDIUM: "WARNING",
    Severity.LOW: "INFO",
    Severity.INFO: "INFO",
}


def write(report: Report, _options: RenderOptions) -> str:
    """The report in this format."""
    return as_json(to_rdjson(report))


def to_rdjson(report: Report) -> dict[str, Any]:
    """The diagnostics, worst first. Older readers refuse fields that they do not know: only old ones here."""
    found = [(one, one.finding) for one in wording.ordered(report.shown) if one.finding]
    result: dict[str, Any] = {
        "source": {"name": "affidavit"},
        "diagnostics": [
            *(_diagnostic(one, finding, report) for one, finding in found),
            *_skipped(report),
        ],
    }
    if found:
        result["severity"] = SEVERITIES[found[0][1].severity]
    return result


def _skipped(report: Report) -> list[dict[str, Any]]:
    """One diagnostic for everything that was not looked at: the format has no other place to name it."""
    files = wording.unseen_files(report)
    if not files:
        return []
    return [
        {
            "message": inert(wording.skipped_sentence(report)),
            "location": {"path": whole_characters(files[0][0])},
            "severity": SEVERITIES[Severity.INFO],
            "source": {"name": "affidavit"},
            "code": {"value": NOT_LOOKED_AT},
        }
    ]


def _diagnostic(candidate: Candidate, finding: Finding, report: Report) -> dict[str, Any]:
    return {
        "message": account_of(finding, candidate, report),
        "location": _location(finding, report.change),
        "severity": SEVERITIES[finding.severity],
        "source": {"name": inert(f"affidavit ({candidate.specialist})")},
        "code": {"value": rule_of(finding)},
    }


def _location(finding: Finding, change: Change) -> dict[str, Any]:
    place = head_place(finding, change)
    location: dict[str, Any] = {"path": whole_characters(place.path)}
    if place.is_exact:
        location["range"] = {"start": {"line": place.first}, "end": {"line": place.last}}
    # Removed code has no line at head, and a comment on the wrong line misleads: only the file is named.
    return location
