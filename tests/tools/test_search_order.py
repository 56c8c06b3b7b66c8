"""A search lists what people wrote first, and only counts bundles and drawings beside many other hits."""

from typing import Any

import pytest

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
    kinds = "generated, minified, vendored, translated, lock, SVG or binary files"
    assert f"not listed: 9 more in {kinds}" in answer["note"]
    assert "a.min.js" in answer["note"]


def test_beside_few_other_hits_they_come_last(repo: Repo) -> None:
    answer = searched(repo, {"zoo.py": "needle = 1\n"})
    assert paths(answer) == ["zoo.py", *sorted(FOREIGN)]
    assert "note" not in answer


@pytest.mark.parametrize("place", ["vendor", "vendor/x/y.py", "vendor/**"])
def test_where_paths_are_given_nothing_is_left_to_a_count(repo: Repo, place: str) -> None:
    answer = searched(repo, {"zoo.py": "needle = 1\n" * 30}, paths=[place, "zoo.py"])
    assert paths(answer) == ["zoo.py", "vendor/x/y.py"]
    assert "note" not in answer


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
    answer = searched(repo, {"a.py": "needle\n" * 90, "b.py": "needle\n" * 30, "c.py": "needle\n" * 5})
    assert "most of the others are in b.py (20), c.py (5)" in answer["note"]
