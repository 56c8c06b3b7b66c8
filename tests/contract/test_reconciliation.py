"""Paths of findings against the files of the change."""

from typing import Any

import pytest
from contract_replies import codes, coerced_fields, finding, finding_1_0, impact, reply, text, verification

from affidavit.contract.parser import ChangedPaths, ParsedReply, normalise_path, parse_reply
from affidavit.records.diagnostics import Reason

CHANGED = {"src/a.py", "b.py", "odd\\name.py", " spaced.py"}


def parse(*findings: Any, **change: Any) -> ParsedReply:
    return parse_reply(text(reply(*findings, **change)), changed_files=CHANGED)


@pytest.mark.parametrize(
    ("path", "plain"),
    [
        ("src/a.py", "src/a.py"),
        ("./src/a.py", "src/a.py"),
        ("src//a.py", "src/a.py"),
        ("src/./a.py", "src/a.py"),
        ("src\\a.py", "src/a.py"),
        ("x/../src/a.py", "src/a.py"),
        ("../src/a.py", None),
        ("x/../../src/a.py", None),
        ("..", None),
        (".", None),
        ("", None),
        ("/src/a.py", None),
        ("//src/a.py", None),
        ("\\src\\a.py", None),
        ("src/a.py\0", None),
    ],
)
def test_paths_have_one_plain_form_inside_the_repository(path: str, plain: str | None) -> None:
    assert normalise_path(path) == plain


@pytest.mark.parametrize("path", ["./src/a.py", "src//a.py", "src/./a.py", ".\\src\\a.py"])
def test_a_path_that_means_a_changed_file_is_spelled_as_the_change_spells_it(path: str) -> None:
    parsed = parse(finding(file=path))
    assert parsed.result is not None
    assert parsed.result.findings[0].file == "src/a.py"
    assert set(coerced_fields(parsed)) == {"file"}


@pytest.mark.parametrize("path", ["odd\\name.py", " spaced.py"])
def test_a_changed_file_with_an_odd_name_is_taken_to_the_letter(path: str) -> None:
    parsed = parse(finding(file=path))
    assert parsed.diagnostics == ()
    assert parsed.result is not None
    assert parsed.result.findings[0].file == path


@pytest.mark.parametrize("path", ["a.py", "SRC/a.py", "/src/a.py", "../src/a.py", "x/src/a.py", "src"])
@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_a_finding_in_another_file_is_dropped(path: str, version: str) -> None:
    made = finding(file=path) if version == "1.1" else finding_1_0(file=path)
    parsed = parse(made, schema_version=version)
    assert parsed.state == "all_dropped"
    assert parsed.dropped[0].code is Reason.FILE_NOT_IN_CHANGED_FILES
    assert Reason.FINDING_DROPPED in codes(parsed)


def test_nothing_is_reconciled_without_a_list_of_files() -> None:
    assert parse_reply(text(reply(finding(file="/etc/passwd")))).state == "accepted"


def test_no_finding_reconciles_with_an_empty_list_of_files() -> None:
    assert parse_reply(text(reply(finding())), changed_files=[]).state == "all_dropped"


def test_a_list_of_files_is_matched_by_meaning_too() -> None:
    parsed = parse_reply(text(reply(finding())), changed_files=["./src/a.py"])
    assert parsed.result is not None
    assert parsed.result.findings[0].file == "./src/a.py"


def test_of_two_files_with_one_plain_form_the_plain_one_is_meant() -> None:
    changed = ChangedPaths(["a\\b.py", "a/b.py"])
    assert changed.match("./a/b.py") == "a/b.py"
    assert changed.match("a\\b.py") == "a\\b.py"
    assert ChangedPaths(["./c.py", "c.py"]).match("x/../c.py") == "c.py"


def test_an_impact_finding_may_stand_in_an_untouched_file() -> None:
    parsed = parse(finding(file="./src/caller.py", verification=impact()))
    assert parsed.state == "accepted"
    assert parsed.result is not None
    assert parsed.result.findings[0].file == "src/caller.py"


def test_the_cause_of_an_impact_finding_is_spelled_as_the_change_spells_it() -> None:
    evidence = impact() | {"caused_by": {"file": ".\\src\\a.py"}}
    parsed = parse(finding(file="src/caller.py", verification=evidence))
    assert parsed.result is not None
    assert parsed.result.findings[0].verification is not None
    assert parsed.result.findings[0].verification.caused_by is not None
    assert parsed.result.findings[0].verification.caused_by.file == "src/a.py"
    assert set(coerced_fields(parsed)) == {"verification.caused_by.file"}


@pytest.mark.parametrize("file", ["src/caller.py", "src/a.py"])
def test_an_impact_finding_whose_cause_is_not_in_the_change_is_dropped(file: str) -> None:
    evidence = impact() | {"caused_by": {"file": "src/other.py"}}
    parsed = parse(finding(file=file, verification=evidence))
    assert parsed.dropped[0].code is Reason.FILE_NOT_IN_CHANGED_FILES
    assert "verification.caused_by.file" in {one.field for one in parsed.diagnostics}


@pytest.mark.parametrize("file", ["/etc/passwd", "../x.py"])
def test_an_impact_finding_cannot_leave_the_repository(file: str) -> None:
    assert parse(finding(file=file, verification=impact())).state == "all_dropped"


def test_naming_a_cause_does_not_make_an_impact_finding() -> None:
    evidence = verification(caused_by={"file": "src/a.py"})
    assert parse(finding(file="src/caller.py", verification=evidence)).state == "all_dropped"


def test_a_file_whose_name_holds_a_secret_is_found_by_the_name_that_models_see() -> None:
    first, second, third = (f"keys/ghp_{letters * 18}.txt" for letters in ("a1", "b2", "c3"))
    alone = ChangedPaths([first, "app.py"])
    assert alone.match("keys/REDACTED_token_0.txt") == first
    both = ChangedPaths([second, third])
    assert both.match("keys/REDACTED_token_0.txt") is None
