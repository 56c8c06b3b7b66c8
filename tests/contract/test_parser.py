"""What stands after the parser, and what is said of the rest."""

from typing import Any

import jsonschema_rs
import pytest
from contract_replies import (
    codes,
    coerced_fields,
    dropped_code,
    finding,
    finding_1_0,
    parse,
    reply,
    text,
    verification,
)

from affidavit.contract.parser import ParsedReply, parse_reply
from affidavit.contract.schema import SCHEMAS, to_json
from affidavit.records.diagnostics import Reason

STYLE = {"category": "style"}


def test_a_valid_reply_is_accepted_without_a_diagnostic() -> None:
    document = reply(
        finding(end_line=14, suggestion="s", confidence="high", rule_id="r"), summary="S", meta={"a": None}
    )
    parsed = parse_reply(text(document), changed_files={"src/a.py"})
    assert parsed.state == "accepted"
    assert parsed.diagnostics == ()
    assert parsed.indexes == (0,)
    assert parsed.result is not None
    written = to_json(parsed.result, "1.1")
    jsonschema_rs.validate(SCHEMAS["1.1"], written)
    assert written["summary"] == "S"
    assert written["meta"] == {"a": None}
    assert written["findings"][0] | document["findings"][0] == written["findings"][0] | {
        "verification": verification()
    }


def test_an_empty_list_is_clean_and_nothing_was_dropped() -> None:
    parsed = parse()
    assert (parsed.state, parsed.dropped, parsed.diagnostics) == ("clean", (), ())


def test_findings_that_stand_keep_their_index_in_the_reply() -> None:
    parsed = parse(finding(), 7, finding(id="F3"), finding(severity="x"), finding(id="F5"))
    assert parsed.state == "accepted"
    assert parsed.indexes == (0, 2, 4)
    assert [(dropped.index, dropped.raw) for dropped in parsed.dropped] == [
        (1, 7),
        (3, finding(severity="x")),
    ]
    assert Reason.ALL_FINDINGS_DROPPED not in codes(parsed)


@pytest.mark.parametrize("field", ["schema_version", "prompt_version", "findings"])
@pytest.mark.parametrize("value", [..., None, "", 5, {}, True])
def test_a_required_field_at_the_top_that_is_missing_or_wrong_rejects(field: str, value: Any) -> None:
    parsed = parse(finding(), **{field: value})
    assert parsed.state == "rejected"
    assert parsed.result is None
    assert parsed.dropped == ()
    wanted = Reason.MISSING_REQUIRED_FIELD if value in (..., None, "") else Reason.INVALID_TYPE
    assert codes(parsed) == [wanted, Reason.RESPONSE_REJECTED]
    assert parsed.diagnostics[0].field == field


def test_a_rejected_reply_has_no_diagnostic_about_its_findings() -> None:
    parsed = parse(5, finding(line=" 12 "), schema_version="2.0")
    assert codes(parsed) == [Reason.INCOMPATIBLE_VERSION, Reason.RESPONSE_REJECTED]


@pytest.mark.parametrize(
    ("change", "field"),
    [({"summary": 5}, "summary"), ({"meta": []}, "meta"), ({"meta": {"a": [{"b": 1e999}]}}, "meta")],
)
def test_an_optional_field_at_the_top_that_is_wrong_is_ignored(change: dict[str, Any], field: str) -> None:
    document = text(reply(finding(), **change)).replace("Infinity", "1e999")
    parsed = parse_reply(document)
    assert parsed.state == "accepted"
    assert [(one.code, one.field) for one in parsed.diagnostics] == [(Reason.INVALID_TYPE, field)]
    assert parsed.result is not None
    assert (parsed.result.summary, parsed.result.meta) == (None, None)


def test_an_unknown_field_at_the_top_is_ignored_with_a_diagnostic() -> None:
    parsed = parse(finding(), verdict="approve")
    assert parsed.state == "accepted"
    assert [(one.code, one.field) for one in parsed.diagnostics] == [(Reason.UNKNOWN_FIELD, "verdict")]


def test_findings_in_a_string_are_decoded_once() -> None:
    parsed = parse(findings=text([finding()]))
    assert parsed.state == "accepted"
    assert coerced_fields(parsed) == ["findings"]


@pytest.mark.parametrize("value", [text(text([])), "none", text({}), text(None)])
def test_a_string_that_holds_no_array_of_findings_rejects(value: str) -> None:
    parsed = parse(findings=value)
    assert parsed.state == "rejected"
    assert codes(parsed)[0] is Reason.INVALID_TYPE


