"""`compare_behaviour`: several probes at once, each kept under its name, bad calls answered kindly."""

from typing import Any

import pytest

from affidavit.proof.behaviour import MAX_OUTPUT, shortened, state_of
from affidavit.records.record import Side
from affidavit.records.run import Program, ProgramRun
from affidavit.tools.probes import MAX_AT_ONCE, ProbeTools


class Sided:
    """A runner that prints the program's text, and at head what is said to replace it."""

    name = "sides"
    languages = ("python",)

    def __init__(self, at_head: dict[str, str] | None = None) -> None:
        self._at_head = at_head or {}
        self.runs = 0

    def run(self, program: Program, side: Side, seconds: float | None = None) -> ProgramRun:
        self.runs += 1
        text = self._at_head.get(program.text, program.text) if side == "head" else program.text
        return ProgramRun(side=side, state="exited", exit_code=0, output=text)

    def stop(self) -> None: ...


def probe(name: str, text: str) -> dict[str, Any]:
    return {"name": name, "language": "python", "program": text}


def test_what_differs_is_shown_on_both_sides_and_what_is_alike_once() -> None:
    runner = Sided({"b": "c"})
    answer = ProbeTools(runner).call("compare_behaviour", {"probes": [probe("one", "a"), probe("two", "b")]})
    one, two = answer["probes"]
    assert (one["outcome"], one["on_both_sides"]["output"]) == ("alike", "a")
    assert (two["outcome"], two["at_base"]["output"], two["at_head"]["output"]) == ("differs", "b", "c")
    assert runner.runs == 2 + 4


def test_a_name_that_is_used_again_replaces_its_first_program() -> None:
    tools = ProbeTools(Sided())
    for text in ("a", "b"):
        tools.call("compare_behaviour", {"probes": [probe("one", text)]})
    assert [kept.program.text for kept in tools.probes] == ["b"]


@pytest.mark.parametrize(
    "arguments",
    [
        None,
        [],
        {},
        {"probes": "print(1)"},
        {"probes": []},
        {"probes": [probe(str(number), "a") for number in range(MAX_AT_ONCE + 1)]},
        {"probes": [probe("same", "a"), probe("same", "b")]},
        {"probes": [{"name": "x"}]},
        {"probes": [probe(" ", "a")]},
        {"probes": [probe("x", " ")]},
        {"probes": [{**probe("x", "a"), "files": "b"}]},
        {"probes": [probe("x", "a")], "seconds": 0},
        {"probes": [probe("x", "a")], "side": "head"},
    ],
)
def test_a_bad_call_runs_nothing_and_says_what_to_send(arguments: object) -> None:
    runner = Sided()
    tools = ProbeTools(runner)
    assert tools.call("compare_behaviour", arguments).keys() == {"error"}
    assert (runner.runs, tools.probes) == (0, ())


def test_a_difference_in_the_middle_of_a_long_output_is_seen() -> None:
    long = "x" * MAX_OUTPUT
    tools = ProbeTools(Sided({f"{long}a{long}": f"{long}b{long}"}))
    tools.call("compare_behaviour", {"probes": [probe("long", f"{long}a{long}")]})
    (kept,) = tools.probes
    assert state_of(kept) == "differs"
    assert len(kept.base[0].output) < MAX_OUTPUT + 200
    assert shortened("short") == "short"
