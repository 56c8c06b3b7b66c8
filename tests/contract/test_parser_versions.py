"""Which versions of schema and prompts the parser takes, and what older and newer replies keep."""

from typing import Any

import pytest
from contract_replies import codes, dropped_code, finding, finding_1_0, parse, reply, text, verification

from affidavit.contract.parser import parse_reply
from affidavit.errors import SettingsError
from affidavit.records.diagnostics import Reason


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
    assert dropped_code(parse(finding(**change))) is Reason.UNKNOWN_FIELD
    newer = parse(finding(**change), schema_version="1.4")
    assert newer.state == "accepted"
    assert codes(newer) == [Reason.UNKNOWN_FIELD]
    assert (newer.diagnostics[0].field or "").endswith("score")
    assert newer.result is not None
    assert newer.result.schema_version == "1.3"


def test_a_newer_version_does_not_excuse_an_unknown_word() -> None:
    assert dropped_code(parse(finding(severity="blocker"), schema_version="1.4")) is Reason.INVALID_ENUM_VALUE


def test_a_reply_of_schema_1_0_is_read_without_evidence() -> None:
    parsed = parse(finding_1_0(), schema_version="1.0")
    assert (parsed.state, parsed.diagnostics) == ("accepted", ())
    assert parsed.result is not None
    assert parsed.result.schema_version == "1.0"
    assert parsed.result.findings[0].verification is None


@pytest.mark.parametrize("change", [{"verification": verification()}, {"code_examined": "x"}])
def test_evidence_is_unknown_to_schema_1_0(change: dict[str, Any]) -> None:
    assert dropped_code(parse(finding_1_0(**change), schema_version="1.0")) is Reason.UNKNOWN_FIELD


def test_a_reader_of_1_0_takes_a_1_1_reply_and_ignores_its_evidence() -> None:
    parsed = parse_reply(text(reply(finding())), schema_version="1.0")
    assert parsed.state == "accepted"
    assert codes(parsed) == [Reason.UNKNOWN_FIELD]
    assert parsed.result is not None
    assert parsed.result.schema_version == "1.0"


@pytest.mark.parametrize(
    "version", ["2.0", "0.9", "1", "1.1.0", "v1.1", "1.x", "1.1\n1", "9" * 5000 + ".0", "1." + "9" * 5000]
)
def test_an_incompatible_schema_version_rejects(version: str) -> None:
    parsed = parse(finding(), schema_version=version)
    assert parsed.state == "rejected"
    assert codes(parsed) == [Reason.INCOMPATIBLE_VERSION, Reason.RESPONSE_REJECTED]


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
    assert (Reason.INCOMPATIBLE_VERSION in codes(parsed)) is not is_accepted


def test_any_well_formed_prompt_version_will_do_where_none_is_expected() -> None:
    assert parse(finding(), prompt_version="7.3").state == "accepted"
    assert codes(parse(finding(), prompt_version="x"))[0] is Reason.INCOMPATIBLE_VERSION


@pytest.mark.parametrize(
    "wrong", [{"schema_version": "3.0"}, {"schema_version": ""}, {"prompt_version": "one"}]
)
def test_a_wrong_expectation_is_the_callers_error(wrong: dict[str, str]) -> None:
    with pytest.raises(SettingsError):
        parse_reply("{}", **wrong)  # type: ignore[arg-type]