def test_a_reply_encoded_as_a_string_says_so() -> None:
    parsed = parse_reply(text(text(reply(finding()))))
    assert parsed.state == "accepted"
    assert codes(parsed) == [Reason.COERCION_APPLIED]


REQUIRED = ["id", "severity", "category", "title", "file", "line", "message", "verification"]
EVIDENCE_REQUIRED = [
    "code_examined",
    "line_range_examined",
    "verification_method",
    "checked_for_handling_elsewhere",
    "failing_input",
    "wrong_outcome",
]


@pytest.mark.parametrize("field", REQUIRED)
@pytest.mark.parametrize("value", [..., None])
def test_a_finding_that_lacks_a_required_field_is_dropped(field: str, value: Any) -> None:
    parsed = parse(finding(**{field: value}))
    assert dropped_code(parsed) is Reason.MISSING_REQUIRED_FIELD
    reasons = {one.field for one in parsed.diagnostics if one.code is Reason.MISSING_REQUIRED_FIELD}
    assert reasons == {field}


@pytest.mark.parametrize("field", REQUIRED[:-1])
@pytest.mark.parametrize("value", ["", " \n"])
def test_an_empty_string_in_a_required_field_counts_as_missing(field: str, value: str) -> None:
    assert dropped_code(parse(finding(**{field: value}))) is Reason.MISSING_REQUIRED_FIELD


@pytest.mark.parametrize("field", EVIDENCE_REQUIRED)
@pytest.mark.parametrize("value", [..., None])
def test_evidence_that_lacks_a_required_field_is_dropped(field: str, value: Any) -> None:
    parsed = parse(finding(verification=verification(**{field: value})))
    assert dropped_code(parsed) is Reason.MISSING_REQUIRED_FIELD
    assert parsed.diagnostics[0].field == f"verification.{field}"


@pytest.mark.parametrize("category", ["maintainability", "style", "test"])
def test_only_some_categories_must_show_a_failure(category: str) -> None:
    evidence = verification(failing_input=..., wrong_outcome=None)
    assert parse(finding(category=category, verification=evidence)).state == "accepted"


@pytest.mark.parametrize("category", ["correctness", "security", "reliability", "performance"])
def test_a_failure_must_not_be_empty(category: str) -> None:
    evidence = verification(failing_input=" ")
    assert (
        dropped_code(parse(finding(category=category, verification=evidence)))
        is Reason.MISSING_REQUIRED_FIELD
    )


def test_an_impact_finding_must_name_its_cause() -> None:
    evidence = verification(is_impact_finding=True)
    assert dropped_code(parse(finding(verification=evidence))) is Reason.MISSING_REQUIRED_FIELD


@pytest.mark.parametrize("field", ["severity", "category", "confidence"])
@pytest.mark.parametrize("value", ["HIGH!", "High", "x", ["high"], {"high": 1}, 1, True])
def test_a_value_outside_of_its_set_drops_the_finding(field: str, value: Any) -> None:
    parsed = parse(finding(**{field: value}))
    assert dropped_code(parsed) is Reason.INVALID_ENUM_VALUE
    assert (parsed.diagnostics[0].field, parsed.diagnostics[0].index, parsed.diagnostics[0].id) == (
        field,
        0,
        "F1",
    )
    assert (parsed.diagnostics[0].expected or "").startswith("one of ")


@pytest.mark.parametrize(
    "change",
    [
        {"id": 5},
        {"title": ["x"]},
        {"message": {}},
        {"file": 1},
        {"file": "a\0b"},
        {"line": True},
        {"line": 1.5},
        {"line": "twelve"},
        {"line": "1.5"},
        {"line": [12]},
        {"line": "\u0661\u0662"},
        {"end_line": False},
        {"end_line": ""},
        {"suggestion": 5},
        {"rule_id": []},
        {"verification": []},
        {"verification": "yes"},
        {"verification": verification(code_examined=["x"])},
        {"verification": verification(line_range_examined=[1])},
        {"verification": verification(line_range_examined=[1, True])},
        {"verification": verification(line_range_examined="1-2")},
        {"verification": verification(line_range_examined={"start": 1})},
        {"verification": verification(checked_for_handling_elsewhere="true")},
        {"verification": verification(is_impact_finding=1)},
        {"verification": verification(is_absence_finding="no")},
        {"verification": verification(searches={})},
        {"verification": verification(searches=["x"])},
        {"verification": verification(searches=[{"pattern": 1}])},
        {"verification": verification(searches=[{"pattern": "x", "paths": "src"}])},
        {"verification": verification(searches=[{"pattern": "x", "paths": [1]}])},
        {"verification": verification(searches=[{"pattern": "x\0"}])},
        {"verification": verification(caused_by="f")},
    ],
    ids=repr,
)
def test_a_value_of_the_wrong_type_drops_the_finding(change: dict[str, Any]) -> None:
    assert dropped_code(parse(finding(**change))) is Reason.INVALID_TYPE


