"""Case folders made from a list of labelled commits."""

import json
from pathlib import Path
from typing import Any

import pytest

from affidavit.errors import InputError
from affidavit.lab.cases.folders import find_clone, import_cases, read_case
from repositories import Repo


@pytest.fixture
def clones(tmp_path: Path) -> Path:
    return tmp_path / "clones"


def a_clone(place: Path, *options: str) -> tuple[str, str]:
    repo = Repo(place, *options)
    base = repo.commit("Begin", {"a.py": "x = 1\n"})
    return base, repo.commit("Count to two\n\nBecause one\nis not enough.", {"a.py": "x = 2\n"})


def listing(tmp_path: Path, *cases: dict[str, Any]) -> Path:
    place = tmp_path / "list.json"
    place.write_text(json.dumps({"about": "a test", "cases": cases}))
    return place


def test_a_case_gets_its_words_from_the_commit_and_can_be_read(tmp_path: Path, clones: Path) -> None:
    base, head = a_clone(clones / "acme+shop" / "repo")
    entry = {
        "id": "shop-1",
        "repository": "acme/shop",
        "base": base,
        "head": head,
        "language": "Python",
        "clean": False,
        "expected": [{"file": "a.py", "line": 1, "end_line": 1, "fixed_by": "abc"}],
    }
    imported = import_cases(listing(tmp_path, entry), clones, tmp_path / "cases")
    case = read_case(imported.written[0]).case
    assert (case.id, case.title, case.language) == ("shop-1", "Count to two", "Python")
    assert case.description == "Because one\nis not enough."
    assert Path(case.repository) == clones / "acme+shop" / "repo"
    assert case.expected[0].line == 1
    kept = json.loads((imported.written[0] / "expected.json").read_text())
    assert kept[0]["fixed_by"] == "abc"


@pytest.mark.parametrize("place", ["o+n/repo", "o+n", "o/n", "n", "o/n.git", "n.git"])
def test_a_clone_is_found_however_it_was_laid_down(tmp_path: Path, clones: Path, place: str) -> None:
    a_clone(clones / place)
    assert find_clone(clones, "o/n") == clones / place


def test_a_folder_of_the_name_that_is_no_repository_is_passed_over(clones: Path) -> None:
    (clones / "o+n").mkdir(parents=True)
    a_clone(clones / "n")
    assert find_clone(clones, "o/n") == clones / "n"


def test_a_case_without_clone_or_commit_is_left_out_with_the_reason(tmp_path: Path, clones: Path) -> None:
    base, head = a_clone(clones / "n")
    entries = [
        {"id": "good", "repository": "o/n", "base": base, "head": head, "clean": True},
        {"id": "no-clone", "repository": "o/other", "base": base, "head": head, "clean": True},
        {"id": "no-commit", "repository": "o/n", "base": base, "head": "f" * 40, "clean": True},
        {"id": "bad", "repository": "o/n", "base": base, "head": head, "expected": [{"file": "a"}]},
        {"id": "climbs", "repository": "../..", "base": base, "head": head, "clean": True},
    ]
    imported = import_cases(listing(tmp_path, *entries), clones, tmp_path / "cases")
    assert [folder.name for folder in imported.written] == ["good"]
    assert sorted(path.name for path in (tmp_path / "cases").iterdir()) == ["good"]
    assert "there is no clone of o/other" in imported.left_out["no-clone"]
    assert "lacks the commit" in imported.left_out["no-commit"]
    assert "line: field required" in imported.left_out["bad"]
    assert "OWNER/NAME" in imported.left_out["climbs"]


def test_cases_that_are_there_already_are_replaced_only_where_asked(tmp_path: Path, clones: Path) -> None:
    base, head = a_clone(clones / "n")
    entry = {"id": "one", "repository": "n", "base": base, "head": head, "clean": True}
    place = listing(tmp_path, entry)
    import_cases(place, clones, tmp_path / "cases")
    (tmp_path / "cases" / "one" / "known_wrong.json").write_text("[]")
    with pytest.raises(InputError, match="exists already"):
        import_cases(place, clones, tmp_path / "cases")
    import_cases(place, clones, tmp_path / "cases", replaces=True)
    assert not (tmp_path / "cases" / "one" / "known_wrong.json").exists()


def test_an_id_cannot_choose_a_place_outside_of_the_cases(tmp_path: Path, clones: Path) -> None:
    base, head = a_clone(clones / "n")
    entry = {"id": "../../outside", "repository": "n", "base": base, "head": head, "clean": True}
    (written,) = import_cases(listing(tmp_path, entry), clones, tmp_path / "cases").written
    assert written.parent == tmp_path / "cases"
    assert read_case(written).case.id == "../../outside"


def test_an_id_that_stands_twice_in_a_list_is_refused(tmp_path: Path, clones: Path) -> None:
    base, head = a_clone(clones / "n")
    entry = {"id": "a", "repository": "n", "base": base, "head": head, "clean": True}
    with pytest.raises(InputError, match="case 3: the id 'a' is that of case 1 too"):
        import_cases(listing(tmp_path, entry, {**entry, "id": "b"}, entry), clones, tmp_path / "cases")
    assert not (tmp_path / "cases").exists()


def test_a_case_of_which_nothing_is_known_is_not_taken_for_clean(tmp_path: Path, clones: Path) -> None:
    base, head = a_clone(clones / "n")
    entry = {"id": "a", "repository": "n", "base": base, "head": head}
    unknown = import_cases(listing(tmp_path, entry), clones, tmp_path / "cases")
    assert unknown.left_out == {"a": 'case.json: say "clean": true, or list the problems in expected.json'}
    assert not (tmp_path / "cases" / "a").exists()
    known = import_cases(listing(tmp_path, {**entry, "expected": []}), clones, tmp_path / "cases")
    assert read_case(known.written[0]).case.clean


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("{}", "expected a list of cases"),
        ("[]", "expected a list of cases"),
        ("nonsense", "not valid JSON"),
        ('[{"id": "a", "repository": "o/n", "base": "x"}]', "case 1: head: expected text"),
        ("[3]", "case 1: expected an object"),
    ],
)
def test_a_list_that_is_none_is_refused(tmp_path: Path, clones: Path, content: str, complaint: str) -> None:
    clones.mkdir()
    (tmp_path / "list.json").write_text(content)
    with pytest.raises(InputError, match=complaint):
        import_cases(tmp_path / "list.json", clones, tmp_path / "cases")
