"""Reading cases from their folders."""

import json
from pathlib import Path
from typing import Any

import pytest

from affidavit.errors import InputError
from affidavit.lab.cases.folders import folder_name, read_case, read_cases
from affidavit.records.finding import Category

MEANT = {"id": "one", "repository": "../repo", "base": "v1", "head": "v2"}


def write(folder: Path, case: Any, expected: Any = None, known_wrong: Any = None) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in (("case", case), ("expected", expected), ("known_wrong", known_wrong)):
        if content is not None:
            text = content if isinstance(content, str) else json.dumps(content)
            (folder / f"{name}.json").write_text(text)
    return folder


def test_a_case_is_read_with_all_its_fields(tmp_path: Path) -> None:
    told = {**MEANT, "title": "T", "description": "D", "language": "go", "clean": False, "planted": "by us"}
    also = [{"file": "b.py", "line": 9, "end_line": None}]
    expected = [
        {"file": "a.py", "line": 3, "end_line": 4, "category": "security", "description": "x", "also": also},
        {"file": "c.py", "line": 1, "category": None, "fixed_by": "abc"},
    ]
    case = read_case(write(tmp_path / "one", told, expected, [{"file": "a.py", "line": 8}])).case
    assert (case.id, case.title, case.description, case.language, case.clean) == (
        "one",
        "T",
        "D",
        "go",
        False,
    )
    assert case.expected[0].category is Category.SECURITY
    assert case.expected[0].also[0].lines == (9, 9)
    assert case.expected[1].category is None
    assert case.known_wrong[0].line == 8


@pytest.mark.parametrize("word", ["bug", "quality"])
def test_a_word_for_several_categories_leaves_the_place_to_decide(tmp_path: Path, word: str) -> None:
    expected = [{"file": "a.py", "line": 3, "category": word}]
    assert read_case(write(tmp_path / "one", MEANT, expected)).case.expected[0].category is None


def test_a_folder_of_cases_gives_them_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("b", "a"):
        write(tmp_path / name, {**MEANT, "id": name, "clean": True})
    write(tmp_path / "not-a-case" / "deeper", {**MEANT, "clean": True})
    assert [one.case.id for one in read_cases([tmp_path])] == ["a", "b"]


def test_a_case_that_is_named_twice_is_read_once(tmp_path: Path) -> None:
    write(tmp_path / "a", {**MEANT, "clean": True})
    assert len(read_cases([tmp_path, tmp_path / "a", tmp_path / "." / "a"])) == 1


def test_without_an_id_the_folder_names_the_case(tmp_path: Path) -> None:
    told = {name: value for name, value in MEANT.items() if name != "id"}
    assert read_case(write(tmp_path / "named", {**told, "clean": True})).case.id == "named"


def test_a_case_with_an_empty_list_and_no_word_on_it_is_clean(tmp_path: Path) -> None:
    assert read_case(write(tmp_path / "a", MEANT, [])).case.clean


@pytest.mark.parametrize(
    ("case", "expected", "complaint"),
    [
        ("{", None, "not valid JSON"),
        ("[" * 100_000, None, "not valid JSON"),
        ([], None, "expected an object"),
        ({**MEANT, "head": None}, [], "head: field required"),
        ({**MEANT, "base": "--upload-pack=x"}, [], "base: "),
        ({**MEANT, "base": "v1..v2"}, [], "base: expected one commit"),
        ({**MEANT, "head": "HEAD:file"}, [], "head: "),
        ({**MEANT, "clean": "yes"}, [], "clean: "),
        (MEANT, None, 'say "clean": true'),
        ({**MEANT, "clean": False}, None, "list the problems in expected.json"),
        ({**MEANT, "clean": True}, [{"file": "a.py", "line": 1}], "marked clean"),
        (MEANT, {}, "expected a list"),
        (MEANT, ["a.py:3"], "item 1: expected an object"),
        (MEANT, [{"line": 3}], "item 1: file: field required"),
        (MEANT, [{"file": "a.py", "line": 0}], "item 1: line: "),
        (MEANT, [{"file": "a.py", "line": True}], "item 1: line: "),
        (MEANT, [{"file": "a.py", "line": 5, "end_line": 4}], "end_line 4 comes before line 5"),
        (MEANT, [{"file": "a.py", "line": 5, "category": "bugs"}], "item 1: category: "),
        (MEANT, [{"file": "a.py", "line": 5, "also": {}}], "also: expected a list"),
        (MEANT, [{"file": "a.py", "line": 5, "also": [{"file": "b.py"}]}], "also: line: field required"),
    ],
)
def test_what_is_wrong_with_a_case_is_said_with_its_file(
    tmp_path: Path, case: Any, expected: Any, complaint: str
) -> None:
    folder = write(tmp_path / "one", case, expected)
    with pytest.raises(InputError) as caught:
        read_case(folder)
    assert complaint in str(caught.value)
    assert str(folder) in str(caught.value)


