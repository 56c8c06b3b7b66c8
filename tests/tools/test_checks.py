"""A verifier may run the isolated analysers on one file of either side, and nothing else."""

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from affidavit.analysers.engine.analyser import Analyser, Invocation
from affidavit.analysers.ruff import RUFF
from affidavit.tools.arguments import JoinedTools
from affidavit.tools.checks import CheckLimits, Checks
from affidavit.tools.toolbox import Toolbox
from python_changes import Case, make_case
from repositories import Repo
from written_readers import written_readers

BASE = {
    "app.py": "def total(items):\n    return sum(items)\n",
    "caller.py": "from app import total\n\nprint(total([1], 2))\n",
    "gone.py": "print(unknown)\n",
    "notes.txt": "Call total.\n",
    "-x.py": "print(missing)\n",
}
HEAD = {
    "app.py": "def total(items):\n    return sum(itms)\n\n\ntotal(3) + 'a' + undefined_name\n",
    "gone.py": None,
}


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Case]:
    repo = Repo(tmp_path_factory.mktemp("checks") / "repo")
    (repo.path / "link.py").symlink_to("/etc/passwd")
    made = make_case(repo, BASE, HEAD)
    with made.repository:
        yield made


def checks_of(case: Case, cache: Path | None = None, **options: Any) -> Checks:
    return Checks(case.repository, case.change, cache, **options)


@pytest.fixture(scope="module")
def checks(case: Case) -> Checks:
    return checks_of(case)


def test_linters_say_what_is_wrong_at_head_line_by_line(checks: Checks) -> None:
    answer = checks.call("lint_check", {"file_path": "app.py"})
    assert (answer["file_path"], answer["branch"]) == ("app.py", "head")
    assert [row.split(":")[:2] for row in answer["diagnostics"]] == [["2", " ruff/F821"], ["5", " ruff/F821"]]
    assert any(name.startswith("ruff ") for name in answer["checked_by"])


def test_the_same_file_at_base_is_clean_and_silence_is_called_no_proof(checks: Checks) -> None:
    answer = checks.call("lint_check", {"file_path": "app.py", "branch": "base"})
    assert answer["diagnostics"] == []
    assert "silence proves nothing" in answer["note"]


def test_a_file_that_the_change_does_not_touch_can_be_checked(checks: Checks) -> None:
    answer = checks.call("type_check", {"file_path": "caller.py"})
    assert [row.split(":")[0] for row in answer["diagnostics"]] == ["3"]


def test_a_name_that_looks_like_an_option_is_a_file(checks: Checks) -> None:
    (row,) = checks.call("lint_check", {"file_path": "-x.py"})["diagnostics"]
    assert row.startswith("1: ruff/F821")


@pytest.mark.parametrize(
    ("name", "arguments", "advice"),
    [
        ("lint_check", {"file_path": "notes.txt"}, "read it with get_file_context"),
        ("type_check", {"file_path": "notes.txt"}, "read it with get_file_context"),
        ("lint_check", {"file_path": "gone.py"}, "branch 'base'"),
        ("lint_check", {"file_path": "../../etc/passwd"}, "leaves the repository"),
        ("lint_check", {"file_path": "link.py"}, "symbolic link"),
        ("lint_check", {"file_path": "appp.py"}, "did you mean 'app.py'"),
        ("lint_check", {"file_path": "app.py", "branch": "main"}, "'head'"),
        ("lint_check", {"file_path": "app.py", "skip": -1}, "skip is a number"),
        ("lint_check", {"file_path": "app.py", "command": "rm"}, "takes no argument"),
        ("lint_check", {}, "needs the argument 'file_path'"),
        ("lint_check", "app.py", "one JSON object"),
        ("run", {"file_path": "app.py"}, "use one of lint_check, type_check"),
        (None, {}, "there is no tool"),
    ],
)
def test_a_bad_call_is_answered_with_what_to_do_instead(
    checks: Checks, name: Any, arguments: object, advice: str
) -> None:
    answer = checks.call(name, arguments)
    assert advice in answer["error"]
    json.dumps(answer)


