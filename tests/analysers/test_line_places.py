"""Lines are counted as git counts them, whatever else an analyser takes for the end of one."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.analysers.analyser import LONE_RETURN, Analyser, Counting
from affidavit.analysers.hadolint import HADOLINT
from affidavit.analysers.outcome import Places
from affidavit.analysers.oxlint import OXLINT
from affidavit.analysers.ruff import RUFF
from affidavit.analysers.shellcheck import SHELLCHECK
from affidavit.analysers.ty import TY
from affidavit.analysers.yamllint import YAMLLINT
from affidavit.analysers.zizmor import ZIZMOR
from affidavit.records.evidence import AnalyserDiagnostic
from python_changes import Case, Open

Ask = Callable[[Analyser, Case], list[dict[str, Any]]]
# What some program or other takes for the end of a line.
SIGNS = ["\r", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"]
WORKFLOW = """\
name: a # b{sign}# c
on: issues
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - run: echo ${{{{ github.event.issue.title }}}}
"""
FAULTY: dict[str, tuple[Analyser, str, str, int, list[str]]] = {
    "ruff": (RUFF, "{}.py", "# x{sign}# y\nprint(undefd)\n", 2, SIGNS),
    "ty": (TY, "{}.py", "# x{sign}# y\nprint(undefd)\n", 2, SIGNS),
    "oxlint": (OXLINT, "{}.js", "/* x{sign} y */\ndebugger;\n", 2, SIGNS),
    # A carriage return is an error by itself in a script, and the others are in YAML.
    "shellcheck": (SHELLCHECK, "{}.sh", '#!/bin/sh\n# x{sign}# y\nrm -rf "$x/"\n', 3, SIGNS[1:]),
    "hadolint": (HADOLINT, "{}.dockerfile", "FROM a:1\n# x{sign}# y\nEXPOSE 99999\n", 3, SIGNS),
    "yamllint": (YAMLLINT, "{}.yaml", "# x{sign}# y\na: 1\na: 2\n", 3, ["\r", "\x85", "\u2028", "\u2029"]),
    "zizmor": (ZIZMOR, ".github/workflows/{}.yml", WORKFLOW, 7, ["\r", "\x85", "\u2028", "\u2029"]),
}


@pytest.mark.parametrize("name", FAULTY)
def test_a_finding_stands_at_the_line_that_git_counts(case: Open, ask: Ask, name: str) -> None:
    analyser, path, text, line, signs = FAULTY[name]
    files = {path.format(f"a{ord(sign):x}"): text.format(sign=sign).encode() for sign in signs}
    found = {one["file"]: one["line"] for one in ask(analyser, case({"x": ""}, files))}
    assert found == dict.fromkeys(files, line)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("# x\r# y\nimport os\n\n\ndef run(a):\n    os.system('ls ' + a)\n", 6),
        ("import os\n\n\ndef run(a):\n    # x\r    os.system('ls ' + a)\n", 5),
        ("# x\rimport os\r\rdef run(a):\r    os.system('ls ' + a)\r", 1),
        ("import os\n\n\ndef run(a):\n    return 'äöüßäöüßäöüßäöüßäöüß', os.system('ls ' + a)\n", 5),
    ],
    ids=["above", "on the line", "no line feed", "letters of several bytes"],
)
def test_a_command_is_judged_where_python_runs_it(case: Open, ask: Ask, text: str, line: int) -> None:
    found = ask(RUFF, case({"x": ""}, {"a.py": text.encode()}))
    assert [one["line"] for one in found] == [line]


def test_a_line_that_a_message_names_is_counted_in_the_same_way(case: Open, ask: Ask) -> None:
    text = b"# x\r# y\rdef f():\n    return 1\n\n\ndef f():\n    return 2\n"
    (found,) = ask(RUFF, case({"x": ""}, {"a.py": text}))
    assert (found["line"], "from line 1" in found["message"]) == (5, True)


@given(
    st.lists(st.sampled_from(["a", "ä", "\U0001f600", "\n", "\r", "\r\n"]), min_size=1, max_size=30),
    st.data(),
)
def test_every_place_is_found_again(signs: list[str], data: st.DataObject) -> None:
    text = "".join(signs)
    divided = LONE_RETURN.sub("\n", text).split("\n")
    line = data.draw(st.integers(1, len(divided)))
    column = data.draw(st.integers(1, len(divided[line - 1]) + 1))
    offset = sum(len(row) + 1 for row in divided[: line - 1]) + column - 1
    by_bytes = len(divided[line - 1][: column - 1].encode()) + 1
    said = AnalyserDiagnostic(rule="a/b", message="m", path="p", line=line, column=by_bytes)
    placed = Places(Counting(LONE_RETURN, by_bytes=True), lambda _path: text.encode()).placed(said)
    before = text[:offset]
    expected = (before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1)
    assert (placed.line, placed.column) == expected
