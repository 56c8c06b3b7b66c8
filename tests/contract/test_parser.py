"""What stands after the parser, and what is said of the rest."""

import json
from typing import Any

import jsonschema_rs
import pytest
from contract_replies import codes, coerced_fields, finding, finding_1_0, reply, text, verification

from affidavit.contract.export import to_json
from affidavit.contract.parsed import ParsedReply
from affidavit.contract.parser import parse_reply
from affidavit.contract.schema import SCHEMAS
from affidavit.errors import SettingsError
from affidavit.records.diagnostics import Code

STYLE = {"category": "style"}


def parse(*findings: Any, **change: Any) -> ParsedReply:
    return parse_reply(text(reply(*findings, **change)))


def dropped_code(parsed: ParsedReply) -> Code:
    assert parsed.state == "all_dropped"
    assert parsed.result is not None
    assert parsed.result.findings == ()
    assert Code.ALL_FINDINGS_DROPPED in codes(parsed)
    assert codes(parsed).count(Code.FINDING_DROPPED) == 1
    (dropped,) = parsed.dropped
    assert dropped.code in codes(parsed)
    return dropped.code


def test_a_valid_reply_is_accepted_without_a_remark() -> None:
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
    assert Code.ALL_FINDINGS_DROPPED not in codes(parsed)


@pytest.mark.parametrize("field", ["schema_version", "prompt_version", "findings"])
@pytest.mark.parametrize("value", [..., None, "", 5, {}, True])
def test_a_required_field_at_the_top_that_is_missing_or_wrong_rejects(field: str, value: Any) -> None:
    parsed = parse(finding(), **{field: value})
    assert parsed.state == "rejected"
    assert parsed.result is None
    assert parsed.dropped == ()
    wanted = Code.MISSING_REQUIRED_FIELD if value in (..., None, "") else Code.INVALID_TYPE
    assert codes(parsed) == [wanted, Code.RESPONSE_REJECTED]
    assert parsed.diagnostics[0].field == field


def test_a_rejected_reply_has_no_remark_about_its_findings() -> None:
    parsed = parse(5, finding(line=" 12 "), schema_version="2.0")
    assert codes(parsed) == [Code.INCOMPATIBLE_VERSION, Code.RESPONSE_REJECTED]


@pytest.mark.parametrize(
    ("change", "field"),
    [({"summary": 5}, "summary"), ({"meta": []}, "meta"), ({"meta": {"a": [{"b": 1e999}]}}, "meta")],
)
def test_an_optional_field_at_the_top_that_is_wrong_is_ignored(change: dict[str, Any], field: str) -> None:
    document = text(reply(finding(), **change)).replace("Infinity", "1e999")
    parsed = parse_reply(document)
    assert parsed.state == "accepted"
    assert [(remark.code, remark.field) for remark in parsed.diagnostics] == [(Code.INVALID_TYPE, field)]
    assert parsed.result is not None
    assert (parsed.result.summary, parsed.result.meta) == (None, None)


def test_an_unknown_field_at_the_top_is_ignored_with_a_remark() -> None:
    parsed = parse(finding(), verdict="approve")
    assert parsed.state == "accepted"
    assert [(remark.code, remark.field) for remark in parsed.diagnostics] == [(Code.UNKNOWN_FIELD, "verdict")]


def test_findings_in_a_string_are_decoded_once() -> None:
    parsed = parse(findings=text([finding()]))
    assert parsed.state == "accepted"
    assert coerced_fields(parsed) == ["findings"]


@pytest.mark.parametrize("value", [text(text([])), "none", text({}), text(None)])
def test_a_string_that_holds_no_array_of_findings_rejects(value: str) -> None:
    parsed = parse(findings=value)
    assert parsed.state == "rejected"
    assert codes(parsed)[0] is Code.INVALID_TYPE


def test_a_reply_encoded_as_a_string_says_so() -> None:
    parsed = parse_reply(text(text(reply(finding()))))
    assert parsed.state == "accepted"
    assert codes(parsed) == [Code.COERCION_APPLIED]


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
    assert dropped_code(parsed) is Code.MISSING_REQUIRED_FIELD
    reasons = {remark.field for remark in parsed.diagnostics if remark.code is Code.MISSING_REQUIRED_FIELD}
    assert reasons == {field}


@pytest.mark.parametrize("field", REQUIRED[:-1])
@pytest.mark.parametrize("value", ["", " \n"])
def test_an_empty_string_in_a_required_field_counts_as_missing(field: str, value: str) -> None:
    assert dropped_code(parse(finding(**{field: value}))) is Code.MISSING_REQUIRED_FIELD


