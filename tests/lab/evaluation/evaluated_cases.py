"""Small cases, findings and reports for tests of the evaluation."""

import asyncio
from collections.abc import Mapping
from typing import Any

from affidavit.lab.evaluation.matching import ByCategory, Meaning
from affidavit.lab.evaluation.scoring import score_review
from affidavit.lab.records import CaseResult, CaseRun, ExpectedProblem, KnownClaim, LabelledCase
from affidavit.records.candidate import Candidate, Withheld
from affidavit.records.change import Change
from affidavit.records.diagnostics import Reason
from affidavit.records.measure import Label
from affidavit.records.report import Counts, Gate, Report, Verdict
from claims import candidate, change_of, finding


def a_case(*expected: ExpectedProblem, **fields: Any) -> LabelledCase:
    defaults = {"id": "a-case", "repository": ".", "base": "base", "head": "head", "clean": not expected}
    return LabelledCase(**{**defaults, "expected": expected, **fields})


def problem(line: int, end_line: int | None = None, **fields: Any) -> ExpectedProblem:
    return ExpectedProblem(**{"file": "app.py", "line": line, "end_line": end_line, **fields})


def known_wrong(line: int, **fields: Any) -> KnownClaim:
    return KnownClaim(**{"file": "app.py", "line": line, **fields})


def found(name: str, line: int, end_line: int | None = None, **fields: Any) -> Candidate:
    """A shown finding; its id and fingerprint are `name`."""
    withheld = fields.pop("withheld", None)
    claim = finding(evidence=fields.pop("evidence", None), id=name, line=line, end_line=end_line, **fields)
    reason = Withheld(code=withheld, detail="for a reason") if withheld else None
    return candidate(claim, id=name, fingerprint=name, withheld=reason)


def a_report(*candidates: Candidate, change: Change | None = None, **fields: Any) -> Report:
    shown = sum(one.is_shown for one in candidates)
    counts = Counts(
        candidates=len(candidates),
        shown=shown,
        folded=0,
        withheld=len(candidates) - shown,
        blocking=0,
        by_severity={},
        withheld_by_code={Reason.NIT: 0},
    )
    defaults: dict[str, Any] = {
        "affidavit_version": "0",
        "id": "report",
        "created_at": "2026-01-01T00:00:00Z",
        "duration_ms": 1000,
        "schema_version": "1.1",
        "prompt_version": "1.0.0",
        "change": change or change_of("app.py"),
        "settings": {},
        "candidates": candidates,
        "replies": (),
        "verdict": Verdict(decision="comment", summary="", confidence=1, counts=counts),
        "gate": Gate(fail_on=None, exit_code=0),
    }
    return Report(**{**defaults, **fields})


def scored(
    case: LabelledCase,
    *candidates: Candidate,
    meaning: Meaning | None = None,
    labels: Mapping[str, Label] | None = None,
    **fields: Any,
) -> CaseRun:
    report = a_report(*candidates, **fields)
    scoring = score_review(case, report, meaning=meaning or ByCategory(), labels=labels or {})
    return asyncio.run(scoring)


def result(case: LabelledCase, *candidates: Candidate, **fields: Any) -> CaseResult:
    return CaseResult(case=case, run=scored(case, *candidates, **fields))


def outcomes(run: CaseRun) -> dict[str, str]:
    return {one.candidate: one.outcome for one in run.findings}
