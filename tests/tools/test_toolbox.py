"""The tools read the two trees of a change, and nothing else."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shop_change import SECRET

from affidavit.tools.toolbox import Toolbox
from long_tests import examples
from python_changes import make_case
from repositories import Repo
from written_readers import written_readers


def read(toolbox: Toolbox, path: str, first: object = 1, last: object = 9, **more: object) -> dict[str, Any]:
    return toolbox.call(
        "get_file_context", {"file_path": path, "start_line": first, "end_line": last, **more}
    )


def test_get_file_context_returns_the_format_of_the_seed(toolbox: Toolbox) -> None:
    assert read(toolbox, "shop/prices.py", 4, 5) == {
        "file_path": "shop/prices.py",
        "start_line": 4,
        "end_line": 5,
        "branch": "head",
        "content": "4: def total(items, tax=TAX):\n5:     return sum(items) * TAX",
        "language": "python",
        "total_lines": 5,
    }


def test_get_file_context_reads_the_old_code_from_base(toolbox: Toolbox) -> None:
    answer = read(toolbox, "shop/prices.py", 4, 4, branch="base")
    assert (answer["content"], answer["branch"]) == ("4: def total(items):", "base")


def test_get_blame_returns_the_format_of_the_seed(toolbox: Toolbox) -> None:
    answer = toolbox.call("get_blame", {"file_path": "shop/prices.py", "line_number": 4})
    sha = answer.pop("commit_sha")
    assert len(sha) == 12
    assert answer == {
        "file_path": "shop/prices.py",
        "line_number": 4,
        "author": "Ada Author",
        "date": "2026-01-02T03:04:05Z",
        "commit_message": "After",
        "original_line": "def total(items, tax=TAX):",
    }


def test_a_deleted_file_is_blamed_at_base_and_the_answer_says_so(toolbox: Toolbox) -> None:
    answer = toolbox.call("get_blame", {"file_path": "shop/old.py", "line_number": 1})
    assert answer["commit_message"] == "Before"
    assert "base" in answer["note"]


def test_get_blame_takes_a_side(toolbox: Toolbox) -> None:
    call = {"file_path": "shop/prices.py", "line_number": 4, "branch": "base"}
    answer = toolbox.call("get_blame", call)
    assert (answer["commit_message"], answer["original_line"]) == ("Before", "def total(items):")


def test_the_commit_behind_a_line_has_its_message_and_its_diff(toolbox: Toolbox) -> None:
    call = {"file_path": "shop/prices.py", "line_number": 4}
    answer = toolbox.call("get_commit_of_line", call)
    assert answer["message"] == "After"
    assert "-def total(items):\n+def total(items, tax=TAX):" in answer["diff"]
    assert answer["other_files"] == ["shop/here.py", "shop/moved.py", "shop/old.py"]
    before = toolbox.call("get_commit_of_line", {**call, "branch": "base"})
    assert before["message"] == "Before"
    assert "+TAX = 2" in before["diff"]
    assert "no line 70" in toolbox.call("get_commit_of_line", {**call, "line_number": 70})["error"]


@pytest.mark.parametrize(
    "path", ["./shop/prices.py", "/shop/prices.py", "b/shop/prices.py", "docs/../shop/prices.py"]
)
def test_a_path_written_another_way_still_names_its_file(toolbox: Toolbox, path: str) -> None:
    assert read(toolbox, path)["file_path"] == "shop/prices.py"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("shop/price.py", "did you mean 'shop/prices.py'?"),
        ("src/prices.py", "did you mean 'shop/prices.py'?"),
        ("../secret.txt", "leaves the repository"),
        ("shop/../../secret.txt", "leaves the repository"),
        ("/etc/passwd", "there is no file 'etc/passwd'"),
        ("link", "links are not followed"),
        ("shop", "is a folder: list it with list_files, pattern 'shop/**'"),
        ("logo.png", "binary"),
        ("shop/old.py", "deleted by the change: read it with branch 'base'"),
        ("shop/moved.py", "it is called 'shop/here.py'"),
        ("", "is a folder"),
    ],
)
def test_a_path_that_names_no_file_is_answered_with_what_to_do(
    toolbox: Toolbox, path: str, said: str
) -> None:
    assert said in read(toolbox, path)["error"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "needs the argument 'file_path'"),
        ([], "one JSON object"),
        ({"path": "x"}, "no argument 'path' (did you mean 'file_path'?)"),
        ({"file_path": 3, "start_line": 1, "end_line": 2}, "'file_path' must be a string, not '3'"),
        (
            {"file_path": "shop/prices.py", "start_line": True, "end_line": 2},
            "'start_line' must be an integer",
        ),
        ({"file_path": "shop/prices.py", "start_line": 3, "end_line": 2}, "swap them"),
        ({"file_path": "shop/prices.py", "start_line": 70, "end_line": 90}, "lines 1 to 5"),
        (
            {"file_path": "shop/prices.py", "start_line": 1, "end_line": 2, "branch": "main"},
            "'head' (the new code)",
        ),
    ],
)
def test_a_bad_call_is_answered_with_a_sentence(toolbox: Toolbox, arguments: object, said: str) -> None:
    assert said in toolbox.call("get_file_context", arguments)["error"]


def test_an_unknown_tool_is_answered_with_the_known_ones(toolbox: Toolbox) -> None:
    assert "get_file_context, get_blame, search" in toolbox.call("read", {})["error"]


def test_numbers_written_as_text_are_taken(toolbox: Toolbox) -> None:
    assert read(toolbox, "shop/prices.py", "1", 1.0)["content"] == "1: TAX = 2"


def test_a_range_that_begins_before_the_file_begins_with_it(toolbox: Toolbox) -> None:
    answer = read(toolbox, "shop/prices.py", -5, 900)
    assert (answer["start_line"], answer["end_line"]) == (1, 5)
    assert answer["note"] == "the file ends at line 5"


def test_an_empty_file_is_no_error(toolbox: Toolbox) -> None:
    answer = read(toolbox, "empty.txt", 1, 10)
    assert (answer["content"], answer["total_lines"]) == ("", 0)


def test_a_long_file_is_cut_and_the_rest_can_be_asked_for(toolbox: Toolbox) -> None:
    answer = read(toolbox, "long.txt", 1, 2000)
    assert answer["end_line"] == 500
    assert "stopped after line 500 of 2000, because an answer has at most 500 lines" in answer["note"]
    assert "start_line 501" in answer["note"]
    assert read(toolbox, "long.txt", 501, 501)["content"] == "501: row 501"


def test_a_very_long_line_is_cut_and_says_by_how_much(toolbox: Toolbox) -> None:
    answer = read(toolbox, "wide.js", 1, 1)
    assert "(4500 more characters)" in answer["content"]
    assert "cut" in answer["note"]


def test_a_cut_does_not_go_through_a_token(tmp_path: Path) -> None:
    line = f"token = {'x' * 420!r}, key = {'k3y' * 30!r}\n"
    case = make_case(Repo(tmp_path / "repo"), {"a.py": line}, {"b.py": "X = 1\n"})
    with case.repository:
        answer = read(Toolbox(case.repository, case.change, written_readers({})), "a.py", 1, 1)
    assert "k3y" not in answer["content"]
    assert answer["content"].endswith("key = '… (91 more characters)")


def test_search_groups_lines_by_file_and_takes_globs_and_folders(toolbox: Toolbox) -> None:
    answer = toolbox.call("search", {"pattern": r"def \w+\(", "paths": ["./shop/"]})
    assert answer["files"] == [
        {"file_path": "shop/checkout.py", "lines": ["5:     def pay(self, items):"]},
        {"file_path": "shop/prices.py", "lines": ["4: def total(items, tax=TAX):"]},
    ]
    assert toolbox.call("search", {"pattern": "total", "paths": ["*.md"]})["hits"] == 1
    assert toolbox.call("search", {"pattern": r"def \w+\(", "paths": ["sho*"]})["files"] == answer["files"]


def test_search_shows_what_stands_around_a_match(toolbox: Toolbox) -> None:
    answer = toolbox.call("search", {"pattern": "def|sum", "paths": ["shop"], "context_lines": 1})
    assert answer["files"] == [
        {
            "file_path": "shop/checkout.py",
            "lines": ["4- class Cart:", "5:     def pay(self, items):", "6-         return total(items)"],
        },
        {
            "file_path": "shop/prices.py",
            "lines": ["3- ", "4: def total(items, tax=TAX):", "5:     return sum(items) * TAX"],
        },
    ]


def test_lines_between_two_matches_are_left_out_and_hits_in_context_are_fewer(toolbox: Toolbox) -> None:
    arguments = {"pattern": "row (1|9)$|row 5.", "paths": ["long.txt"], "context_lines": 2}
    answer = toolbox.call("search", arguments)
    (file,) = answer["files"]
    assert file["lines"][:7] == ["1: row 1", "2- row 2", "3- row 3", "--", "7- row 7", "8- row 8", "9: row 9"]
    assert answer["hits"] == 25
    assert "skip 25" in answer["note"]


def test_search_is_cut_and_read_on_with_skip(toolbox: Toolbox) -> None:
    first = toolbox.call("search", {"pattern": "row", "paths": ["long.txt"]})
    assert first["hits"] == 100
    assert "skip 100" in first["note"]
    assert "narrow" in first["note"]
    second = toolbox.call("search", {"pattern": "row", "paths": ["long.txt"], "skip": 100})
    assert second["files"][0]["lines"][0] == "101: row 101"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"pattern": "("}, "failed"),
        ({"pattern": ""}, "empty"),
        ({"pattern": "a\nb"}, "one line"),
        ({"pattern": "x", "paths": ["../.."]}, "leaves the repository"),
        ({"pattern": "x", "paths": ["shop/price.py"]}, "did you mean"),
        ({"pattern": "x", "paths": ["*.rs", "nowhere/"]}, "matches '*.rs'; there is no file 'nowhere'"),
        ({"pattern": "x", "paths": ["link"]}, "symbolic link"),
        ({"pattern": "x", "skip": -1}, "skip is a number"),
    ],
)
def test_a_bad_search_says_what_is_wrong(toolbox: Toolbox, arguments: dict[str, Any], said: str) -> None:
    assert said in toolbox.call("search", arguments)["error"]


def test_a_search_in_paths_of_which_some_are_missing_answers_for_the_others(toolbox: Toolbox) -> None:
    paths = ["shop/price.py", "docs", "*.rs", "../..", "shop/old.py", "b/shop/prices.py", "link"]
    answer = toolbox.call("search", {"pattern": "total", "paths": paths})
    assert [file["file_path"] for file in answer["files"]] == ["docs/prices.md", "shop/prices.py"]
    for said in ("did you mean 'shop/prices.py'", "'*.rs'", "leaves the repo", "is deleted by the change"):
        assert said in answer["note"]


def test_a_folder_whose_name_looks_like_a_pattern_is_searched(toolbox: Toolbox) -> None:
    assert toolbox.call("search", {"pattern": "page", "paths": ["app/[id]"]})["hits"] == 1


def test_of_many_missing_paths_only_some_are_named(toolbox: Toolbox) -> None:
    paths = ["docs", *(f"nowhere/{number}.py" for number in range(40))]
    answer = toolbox.call("search", {"pattern": "total", "paths": paths})
    assert answer["hits"] == 1
    assert "35 more paths are not there" in answer["note"]


def test_list_files_takes_globs_names_and_folders(toolbox: Toolbox) -> None:
    files = ["shop/checkout.py", "shop/here.py", "shop/prices.py"]
    for pattern in ("shop/*.py", "*.py", "shop", "shop/", "./shop/**", "**/*.py"):
        assert toolbox.call("list_files", {"pattern": pattern})["files"] == files
    assert toolbox.call("list_files", {"branch": "base", "pattern": "old.py"})["files"] == ["shop/old.py"]
    assert toolbox.call("list_files", {})["total_files"] == 10


def test_list_files_knows_braces_and_a_name_that_has_them(tmp_path: Path) -> None:
    files = {"web/a.ts": "", "web/b.tsx": "", "web/c.css": "", "web/{id,x}.ts": ""}
    case = make_case(Repo(tmp_path / "repo"), files, {"x.py": "X = 1\n"})
    with case.repository:
        tools = Toolbox(case.repository, case.change, written_readers({}))
        listed = [
            tools.call("list_files", {"pattern": one})["files"]
            for one in ("web/*.{tsx,css}", "{web/{a,b}.*,x.py}", "web/{id,x}.ts", "{" * 30 + "a,b" + "}" * 30)
        ]
    assert listed == [["web/b.tsx", "web/c.css"], ["web/a.ts", "web/b.tsx", "x.py"], ["web/{id,x}.ts"], []]


def test_list_files_suggests_a_name_where_nothing_matches(toolbox: Toolbox) -> None:
    assert "did you mean 'shop/checkout.py'" in toolbox.call("list_files", {"pattern": "chekout.py"})["note"]


def test_outline_lists_what_a_file_defines(toolbox: Toolbox) -> None:
    answer = toolbox.call("outline", {"file_path": "shop/checkout.py"})
    assert [(one["name"], one["start_line"], one["end_line"]) for one in answer["symbols"]] == [
        ("Cart", 4, 6),
        ("Cart.pay", 5, 6),
    ]
    assert "get_file_context" in toolbox.call("outline", {"file_path": "docs/prices.md"})["note"]


def test_every_description_is_in_function_form_and_has_its_tool(toolbox: Toolbox) -> None:
    names = [tool["function"]["name"] for tool in toolbox.descriptions]
    assert names[:2] == ["get_file_context", "get_blame"]
    for tool in toolbox.descriptions:
        parameters = tool["function"]["parameters"]
        assert tool["type"] == "function"
        assert set(parameters["required"]) <= set(parameters["properties"])
        assert "there is no tool" not in toolbox.call(tool["function"]["name"], {}).get("error", "")


SOME_VALUES = st.sampled_from(
    [
        "shop/prices.py",
        "../secret.txt",
        "/proc/self/environ",
        "link",
        "*",
        "**/**/**",
        "[",
        "total",
        "head",
        "base",
    ]
)
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | SOME_VALUES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
ARGUMENT_NAMES = st.sampled_from(
    [
        "file_path",
        "start_line",
        "end_line",
        "branch",
        "line_number",
        "pattern",
        "paths",
        "literal",
        "symbol",
        "skip",
        "exclude",
    ]
)
TOOL_NAMES = (
    "get_file_context",
    "get_blame",
    "search",
    "list_files",
    "find_references",
    "find_definition",
    "outline",
    "compare_definition",
    "get_commit_of_line",
)


@settings(max_examples=examples(120), deadline=None)
@given(
    name=st.sampled_from(TOOL_NAMES) | st.text(max_size=8),
    arguments=st.dictionaries(ARGUMENT_NAMES, JSON_VALUES | SOME_VALUES | st.integers(-3, 30), max_size=4)
    | JSON_VALUES,
)
def test_any_json_is_answered_with_a_dict_and_nothing_from_outside(
    toolbox: Toolbox, name: str, arguments: object
) -> None:
    answer = toolbox.call(name, arguments)
    assert isinstance(answer, dict)
    written = json.dumps(answer, ensure_ascii=False)
    assert SECRET not in written
    written.encode()


def test_the_answers_to_calls_can_be_written_as_utf8(toolbox: Toolbox) -> None:
    for tool, arguments in (
        ("search", {"pattern": "\ud800"}),
        ("list_files", {"pattern": "\ud800"}),
        ("find_definition", {"symbol": "\ud800"}),
        ("get_blame", {"file_path": "\ud800", "line_number": 1}),
        ("\ud800", {}),
    ):
        answer = toolbox.call(tool, arguments)
        assert json.loads(json.dumps(answer, ensure_ascii=False).encode()) == answer
