"""Findings that another agent hands in."""

import asyncio
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from affidavit.rechecking.check import recheck
from affidavit.records.report import Report
from affidavit.reviewing.hold import assemble_crew, settings_for
from affidavit.reviewing.options import ReviewOptions
from affidavit.reviewing.submitted import Submission, judge_submission
from affidavit.stages.intake import ChangeRequest, open_change, rebuild_change
from affidavit.tools.installed_packages import find_packages
from affidavit.tools.open_packages import OpenPackages
from repositories import Repo

OFF = "kingfisher,ty"


def finding(**changes: Any) -> dict[str, Any]:
    return {
        "id": "one",
        "rule_id": "division",
        "title": "The mean of nothing divides by zero",
        "severity": "high",
        "category": "correctness",
        "confidence": "high",
        "file": "mean.py",
        "line": 2,
        "end_line": 2,
        "message": "An empty list raises ZeroDivisionError instead of returning 0.",
        "verification": {
            "code_examined": "    return sum(values) / len(values)",
            "line_range_examined": [2, 2],
            "verification_method": "read",
            "checked_for_handling_elsewhere": True,
            "where_checked": "mean.py",
            "is_impact_finding": False,
            "side": "head",
            "failing_input": "mean([])",
            "wrong_outcome": "ZeroDivisionError",
            "is_absence_finding": False,
            "searches": [],
        },
    } | changes


def said(*findings: dict[str, Any]) -> str:
    return json.dumps(
        {"schema_version": "1.3", "prompt_version": "2.0.0", "findings": list(findings), "summary": "read"}
    )


@pytest.fixture
def folder(repo: Repo) -> Path:
    repo.commit(
        "A mean", {"mean.py": "def mean(values):\n    return sum(values) / len(values) if values else 0\n"}
    )
    repo.commit("Simpler", {"mean.py": "def mean(values):\n    return sum(values) / len(values)\n"})
    return repo.path


def submit(folder: Path, text: str) -> Report:
    options = ReviewOptions(analysers_off=OFF)
    with open_change(ChangeRequest(target="HEAD", repo=folder)) as opened:
        settings = settings_for(opened, options, environment={})
        crew = assemble_crew(settings, None)
        found = find_packages(folder, opened.repository.base)
        with OpenPackages(found) as packages:
            return asyncio.run(
                judge_submission(opened, settings, crew, Submission(text, "an editor"), dependencies=packages)
            )


def test_what_is_proven_is_shown_as_unverified_where_no_model_judges(folder: Path) -> None:
    report = submit(folder, said(finding()))
    assert [(one.finding.title, one.status) for one in report.shown if one.finding] == [
        ("The mean of nothing divides by zero", "unverified")
    ]
    assert report.verdict.decision == "comment"
    assert report.gate.exit_code == 0


def test_a_quote_that_is_not_in_the_file_is_withheld(folder: Path) -> None:
    bad = finding()
    bad["verification"]["code_examined"] = "    return values.mean()"
    report = submit(folder, said(bad))
    assert report.shown == []
    assert [one.withheld.code for one in report.withheld if one.withheld] == ["evidence_not_found"]


def test_what_is_no_review_result_makes_the_review_incomplete(folder: Path) -> None:
    report = submit(folder, "looks good to me")
    assert report.incomplete
    assert report.verdict.decision == "comment"


def test_a_report_of_handed_in_findings_is_derived_again(folder: Path) -> None:
    report = Report.model_validate_json(submit(folder, said(finding())).model_dump_json())
    with rebuild_change(report.change, folder) as opened:
        done = asyncio.run(
            recheck(report, opened, lambda settings: assemble_crew(settings, None).specialists)
        )
    assert [proof for proof in done.proofs if not proof.holds] == []
    assert any("submitted by an editor" in word for word in done.words)


def test_nobody_who_handed_findings_in_has_examined_a_file(folder: Path) -> None:
    report = submit(folder, said())
    names = {name for file in report.coverage for hunk in file.hunks for name in hunk.examined_by}
    assert "submitted" not in names


def test_what_is_quoted_of_a_package_is_looked_up_and_proven_again(folder: Path) -> None:
    money = folder / "node_modules" / "money"
    money.mkdir(parents=True)
    (money / "package.json").write_text('{"name": "money", "version": "3.1.0"}')
    code = "exports.cents = (x) => x * 100;\n"
    (money / "index.js").write_text(code)
    quoting = finding()
    quoting["verification"]["dependency_quotes"] = [
        {
            "package": "money",
            "version": "3.1.0",
            "file": "index.js",
            "sha256": hashlib.sha256(code.encode()).hexdigest(),
            "code_examined": code,
        }
    ]
    made = submit(folder, said(quoting).replace('"1.1"', '"1.2"'))
    report = Report.model_validate_json(made.model_dump_json())
    (shown,) = report.shown
    assert [one.summary for one in shown.dependency_quotes] == ["quotes money 3.1.0 index.js:1"]
    with rebuild_change(report.change, folder) as opened:
        done = asyncio.run(
            recheck(report, opened, lambda settings: assemble_crew(settings, None).specialists)
        )
    assert [proof.holds for proof in done.proofs if proof.kind == "dependency"] == [True]
    assert all(proof.holds for proof in done.proofs)
