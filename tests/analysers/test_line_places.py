"""Lines are counted as git counts them, or the file was not read."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from affidavit.analysers.engine.analyser import Analyser
from affidavit.analysers.engine.specialist import MechanicalSpecialist
from affidavit.analysers.hadolint import HADOLINT
from affidavit.analysers.oxlint import OXLINT
from affidavit.analysers.ruff import RUFF
from affidavit.analysers.shellcheck import SHELLCHECK
from affidavit.analysers.ty import TY
from affidavit.analysers.yamllint import YAMLLINT
from python_changes import Case, Open

Ask = Callable[[Analyser, Case], list[dict[str, Any]]]
# What some program or other takes for the end of a line.
SIGNS = ["\r", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"]
FAULTY: dict[str, tuple[Analyser, str, str, int, list[str]]] = {
    "ruff": (RUFF, "{}.py", "# x{sign}# y\nprint(undefd)\n", 2, SIGNS[1:]),
    "ty": (TY, "{}.py", "# x{sign}# y\nprint(undefd)\n", 2, SIGNS[1:]),
    "oxlint": (OXLINT, "{}.js", "/* x{sign} y */\ndebugger;\n", 2, SIGNS[1:]),
    # A carriage return is an error by itself in a script, and the others are in YAML.
    "shellcheck": (SHELLCHECK, "{}.sh", '#!/bin/sh\n# x{sign}# y\nrm -rf "$x/"\n', 3, SIGNS[1:]),
    "hadolint": (HADOLINT, "{}.dockerfile", "FROM a:1\n# x{sign}# y\nEXPOSE 99999\n", 3, SIGNS),
}


@pytest.mark.parametrize("name", FAULTY)
def test_a_finding_stands_at_the_line_that_git_counts(case: Open, ask: Ask, name: str) -> None:
    analyser, path, text, line, signs = FAULTY[name]
    files = {path.format(f"a{ord(sign):x}"): text.format(sign=sign).encode() for sign in signs}
    found = {one["file"]: one["line"] for one in ask(analyser, case({"x": ""}, files))}
    assert found == dict.fromkeys(files, line)


@pytest.mark.parametrize(
    ("analyser", "path", "text"),
    [
        (RUFF, "a.py", b"# x\r# y\nprint(undefd)\n"),
        (TY, "a.py", b"# x\r# y\nprint(undefd)\n"),
        (OXLINT, "a.js", b"/* x\r y */\ndebugger;\n"),
        (YAMLLINT, "a.yaml", b"# x\xe2\x80\xa8# y\na: 1\na: 2\n"),
    ],
)
def test_a_file_with_line_ends_that_git_does_not_count_is_named_as_unread(
    case: Open, analyser: Analyser, path: str, text: bytes
) -> None:
    reply = asyncio.run(MechanicalSpecialist(analyser).examine(case({"x": ""}, {path: text}).case))
    (head,) = (run for run in reply.analyser_runs if run.side == "head")
    assert json.loads(reply.text or "")["findings"] == []
    assert [(one.path, one.why) for one in head.unread] == [(path, "unreadable")]


def test_letters_of_several_bytes_move_nothing(case: Open, ask: Ask) -> None:
    text = "import os\n\n\ndef run(a):\n    return 'äöüßäöüßäöüßäöüßäöüß', os.system('ls ' + a)\n"
    assert [one["line"] for one in ask(RUFF, case({"x": ""}, {"a.py": text}))] == [5]
