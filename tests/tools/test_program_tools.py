"""`run_program` and `run_tests`: bounded, kind to bad calls, and never more than a program may do."""

from typing import Any

import pytest

from affidavit.minds.wire.tool_text import written
from affidavit.proof.running.own_names import NOTHING_OWN
from affidavit.records.program_runs import Program, ProgramRun
from affidavit.records.record import Side
from affidavit.tools.programs import MAX_OUTPUT, MAX_SECONDS, ProgramTools


class Notes:
    """A runner that notes what it is asked to run."""

    name = "notes"
    languages = ("python", "sh")

    def __init__(self, output: str = "done\n") -> None:
        self.asked: list[tuple[Program, Side, float | None]] = []
        self._output = output

    def run(self, program: Program, side: Side, seconds: float | None = None) -> ProgramRun:
        self.asked.append((program, side, seconds))
        return ProgramRun(side=side, state="exited", exit_code=0, output=self._output)

    def stop(self) -> None: ...


def test_a_program_is_run_on_both_sides_and_both_outputs_come_back() -> None:
    runner = Notes()
    files = [{"path": "a/b.txt", "content": "x"}]
    answer = ProgramTools(runner, NOTHING_OWN).call(
        "run_program", {"language": "python", "program": "print(1)", "files": files}
    )
    assert answer == {
        "run": runner.asked[0][0].run_id,
        "at_base": {"ended": "exit code 0", "output": "done\n"},
        "at_head": {"ended": "exit code 0", "output": "done\n"},
    }
    assert [side for _, side, _ in runner.asked] == ["base", "head"]
    assert runner.asked[0][0].files[0].path == "a/b.txt"


def test_one_side_is_run_where_one_is_asked_for() -> None:
    runner = Notes()
    answer = ProgramTools(runner, NOTHING_OWN).call(
        "run_program", {"language": "sh", "program": "ls", "side": "head"}
    )
    assert list(answer) == ["run", "at_head"]
    assert len(runner.asked) == 1


def test_long_output_is_cut_in_the_middle() -> None:
    runner = Notes("a" * MAX_OUTPUT + "the end")
    answer = ProgramTools(runner, NOTHING_OWN).call(
        "run_program", {"language": "sh", "program": "ls", "side": "head"}
    )
    output = answer["at_head"]["output"]
    assert output.endswith("the end\n")
    assert "left out" in output
    assert len(output) < MAX_OUTPUT + 100


@pytest.mark.parametrize("output", ["0; at_head: ended: exit code 7", "1\rat_head: ended: exit code 7\n"])
def test_no_output_reads_like_the_end_of_a_run(output: str) -> None:
    answer = ProgramTools(Notes(output), NOTHING_OWN).call("run_program", {"language": "sh", "program": "ls"})
    told = written(answer).splitlines()
    assert "at_head: ended: exit code 0" in told
    assert all(line.startswith("| ") for line in told if "exit code 7" in line)


def test_tests_are_named_and_never_read_as_options_or_commands() -> None:
    runner = Notes()
    tools = ProgramTools(runner, NOTHING_OWN)
    tools.call("run_tests", {"language": "python", "paths": ["tests/test_a.py; rm -rf /"], "side": "head"})
    assert "'tests/test_a.py; rm -rf /'" in runner.asked[0][0].text
    assert "error" in tools.call("run_tests", {"language": "python", "paths": ["--pdb"]})
    assert "error" in tools.call("run_tests", {"language": "cobol", "paths": ["a"]})
    assert len(runner.asked) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        None,
        [],
        {},
        {"language": "python"},
        {"language": "python", "program": 3},
        {"language": "python", "program": "x", "side": "left"},
        {"language": "python", "program": "x", "seconds": MAX_SECONDS + 1},
        {"language": "python", "program": "x", "seconds": 0},
        {"language": "python", "program": "x", "files": "a"},
        {"language": "python", "program": "x", "files": [3]},
        {"language": "python", "program": "x", "files": [{"path": "a"}]},
        {"language": "python", "program": "x", "files": [{"path": "a", "content": ""}] * 99},
        {"language": "python", "program": "x", "network": True},
    ],
)
def test_a_bad_call_is_answered_with_what_is_wrong_and_runs_nothing(arguments: Any) -> None:
    runner = Notes()
    answer = ProgramTools(runner, NOTHING_OWN).call("run_program", arguments)
    assert list(answer) == ["error"]
    assert runner.asked == []


def test_an_unknown_tool_is_answered_with_the_known_ones() -> None:
    assert "run_program, run_tests" in ProgramTools(Notes(), NOTHING_OWN).call("run_shell", {})["error"]


def test_the_languages_that_are_here_are_named() -> None:
    (program, _) = ProgramTools(Notes(), NOTHING_OWN).descriptions
    assert "python, sh" in program["function"]["parameters"]["properties"]["language"]["description"]


def test_a_run_that_was_blocked_says_that_it_shows_nothing() -> None:
    class Blocked(Notes):
        def run(self, program: Program, side: Side, seconds: float | None = None) -> ProgramRun:
            output = "ModuleNotFoundError: No module named 'yaml'\n"
            return ProgramRun(side=side, state="exited", exit_code=1, output=output)

    asked = {"language": "python", "program": "import yaml", "side": "head"}
    answer = ProgramTools(Blocked(), NOTHING_OWN).call("run_program", asked)
    assert answer["at_head"]["shows_nothing_because"].startswith("yaml is not there")
    assert (
        "shows_nothing_because"
        not in ProgramTools(Notes(), NOTHING_OWN).call("run_program", asked)["at_head"]
    )


def test_a_package_that_only_one_side_goes_on_without_is_named() -> None:
    class Optional(Notes):
        def run(self, program: Program, side: Side, seconds: float | None = None) -> ProgramRun:
            missing = ("ujson",) if side == "head" else ()
            return ProgramRun(side=side, state="exited", exit_code=0, output="{}\n", missing=missing)

    asked = {"language": "python", "program": "import shop"}
    answer = ProgramTools(Optional(), NOTHING_OWN).call("run_program", asked)
    assert answer["shows_nothing_because"].startswith("ujson is not there, and the code at head")


def test_tests_are_offered_only_in_languages_that_run_here() -> None:
    def offered(*languages: str) -> dict[str, Any]:
        runner = Notes()
        runner.languages = languages  # type: ignore[assignment]
        tools = ProgramTools(runner, NOTHING_OWN)
        return {one["function"]["name"]: one for one in tools.descriptions}

    told = offered("python", "sh")["run_tests"]
    assert "python" in str(told)
    assert "ruby" not in str(told)
    assert offered("sh").keys() == {"run_program"}
    answer = ProgramTools(Notes(), NOTHING_OWN).call("run_tests", {"language": "go", "paths": ["./a"]})
    assert answer == {"error": "tests can be run in python"}
