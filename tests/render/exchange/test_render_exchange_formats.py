"""A report for GitLab."""

import json
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import example, given, settings

from affidavit.records.candidate import Candidate
from affidavit.records.change import FileStatus
from affidavit.records.diagnostics import Reason
from affidavit.records.finding import Severity
from affidavit.records.report import FileCoverage, Report
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


@settings(deadline=None, max_examples=60)  # the first example pays for imports
@given(any_text)
@example(ALL_OF_THEM)
def test_any_text_makes_a_valid_document(text: str) -> None:
    report = report_of(text)
    assert len(gitlab(report)) == 4


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


def test_a_link_is_named_where_only_findings_have_a_place() -> None:
    link = a_file("lib.py", new_mode="120000")
    why = "it is a link to a, which is not followed"
    said = FileCoverage(path="lib.py", state="not_examined", reason=why)
    (entry,) = gitlab(a_report(change=a_change([link]), coverage=(said,)))
    assert entry["description"] == "Not looked at: lib.py (it is a link to a, which is not followed)."