def test_two_cases_with_one_id_are_refused_with_both_folders(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write(tmp_path / name, {**MEANT, "clean": True})
    with pytest.raises(InputError, match="'one' belongs to several cases: .*/a, .*/b"):
        read_cases([tmp_path])


def test_a_place_without_cases_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no cases"):
        read_cases([tmp_path])
    with pytest.raises(InputError, match="is not a folder"):
        read_cases([tmp_path / "missing"])


def test_ids_that_look_alike_have_different_folders_and_none_leaves_its_own() -> None:
    ids = ["plain-1.0", "a/b", "a-b", "a\\b", "..", ".", "../../etc", "a b", "", "x" * 300, "\ud800"]
    names = [folder_name(one) for one in ids]
    assert names[0] == "plain-1.0"
    assert len(set(names)) == len(ids)
    assert not any("/" in name or "\\" in name or name.startswith(".") or len(name) > 120 for name in names)


PROGRAM = {
    "language": "python",
    "program": "print(1)",
    "expected_at_base": {"exit_code": 0},
    "expected_at_head": {"exit_code": 1},
}


def told_of(tmp_path: Path, **fields: Any) -> Path:
    return write(tmp_path / "one", MEANT, [{"file": "a.py", "line": 3, **fields}])


def test_a_problem_brings_the_program_that_shows_it(tmp_path: Path) -> None:
    (problem,) = read_case(told_of(tmp_path, reproduction=PROGRAM)).case.expected
    assert problem.reproduction
    assert (problem.reproduction.program, problem.outcome) == ("print(1)", "reproduced")


def test_a_program_for_code_that_base_lacks_comes_to_something_new(tmp_path: Path) -> None:
    lacking = {**PROGRAM, "expected_at_base": None}
    assert read_case(told_of(tmp_path, reproduction=lacking)).case.expected[0].outcome == "reproduced_new"


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"reproduction": "print(1)"}, "reproduction: it is no object"),
        ({"reproduction": {**PROGRAM, "program": " "}}, "reproduction: `program` is empty"),
        (
            {"reproduction": {**PROGRAM, "expected_at_head": {"exit_code": "1"}}},
            "reproduction: `expected_at_head.exit_code` is not an exit code; expected a number from 0 to 255",
        ),
        (
            {"reproduction": {**PROGRAM, "expected_at_head": {"exit_code": 1, "output": "("}}},
            "reproduction: `expected_at_head.output` cannot be read: missing ): (",
        ),
        (
            {"reproduction": {**PROGRAM, "expected_at_head": {"exit_code": 0}}},
            "shows nothing about the change",
        ),
        ({"reproduction": {**PROGRAM, "timeout": 5}}, "reproduction: `timeout` is not a field"),
        ({"reproduction": PROGRAM, "outcome": "could_not_run"}, "outcome: expected one of reproduced, "),
        ({"outcome": "reproduced"}, "outcome: there is no reproduction that could have it"),
    ],
)
def test_a_malformed_program_is_refused_with_its_place(
    tmp_path: Path, fields: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(InputError) as refused:
        read_case(told_of(tmp_path, **fields))
    assert str(refused.value).startswith(f"{tmp_path / 'one' / 'expected.json'}: item 1: ")
    assert complaint in str(refused.value)


def test_what_the_program_of_a_wrong_claim_comes_to_is_said(tmp_path: Path) -> None:
    wrong = {"file": "a.py", "line": 3, "reproduction": PROGRAM}
    with pytest.raises(InputError, match=r"known_wrong.json: item 1: outcome: expected one of"):
        read_case(write(tmp_path / "one", {**MEANT, "clean": True}, None, [wrong]))
    told = write(tmp_path / "one", {**MEANT, "clean": True}, None, [{**wrong, "outcome": "flaky"}])
    assert read_case(told).case.known_wrong[0].outcome == "flaky"