@pytest.mark.parametrize("field", EVIDENCE_REQUIRED)
@pytest.mark.parametrize("value", [..., None])
def test_evidence_that_lacks_a_required_field_is_dropped(field: str, value: Any) -> None:
    parsed = parse(finding(verification=verification(**{field: value})))
    assert dropped_code(parsed) is Code.MISSING_REQUIRED_FIELD
    assert parsed.diagnostics[0].field == f"verification.{field}"


@pytest.mark.parametrize("category", ["maintainability", "style", "test"])
def test_only_some_categories_must_show_a_failure(category: str) -> None:
    evidence = verification(failing_input=..., wrong_outcome=None)
    assert parse(finding(category=category, verification=evidence)).state == "accepted"


@pytest.mark.parametrize("category", ["correctness", "security", "reliability", "performance"])
def test_a_failure_must_not_be_empty(category: str) -> None:
    evidence = verification(failing_input=" ")
    assert (
        dropped_code(parse(finding(category=category, verification=evidence))) is Code.MISSING_REQUIRED_FIELD
    )


def test_an_impact_finding_must_name_its_cause() -> None:
    evidence = verification(is_impact_finding=True)
    assert dropped_code(parse(finding(verification=evidence))) is Code.MISSING_REQUIRED_FIELD


@pytest.mark.parametrize("field", ["severity", "category", "confidence"])
@pytest.mark.parametrize("value", ["HIGH!", "High", "x", ["high"], {"high": 1}, 1, True])
def test_a_value_outside_of_its_set_drops_the_finding(field: str, value: Any) -> None:
    parsed = parse(finding(**{field: value}))
    assert dropped_code(parsed) is Code.INVALID_ENUM_VALUE
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
    assert dropped_code(parse(finding(**change))) is Code.INVALID_TYPE


@pytest.mark.parametrize("value", [5, "x", None, [], [finding()], True, 1.5])
def test_a_finding_that_is_no_object_is_dropped(value: Any) -> None:
    parsed = parse(value)
    assert dropped_code(parsed) is Code.INVALID_TYPE
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
    assert dropped_code(parse(finding(**change))) is Code.INVALID_LINE_RANGE


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
    (remark,) = parsed.diagnostics
    assert (remark.code, remark.field, remark.index, remark.id) == (Code.COERCION_APPLIED, field, 0, "F1")


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
    assert parsed.dropped[0].code is Code.INVALID_TYPE
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
    assert dropped_code(parse(finding(code_examined="other"))) is Code.UNKNOWN_FIELD


@pytest.mark.parametrize(
    "change",
    [
        {"score": 1},
        {"verification": verification(score=1)},
        {"verification": verification(searches=[{"pattern": "x", "score": 1}])},
        {"verification": verification(caused_by={"file": "src/a.py", "score": 1})},
    ],
)
def test_an_unknown_field_drops_a_finding_of_this_version_but_not_of_a_newer_one(
    change: dict[str, Any],
) -> None:
    assert dropped_code(parse(finding(**change))) is Code.UNKNOWN_FIELD
    newer = parse(finding(**change), schema_version="1.2")
    assert newer.state == "accepted"
    assert codes(newer) == [Code.UNKNOWN_FIELD]
    assert (newer.diagnostics[0].field or "").endswith("score")
    assert newer.result is not None
    assert newer.result.schema_version == "1.1"


def test_a_newer_version_does_not_excuse_an_unknown_word() -> None:
    assert dropped_code(parse(finding(severity="blocker"), schema_version="1.2")) is Code.INVALID_ENUM_VALUE


def test_a_reply_of_schema_1_0_is_read_without_evidence() -> None:
    parsed = parse(finding_1_0(), schema_version="1.0")
    assert (parsed.state, parsed.diagnostics) == ("accepted", ())
    assert parsed.result is not None
    assert parsed.result.schema_version == "1.0"
    assert parsed.result.findings[0].verification is None


@pytest.mark.parametrize("change", [{"verification": verification()}, {"code_examined": "x"}])
def test_evidence_is_unknown_to_schema_1_0(change: dict[str, Any]) -> None:
    assert dropped_code(parse(finding_1_0(**change), schema_version="1.0")) is Code.UNKNOWN_FIELD


def test_a_reader_of_1_0_takes_a_1_1_reply_and_ignores_its_evidence() -> None:
    parsed = parse_reply(text(reply(finding())), schema_version="1.0")
    assert parsed.state == "accepted"
    assert codes(parsed) == [Code.UNKNOWN_FIELD]
    assert parsed.result is not None
    assert parsed.result.schema_version == "1.0"


@pytest.mark.parametrize(
    "version", ["2.0", "0.9", "1", "1.1.0", "v1.1", "1.x", "1.1\n1", "9" * 5000 + ".0", "1." + "9" * 5000]
)
def test_an_incompatible_schema_version_rejects(version: str) -> None:
    parsed = parse(finding(), schema_version=version)
    assert parsed.state == "rejected"
    assert codes(parsed) == [Code.INCOMPATIBLE_VERSION, Code.RESPONSE_REJECTED]


