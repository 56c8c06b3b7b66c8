"""Read the diagnostics of a SARIF 2.1.0 report."""

import json
from typing import Any

from affidavit.records.evidence import AnalyserDiagnostic, SearchHit


def read_sarif(text: str, analyser: str) -> list[AnalyserDiagnostic]:
    """The results that stand at a place; raises ValueError, KeyError or TypeError for anything else."""
    report = json.loads(text)
    return [
        _diagnostic(result, analyser)
        for run in report["runs"]
        for result in run["results"]
        if result.get("locations")
    ]


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
