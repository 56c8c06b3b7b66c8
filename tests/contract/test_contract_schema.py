"""The schemas themselves, and what is written by them."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from contract_replies import finding, finding_1_0, impact, reply, text, verification

from affidavit.contract.parser import parse_reply
from affidavit.contract.schema import CURRENT_SCHEMA_VERSION, SCHEMAS, asked_schema, schema_of, to_json
from affidavit.errors import InputError, SettingsError
from affidavit.records.finding import ReviewResult

CANONICAL_1_0 = """
{"type": "object", "additionalProperties": false,
 "required": ["schema_version", "prompt_version", "findings"],
 "properties": {
  "schema_version": {"type": "string", "pattern": "^[0-9]+\\\\.[0-9]+$"},
  "prompt_version": {"type": "string", "pattern": "^[0-9]+\\\\.[0-9]+(\\\\.[0-9]+)?$"},
  "summary": {"type": "string"},
  "findings": {"type": "array", "items": {"type": "object", "additionalProperties": false,
   "required": ["id", "severity", "category", "title", "file", "line", "message"],
   "properties": {
    "id": {"type": "string", "minLength": 1},
    "severity": {"type": "string", "enum": ["critical", "high", "medium", "low", "info"]},
    "category": {"type": "string", "enum": ["correctness", "security", "performance", "reliability",
                                            "maintainability", "style", "test"]},
    "title": {"type": "string", "minLength": 1},
    "file": {"type": "string", "minLength": 1},
    "line": {"type": "integer", "minimum": 1},
    "end_line": {"type": "integer", "minimum": 1},
    "message": {"type": "string", "minLength": 1},
    "suggestion": {"type": "string"},
    "confidence": {"type": "string", "enum": ["high", "medium", "low"]},
    "rule_id": {"type": "string"}}}},
  "meta": {"type": "object", "additionalProperties": true}}}
"""
CONTRACT_PAGE = Path(__file__).parents[2] / "docs" / "contract.md"


def is_valid(document: Any, version: str = "1.1") -> bool:
    return jsonschema_rs.is_valid(SCHEMAS[version], document)


def parsed_result(*findings: Any, **change: Any) -> ReviewResult:
    result = parse_reply(text(reply(*findings, **change))).result
    assert result is not None
    return result


def test_schema_1_0_is_the_specified_one_to_the_letter() -> None:
    assert SCHEMAS["1.0"] == json.loads(CANONICAL_1_0)


@pytest.mark.parametrize("version", SCHEMAS)
def test_each_schema_is_a_valid_schema(version: str) -> None:
    assert jsonschema_rs.meta.is_valid(SCHEMAS[version])


def test_the_current_version_is_the_newest() -> None:
    assert list(SCHEMAS)[-1] == CURRENT_SCHEMA_VERSION


def test_a_copy_of_a_schema_may_be_changed() -> None:
    schema_of("1.1")["properties"].clear()
    assert schema_of("1.1")["properties"]


def test_an_unknown_schema_version_names_the_known_ones() -> None:
    with pytest.raises(SettingsError, match=re.escape("1.0, 1.1")):
        schema_of("1.7")


@pytest.mark.parametrize(
    ("made", "is_accepted"),
    [
        (finding(), True),
        (finding_1_0(), False),
        (finding(verification=verification(failing_input=...)), False),
        (finding(verification=verification(wrong_outcome="")), False),
        (finding(category="style", verification=verification(failing_input=...)), True),
        (finding(verification=impact()), True),
        (finding(verification=verification(is_impact_finding=True)), False),
        (finding(verification=verification(is_impact_finding=False)), True),
        (finding(verification=verification(code_examined="x")), True),
        (finding(verification=verification(code_examined="")), False),
        (finding(verification=verification(line_range_examined=[1, 2, 3])), False),
        (
            finding(verification=verification(searches=[{"pattern": "x", "paths": ["a"], "side": "base"}])),
            True,
        ),
        (finding(verification=verification(searches=[{"paths": []}])), False),
        (finding(verification=verification(side="left")), False),
        (finding(verification=verification(more=1)), False),
    ],
)
def test_schema_and_parser_agree_on_evidence(made: dict[str, Any], is_accepted: bool) -> None:
    document = reply(made)
    assert is_valid(document) is is_accepted
    assert (parse_reply(text(document)).state == "accepted") is is_accepted


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_what_is_written_is_valid_and_has_no_nulls(version: str) -> None:
    searched = verification(is_absence_finding=True, searches=[{"pattern": "x"}], where_checked=...)
    result = parsed_result(
        finding(), finding(verification=impact()), finding(verification=searched), summary="s"
    )
    written = to_json(result, version)
    assert is_valid(written, version)
    assert written["schema_version"] == version
    assert "null" not in json.dumps(written)
    assert len(written["findings"]) == 3


def test_what_is_written_reads_back_the_same() -> None:
    result = parsed_result(
        finding(end_line=20, confidence="low", verification=impact()), meta={"a": {"b": None}}
    )
    assert parse_reply(text(to_json(result, "1.1"))).result == result


def test_a_finding_without_evidence_cannot_be_written_as_1_1() -> None:
    result = parsed_result(finding_1_0(), schema_version="1.0")
    assert is_valid(to_json(result, "1.0"), "1.0")
    with pytest.raises(InputError, match=re.escape("write it as 1.0")):
        to_json(result, "1.1")


def test_the_example_in_the_documentation_is_accepted_as_it_stands() -> None:
    (example,) = re.findall(r"```json\n(.*?)```", CONTRACT_PAGE.read_text(encoding="utf-8"), re.DOTALL)
    document = json.loads(example)
    assert is_valid(document)
    files = [
        made["file"] for made in document["findings"] if not made["verification"].get("is_impact_finding")
    ]
    parsed = parse_reply(example, prompt_version="1.0.0", changed_files=files)
    assert parsed.diagnostics == ()
    assert len(parsed.indexes) == len(document["findings"]) == 2


def test_the_documentation_names_every_field() -> None:
    page = CONTRACT_PAGE.read_text(encoding="utf-8")
    made = SCHEMAS["1.1"]["properties"]["findings"]["items"]["properties"]
    for name in [*SCHEMAS["1.1"]["properties"], *made, *made["verification"]["properties"]]:
        assert f"`{name}`" in page


def test_a_model_is_held_to_the_versions_that_it_is_asked_for() -> None:
    asked = jsonschema_rs.validator_for(asked_schema("1.1", "1.5.0"))
    said = {"schema_version": "1.1", "prompt_version": "1.5.0", "findings": []}
    assert asked.is_valid(said)
    assert not asked.is_valid({**said, "prompt_version": "1.1.0"})
    assert not asked.is_valid({**said, "schema_version": "1.0"})
    assert "enum" not in schema_of("1.1")["properties"]["prompt_version"]
