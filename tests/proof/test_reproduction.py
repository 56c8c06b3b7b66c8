"""What the runs of a program show about a finding."""

import time
from collections.abc import Sequence

import pytest

from affidavit.proof.reproduction import meets, run_reproduction
from affidavit.records.evidence import ReproductionCheck
from affidavit.records.finding import Expected, Reproduction
from affidavit.records.record import Side
from affidavit.records.run import Program, ProgramRun

FAILS = Expected(exit_code=1, output="ValueError")
WORKS = Expected(exit_code=0, output="^fine")


class Recorded:
    """A runner that has its answers on record, side by side."""

    name = "a record"
    languages = ("python",)

    def __init__(self, base: Sequence[ProgramRun], head: Sequence[ProgramRun]) -> None:
        self._runs = {"base": list(base), "head": list(head)}

    def run(self, program: Program, side: Side, seconds: float | None = None) -> ProgramRun:
        return self._runs[side].pop(0)

    def stop(self) -> None: ...


def ran(side: Side, code: int | None, output: str = "", state: str = "exited") -> ProgramRun:
    return ProgramRun.model_validate({"side": side, "state": state, "exit_code": code, "output": output})


def check(
    base: ProgramRun, head: ProgramRun, second: ProgramRun | None = None, at_base: Expected | None = WORKS
) -> ReproductionCheck:
    reproduction = Reproduction(
        language="python", program="…", expected_at_head=FAILS, expected_at_base=at_base
    )
    return run_reproduction(reproduction, Recorded([base], [head, second or head]))


FINE, BROKEN = ran("base", 0, "fine\n"), ran("head", 1, "ValueError: no\n")


def test_what_fails_at_head_and_works_at_base_is_reproduced() -> None:
    assert check(FINE, BROKEN).outcome == "reproduced"
    assert check(FINE, BROKEN).sandbox == "a record"


def test_what_base_lacks_is_reproduced_as_new() -> None:
    assert check(ran("base", 1, "ImportError"), BROKEN, at_base=None).outcome == "reproduced_new"


@pytest.mark.parametrize("pattern", ["^6$", "^total: 6$", "6$", "(?i)^TOTAL", "^$"])
def test_a_pattern_may_be_about_one_line_of_what_is_printed(pattern: str) -> None:
    said = ran("head", 0, "counting\n6\ntotal: 6\n\n")
    assert meets(said, Expected(exit_code=0, output=pattern))
    assert not meets(said, Expected(exit_code=0, output="^7$"))
    assert not meets(said, Expected(exit_code=0, output="counting.6"))


def test_a_module_of_the_change_that_is_gone_is_nothing_that_an_environment_lacks() -> None:
    own = ran("head", 1, "Error: Cannot find module '/side/src/money' imported from /side/src/label.ts")
    assert check(FINE, own).outcome == "not_reproduced"
    package = ran("head", 1, "Error: Cannot find package 'zod' imported from /side/src/label.ts")
    assert check(FINE, package).outcome == "could_not_run"


@pytest.mark.parametrize("at_base", [WORKS, None])
def test_what_fails_on_both_sides_says_nothing_about_the_change(at_base: Expected | None) -> None:
    assert check(ran("base", 1, "ValueError"), BROKEN, at_base=at_base).outcome == "also_at_base"


def test_what_works_on_both_sides_is_not_reproduced() -> None:
    assert check(FINE, ran("head", 0, "fine\n")).outcome == "not_reproduced"


def test_what_fails_with_another_word_is_not_reproduced() -> None:
    assert check(FINE, ran("head", 1, "KeyError")).outcome == "not_reproduced"


def test_what_fails_at_base_in_another_way_is_not_reproduced() -> None:
    assert check(ran("base", 2, ""), BROKEN).outcome == "not_reproduced"


def test_what_does_not_fail_twice_is_flaky() -> None:
    assert check(FINE, BROKEN, ran("head", 0, "fine\n")).outcome == "flaky"
    assert check(FINE, ran("head", 0, "fine\n"), BROKEN).outcome == "flaky"


def test_what_is_not_started_could_not_be_run_and_says_why() -> None:
    stopped = ProgramRun(side="head", state="not_started", detail="no cobol here")
    done = check(FINE, stopped)
    assert (done.outcome, done.detail) == ("could_not_run", "no cobol here")


@pytest.mark.parametrize(
    ("output", "name"),
    [
        ("ModuleNotFoundError: No module named 'django'", "django"),
        ("Error: Cannot find module 'left-pad'", "left-pad"),
        ("main.go:3:8: no required module provides package example.org/x; to add it:", "example.org/x"),
        ("affidavit_reproduction.sh: 1: jq: not found", "jq"),
    ],
)
def test_a_missing_dependency_is_no_evidence_against_a_finding(output: str, name: str) -> None:
    done = check(ran("base", 1, output), ran("head", 1, output))
    assert done.outcome == "could_not_run"
    assert name in done.detail
    assert "--environment" in done.detail


def test_a_missing_module_that_the_finding_expects_is_reproduced() -> None:
    gone = Expected(exit_code=1, output="No module named 'shop.price'")
    reproduction = Reproduction(language="python", program="…", expected_at_head=gone, expected_at_base=WORKS)
    head = ran("head", 1, "ModuleNotFoundError: No module named 'shop.price'")
    assert run_reproduction(reproduction, Recorded([FINE], [head, head])).outcome == "reproduced"


def test_a_program_that_hangs_is_expected_as_a_shell_says_it() -> None:
    assert meets(ran("head", None, "begun", "timed_out"), Expected(exit_code=124, output="begun"))
    assert not meets(ran("head", None, "", "out_of_memory"), Expected(exit_code=124))


def test_a_hostile_pattern_takes_no_time() -> None:
    started = time.monotonic()
    assert not meets(ran("head", 1, "a" * 200_000 + "!"), Expected(exit_code=1, output="^(a+)+$"))
    assert time.monotonic() - started < 5
