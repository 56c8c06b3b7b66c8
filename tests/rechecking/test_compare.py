"""Two reports are the same only where every field is of the same kind and value."""

import pytest

from affidavit.rechecking.compare import differences
from affidavit.records.report import Report
from reports import a_report


@pytest.mark.parametrize("other", [True, 1.0])
def test_true_and_a_fraction_are_no_whole_number(other: object) -> None:
    report = Report.model_validate_json(a_report().model_dump_json())
    recorded = report.model_copy(update={"settings": {"run_seconds": other}})
    derived = report.model_copy(update={"settings": {"run_seconds": 1}})
    assert [one.path for one in differences(recorded, derived)] == [("settings", "run_seconds")]


def test_a_field_that_says_nothing_is_not_one_that_is_missing() -> None:
    report = Report.model_validate_json(a_report().model_dump_json())
    recorded = report.model_copy(update={"settings": {}})
    derived = report.model_copy(update={"settings": {"focus": "nothing"}})
    assert [one.path for one in differences(recorded, derived)] == [("settings", "focus")]
