"""A report as a ReviewVerdict: whole, valid, and without contradictions."""

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings

from affidavit.records.candidate import Status
from affidavit.records.change import FileStatus, SkipReason
from affidavit.records.finding import Category, Severity
from affidavit.records.report import Gap, Report
from affidavit.render.exchange.verdict import recommendations, to_verdict
from hostile import hostile_reports
from reports import (
    a_candidate,
    a_change,
    a_file,
    a_finding,
    a_full_report,
    a_report,
    a_withheld,
    an_impact_candidate,
    cover,
)

SCHEMA = json.loads((Path(__file__).parents[2] / "schemas" / "review_verdict.json").read_text())["schema"]
VALIDATOR = jsonschema_rs.validator_for(SCHEMA)


def check(report: Report) -> dict[str, Any]:
    """The verdict, once it is valid and its numbers are those of its lists."""
    verdict = json.loads(to_verdict(report).model_dump_json())
    VALIDATOR.validate(verdict)
    findings = [finding for file in verdict["files"] for finding in file["findings"]]
    stats = verdict["stats"]
    assert stats["total_findings"] == len(findings)
    for severity in ("critical", "warning", "info", "style"):
        assert stats[f"{severity}_count"] == sum(finding["severity"] == severity for finding in findings)
    assert stats["verified_count"] == sum(
        finding["verification_status"] == "verified" for finding in findings
    )
    assert stats["false_positive_count"] == len(verdict["false_positives"])
    assert stats["total_files_reviewed"] <= len(verdict["files"])
    return verdict


def by_path(verdict: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {file["file_path"]: file for file in verdict["files"]}


def test_a_full_report_makes_a_valid_verdict() -> None:
    verdict = check(a_full_report())
    assert verdict["verdict"] == "request_changes"
    assert verdict["review_duration_ms"] == 812
    assert verdict["stats"]["total_findings"] == 4


@settings(deadline=None)  # the first example pays for imports
@given(hostile_reports())
def test_any_text_makes_a_valid_verdict(report: Report) -> None:
    check(report)


def test_a_finding_has_every_field() -> None:
    finding = by_path(check(a_report(a_candidate())))["shop/cart.py"]["findings"][0]
    assert finding == {
        "file_path": "shop/cart.py",
        "line_start": 12,
        "line_end": None,
        "severity": "warning",
        "category": "bug",
        "title": "`total` is not defined",
        "description": finding["description"],
        "suggestion": "Set `total = 0` before the loop.",
        "verification_status": "verified",
        "confidence": 0.9,
        "code_snippet": finding["code_snippet"],
    }
    assert "NameError: name 'total' is not defined" in finding["description"]
    assert finding["code_snippet"].startswith("def add(items):")


def test_style_is_a_severity_of_its_own() -> None:
    style = a_candidate(finding=a_finding(category=Category.STYLE, severity=Severity.LOW))
    assert check(a_report(style))["stats"]["style_count"] == 1


def test_a_file_that_was_skipped_is_no_file_that_was_reviewed() -> None:
    verdict = check(a_report())
    assert set(by_path(verdict)) == {"shop/cart.py", "shop/prices.py"}
    assert verdict["stats"]["total_files_reviewed"] == 2


def test_a_file_that_nobody_looked_at_does_not_count_as_reviewed() -> None:
    report = a_report()
    unseen = report.coverage[0].model_copy(update={"state": "not_examined"})
    verdict = check(report.model_copy(update={"coverage": (unseen, *report.coverage[1:])}))
    assert verdict["stats"]["total_files_reviewed"] == 1


def test_an_untouched_file_with_an_impact_finding_gets_a_review_of_its_own() -> None:
    file = by_path(check(a_report(an_impact_candidate())))["billing/invoice.py"]
    assert (file["change_type"], file["language"], len(file["findings"])) == ("modified", "python", 1)
    assert "Caused by: shop/prices.py (price_of)" in file["findings"][0]["description"]


@pytest.mark.parametrize(
    ("status", "change_type"),
    [
        (FileStatus.ADDED, "added"),
        (FileStatus.COPIED, "added"),
        (FileStatus.RENAMED, "modified"),
        (FileStatus.MODIFIED, "modified"),
        (FileStatus.DELETED, "deleted"),
    ],
)
def test_each_status_has_its_change_type(status: FileStatus, change_type: str) -> None:
    change = a_change(files=[a_file("a.py", status=status)])
    assert by_path(check(a_report(change=change)))["a.py"]["change_type"] == change_type


def test_a_finding_under_the_old_name_of_a_moved_file_stands_in_that_file() -> None:
    change = a_change(files=[a_file("new.py", status=FileStatus.RENAMED, old_path="old.py")])
    verdict = check(a_report(a_candidate(finding=a_finding(file="old.py")), change=change))
    assert [file["file_path"] for file in verdict["files"]] == ["new.py"]
    assert verdict["stats"]["total_findings"] == 1


def test_a_finding_in_a_skipped_file_is_not_lost() -> None:
    change = a_change(files=[a_file("gen.py", skipped=SkipReason.GENERATED)])
    verdict = check(a_report(a_candidate(finding=a_finding(file="gen.py")), change=change))
    assert verdict["stats"]["total_findings"] == 1


def test_refuted_findings_are_false_positives_and_nowhere_else() -> None:
    verdict = check(a_report(a_candidate(0), a_withheld(1, detail="no")))
    assert [one["verification_status"] for one in verdict["false_positives"]] == ["false_positive"]
    assert verdict["stats"]["total_findings"] == 1


def test_confidence_is_a_number_by_the_word() -> None:
    numbers = [
        by_path(check(a_report(a_candidate(confidence=word))))["shop/cart.py"]["findings"][0]["confidence"]
        for word in ("high", "medium", "low")
    ]
    assert numbers == [0.9, 0.6, 0.3]


@pytest.mark.parametrize("report", [a_report(), a_full_report(), a_report(a_candidate(), coverage=())])
def test_the_summary_has_two_or_three_sentences(report: Report) -> None:
    assert 2 <= to_verdict(report).summary.count(". ") + 1 <= 3


def test_without_a_model_nothing_proven_is_said_as_such() -> None:
    assert to_verdict(a_report()).summary.startswith("No problems found (linters only, no model).")


def test_recommendations_come_from_what_happened() -> None:
    advised = recommendations(
        a_report(
            a_candidate(0),
            an_impact_candidate(1),
            a_candidate(2, status=Status.UNVERIFIED),
            not_run=(Gap(name="ty", reason="not installed", advice="Install ty to check types."),),
            incomplete=(Gap(name="ruff", reason="crashed"),),
        )
    )
    assert advised == [
        "Fix the 2 proven findings before merging.",
        "Adapt the code outside the change that it breaks: billing/invoice.py.",
        "Check by hand what could not be proven: 1 finding.",
        "ruff was not completed: crashed.",
        "Install ty to check types. (ty did not run: not installed.)",
    ]


def test_a_complete_review_with_nothing_to_say_recommends_nothing() -> None:
    assert recommendations(a_report(not_run=(), coverage=cover(a_change()))) == []
