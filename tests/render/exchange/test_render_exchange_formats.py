"""A report for GitLab and CI pages."""

import json
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema_rs
import pytest
from hypothesis import example, given, settings

from affidavit.records.candidate import Candidate
from affidavit.records.change import FileStatus
from affidavit.records.diagnostics import Reason
from affidavit.records.finding import Severity
from affidavit.records.report import FileCoverage, Gap, Gate, Report
from affidavit.render.exchange.shapes import NOT_LOOKED_AT
from affidavit.render.formats import render
from hostile_everywhere import ALL_OF_THEM, any_text, report_of
from reports import (
    a_candidate,
    a_change,
    a_file,
    a_finding,
    a_hunk,
    a_quote,
    a_report,
    a_verification,
    a_withheld,
)

LINE = {"type": "integer", "minimum": 1, "maximum": 2**31 - 1}


def fields(required: str, optional: str = "", **types: Any) -> dict[str, Any]:
    """An object with these fields and no others; a field is a string unless it says otherwise."""
    names = [*required.split(), *optional.split()]
    return {
        "type": "object",
        "required": required.split(),
        "additionalProperties": False,
        "properties": {name: types.get(name, {"type": "string", "minLength": 1}) for name in names},
    }


GITLAB = jsonschema_rs.validator_for(
    {
        "type": "array",
        "items": fields(
            "description check_name fingerprint severity location",
            severity={"enum": ["info", "minor", "major", "critical", "blocker"]},
            location=fields("path lines", lines=fields("begin", "end", begin=LINE, end=LINE)),
        ),
    }
)


def gitlab(report: Report) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads(render(report, "gitlab"))
    GITLAB.validate(entries)
    assert len({entry["fingerprint"] for entry in entries}) == len(entries)
    return entries


def junit(report: Report) -> ET.Element:
    """The document, once its numbers are those of its elements."""
    root = ET.fromstring(render(report, "junit"))
    for node in (root, *root.findall("testsuite")):
        assert node.get("tests") == str(len(node.findall(".//testcase")))
        assert node.get("failures") == str(len(node.findall(".//failure")))
        assert node.get("errors") == str(len(node.findall(".//error")))
    return root


@settings(deadline=None, max_examples=60)  # the first example pays for imports
@given(any_text)
@example(ALL_OF_THEM)
def test_any_text_makes_a_valid_document(text: str) -> None:
    report = report_of(text)
    assert len(gitlab(report)) == 4
    assert junit(report).get("failures") is not None


def test_withheld_findings_are_not_handed_on() -> None:
    report = a_report(a_withheld(0), a_withheld(1, Reason.NIT))
    assert [one["check_name"] for one in gitlab(report)] == [NOT_LOOKED_AT]


def test_what_was_not_looked_at_is_one_entry_that_names_it() -> None:
    (entry,) = gitlab(a_report())
    assert (entry["description"], entry["severity"]) == ("Not looked at: poetry.lock (lock).", "info")


def removed_code(path: str = "old.py") -> Candidate:
    gone = a_finding(file=path, line=11, verification=a_verification(side="base"))
    return a_candidate(finding=gone, quote=a_quote(file=path, side="base"))


def test_removed_code_stands_in_gitlab_where_it_stood() -> None:
    above = a_hunk("+x", "+y", start=1)
    hunk = a_hunk(" k", "-gone", "+b", start=10).model_copy(update={"new_start": 12})
    change = a_change([a_file("old.py", above, hunk)])
    (entry,) = gitlab(a_report(removed_code(), change=change))
    assert entry["location"] == {"path": "old.py", "lines": {"begin": 13, "end": 13}}


def test_removed_code_outside_the_hunks_moves_with_what_is_above_it() -> None:
    # As in git's diffs, the side without lines names the line before the hunk.
    above = a_hunk("+x", "+y", start=1).model_copy(update={"old_start": 0})
    change = a_change([a_file("old.py", above)])
    (entry,) = gitlab(a_report(removed_code(), change=change))
    assert entry["location"]["lines"]["begin"] == 13


