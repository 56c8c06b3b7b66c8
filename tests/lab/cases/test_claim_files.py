"""Reading files of planted claims, and refusing malformed ones with words that say what to do."""

import json
from pathlib import Path
from typing import Any

import pytest

from affidavit.errors import InputError
from affidavit.lab.cases.claims import FactPlace, fact_places, load_claims
from affidavit.lab.records import ClaimKind, Trap
from affidavit.records.candidate import Worth

FINDING: dict[str, Any] = {
    "id": "shop-late-check",
    "severity": "high",
    "category": "correctness",
    "title": "The check comes too late",
    "file": "shop.py",
    "line": 2,
    "message": "The price is used before it is checked.",
    "verification": {
        "code_examined": "total = price * count",
        "line_range_examined": [2, 2],
        "verification_method": "read the function",
        "checked_for_handling_elsewhere": True,
        "failing_input": "price -1",
        "wrong_outcome": "a negative total",
    },
}
WRONG: dict[str, Any] = {
    "kind": "wrong",
    "trap": "guarded",
    "judgement": "REFUTED",
    "why": "The price is checked at shop.py:1.",
    "finding": FINDING,
}
TRUE: dict[str, Any] = {
    "kind": "true",
    "judgement": "CONFIRMED",
    "worth": ["act"],
    "why": "Nothing at shop.py:1 checks it, as shop.py:3 at base did.",
    "finding": FINDING,
}
TRIVIAL: dict[str, Any] = {**TRUE, "kind": "trivial", "worth": ["nit", "maybe"]}


def write(folder: Path, *claims: Any, name: str = "shop", **fields: Any) -> Path:
    """A folder with a case and one file of claims about it."""
    case = folder / "cases" / "shop"
    case.mkdir(parents=True, exist_ok=True)
    (case / "case.json").write_text(json.dumps({"repository": ".", "base": "base", "head": "head"}))
    (case / "expected.json").write_text("[]")
    content = {"case": "cases/shop", "claims": list(claims), **fields}
    (folder / f"{name}.json").write_text(json.dumps(content))
    return folder


def without(claim: dict[str, Any], field: str) -> dict[str, Any]:
    return {name: value for name, value in claim.items() if name != field}


def refusal(folder: Path) -> str:
    with pytest.raises(InputError) as refused:
        load_claims(folder)
    return str(refused.value)


def test_a_claim_is_read_with_its_case_and_its_finding(tmp_path: Path) -> None:
    (one,) = load_claims(write(tmp_path, WRONG))
    (claim,) = one.claims
    assert one.ground.case.id == "shop"
    assert (claim.id, claim.kind, claim.trap) == ("shop-late-check", ClaimKind.WRONG, Trap.GUARDED)
    assert (claim.judgement, claim.worth) == ("REFUTED", ())
    assert claim.finding.verification is not None
    assert claim.finding.verification.failing_input == "price -1"


def test_what_may_be_answered_for_worth_is_kept(tmp_path: Path) -> None:
    other = {**FINDING, "id": "shop-name"}
    (one,) = load_claims(write(tmp_path, TRUE, {**TRIVIAL, "finding": other}))
    assert [claim.worth for claim in one.claims] == [(Worth.ACT,), (Worth.NIT, Worth.MAYBE)]


def test_files_come_in_the_order_of_their_names(tmp_path: Path) -> None:
    write(tmp_path, {**WRONG, "finding": {**FINDING, "id": "z"}}, name="z")
    write(tmp_path, {**WRONG, "finding": {**FINDING, "id": "a"}}, name="a")
    assert [one.claims[0].id for one in load_claims(tmp_path)] == ["a", "z"]


def test_the_places_of_a_reason_are_found_on_both_sides() -> None:
    why = "Checked at src/a-b.py:12 (not .github/x.yml:3 at base); at 12:30 the Dockerfile:7 is read."
    assert fact_places(why) == [
        FactPlace("src/a-b.py", 12, "head"),
        FactPlace(".github/x.yml", 3, "base"),
        FactPlace("Dockerfile", 7, "head"),
    ]


