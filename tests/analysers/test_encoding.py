"""Files that are not UTF-8: analysers read them as far as the language does, and nothing is passed over."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from affidavit.analysers.engine.analyser import Analyser
from affidavit.analysers.engine.encoding import as_utf8
from affidavit.analysers.engine.specialist import MechanicalSpecialist
from affidavit.analysers.oxlint import OXLINT
from affidavit.analysers.ruff import RUFF
from affidavit.analysers.shellcheck import SHELLCHECK
from affidavit.analysers.ty import TY
from affidavit.analysers.yamllint import YAMLLINT
from affidavit.config.settings import Settings
from affidavit.pipeline import review
from affidavit.reviewing.hold import assemble_crew
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


def hidden(encoding: str) -> bytes:
    """A call that Python runs, in what looks like a comment to whoever reads the file as UTF-8."""
    call = b"import os\nos.system(input())\n"
    written = {
        "utf-7": b"#+AAo-" + call.replace(b"\n", b"+AAo-"),
        "unicode_escape": b"#\\n" + call.replace(b"\n", b"\\n"),
        "raw_unicode_escape": b"#\\u000a" + call.replace(b"\n", b"\\u000a"),
        "shift_jis_2004": b"'\\'\n" + call + b"#'\n",
    }
    return f"# coding: {encoding}\n".encode() + written[encoding]


EXOTIC = ["utf-7", "unicode_escape", "raw_unicode_escape", "shift_jis_2004"]


@pytest.mark.parametrize("encoding", EXOTIC)
@pytest.mark.parametrize("analyser", [RUFF, TY], ids=lambda analyser: analyser.name)
def test_python_in_an_encoding_that_does_not_contain_ascii_is_not_read(
    case: Open, analyser: Analyser, encoding: str
) -> None:
    compile(hidden(encoding), "a.py", "exec")
    opened = case({"a.py": b"VALUE = 1\n"}, {"a.py": hidden(encoding)})
    reply = asyncio.run(MechanicalSpecialist(analyser).examine(opened.case))
    (unread,) = reply.analyser_runs[-1].unread
    assert (unread.path, unread.why) == ("a.py", "unreadable")
    assert f"declares the encoding {encoding}" in unread.detail
    assert reply.analyser_runs[-1].read == ()


@pytest.mark.parametrize("name", ["a.py", "a.pyw", "a.PY"])
def test_a_review_of_python_in_such_an_encoding_is_incomplete(case: Open, name: str) -> None:
    opened = case({"b.txt": b"one\n"}, {name: hidden("utf-7")})
    settings = Settings(analysers_off=("kingfisher",))
    crew = assemble_crew(settings, None)
    report = asyncio.run(review(opened.change, opened.repository, settings, crew))
    assert any("declares the encoding utf-7" in gap.reason for gap in report.incomplete)
    assert report.gate.exit_code == 3
    assert report.verdict != "approve"


@pytest.mark.parametrize("analyser", [RUFF, TY], ids=lambda analyser: analyser.name)
def test_python_that_is_utf8_is_still_read_by_the_encoding_that_it_declares(
    case: Open, ask: Ask, analyser: Analyser
) -> None:
    # In cp932 the second byte of the accent takes the backslash along, so that the text ends at the quote.
    code = "# coding: cp932\nNAME = 'Á\\'; TOTAL = undefined_name #'\n".encode()
    compile(code, "a.py", "exec")
    assert [found["line"] for found in ask(analyser, case({"a.py": b"VALUE = 1\n"}, {"a.py": code}))] == [2]


@pytest.mark.parametrize(
    "declaration",
    [
        "# -*- coding: utf-8-unix -*-",
        "# vim: fileencoding=latin-1-dos",
        "# coding: UTF8",
        "# coding=us-ascii",
    ],
)
def test_usual_encodings_are_read(case: Open, ask: Ask, declaration: str) -> None:
    code = f"#!/usr/bin/python\n{declaration}\nTOTAL = undefined_name\n".encode()
    assert [found["line"] for found in ask(RUFF, case({"a.py": b"VALUE = 1\n"}, {"a.py": code}))] == [3]


def test_a_declaration_below_the_second_line_declares_nothing(case: Open, ask: Ask) -> None:
    code = b"\n\n# coding: utf-7\nTOTAL = undefined_name\n"
    assert [found["line"] for found in ask(RUFF, case({"a.py": b"VALUE = 1\n"}, {"a.py": code}))] == [4]


def test_columns_are_those_of_the_text_that_python_sees(case: Open, ask: Ask) -> None:
    code = DECLARED + b"def f(count: int, n):\n    return '" + 9 * ACCENT + b"', eval('1'), eval(n)\n"
    (found,) = ask(RUFF, case({"a.py": b"VALUE = 1\n"}, {"a.py": code}))
    assert found["rule_id"] == "ruff/S307"
