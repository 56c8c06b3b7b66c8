"""A report as SARIF: valid to an independent model of the standard, and honest about what is hidden."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import example, given, settings
from pydantic import BaseModel
from sarif_pydantic import Sarif
from sarif_pydantic.sarif import Notification, Suppression

from affidavit.records.diagnostics import Reason
from affidavit.records.finding import Category, Severity
from affidavit.records.report import Gap, Report
from affidavit.render.exchange import sarif
from affidavit.render.formats import render
from hostile_everywhere import ALL_OF_THEM, any_text, report_of
from reports import (
    a_candidate,
    a_change,
    a_file,
    a_finding,
    a_full_report,
    a_hunk,
    a_quote,
    a_report,
    a_verification,
    a_withheld,
    an_impact_candidate,
)

# What the standard has and the independent model leaves out.
KNOWN_EXTRAS = {
    "Result": {"suppressions", "baselineState"},
    "Invocation": {"toolExecutionNotifications", "exitCode"},
    "Run": {"columnKind"},
    "ToolDriver": {"shortDescription"},
    "ReportingDescriptor": set(),
    "VersionControlDetails": {"mappedTo"},
}


def models(value: Any) -> Iterator[BaseModel]:
    """Every model within a model."""
    if isinstance(value, BaseModel):
        yield value
        for name in type(value).model_fields:
            yield from models(getattr(value, name))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from models(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from models(item)


def run_of(report: Report, version: str = "2.1.0") -> dict[str, Any]:
    """The one run of a log, once the log is valid."""
    log = json.loads(render(report, f"sarif@{version}"))
    for model in models(Sarif.model_validate(log)):
        name = type(model).__name__
        assert set(model.model_extra or {}) <= KNOWN_EXTRAS.get(name, set()), name
    (run,) = log["runs"]
    for note in run["invocations"][0]["toolExecutionNotifications"]:
        assert not Notification.model_validate(note).model_extra
        assert note["message"]["text"]
    check_results(run)
    return run


def check_results(run: dict[str, Any]) -> None:
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    # A name that repeats the id says nothing, and validators complain of it.
    assert all(rule["name"].isalnum() and rule["name"] != rule["id"] for rule in rules)
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["message"]["text"]
        assert result["level"] in ("error", "warning", "note")
        assert 0.0 <= result["rank"] <= 100.0
        for one in result["suppressions"]:
            assert not Suppression.model_validate(one).model_extra
            assert one["kind"] in ("external", "inSource")
            assert one["status"] in ("accepted", "underReview", "rejected")
        for place in [*result["locations"], *result.get("relatedLocations", [])]:
            region = place["physicalLocation"]["region"]
            assert 1 <= region["startLine"] <= region["endLine"]


def by_title(run: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {result["message"]["text"].split("\n")[0]: result for result in run["results"]}


def test_a_full_report_makes_a_valid_log() -> None:
    run = run_of(a_full_report())
    assert len(run["results"]) == 6
    assert run["columnKind"] == "unicodeCodePoints"


@settings(deadline=None, max_examples=60)  # the first example pays for imports
@given(any_text)
@example(ALL_OF_THEM)
def test_any_text_makes_a_valid_log(text: str) -> None:
    for version in sarif.VERSIONS:
        run = run_of(report_of(text), version)
        assert all("](" not in result["message"]["text"] for result in run["results"])


def test_a_rule_has_a_name_that_people_read_and_the_tool_an_address() -> None:
    driver = run_of(a_report(a_candidate(finding=a_finding(rule_id="ruff/F821"))))["tool"]["driver"]
    assert (driver["rules"][0]["id"], driver["rules"][0]["name"]) == ("ruff/F821", "RuffF821Correctness")
    assert driver["informationUri"].startswith("https://")


def test_a_fingerprint_is_the_findings_own() -> None:
    (result,) = run_of(a_report(a_candidate()))["results"]
    assert result["partialFingerprints"] == {"affidavit/v1": "3f9a1c0be2d4"}
    assert result["baselineState"] == "new"


def test_a_finding_without_a_fingerprint_gets_one_that_stays() -> None:
    prints = [
        run_of(a_report(a_candidate(fingerprint=blank)))["results"][0]["partialFingerprints"]["affidavit/v1"]
        for blank in ("", " ")
    ]
    assert prints[0] == prints[1]
    assert len(prints[0]) == 16


def test_lines_are_those_of_the_finding() -> None:
    (result,) = run_of(a_report(a_candidate(finding=a_finding(line=11, end_line=12))))["results"]
    assert result["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "shop/cart.py", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 11, "endLine": 12},
    }


def test_an_impact_finding_names_the_changed_definition() -> None:
    (result,) = run_of(a_report(an_impact_candidate()))["results"]
    (related,) = result["relatedLocations"]
    assert related["physicalLocation"]["artifactLocation"]["uri"] == "shop/prices.py"
    assert related["physicalLocation"]["region"]["startLine"] == 8


def test_an_ordinary_finding_has_no_related_place() -> None:
    (result,) = run_of(a_report(a_candidate()))["results"]
    assert "relatedLocations" not in result


def test_a_withheld_finding_is_a_suppressed_result_with_its_reason() -> None:
    hidden = a_withheld(1, Reason.BELOW_THRESHOLD, "low is below medium", finding=a_finding(title="Hidden"))
    results = by_title(run_of(a_report(a_candidate(0), hidden)))
    assert results["Hidden."]["suppressions"] == [
        {"kind": "external", "status": "accepted", "justification": "below_threshold: low is below medium"}
    ]
    assert results["`total` is not defined."]["suppressions"] == []


def test_hiding_a_finding_changes_nothing_about_it_but_the_suppression() -> None:
    (shown,) = run_of(a_report(a_candidate()))["results"]
    (hidden,) = run_of(a_report(a_withheld(0, Reason.BELOW_THRESHOLD)))["results"]
    for result in (shown, hidden):
        del result["suppressions"], result["properties"]
    assert shown == hidden


def test_github_is_given_only_what_is_shown_because_it_opens_alerts_for_suppressed_results() -> None:
    run = run_of(a_full_report(), "github")
    assert len(run["results"]) == 4
    assert all(result["suppressions"] == [] for result in run["results"])


def test_what_is_no_finding_is_a_notification() -> None:
    notes = run_of(a_full_report())["invocations"][0]["toolExecutionNotifications"]
    said = {note["descriptor"]["id"]: note["message"]["text"] for note in notes}
    assert "file_not_in_changed_files" in said["withheld"]
    assert said["incomplete"].startswith("ty at base: ran out of time")
    assert said["not-run"].startswith("model: no model is configured")


def test_only_a_complete_review_was_executed_successfully() -> None:
    whole = run_of(a_report(a_candidate()))["invocations"][0]
    part = run_of(a_report(incomplete=(Gap(name="ruff", reason="crashed"),)))["invocations"][0]
    assert (whole["executionSuccessful"], part["executionSuccessful"]) == (True, False)
    assert whole["exitCode"] == 1


@pytest.mark.parametrize(
    ("severity", "level"),
    [("critical", "error"), ("high", "error"), ("medium", "warning"), ("low", "note"), ("info", "note")],
)
def test_each_severity_has_its_level(severity: str, level: str) -> None:
    run = run_of(a_report(a_candidate(finding=a_finding(severity=Severity(severity)))))
    assert run["results"][0]["level"] == level
    assert run["tool"]["driver"]["rules"][0]["defaultConfiguration"]["level"] == level


def test_a_rule_explains_itself_and_a_security_rule_has_its_number() -> None:
    leak = a_finding(category=Category.SECURITY, rule_id="ruff/S602", severity=Severity.CRITICAL)
    (rule,) = run_of(a_report(a_candidate(finding=leak)))["tool"]["driver"]["rules"]
    assert rule["shortDescription"]["text"] == "S602 (ruff, security)"
    assert "affidavit ignore FINGERPRINT" in rule["help"]["text"]
    assert rule["properties"]["security-severity"] == "9.5"


def test_a_finding_without_a_rule_is_of_its_category() -> None:
    (rule,) = run_of(a_report(a_candidate(finding=a_finding(rule_id=None))))["tool"]["driver"]["rules"]
    assert rule["id"] == "affidavit/correctness"


@pytest.mark.parametrize("path", ["a b/ü%.py", "c:d.py", "x#y?.py", "[1]/\udcff.py"])
def test_a_path_is_a_relative_uri_that_names_the_same_bytes(path: str) -> None:
    finding = a_finding(file=path)
    (result,) = run_of(a_report(a_candidate(finding=finding)))["results"]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri.isascii()
    assert not set(uri) & set(" #?:[]")
    assert unquote(uri, errors="surrogateescape") == path


def test_removed_code_is_located_where_it_stood() -> None:
    change = a_change(
        [a_file("new.py", a_hunk(" a", "-gone", "+b", start=10), old_path="old.py", status="renamed")]
    )
    gone = a_finding(file="old.py", line=11, verification=a_verification(side="base"))
    (result,) = run_of(
        a_report(a_candidate(finding=gone, quote=a_quote(file="old.py", side="base")), change=change)
    )["results"]
    place = result["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]) == ("new.py", {"startLine": 11, "endLine": 11})
    assert "old.py:11 (before the change)" in result["message"]["text"]