def test_a_folder_without_claims_is_refused(tmp_path: Path) -> None:
    assert "put at least one file NAME.json into it" in refusal(tmp_path)
    assert "is not a folder" in refusal(tmp_path / "nowhere")


def test_a_file_that_is_no_json_is_refused_by_its_name(tmp_path: Path) -> None:
    write(tmp_path, WRONG)
    (tmp_path / "shop.json").write_text("{")
    assert "shop.json is not valid JSON" in refusal(tmp_path)


@pytest.mark.parametrize("fields", [{"clams": []}, {"note": "x"}])
def test_a_file_with_another_field_is_refused(tmp_path: Path, fields: dict[str, Any]) -> None:
    said = refusal(write(tmp_path, WRONG, **fields))
    assert "shop.json: expected an object with case and claims, and nothing else" in said


def test_a_file_without_a_claim_is_refused(tmp_path: Path) -> None:
    assert "claims: expected a list with at least one claim" in refusal(write(tmp_path))


@pytest.mark.parametrize("case", ["cases/other", 7, None])
def test_a_case_that_is_not_there_is_refused(tmp_path: Path, case: Any) -> None:
    said = refusal(write(tmp_path, WRONG, case=case))
    assert f"case: {case!r} is not a folder with a case.json; name it relative to this file" in said


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ("x", "claim 1: expected an object with kind, judgement, why and finding"),
        ({**WRONG, "kind": "false"}, "claim 1: kind: input should be 'wrong', 'true' or 'trivial'"),
        ({**WRONG, "trap": "luck"}, "claim 1: trap: input should be"),
        ({**WRONG, "worht": []}, "claim 1: worht: extra inputs are not permitted"),
        (without(WRONG, "why"), "claim 1: why: field required"),
        (without(WRONG, "finding"), "claim 1: finding: "),
        ({**WRONG, "why": "It is checked."}, "write the deciding fact with its file:line"),
        ({**WRONG, "judgement": "CONFIRMED"}, "a wrong claim is REFUTED: change judgement or kind"),
        (without(WRONG, "trap"), "say what makes it look right"),
        ({**WRONG, "worth": ["nit"]}, "take worth out"),
        ({**TRUE, "judgement": "REFUTED"}, "a true claim is CONFIRMED: change judgement or kind"),
        ({**TRUE, "worth": ["maybe"]}, "add act to worth, or call it trivial"),
        (without(TRUE, "worth"), "add act to worth, or call it trivial"),
        ({**TRUE, "trap": "locked"}, "trap is for wrong claims only"),
        ({**TRIVIAL, "worth": ["nit", "act"]}, "list nit in worth, maybe beside it at most"),
        ({**TRIVIAL, "worth": ["maybe"]}, "list nit in worth, maybe beside it at most"),
    ],
)
def test_a_claim_that_contradicts_itself_is_refused_with_what_to_do(
    tmp_path: Path, claim: Any, words: str
) -> None:
    said = refusal(write(tmp_path, claim))
    assert "shop.json: claim 1" in said
    assert words in said


@pytest.mark.parametrize(
    ("finding", "words"),
    [
        (without(FINDING, "title"), "finding: title: missing_required_field"),
        ({**FINDING, "line": "2"}, "finding: line: coercion_applied"),
        ({**FINDING, "severity": "bad"}, "finding: severity: invalid_enum_value"),
        ({**FINDING, "extra": 1}, "finding: extra: unknown_field"),
        (without(FINDING, "verification"), "finding: verification: missing_required_field"),
        (
            {**FINDING, "verification": without(FINDING["verification"], "failing_input")},
            "failing_input: missing_required_field",
        ),
    ],
)
def test_a_finding_about_which_the_contract_has_anything_to_say_is_refused(
    tmp_path: Path, finding: Any, words: str
) -> None:
    assert words in refusal(write(tmp_path, {**WRONG, "finding": finding}))


def test_an_id_that_two_claims_share_is_refused_with_both_files(tmp_path: Path) -> None:
    write(tmp_path, WRONG, name="a")
    said = refusal(write(tmp_path, TRUE, name="b"))
    assert "b.json: the id 'shop-late-check' belongs to another claim, in " in said
    assert "a.json: give each its own" in said
