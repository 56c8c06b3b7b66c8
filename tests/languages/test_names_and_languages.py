"""A file's name, or its first line, tells its language."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.languages.registry import language_of


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
