"""A search lists what people wrote first, and only counts bundles and drawings beside many other hits."""

from typing import Any

import pytest

from affidavit.minds.wire.tool_text import written
from affidavit.tools.toolbox import Toolbox
from python_changes import make_case
from repositories import Repo
from written_readers import written_readers

PACKED = "f(1);" * 1200 + "needle();" + "f(2);" * 400 + "\n"
FOREIGN = {
    "a.min.js": "needle\n",
    "assets/logo.svg": "<path d='needle'/>\n",
    "bundle.js": PACKED,
    "locale/de.po": 'msgid "needle"\n',
    "locale/messages.mo": "x\0needle\0y\n",
    "api/shop_pb2.py": "needle = 1\n",
    "made/rows.txt": "needle\n",
    "package-lock.json": '"needle"\n',
    "vendor/x/y.py": "needle = 1\n",
}
ATTRIBUTES = {".gitattributes": "made/* linguist-generated\n"}


def searched(repo: Repo, files: dict[str, str], **arguments: Any) -> dict[str, Any]:
    case = make_case(repo, {**FOREIGN, **ATTRIBUTES, **files}, {"other.py": "X = 1\n"})
    with case.repository:
        toolbox = Toolbox(case.repository, case.change, written_readers({}))
        return toolbox.call("search", {"pattern": "needle", **arguments})


def paths(answer: dict[str, Any]) -> list[str]:
    return [file["file_path"] for file in answer["files"]]


def test_beside_many_other_hits_those_of_other_people_s_files_are_counted(repo: Repo) -> None:
    answer = searched(repo, {"zoo.py": "needle = 1\n" * 30})
    assert paths(answer) == ["zoo.py"]
    assert "not listed: 7 more in generated, minified, vendored, lock or SVG files" in answer["note"]
    assert "2 more in translations or binary files" in answer["note"]
    assert "a.min.js" in answer["note"]


def test_beside_few_other_hits_they_come_last(repo: Repo) -> None:
    answer = searched(repo, {"zoo.py": "needle = 1\n"})
    hidden = {"locale/de.po", "locale/messages.mo"}
    assert paths(answer) == ["zoo.py", *sorted(FOREIGN.keys() - hidden)]
    assert answer["total_hits"] == 8


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (["locale/de.po"], ["locale/de.po"]),
        (["*.po"], ["locale/de.po"]),
        (["locale"], ["locale/de.po"]),
        (["locale/messages.mo"], ["locale/messages.mo"]),
        (["web/locales/{de,fr}.json"], ["web/locales/de.json"]),
    ],
)
def test_translations_are_searched_where_paths_name_them(
    repo: Repo, asked: list[str], found: list[str]
) -> None:
    files = {"web/locales/de.json": '{"a": "needle"}\n', "web/app.ts": "needle\n"}
    assert paths(searched(repo, files, paths=asked)) == found


def test_a_folder_above_translations_is_searched_without_them(repo: Repo) -> None:
    files = {"web/locales/de.json": '{"a": "needle"}\n', "web/app.ts": "needle\n"}
    answer = searched(repo, files, paths=["web"])
    assert paths(answer) == ["web/app.ts"]
    assert "1 more in translations" in answer["note"]
    assert "web/locales/de.json" in answer["note"]


def test_what_is_excluded_is_not_found(repo: Repo) -> None:
    files = {"zoo.py": "needle\n", "tests/test_zoo.py": "needle\n", "a.md": "needle\n", "b.rst": "needle\n"}
    answer = searched(
        repo, files, paths=["zoo.py", "tests", "*.md", "*.rst"], exclude=["tests", "*.{md,rst}"]
    )
    assert paths(answer) == ["zoo.py"]
    assert answer["total_hits"] == 1


def test_more_lines_around_a_match_than_there_may_be_are_as_many_as_there_may_be(repo: Repo) -> None:
    files = {"zoo.py": "".join(f"x{n}\n" for n in range(20)) + "needle\n"}
    answer = searched(repo, files, paths=["zoo.py"], context_lines=50)
    assert len(answer["files"][0]["lines"]) == 6
    assert "context_lines is at most 5" in answer["note"]
    assert searched(repo, files, paths=["zoo.py"], context_lines=-3)["files"][0]["lines"] == ["21: needle"]


@pytest.mark.parametrize("place", ["vendor", "vendor/x/y.py", "vendor/**"])
def test_where_paths_are_given_nothing_is_left_to_a_count(repo: Repo, place: str) -> None:
    answer = searched(repo, {"zoo.py": "needle = 1\n" * 30}, paths=[place, "zoo.py"])
    assert paths(answer) == ["zoo.py", "vendor/x/y.py"]
    assert answer["note"] == "10 of 31 hits are left out"


def test_a_line_of_a_bundle_is_shown_around_its_match(repo: Repo) -> None:
    answer = searched(repo, {}, paths=["bundle.js"])
    line = answer["files"][0]["lines"][0]
    assert line.startswith("1: …")
    assert "needle();" in line
    assert len(line) < 310


def test_a_change_cannot_hide_a_file_from_searches_by_calling_it_generated(repo: Repo) -> None:
    case = make_case(
        repo,
        {"own.py": "needle = 1\n", "zoo.py": "needle = 1\n" * 30},
        {".gitattributes": "own.py linguist-generated\n"},
    )
    with case.repository:
        toolbox = Toolbox(case.repository, case.change, written_readers({}))
        answer = toolbox.call("search", {"pattern": "needle"})
    assert paths(answer) == ["own.py", "zoo.py"]


def test_where_hits_are_cut_the_note_says_which_files_have_the_others(repo: Repo) -> None:
    files = {f"{name}.py": "needle\n" * 30 for name in "abcdefg"}
    answer = searched(repo, {**files, "h.py": "needle\n" * 5})
    assert "most of the others are in f.py (20), g.py (20), h.py (5)" in answer["note"]
    assert written(answer).startswith("note: 115 of 215 hits are left out; ")


@pytest.mark.parametrize("place", ["x/*.py", "b/vendor/**", "/vendor/x/*", "vendor/x/*.{py,js}"])
def test_a_glob_is_read_as_models_write_it(repo: Repo, place: str) -> None:
    assert paths(searched(repo, {}, paths=[place])) == ["vendor/x/y.py"]


def test_of_a_file_with_very_many_hits_the_first_are_shown_beside_others(repo: Repo) -> None:
    answer = searched(repo, {"a.py": "needle\n" * 90, "b.py": "needle\n"}, paths=["a.py", "b.py"])
    many, few = answer["files"]
    assert (len(many["lines"]), many["more_hits"]) == (20, 70)
    assert "more_hits" not in few
    assert answer["total_hits"] == 91
    alone = searched(repo, {"a.py": "needle\n" * 90}, paths=["a.py"])
    assert len(alone["files"][0]["lines"]) == 90
