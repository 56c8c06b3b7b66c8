"""What analysers set aside is listed with rule, place and reason, or counted, in every format."""

import json
from xml.etree import ElementTree as ET

import pytest

from affidavit.records.diagnostics import Diagnostic, Reason
from affidavit.records.report import Report
from affidavit.render.account import set_aside_lines, set_aside_words
from affidavit.render.formats import RenderOptions, render
from reports import a_report, a_set_aside

RESULT = a_set_aside(
    rule="ruff/S602",
    category="security",
    line=3,
    message="a shell runs it",
    reason="the file is data of a test",
)


def note(**fields: object) -> Diagnostic:
    said = {"code": Reason.FINDING_DROPPED, "specialist": "ruff", "detail": "as before 2.9", **fields}
    return Diagnostic.model_validate(said)


def written(form: str, report: Report, *, show_withheld: bool = False) -> str:
    return render(report, form, RenderOptions(show_withheld=show_withheld))


REST = note(unlisted={"ruff/S101": 2, "ruff/S602": 5})
REPORT = a_report(diagnostics=(note(set_aside=RESULT), note(set_aside=RESULT), REST))
COUNTED = "9 results of analysers, set aside: ruff/S602 (7), ruff/S101 (2)"
PARTS = ("ruff/S602", "shop/cart.py:3", "the file is data of a test", "7 more that are not listed")


def test_all_are_counted_by_rule_also_those_that_are_not_listed() -> None:
    assert (REPORT.set_aside_count, set_aside_words(REPORT)) == (9, COUNTED)
    assert set_aside_words(a_report()) == ""


def test_only_the_most_frequent_rules_are_named_and_the_others_counted() -> None:
    many = a_report(diagnostics=(note(unlisted={f"r/{number}": number for number in range(1, 8)}),))
    assert set_aside_words(many).endswith(
        "set aside: r/7 (7), r/6 (6), r/5 (5), r/4 (4), r/3 (3), and 2 other rules"
    )


def test_a_line_has_rule_and_place_and_the_reason_before_words_of_the_change() -> None:
    other = RESULT.model_copy(update={"line": 4, "rule": "own/x", "message": ""})
    lines = set_aside_lines(a_report(diagnostics=(note(set_aside=RESULT), note(set_aside=other))))
    assert lines == [
        "ruff/S602 at shop/cart.py:3: the file is data of a test (a shell runs it)",
        "ruff: own/x at shop/cart.py:4: the file is data of a test",
    ]


def test_a_note_of_an_older_report_is_said_as_it_stands() -> None:
    older = a_report(diagnostics=(note(),))
    assert (older.set_aside_count, set_aside_lines(older)) == (1, ["ruff: as before 2.9"])


@pytest.mark.parametrize("form", ["terminal", "markdown", "html"])
def test_formats_for_people_count_them_and_list_them_on_demand(form: str) -> None:
    assert "9 results of analysers, set aside" in written(form, REPORT)
    listed = " ".join(written(form, REPORT, show_withheld=True).replace("\\", "").split())
    assert [part for part in PARTS if part not in listed] == []


@pytest.mark.parametrize("form", ["sarif", "sarif@github"])
def test_sarif_counts_them_and_lists_them_as_notifications(form: str) -> None:
    run = json.loads(written(form, REPORT))["runs"][0]
    assert (run["properties"]["setAside"], run["results"]) == (9, [])
    notes = [one["message"]["text"] for one in run["invocations"][0]["toolExecutionNotifications"]]
    assert "ruff/S602 at shop/cart.py:3: the file is data of a test (a shell runs it)" in notes
    assert "ruff: 7 more that are not listed: ruff/S602 (5), ruff/S101 (2)" in notes


def test_verdict_and_review_result_count_them() -> None:
    assert COUNTED in json.loads(written("verdict", REPORT))["summary"]
    assert json.loads(written("review-result", REPORT))["meta"]["set_aside"] == 9


def test_junit_counts_them_and_lists_the_first() -> None:
    many = a_report(diagnostics=(note(set_aside=RESULT),) * 60)
    spoken = ET.fromstring(written("junit", many)).findtext(".//system-out") or ""
    assert "60 results of analysers, set aside: ruff/S602 (60)" in spoken
    assert spoken.count("at shop/cart.py:3: the file is data of a test") == 50
    assert spoken.endswith("and 10 lines more, in the native report")
