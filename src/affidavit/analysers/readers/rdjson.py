"""Read the diagnostics of a report in reviewdog's rdjson."""

import json
from typing import Any

from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.records.finding import Severity

SEVERITIES = {
    "ERROR": Severity.HIGH,
    "WARNING": Severity.MEDIUM,
    "INFO": Severity.LOW,
    1: Severity.HIGH,
    2: Severity.MEDIUM,
    3: Severity.LOW,
}
"""The format is a protocol buffer's, so that a severity may be its name or its number."""


def read_rdjson(text: str, analyser: str) -> list[AnalyserDiagnostic]:
    """The diagnostics; raises ValueError, KeyError, TypeError or AttributeError for anything else."""
    report = json.loads(text)
    # An empty list may be left out, but then the report must be an object that says something.
    rows = report["diagnostics"] if "diagnostics" in report or not report.get("source") else []
    shared = report.get("severity")
    return [_diagnostic(row, analyser, shared, report.get("source")) for row in rows]


def _diagnostic(row: Any, analyser: str, severity: Any, source: Any) -> AnalyserDiagnostic:
    region = row["location"].get("range") or {}
    start, end = region.get("start") or {}, region.get("end") or {}
    code = (
        (row.get("code") or {}).get("value") or (row.get("source") or source or {}).get("name") or "problem"
    )
    return AnalyserDiagnostic(
        rule=f"{analyser}/{code}",
        message=row["message"],
        path=row["location"]["path"],
        line=start.get("line", 1),
        end_line=end.get("line"),
        column=start.get("column"),
        severity=SEVERITIES.get(row.get("severity") or severity),
    )
