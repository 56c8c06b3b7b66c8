"""Read the standard formats of analysers: lists of JSON, and SARIF."""

import json
from typing import Any

from affidavit.records.evidence import AnalyserDiagnostic, SearchHit
from affidavit.records.finding import Severity


def json_rows(text: str) -> list[Any]:
    """Read a list of JSON rows; raise TypeError or ValueError for anything else."""
    rows = json.loads(text)
    if not isinstance(rows, list):
        raise TypeError("not a list of diagnostics")
    return rows


LEVELS = {"error": Severity.HIGH, "warning": Severity.MEDIUM, "note": Severity.LOW}
QUIET = ("none", "pass", "notApplicable", "informational")


def read_sarif(text: str, analyser: str) -> list[AnalyserDiagnostic]:
    """Read the results that have a place; raise ValueError, KeyError or TypeError for anything else."""
    report = json.loads(text)
    return [
        _diagnostic(result, analyser)
        for run in report["runs"]
        for result in run["results"]
        if result.get("locations")
    ]


def read_problems(text: str, analyser: str) -> list[AnalyserDiagnostic]:
    """Read the problems of any tool's report with its severities, without suppressed and passed results."""
    report = json.loads(text)
    found = []
    for run in report["runs"]:
        rules = run.get("tool", {}).get("driver", {}).get("rules", [])
        found += [
            _graded(result, rules, analyser)
            for result in run.get("results") or ()
            if result.get("locations") and not _is_quiet(result)
        ]
    return found


def _is_quiet(result: Any) -> bool:
    return bool(result.get("suppressions")) or result.get("kind") in QUIET or result.get("level") == "none"


def _graded(result: Any, rules: Any, analyser: str) -> AnalyserDiagnostic:
    index = result.get("ruleIndex", -1)
    rule = rules[index] if 0 <= index < len(rules) else {}
    known = {**result, "ruleId": result.get("ruleId") or rule.get("id") or "problem"}
    level = result.get("level") or rule.get("defaultConfiguration", {}).get("level")
    return _diagnostic(known, analyser).model_copy(update={"severity": LEVELS.get(level)})


def _diagnostic(result: Any, analyser: str) -> AnalyserDiagnostic:
    path, region = _place(result["locations"][0])
    return AnalyserDiagnostic(
        rule=f"{analyser}/{result['ruleId']}",
        message=result["message"]["text"],
        path=path,
        line=region.get("startLine", 1),
        end_line=region.get("endLine"),
        column=region.get("startColumn"),
        related=tuple(_hit(location) for location in result.get("relatedLocations", ())),
    )


def _place(location: Any) -> tuple[str, Any]:
    physical = location["physicalLocation"]
    return physical["artifactLocation"]["uri"], physical.get("region", {})


def _hit(location: Any) -> SearchHit:
    path, region = _place(location)
    text = location.get("message", {}).get("text", "")
    return SearchHit(path=path, line=region.get("startLine", 1), text=text)
