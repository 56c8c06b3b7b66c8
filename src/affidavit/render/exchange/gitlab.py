"""Write the shown findings as a GitLab code quality report."""

import hashlib
from typing import Any

from affidavit.records.candidate import Candidate
from affidavit.records.finding import Finding, Severity
from affidavit.records.report import Report
from affidavit.render import wording
from affidavit.render.changed_lines import head_place
from affidavit.render.exchange.shapes import (
    NOT_LOOKED_AT,
    account_of,
    as_json,
    fingerprint_of,
    inert,
    rule_of,
    whole_characters,
)
from affidavit.render.formats import RenderOptions

SEVERITIES = {
    Severity.CRITICAL: "blocker",
    Severity.HIGH: "critical",
    Severity.MEDIUM: "major",
    Severity.LOW: "minor",
    Severity.INFO: "info",
}


def write(report: Report, _options: RenderOptions) -> str:
    return as_json(to_gitlab(report))


def to_gitlab(report: Report) -> list[dict[str, Any]]:
    """Return one entry for each finding, worst first; GitLab drops repeated fingerprints."""
    entries: list[dict[str, Any]] = []
    taken: set[str] = set()
    for candidate in wording.ordered(report.shown):
        finding = candidate.finding
        if finding is not None:
            entries.append(_entry(candidate, finding, report, taken))
    return [*entries, *_skipped(report)]


def _skipped(report: Report) -> list[dict[str, Any]]:
    """Return one entry that names the files that were not reviewed, if any."""
    files = wording.unseen_files(report)
    if not files:
        return []
    said = inert(wording.skipped_sentence(report))
    return [
        {
            "description": said,
            "check_name": NOT_LOOKED_AT,
            "fingerprint": hashlib.sha256(f"{NOT_LOOKED_AT}\n{said}".encode()).hexdigest()[:16],
            "severity": SEVERITIES[Severity.INFO],
            "location": {"path": whole_characters(files[0][0]), "lines": {"begin": 1, "end": 1}},
        }
    ]


def _entry(candidate: Candidate, finding: Finding, report: Report, taken: set[str]) -> dict[str, Any]:
    place = head_place(finding, report.change)
    return {
        "description": account_of(finding, candidate, report),
        "check_name": rule_of(finding),
        "fingerprint": _unique(fingerprint_of(candidate), taken),
        "severity": SEVERITIES[finding.severity],
        "location": {
            "path": whole_characters(place.path),
            "lines": {"begin": place.first, "end": place.last},
        },
    }


def _unique(fingerprint: str, taken: set[str]) -> str:
    """Return the fingerprint, or one derived from it if it is taken in this report."""
    unique, number = fingerprint, 1
    while unique in taken:
        number += 1
        unique = hashlib.sha256(f"{fingerprint}\n{number}".encode()).hexdigest()[:16]
    taken.add(unique)
    return unique