def counted(folder: Path, script: str, runs: list[Sequence[str]]) -> Analyser:
    """A linter of which each start on a file is noted; in the sandbox it could not note it itself."""

    def note(arguments: Sequence[str], _version: str, _texts: Sequence[bytes]) -> Sequence[str]:
        runs.append(arguments)
        return arguments

    program = folder / "counted"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return replace(
        RUFF,
        name="counted",
        executable=str(program),
        distribution="",
        version_arguments=(),
        invoke=lambda _tree, _paths: Invocation(("check",)),
        lighten=note,
        accepted_exit_codes=frozenset({0}),
    )


def test_what_was_run_once_is_not_run_again_even_by_talks_at_the_same_time(
    case: Case, tmp_path: Path
) -> None:
    runs: list[Sequence[str]] = []
    tools = checks_of(case, checkers={"lint_check": [counted(tmp_path, "echo '[]'", runs)]})
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: tools.call("lint_check", {"file_path": "app.py"}), range(8)))
    assert all(answer["diagnostics"] == [] for answer in answers)
    assert len(runs) == 1


def test_a_linter_that_hangs_is_ended_and_not_tried_again(case: Case, tmp_path: Path) -> None:
    runs: list[Sequence[str]] = []
    slow = counted(tmp_path, 'case "$1" in check) sleep 600;; esac', runs)
    tools = checks_of(case, checkers={"lint_check": [slow]}, limits=CheckLimits(seconds=0.2))
    for _ in range(2):
        answer = tools.call("lint_check", {"file_path": "app.py"})
        assert "was ended" in answer["error"]
        assert "decide from the code, without lint_check" in answer["error"]
    assert len(runs) == 1


def test_a_linter_that_is_not_installed_is_said_and_the_others_answer(case: Case) -> None:
    missing = replace(RUFF, name="absent", executable="no-such-linter-anywhere")
    alone = checks_of(case, checkers={"lint_check": [missing]})
    assert "absent is not installed" in alone.call("lint_check", {"file_path": "app.py"})["error"]
    both = checks_of(case, checkers={"lint_check": [missing, RUFF]})
    answer = both.call("lint_check", {"file_path": "app.py"})
    assert len(answer["diagnostics"]) == 2
    assert "absent is not installed" in answer["note"]


def test_long_answers_come_in_pages(repo: Repo) -> None:
    many = "".join(f"print(unknown_{number})\n" for number in range(130))
    made = make_case(repo, {"a.py": "x = 1\n"}, {"a.py": many})
    with made.repository:
        tools = checks_of(made, checkers={"lint_check": [RUFF]})
        first = tools.call("lint_check", {"file_path": "a.py"})
        rest = tools.call("lint_check", {"file_path": "a.py", "skip": 100})
    assert (len(first["diagnostics"]), len(rest["diagnostics"])) == (100, 30)
    assert "skip 100" in first["note"]


def test_an_analyser_that_is_switched_off_is_no_tool(case: Case) -> None:
    tools = checks_of(case, analysers_off=["ty"])
    assert [tool["function"]["name"] for tool in tools.descriptions] == ["lint_check"]
    assert "use one of lint_check" in tools.call("type_check", {"file_path": "app.py"})["error"]


def test_joined_tools_answer_as_one(case: Case, checks: Checks) -> None:
    toolbox = Toolbox(case.repository, case.change, written_readers({}))
    joined = JoinedTools(toolbox, checks)
    names = [tool["function"]["name"] for tool in joined.descriptions]
    assert (names[0], names[-2:]) == ("get_file_context", ["lint_check", "type_check"])
    read = joined.call("get_file_context", {"file_path": "notes.txt", "start_line": 1, "end_line": 1})
    assert read["content"] == "1: Call total."
    assert "checked_by" in joined.call("lint_check", {"file_path": "app.py"})
    assert "type_check" in joined.call("write_file", {})["error"]