@pytest.mark.parametrize(
    ("replied", "drift", "is_accepted"),
    [
        ("1.0.0", False, True),
        ("1.0.1", False, False),
        ("1.0", False, False),
        ("1.0.1", True, True),
        ("1.0", True, True),
        ("1.1.0", True, False),
        ("2.0.0", True, False),
        ("1.0.0.0", True, False),
        ("one", True, False),
    ],
)
def test_prompt_versions_match_exactly_unless_patches_may_drift(
    replied: str, drift: bool, is_accepted: bool
) -> None:
    parsed = parse_reply(
        text(reply(finding(), prompt_version=replied)), prompt_version="1.0.0", allow_patch_drift=drift
    )
    assert (parsed.state == "accepted") is is_accepted
    assert (Code.INCOMPATIBLE_VERSION in codes(parsed)) is not is_accepted


def test_any_well_formed_prompt_version_will_do_where_none_is_expected() -> None:
    assert parse(finding(), prompt_version="7.3").state == "accepted"
    assert codes(parse(finding(), prompt_version="x"))[0] is Code.INCOMPATIBLE_VERSION


@pytest.mark.parametrize(
    "wrong", [{"schema_version": "3.0"}, {"schema_version": ""}, {"prompt_version": "one"}]
)
def test_a_wrong_expectation_is_the_callers_error(wrong: dict[str, str]) -> None:
    with pytest.raises(SettingsError):
        parse_reply("{}", **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("garbage", ["", "no", "[" * 100_000, "[]", "null", '{"a": 1}'])
def test_what_is_no_result_is_rejected(garbage: str) -> None:
    parsed = parse_reply(garbage)
    assert parsed.state == "rejected"
    assert codes(parsed)[-1] is Code.RESPONSE_REJECTED


def test_a_reply_cut_off_in_a_finding_keeps_the_whole_ones_and_lists_the_other() -> None:
    cut = text(reply(finding(), 5, finding(id="F3")))[:-20]
    parsed = parse_reply(cut)
    assert parsed.state == "accepted"
    assert parsed.is_truncated
    assert parsed.indexes == (0,)
    assert [(dropped.index, dropped.code) for dropped in parsed.dropped] == [
        (1, Code.INVALID_TYPE),
        (2, Code.TRUNCATED_JSON),
    ]
    assert cut.endswith(parsed.dropped[1].raw)
    assert codes(parsed).count(Code.FINDING_DROPPED) == 2


@pytest.mark.parametrize("tail", ["", "]", '], "meta": {'])
def test_an_empty_list_in_a_reply_that_was_cut_off_is_not_clean(tail: str) -> None:
    parsed = parse_reply('{"schema_version": "1.1", "prompt_version": "1.0.0", "findings": [' + tail)
    assert parsed.state == "rejected"
    assert parsed.is_truncated
    assert Code.TRUNCATED_JSON in codes(parsed)
    assert codes(parsed)[-1] is Code.RESPONSE_REJECTED


def test_a_cut_reply_whose_whole_findings_are_all_bad_is_all_dropped() -> None:
    parsed = parse_reply(text(reply(5, finding()))[:-5])
    assert parsed.state == "all_dropped"
    assert parsed.is_truncated


@pytest.mark.parametrize(
    "document", [reply(finding(), finding(id="F2"), summary="s", meta={"a": [1]}), reply()]
)
@pytest.mark.parametrize(
    "encode", [text, lambda value: text(text(value)), lambda value: json.dumps(value, indent=1)]
)
def test_a_reply_cut_anywhere_is_never_clean_and_keeps_whole_findings_only(
    document: Any, encode: Any
) -> None:
    whole = encode(document)
    ends = [position + 1 for position, character in enumerate(whole) if character == "}"]
    for length in range(len(whole)):
        parsed = parse_reply(whole[:length])
        assert parsed.state in ("accepted", "rejected")
        if parsed.result is not None:
            assert parsed.is_truncated
            kept = [
                to_json(parsed.result, "1.1")["findings"][place]["id"] for place in range(len(parsed.indexes))
            ]
            assert kept == ["F1", "F2"][: len(kept)]
            assert len(kept) <= sum(end <= length for end in ends) // 2


def test_diagnostics_stay_short_whatever_the_reply_holds() -> None:
    parsed = parse(finding(id="x" * 10_000, severity="y" * 10_000, **{"z" * 10_000: 1}))
    assert all(len(remark.model_dump_json()) < 1_000 for remark in parsed.diagnostics)
