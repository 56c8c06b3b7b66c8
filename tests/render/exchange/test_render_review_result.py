"""The shown findings as a ReviewResult of either schema version."""

import json
from pathlib import Path

import jsonschema_rs
import pytest
from hypothesis import given, settings

from affidavit.contract.schema import SCHEMAS
from affidavit.records.report import Report
from affidavit.render.exchange.review_result import to_review_result
from hostile import hostile_reports
from reports import (
    a_candidate,
    a_change,
    a_file,
    a_finding,
    a_full_report,
    a_quote,
    a_report,
    a_verification,
    a_withheld,
    an_impact_candidate,
)

SCHEMA_1_0 = json.loads((Path(__file__).parents[2] / "schemas" / "review_result_1_0.json").read_text())


def test_a_full_report_is_valid_in_schema_1_0() -> None:
    jsonschema_rs.validate(SCHEMA_1_0, to_review_result(a_full_report(), "1.0"))


def test_a_full_report_is_valid_in_schema_1_1() -> None:
    jsonschema_rs.validate(SCHEMAS["1.1"], to_review_result(a_full_report(), "1.1"))


@settings(deadline=None)  # the first example pays for imports
@given(hostile_reports())
def test_any_text_makes_a_valid_result(report: Report) -> None:
    jsonschema_rs.validate(SCHEMA_1_0, json.loads(json.dumps(to_review_result(report, "1.0"))))
    jsonschema_rs.validate(SCHEMAS["1.1"], json.loads(json.dumps(to_review_result(report, "1.1"))))


def test_only_shown_findings_are_written() -> None:
    result = to_review_result(a_report(a_candidate(0), a_withheld(1)), "1.1")
    assert [finding["id"] for finding in result["findings"]] == ["ruff:0"]


def test_findings_of_two_specialists_keep_ids_apart() -> None:
    same = a_finding(id="f1")
    report = a_report(a_candidate(0, finding=same), a_candidate(1, id="ty:1", finding=same))
    assert len({finding["id"] for finding in to_review_result(report, "1.0")["findings"]}) == 2


def test_an_impact_finding_stands_in_schema_1_0_at_the_changed_line_that_causes_it() -> None:
    (finding,) = to_review_result(a_report(an_impact_candidate()), "1.0")["findings"]
    assert (finding["file"], finding["line"]) == ("shop/prices.py", 8)
    assert finding["message"].startswith("Impact at billing/invoice.py:41: ")
    assert "verification" not in finding


def test_an_impact_finding_stands_in_schema_1_1_at_the_caller() -> None:
    (finding,) = to_review_result(a_report(an_impact_candidate()), "1.1")["findings"]
    assert (finding["file"], finding["line"]) == ("billing/invoice.py", 41)
    assert finding["verification"]["caused_by"] == {"file": "shop/prices.py", "symbol": "price_of"}


def test_an_impact_whose_file_has_no_hunks_stands_at_its_first_line() -> None:
    moved = a_file("shop/prices.py").model_copy(update={"hunks": ()})
    (finding,) = to_review_result(a_report(an_impact_candidate(), change=a_change([moved])), "1.0")[
        "findings"
    ]
    assert (finding["file"], finding["line"]) == ("shop/prices.py", 1)


def test_schema_1_1_carries_the_quote_as_the_machine_found_it() -> None:
    quote = a_quote(outcome="relocated", start=40, end=43)
    (finding,) = to_review_result(a_report(a_candidate(quote=quote)), "1.1")["findings"]
    assert finding["verification"]["line_range_examined"] == [40, 43]


def test_a_line_of_removed_code_is_said_to_be_counted_before_the_change() -> None:
    gone = a_finding(verification=a_verification(side="base"))
    (finding,) = to_review_result(a_report(a_candidate(finding=gone)), "1.0")["findings"]
    assert finding["message"].startswith("At shop/cart.py:12 (before the change): ")


def test_a_finding_without_evidence_says_so_in_schema_1_1() -> None:
    bare = a_candidate(finding=a_finding(verification=None), quote=None)
    result = to_review_result(a_report(bare), "1.1")
    jsonschema_rs.validate(SCHEMAS["1.1"], result)
    assert result["findings"][0]["verification"]["verification_method"].startswith("none:")


def test_the_meta_names_report_and_verdict() -> None:
    meta = to_review_result(a_full_report(), "1.1")["meta"]
    assert meta["report_id"] == "r-1"
    assert meta["verdict"] == "request_changes"
    assert (meta["shown"], meta["withheld"], meta["is_complete"]) == (4, 3, False)


def test_an_unknown_version_is_refused() -> None:
    with pytest.raises(ValueError, match=r"no schema version '2\.0'; there are 1\.0 and 1\.1"):
        to_review_result(a_report(), "2.0")
