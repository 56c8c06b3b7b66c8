"""The program that a finding of schema 1.2 or 1.3 may offer, and the patch."""

import json
from typing import Any

import jsonschema_rs
import pytest

from affidavit.contract.finding_reader import ReadingRules, read_finding
from affidavit.contract.schema import SCHEMAS, to_json
from affidavit.records.diagnostics import Reason
from affidavit.records.finding import ReviewResult

PROGRAM = {
    "language": "python",
    "program": "from shop import price\nprint(price(1))\n",
    "files": [{"path": "data.txt", "content": "1"}],
    "expected_at_base": {"exit_code": 0, "output": "^2"},
    "expected_at_head": {"exit_code": 1, "output": "TypeError"},
}


def finding(**evidence: Any) -> dict[str, Any]:
    return {
        "id": "1",
        "severity": "high",
        "category": "correctness",
        "title": "It fails",
        "file": "shop.py",
        "line": 1,
        "message": "It fails.",
        "verification": {
            "code_examined": "def price(n):",
            "line_range_examined": [1, 1],
            "verification_method": "read",
            "checked_for_handling_elsewhere": True,
            "failing_input": "1",
            "wrong_outcome": "TypeError",
            **evidence,
        },
    }


def reply(one: dict[str, Any], version: str) -> dict[str, Any]:
    return {"schema_version": version, "prompt_version": "1.0.0", "findings": [one]}


def test_a_finding_of_1_2_brings_its_program_and_its_patch() -> None:
    given = finding(reproduction=PROGRAM, patch="--- a/shop.py\n")
    assert jsonschema_rs.is_valid(SCHEMAS["1.2"], reply(given, "1.2"))
    read, notes = read_finding(given, 0, ReadingRules("1.2"))
    assert notes.diagnostics == []
    assert read
    assert read.verification
    assert read.verification.reproduction
    assert read.verification.patch == "--- a/shop.py\n"
    assert read.verification.reproduction.expected_at_head.output == "TypeError"
    assert read.verification.reproduction.files[0].path == "data.txt"


def test_null_at_base_means_that_base_lacks_the_code() -> None:
    given = finding(reproduction={**PROGRAM, "expected_at_base": None})
    assert jsonschema_rs.is_valid(SCHEMAS["1.2"], reply(given, "1.2"))
    read, _ = read_finding(given, 0, ReadingRules("1.2"))
    assert read
    assert read.verification
    assert read.verification.reproduction
    assert read.verification.reproduction.expected_at_base is None


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"program": ""}, "program"),
        ({"language": None}, "language"),
        ({"expected_at_head": {"exit_code": "x"}}, "exit_code"),
        ({"expected_at_head": {"exit_code": 1, "output": "("}}, "output"),
        ({"expected_at_head": {"exit_code": 1, "output": "a" * 3000}}, "characters"),
        ({"expected_at_base": PROGRAM["expected_at_head"]}, "the same at base and at head"),
        ({"files": [3]}, "files"),
    ],
)
def test_a_broken_program_is_left_out_and_its_finding_stays(change: dict[str, Any], why: str) -> None:
    read, notes = read_finding(finding(reproduction={**PROGRAM, **change}), 0, ReadingRules("1.2"))
    assert read
    assert read.verification
    assert read.verification.reproduction is None
    (note,) = [one for one in notes.diagnostics if one.code is Reason.INVALID_TYPE]
    assert why in note.detail


@pytest.mark.parametrize("broken", ["text", 3, [], True])
def test_what_is_no_program_at_all_is_left_out_and_its_finding_stays(broken: object) -> None:
    read, _ = read_finding(finding(reproduction=broken), 0, ReadingRules("1.2"))
    assert read
    assert read.verification
    assert read.verification.reproduction is None


def test_a_program_is_no_part_of_1_1() -> None:
    given = finding(reproduction=PROGRAM)
    assert not jsonschema_rs.is_valid(SCHEMAS["1.1"], reply(given, "1.1"))
    read, notes = read_finding(given, 0, ReadingRules("1.1"))
    assert read is None
    assert [one.code for one in notes.problems] == [Reason.UNKNOWN_FIELD]


def test_a_finding_with_a_program_is_written_in_each_version_as_far_as_that_has_it() -> None:
    read, _ = read_finding(finding(reproduction=PROGRAM, patch="x"), 0, ReadingRules("1.2"))
    assert read
    result = ReviewResult(schema_version="1.2", prompt_version="1.0.0", findings=(read,))
    for version in SCHEMAS:
        written = json.loads(json.dumps(to_json(result, version)))
        assert jsonschema_rs.is_valid(SCHEMAS[version], written), version
    assert to_json(result, "1.2")["findings"][0]["verification"]["reproduction"]["language"] == "python"


NEWER = {
    **PROGRAM,
    "expected_when_fixed": {"exit_code": 0, "output": "^1"},
    "promised": "price() takes a number",
    "seconds": 45,
}


def test_a_finding_of_1_3_says_what_a_fixed_head_does() -> None:
    given = finding(reproduction=NEWER, appears_after="0", is_pre_existing=True)
    assert jsonschema_rs.is_valid(SCHEMAS["1.3"], reply(given, "1.3"))
    read, notes = read_finding(given, 0, ReadingRules("1.3"))
    assert notes.diagnostics == []
    assert read
    assert read.evidence.appears_after == "0"
    assert read.evidence.is_pre_existing
    program = read.evidence.reproduction
    assert program
    assert program.expected_when_fixed
    assert program.expected_when_fixed.output == "^1"
    assert (program.promised, program.seconds) == ("price() takes a number", 45)


def test_the_newer_fields_of_a_program_are_no_part_of_1_2() -> None:
    given = finding(reproduction=NEWER)
    assert not jsonschema_rs.is_valid(SCHEMAS["1.2"], reply(given, "1.2"))
    read, _ = read_finding(given, 0, ReadingRules("1.2"))
    assert read
    assert read.evidence.reproduction
    assert read.evidence.reproduction.seconds is None
    assert read.evidence.reproduction.promised is None


def test_a_finding_of_1_3_is_written_in_each_version_as_far_as_that_has_it() -> None:
    read, _ = read_finding(finding(reproduction=NEWER, appears_after="0"), 0, ReadingRules("1.3"))
    assert read
    result = ReviewResult(schema_version="1.3", prompt_version="1.0.0", findings=(read,))
    for version in SCHEMAS:
        assert jsonschema_rs.is_valid(SCHEMAS[version], to_json(result, version)), version
    assert to_json(result, "1.3")["findings"][0]["verification"]["reproduction"]["seconds"] == 45


def test_more_time_than_allowed_is_cut() -> None:
    read, notes = read_finding(finding(reproduction={**NEWER, "seconds": 600}), 0, ReadingRules("1.3"))
    assert read
    assert read.evidence.reproduction
    assert read.evidence.reproduction.seconds == 60
    assert [one.code for one in notes.diagnostics] == [Reason.COERCION_APPLIED]


@pytest.mark.parametrize(("promised", "is_read"), [("price() takes a number", True), ("", False)])
def test_both_sides_may_end_alike_only_where_words_of_the_change_are_broken(
    promised: str, *, is_read: bool
) -> None:
    same = {**NEWER, "expected_at_base": PROGRAM["expected_at_head"], "promised": promised}
    read, _ = read_finding(finding(reproduction=same), 0, ReadingRules("1.3"))
    assert read
    assert (read.evidence.reproduction is not None) is is_read
