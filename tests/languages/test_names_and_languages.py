"""Globs mean what .gitignore means by them, and a file's name tells its language."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.git.paths import is_safe_path, matches_any, matches_file
from affidavit.languages.detect import language_of


@pytest.mark.parametrize(
    ("path", "first_line", "language"),
    [
        ("a/b.py", "", "python"),
        ("x.PYI", "", "python"),
        ("x.tsx", "", "typescript"),
        ("x.cjs", "", "javascript"),
        ("main.go", "", "go"),
        ("Dockerfile", "", "dockerfile"),
        ("docker/Dockerfile.dev", "", "dockerfile"),
        (".github/workflows/x.yml", "", "yaml"),
        ("GNUmakefile", "", "makefile"),
        ("run", "#!/bin/sh", "shell"),
        ("run", "#!/usr/bin/env python3.12", "python"),
        ("run", "#!/usr/bin/env -S FOO=1 node --x", "javascript"),
        ("run", "#! /usr/bin/perl -w", "perl"),
        ("run", "#!/usr/bin/env", ""),
        ("LICENSE", "MIT License", ""),
        ("py", "", ""),
        ("x.unknown", "", ""),
    ],
)
def test_the_language_is_told_by_ending_name_or_first_line(path: str, first_line: str, language: str):
    assert language_of(path, first_line) == language


@given(st.text(), st.text())
def test_any_name_has_a_language_or_none(path: str, first_line: str):
    assert language_of(path, first_line) == language_of(path, first_line).lower()


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


@given(st.text(max_size=30))
def test_a_safe_path_has_no_part_that_goes_up(path: str):
    if is_safe_path(path):
        assert not path.startswith("/")
        assert ".." not in path.split("/")
        assert ".git" not in path.lower().split("/")


@pytest.mark.parametrize(
    ("path", "pattern"),
    [("-", "[?--]"), ("&", "[&&]"), ("~", "[~~]"), ("|", "[||]"), ("[", "[[]"), ("b", "[a-c]")],
)
def test_a_set_in_a_pattern_has_ranges_and_no_other_signs(path: str, pattern: str):
    assert matches_file(path, pattern)