@pytest.mark.parametrize("value", [5, "x", None, [], [finding()], True, 1.5])
def test_a_finding_that_is_no_object_is_dropped(value: Any) -> None:
    parsed = parse(value)
    assert dropped_code(parsed) is Reason.INVALID_TYPE
    assert parsed.dropped[0].raw == value


@pytest.mark.parametrize(
    "change",
    [
        {"line": 0},
        {"line": -3},
        {"line": "0"},
        {"line": 10**20},
        {"end_line": 0},
        {"end_line": 11},
        {"end_line": "11"},
        {"verification": verification(line_range_examined=[14, 10])},
        {"verification": verification(line_range_examined=[0, 10])},
    ],
    ids=repr,
)
def test_lines_that_cannot_be_drop_the_finding(change: dict[str, Any]) -> None:
    assert dropped_code(parse(finding(**change))) is Reason.INVALID_LINE_RANGE


@pytest.mark.parametrize(
    ("change", "field", "value"),
    [
        ({"line": "12"}, "line", 12),
        ({"line": " 12 "}, "line", 12),
        ({"line": 12.0}, "line", 12),
        ({"end_line": "14"}, "end_line", 14),
        ({"end_line": None}, "end_line", None),
        ({"title": " T\n"}, "title", "T"),
        ({"severity": " low "}, "severity", "low"),
        ({"file": "src\\a.py"}, "file", "src/a.py"),
        ({"file": " src/a.py"}, "file", "src/a.py"),
        ({"suggestion": None}, "suggestion", None),
        ({"confidence": None}, "confidence", None),
    ],
)
def test_a_safe_coercion_is_applied_and_said(change: dict[str, Any], field: str, value: Any) -> None:
    parsed = parse(finding(**change))
    assert parsed.result is not None
    assert getattr(parsed.result.findings[0], field) == value
    (one,) = parsed.diagnostics
    assert (one.code, one.field, one.index, one.id) == (
        Reason.COERCION_APPLIED,
        field,
        0,
        "F1",
    )


def test_line_ranges_are_coerced_like_lines() -> None:
    parsed = parse(finding(verification=verification(line_range_examined=["10", 14.0])))
    assert parsed.result is not None
    evidence = parsed.result.findings[0].verification
    assert evidence is not None
    assert evidence.line_range_examined == (10, 14)
    assert coerced_fields(parsed) == ["verification.line_range_examined"] * 2


@pytest.mark.parametrize("number", ["1e999", "-1e999"])
def test_a_number_too_large_to_hold_costs_only_its_finding(number: str) -> None:
    document = text(reply(finding(line=424242), finding(id="F2"))).replace("424242", number)
    parsed = parse_reply(document)
    assert parsed.indexes == (1,)
    assert parsed.dropped[0].code is Reason.INVALID_TYPE
    assert ParsedReply.model_validate_json(parsed.model_dump_json()).indexes == (1,)


def test_quoted_code_keeps_its_indentation() -> None:
    quote = "    return x\n"
    parsed = parse(finding(verification=verification(code_examined=quote)))
    assert parsed.diagnostics == ()
    assert parsed.result is not None
    assert parsed.result.findings[0].verification is not None
    assert parsed.result.findings[0].verification.code_examined == quote


def test_evidence_that_stands_one_level_too_high_is_moved() -> None:
    parsed = parse({**finding_1_0(), **verification()})
    assert parsed.state == "accepted"
    assert coerced_fields(parsed) == [
        name
        for name in SCHEMAS["1.1"]["properties"]["findings"]["items"]["properties"]["verification"][
            "properties"
        ]
        if name in verification()
    ]


def test_evidence_given_twice_is_not_chosen_from() -> None:
    assert dropped_code(parse(finding(code_examined="other"))) is Reason.UNKNOWN_FIELD


@pytest.mark.parametrize("garbage", ["", "no", "[" * 100_000, "[]", "null", '{"a": 1}'])
def test_what_is_no_result_is_rejected(garbage: str) -> None:
    parsed = parse_reply(garbage)
    assert parsed.state == "rejected"
    assert codes(parsed)[-1] is Reason.RESPONSE_REJECTED


def test_diagnostics_stay_short_whatever_the_reply_holds() -> None:
    parsed = parse(finding(id="x" * 10_000, severity="y" * 10_000, **{"z" * 10_000: 1}))
    assert all(len(one.model_dump_json()) < 1_000 for one in parsed.diagnostics)
