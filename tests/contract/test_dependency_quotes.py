"""What a finding of schema 1.2 may quote of packages, beside its own place."""

from typing import Any

import jsonschema_rs
import pytest

from affidavit.contract.finding_reader import ReadingRules, read_finding
from affidavit.contract.schema import SCHEMAS, asked_schema, to_json
from affidavit.records.diagnostics import Reason
from affidavit.records.finding import DependencyQuote, ReviewResult

QUOTE: dict[str, Any] = {
    "package": "@shop/money",
    "version": "3.1.0",
    "file": "index.js",
    "sha256": "ab" * 32,
    "code_examined": "exports.cents = (x) => x * 100;",
    "line_range_examined": [1, 1],
}


def finding(*quotes: Any) -> dict[str, Any]:
    return {
        "id": "1",
        "severity": "high",
        "category": "style",
        "title": "It fails",
        "file": "shop.py",
        "line": 1,
        "message": "It fails.",
        "verification": {
            "code_examined": "def price(n):",
            "line_range_examined": [1, 1],
            "verification_method": "read",
            "checked_for_handling_elsewhere": True,
            "dependency_quotes": list(quotes),
        },
    }


def quotes_of(value: dict[str, Any], version: str = "1.2") -> tuple[tuple[DependencyQuote, ...], list[str]]:
    read, notes = read_finding(value, 0, ReadingRules(version))
    assert read
    assert read.verification
    return read.verification.dependency_quotes, [f"{one.field}: {one.detail}" for one in notes.diagnostics]


def test_a_finding_of_1_2_brings_quotes_of_packages() -> None:
    reply = {"schema_version": "1.2", "prompt_version": "1.0.0", "findings": [finding(QUOTE)]}
    assert jsonschema_rs.is_valid(SCHEMAS["1.2"], reply)
    (quote,), noted = quotes_of(finding(QUOTE))
    assert (quote.package, quote.line_range_examined, noted) == ("@shop/money", (1, 1), [])
    without_lines = {key: value for key, value in QUOTE.items() if key != "line_range_examined"}
    assert quotes_of(finding(without_lines))[0][0].line_range_examined is None


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ("text", "it is no object"),
        ({**QUOTE, "sha256": ""}, "`sha256` is empty"),
        ({**QUOTE, "sha256": None}, "`sha256` is null"),
        ({**QUOTE, "package": 7}, "`package` is 7"),
        ({**QUOTE, "line_range_examined": [3, 1]}, "runs from 3 back to 1"),
        ({**QUOTE, "line_range_examined": "1"}, "`line_range_examined` is '1'"),
        ({**QUOTE, "code_examined": "x" * 5000}, "it quotes more than 4000 characters"),
        ({**QUOTE, "file": "x" * 500}, "`file` has more than 400 characters"),
    ],
)
def test_a_broken_quote_is_left_out_and_its_finding_stays(broken: Any, said: str) -> None:
    (kept,), noted = quotes_of(finding(broken, QUOTE))
    assert kept.package == "@shop/money"
    assert noted[0].startswith("verification.dependency_quotes[0]: left out: ")
    assert said in noted[0]


def test_what_is_no_list_and_what_is_too_much_is_left_out() -> None:
    no_list = finding()
    no_list["verification"]["dependency_quotes"] = QUOTE
    assert quotes_of(no_list) == ((), ["verification.dependency_quotes: left out: it is no list"])
    many, noted = quotes_of(finding(*[QUOTE] * 30))
    assert (len(many), noted[0]) == (
        10,
        "verification.dependency_quotes: left out: of 30 quotes the first 10 are read",
    )


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_earlier_schemas_have_no_place_for_it(version: str) -> None:
    read, notes = read_finding(finding(QUOTE), 0, ReadingRules(version))
    assert read is None
    assert Reason.UNKNOWN_FIELD in {one.code for one in notes.diagnostics}


def test_it_is_written_in_1_2_only() -> None:
    read, _ = read_finding(finding(QUOTE), 0, ReadingRules("1.2"))
    assert read
    result = ReviewResult(schema_version="1.2", prompt_version="1.0.0", findings=(read,))
    written = to_json(result, "1.2")["findings"][0]["verification"]
    assert written["dependency_quotes"] == [QUOTE]
    assert "dependency_quotes" not in to_json(result, "1.1")["findings"][0]["verification"]


@pytest.mark.parametrize("has_programs", [True, False])
@pytest.mark.parametrize("has_dependencies", [True, False])
def test_models_are_asked_for_what_can_be_looked_at(*, has_programs: bool, has_dependencies: bool) -> None:
    asked = asked_schema("1.2", "1.0.0", has_programs=has_programs, has_dependencies=has_dependencies)
    fields = asked["properties"]["findings"]["items"]["properties"]["verification"]["properties"]
    assert ("reproduction" in fields, "patch" in fields) == (has_programs, has_programs)
    assert ("dependency_quotes" in fields) == has_dependencies
    assert "code_examined" in fields