def test_code_of_a_deleted_file_keeps_its_place() -> None:
    change = a_change([a_file("old.py", status=FileStatus.DELETED)])
    (entry,) = gitlab(a_report(removed_code(), change=change))
    assert entry["location"] == {"path": "old.py", "lines": {"begin": 11, "end": 11}}


@pytest.mark.parametrize(
    ("severity", "word"),
    [
        (Severity.CRITICAL, "blocker"),
        (Severity.HIGH, "critical"),
        (Severity.MEDIUM, "major"),
        (Severity.LOW, "minor"),
        (Severity.INFO, "info"),
    ],
)
def test_each_severity_has_gitlabs_word(severity: Severity, word: str) -> None:
    entry, _ = gitlab(a_report(a_candidate(finding=a_finding(severity=severity))))
    assert entry["severity"] == word


def test_the_first_finding_with_a_fingerprint_keeps_it() -> None:
    first, second, _ = gitlab(a_report(a_candidate(0), a_candidate(1)))
    assert first["fingerprint"] == "3f9a1c0be2d4"
    assert second["fingerprint"] != "3f9a1c0be2d4"


def cases(root: ET.Element, tag: str) -> list[str]:
    return [str(case.get("name")) for case in root.iter("testcase") if case.find(tag) is not None]


def test_what_fails_the_gate_is_a_failure_and_other_findings_are_not() -> None:
    mild = a_finding(severity=Severity.LOW, title="Mild")
    root = junit(a_report(a_candidate(0), a_candidate(1, finding=mild)))
    assert cases(root, "failure") == ["`total` is not defined [ruff/F821 3f9a1c0be2d4]"]
    assert "Mild [ruff/F821 3f9a1c0be2d4]" in cases(root, "skipped")
    (failure,) = root.iter("failure")
    assert failure.get("type") == "high correctness"
    assert "quote found in the commit, at shop/cart.py:10-13" in str(failure.text)


def test_a_finding_that_fails_the_gate_though_it_is_hidden_is_a_failure() -> None:
    gate = Gate(fail_on=Severity.HIGH, failed_by=("ruff:0",), exit_code=1)
    root = junit(a_report(a_withheld(0, Reason.OUT_OF_FOCUS), gate=gate))
    (failure,) = root.iter("failure")
    assert str(failure.get("message")).endswith("not shown: out_of_focus")


def test_with_the_gate_off_nothing_fails() -> None:
    root = junit(a_report(a_candidate(), gate=Gate(fail_on=None, exit_code=0)))
    assert root.get("failures") == "0"


def test_what_was_not_completed_is_an_error_and_what_did_not_run_is_skipped() -> None:
    root = junit(
        a_report(
            incomplete=(Gap(name="ruff", reason="crashed"),), not_run=(Gap(name="ty", reason="missing"),)
        )
    )
    assert cases(root, "error") == ["ruff"]
    assert "ty" in cases(root, "skipped")


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ("examined", None),
        ("partly", "partly examined: too long"),
        ("not_examined", "not examined: too long"),
        ("skipped", "skipped: too long"),
    ],
)
def test_a_file_passes_only_if_all_of_it_was_examined(state: Any, message: str | None) -> None:
    coverage = (FileCoverage(path="a.py", state=state, reason="too_long"),)
    root = junit(a_report(change=a_change([a_file("a.py")]), coverage=coverage, not_run=()))
    (case,) = (case for case in root.iter("testcase") if case.get("classname") == "a.py")
    skipped = case.find("skipped")
    assert (skipped.get("message") if skipped is not None else None) == message


def test_a_file_of_which_no_coverage_is_known_does_not_pass() -> None:
    assert "no problems found" in cases(junit(a_report(coverage=())), "skipped")


def test_a_link_is_named_where_only_findings_have_a_place() -> None:
    link = a_file("lib.py", new_mode="120000")
    why = "it is a link to a, which is not followed"
    said = FileCoverage(path="lib.py", state="not_examined", reason=why)
    (entry,) = gitlab(a_report(change=a_change([link]), coverage=(said,)))
    assert entry["description"] == "Not looked at: lib.py (it is a link to a, which is not followed)."
