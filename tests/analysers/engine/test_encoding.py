"""Files that are not UTF-8: analysers read them as far as the language does, and nothing is passed over."""

from collections.abc import Callable
from typing import Any

import pytest

from affidavit.analysers.analyser import Analyser
from affidavit.analysers.engine.encoding import as_utf8
from affidavit.analysers.oxlint import OXLINT
from affidavit.analysers.ruff import RUFF
from affidavit.analysers.shellcheck import SHELLCHECK
from affidavit.analysers.ty import TY
from affidavit.analysers.yamllint import YAMLLINT
from python_changes import Case, Open

Ask = Callable[[Analyser, Case], list[dict[str, Any]]]
ACCENT = b"\xe9"
NAME = b"NAME = '" + ACCENT + b"'\n"
UNDEFINED = NAME + b"TOTAL = undefined_name\n"
DECLARED = b"# -*- coding: latin-1 -*-\n"


@pytest.mark.parametrize("analyser", [RUFF, TY], ids=lambda analyser: analyser.name)
def test_python_is_read_by_the_encoding_that_it_declares(case: Open, ask: Ask, analyser: Analyser) -> None:
    opened = case({"a.py": b"VALUE = 1\n"}, {"a.py": DECLARED + UNDEFINED})
    assert [(found["file"], found["line"]) for found in ask(analyser, opened)] == [("a.py", 3)]


def test_python_that_python_cannot_decode_is_a_finding(case: Open, ask: Ask) -> None:
    (found,) = ask(RUFF, case({"a.py": b"VALUE = 1\n"}, {"a.py": UNDEFINED}))
    assert (found["rule_id"], found["severity"]) == ("ruff/E902", "critical")
    assert "not UTF-8" in found["message"]


def test_python_that_could_not_be_decoded_before_either_is_no_finding(case: Open, ask: Ask) -> None:
    assert ask(RUFF, case({"a.py": NAME}, {"a.py": NAME + b"VALUE = 1\n"})) == []


@pytest.mark.parametrize(
    ("analyser", "name", "before", "after"),
    [
        (OXLINT, "a.js", b"// \n", b"if (a = '" + ACCENT + b"') {\n  b();\n}\nconst x = 1;\nx = 2;\n"),
        (
            SHELLCHECK,
            "a.sh",
            b"#!/bin/sh\n",
            b"#!/bin/sh\necho '" + ACCENT + b'\'\nrm -rf "$1/"*\n[ $1 = ]\n',
        ),
        (YAMLLINT, "a.yaml", b"b: 1\n", b"a: '" + ACCENT + b"'\nb: 1\nb: 2\n"),
    ],
    ids=["oxlint", "shellcheck", "yamllint"],
)
def test_the_rest_of_a_file_is_read_where_a_character_cannot_be(
    case: Open, ask: Ask, analyser: Analyser, name: str, before: bytes, after: bytes
) -> None:
    assert ask(analyser, case({name: before}, {name: after}))


@pytest.mark.parametrize(
    "declaration",
    [b"# coding: utf-8\n", b"# coding: nonsense\n", b"# coding: zlib_codec\n", b"# coding: punycode\n", b""],
)
def test_python_with_a_declaration_that_does_not_help_stays_as_it_is(declaration: bytes) -> None:
    assert as_utf8("a.py", declaration + NAME) == declaration + NAME


@pytest.mark.parametrize("name", ["latin-1", "iso-8859-15", "iso8859_15", "cp1252", "koi8-r", "gbk"])
def test_lines_stay_where_they_are(name: str) -> None:
    text = f"# coding: {name}\nA = 1\n".encode() + b"B = '\xc4\xe3'\nC = 1\n"
    laid_out = as_utf8("a.py", text)
    assert laid_out.decode("utf-8").count("\n") == text.count(b"\n")
