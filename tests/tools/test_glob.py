"""Globs match what people mean by them, in linear time."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.tools.glob import compile_glob


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
    assert (compile_glob(pattern).fullmatch(path) is not None) is is_match


LETTERS = st.text(alphabet="ab/*?", min_size=1, max_size=12).filter(lambda text: text.strip("/."))


@given(pattern=LETTERS, path=st.text(alphabet="ab/", min_size=1, max_size=10))
def test_a_glob_agrees_with_a_naive_translation(pattern: str, path: str) -> None:
    if "//" in path or path.startswith("/") or path.endswith("/"):
        return
    parts = [part for part in pattern.strip("/").split("/") if part]
    parts = ["**", *parts] if len(parts) == 1 else parts
    parts = [*parts, "*"] if parts[-1] == "**" else parts
    naive = "".join(
        "(?:[^/]+/)*" if part == "**" else re.sub(r"\*+", "[^/]*", part).replace("?", "[^/]") + "/"
        for part in parts
    )
    assert (compile_glob(pattern).fullmatch(path) is not None) is (
        re.fullmatch(naive, path + "/") is not None
    )


@pytest.mark.parametrize("pattern", ["*a" * 30 + "b", "**/a/" * 30 + "b", "**/*a*a*a*a*a*a/" * 5 + "c"])
def test_no_pattern_takes_long_on_a_hostile_path(pattern: str) -> None:
    started = time.perf_counter()
    assert compile_glob(pattern).fullmatch("a" * 3000 + "/a" * 1000) is None
    assert time.perf_counter() - started < 2
