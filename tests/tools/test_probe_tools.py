"""`compare_behaviour`: several probes at once, each kept under its name, bad calls answered kindly."""

from typing import Any

import pytest

from affidavit.proof.running.own_names import NOTHING_OWN, own_names_of
from affidavit.proof.running.reproduction import MAX_OUTPUT, shortened, state_of
from affidavit.records.program_runs import Program, ProgramRun
from affidavit.records.record import Side
from affidavit.tools.programs import MAX_AT_ONCE, ProbeTools


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
    answer = ProbeTools(runner, NOTHING_OWN).call(
        "compare_behaviour", {"probes": [probe("one", "a"), probe("two", "b")]}
    )
    one, two = answer["probes"]
    assert (one["outcome"], one["on_both_sides"]["output"]) == ("alike", "a\n")
    assert (two["outcome"], two["at_base"]["output"], two["at_head"]["output"]) == ("differs", "b\n", "c\n")
    assert runner.runs == 2 + 4


def test_a_name_that_is_used_again_replaces_its_first_program() -> None:
    tools = ProbeTools(Sided(), NOTHING_OWN)
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
    tools = ProbeTools(runner, NOTHING_OWN)
    assert tools.call("compare_behaviour", arguments).keys() == {"error"}
    assert (runner.runs, tools.probes) == (0, ())


def test_a_call_over_the_limit_runs_as_many_as_it_may_and_names_the_others() -> None:
    tools = ProbeTools(Sided(), NOTHING_OWN)
    many = [probe(f"p{number}", "a") for number in range(MAX_AT_ONCE + 2)]
    answer = tools.call("compare_behaviour", {"probes": many})
    assert len(answer["probes"]) == len(tools.probes) == MAX_AT_ONCE
    assert answer["left_out"].endswith(f": p{MAX_AT_ONCE}; p{MAX_AT_ONCE + 1}")
    (described,) = tools.descriptions
    assert described["function"]["parameters"]["properties"]["probes"]["maxItems"] == MAX_AT_ONCE


def test_all_probes_share_a_prelude_and_files_and_keep_the_joined_text() -> None:
    tools = ProbeTools(Sided(), NOTHING_OWN)
    shared, own = {"path": "set_up.py", "content": "1"}, {"path": "set_up.py", "content": "2"}
    probes = [probe("one", "a()"), {**probe("two", "b()"), "files": [own]}]
    tools.call("compare_behaviour", {"probes": probes, "prelude": "import x\n", "files": [shared]})
    assert [one.program.text for one in tools.probes] == ["import x\na()", "import x\nb()"]
    assert [file.content for one in tools.probes for file in one.program.files] == ["1", "2"]


def test_every_answer_says_how_much_time_is_left_for_programs() -> None:
    tools = ProbeTools(Ending(left_seconds=41), NOTHING_OWN)
    answer = tools.call("compare_behaviour", {"probes": [probe("one", "a")]})
    assert answer["seconds_left_for_programs"] == 41


def test_a_result_that_speaks_of_a_missing_module_is_compared() -> None:
    ran = {"output": "ModuleNotFoundError: No module named 'plugin'\n"}
    (row,) = ProbeTools(Ending(**ran), NOTHING_OWN).call(
        "compare_behaviour", {"probes": [probe("one", "a")]}
    )["probes"]
    assert row["outcome"] == "differs"


def test_a_difference_in_the_middle_of_a_long_output_is_seen() -> None:
    long = "x" * MAX_OUTPUT
    tools = ProbeTools(Sided({f"{long}a{long}": f"{long}b{long}"}), NOTHING_OWN)
    tools.call("compare_behaviour", {"probes": [probe("long", f"{long}a{long}")]})
    (kept,) = tools.probes
    assert state_of(kept, NOTHING_OWN) == "differs"
    assert len(kept.base[0].output) < MAX_OUTPUT + 200
    assert shortened("short") == "short"


class Ending:
    """A runner whose runs at head end in a way of their own."""

    name = "endings"
    languages = ("python",)

    def __init__(self, **at_head: Any) -> None:
        self._at_head = {"state": "exited", "exit_code": 0, "output": "fine\n", **at_head}

    def run(self, program: Program, side: Side, seconds: float | None = None) -> ProgramRun:
        at_base = {"state": "exited", "exit_code": 0, "output": "fine\n"}
        return ProgramRun.model_validate({"side": side, **(at_base if side == "base" else self._at_head)})

    def stop(self) -> None: ...


BLOCKED_AT_HEAD: list[tuple[dict[str, Any], str]] = [
    (
        {"exit_code": 1, "output": "ModuleNotFoundError: No module named 'yaml'\n"},
        "at head yaml is not there",
    ),
    ({"exit_code": 1, "output": "OSError: Network is unreachable\n"}, "at head it opened a connection"),
    ({"output": "no answer: Connection refused\n"}, "at head it opened a connection"),
    ({"state": "timed_out", "exit_code": None}, "at head it took too long, and was ended"),
    ({"state": "out_of_memory", "exit_code": None}, "at head it took too much memory, and was ended"),
    ({"state": "not_started", "exit_code": None, "detail": "no time left"}, "at head no time left"),
    ({"output": "2\n", "missing": ("ujson",)}, "ujson is not there, and the code at head goes on without it"),
]


@pytest.mark.parametrize(("at_head", "because"), BLOCKED_AT_HEAD)
def test_where_one_side_was_blocked_nothing_was_compared_and_it_is_said_why(
    at_head: dict[str, Any], because: str
) -> None:
    tools = ProbeTools(Ending(**at_head), NOTHING_OWN)
    answer = tools.call("compare_behaviour", {"probes": [probe("one", "a")]})
    assert answer["summary"] == "1 nothing was compared"
    (row,) = answer["probes"]
    assert row["outcome"] == "nothing was compared"
    assert row["because"].startswith(because)
    # Only the user can name one.
    assert "--environment" not in row["because"]


def test_what_the_repository_has_itself_is_no_part_of_the_surroundings() -> None:
    gone = {"exit_code": 1, "output": "ModuleNotFoundError: No module named 'shop'\n", "missing": ("shop",)}
    tools = ProbeTools(Ending(**gone), own_names_of(["shop.py"], []))
    (row,) = tools.call("compare_behaviour", {"probes": [probe("one", "a")]})["probes"]
    assert row["outcome"] == "differs"


def test_what_both_sides_miss_and_what_varies_by_itself_is_no_difference() -> None:
    (row,) = ProbeTools(Sided({"<A at 0x7f00deadbeef>": "<A at 0x7f00deadbee0>"}), NOTHING_OWN).call(
        "compare_behaviour", {"probes": [probe("one", "<A at 0x7f00deadbeef>")]}
    )["probes"]
    assert row["outcome"] == "alike"
