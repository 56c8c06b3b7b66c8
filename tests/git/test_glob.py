"""Globs match what people mean by them, in linear time."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.git.glob import compile_glob, matches_any, matches_file


@pytest.mark.parametrize(
    ("pattern", "path", "is_match"),
    [
        ("*.py", "a.py", True),
        ("*.py", "src/deep/a.py", True),
        ("*.py", "a.pyc", False),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/deep/a.py", False),
        ("src/**/*.py", "src/a.py", True),
        ("src/**/*.py", "src/x/y/a.py", True),
        ("src/**", "src/x/y", True),
        ("src/**", "lib/x", False),
        ("**/test_*.py", "a/b/test_x.py", True),
        ("**", "anything/at/all", True),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("[ab].txt", "a.txt", True),
        ("[!ab].txt", "a.txt", False),
        ("[!ab].txt", "c.txt", True),
        ("[", "[", True),
        ("a*b*b", "xx/aabb", True),
        ("a*b*c", "axxbxbxc", True),
        ("x/**/a/**/b", "x/1/a/2/3/b", True),
        ("x/**/a/**/b", "x/1/2/3/b", False),
        ("*b/c", "ab/bb/c", False),
    ],
)
def test_a_glob_matches_what_it_means(pattern: str, path: str, is_match: bool) -> None:
    assert compile_glob(pattern).matches(path) is is_match


LETTERS = st.text(alphabet="ab/*?", min_size=1, max_size=12).filter(lambda text: text.strip("/."))


@given(pattern=LETTERS, path=st.text(alphabet="ab/", min_size=1, max_size=10))
def test_a_glob_agrees_with_a_naive_translation(pattern: str, path: str) -> None:
    if "//" in path or path.startswith("/") or path.endswith("/"):
        return
    parts = [part for part in pattern.strip("/").split("/") if part]
    parts = parts if "/" in pattern.rstrip("/") else ["**", *parts]
    parts = [*parts, "*"] if parts[-1] == "**" else parts
    naive = "".join(
        "(?:[^/]+/)*" if part == "**" else re.sub(r"\*+", "[^/]*", part).replace("?", "[^/]") + "/"
        for part in parts
    )
    assert compile_glob(pattern).matches(path) is (re.fullmatch(naive, path + "/") is not None)


@pytest.mark.parametrize(
    ("path", "pattern", "matches"),
    [
        ("a.py", "*.py", True),
        ("deep/a.py", "*.py", True),
        ("deep/a.py", "/*.py", False),
        ("src/a.py", "src", True),
        ("src/deep/a.py", "src/", True),
        ("src/deep/a.py", "./src", True),
        ("lib/src/a.py", "src", True),
        ("lib/src/a.py", "/src", False),
        ("src/deep/a.py", "src/*.py", False),
        ("src/deep/a.py", "src/**/*.py", True),
        ("src/a.py", "src/**/*.py", True),
        ("src/deep/a.py", "src/**", True),
        ("a.py", "[ab].py", True),
        ("c.py", "[!ab].py", True),
        ("a.py", "[!ab].py", False),
        ("[x", "[x", True),
        ("a.py", "a?py", True),
        ("aXpy", "a.py", False),
    ],
)
def test_a_glob_matches_files_folders_and_names_in_any_folder(path: str, pattern: str, matches: bool):
    assert matches_any(path, [pattern]) is matches


def test_a_pattern_of_an_attribute_does_not_reach_into_a_folder():
    assert matches_file("gen/a.py", "gen/*")
    assert not matches_file("gen/a.py", "gen")


@given(st.text(), st.text(alphabet="ab*?[]!^-/\\.", max_size=12))
def test_any_pattern_can_be_matched(path: str, pattern: str):
    assert matches_any(path, [pattern]) in (True, False)


@pytest.mark.parametrize(
    ("path", "pattern"),
    [("-", "[?-]"), ("&", "[&&]"), ("~", "[~~]"), ("|", "[||]"), ("[", "[[]"), ("b", "[a-c]")],
)
def test_a_set_in_a_pattern_has_ranges_and_no_other_signs(path: str, pattern: str):
    assert matches_file(path, pattern)


def test_an_empty_range_matches_nothing_as_in_git() -> None:
    assert not matches_file("-", "[?--]")


HOSTILE = ["*a" * 30 + "b", "**/a/" * 30 + "b", "**/*a*a*a*a*a*a/" * 5 + "c", "/" + "*a" * 30 + "b"]


@pytest.mark.parametrize("pattern", HOSTILE)
@pytest.mark.parametrize("takes_folders", [False, True])
def test_no_pattern_takes_long_on_a_hostile_path(pattern: str, takes_folders: bool) -> None:
    started = time.process_time()
    assert not compile_glob(pattern, takes_folders=takes_folders).matches("a" * 3000 + "/a" * 1000)
    assert time.process_time() - started < 2
