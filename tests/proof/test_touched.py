"""A run that read nothing of the change proves nothing about it."""

import pytest

from affidavit.proof.running.own_names import OwnNames
from affidavit.proof.running.reproduction import outcome_of, state_of
from affidavit.proof.running.touched import NOTHING_TOUCHED, files_seen, is_untouched
from affidavit.records.evidence import ToolUse
from affidavit.records.finding import Expected, Reproduction
from affidavit.records.program_runs import ProbeRun, Program, ProgramRun
from affidavit.records.record import Side
from affidavit.records.report import Reply

OWN = OwnNames(changed=frozenset({"shop.py", "package.json"}))
SHOWS = Reproduction(
    language="python",
    program="print(1)",
    expected_at_base=Expected(exit_code=0),
    expected_at_head=Expected(exit_code=1),
)


def ran(side: Side, touched: tuple[str, ...] | None, exit_code: int = 0) -> ProgramRun:
    return ProgramRun(side=side, state="exited", exit_code=exit_code, touched=touched)


def probe(base: ProgramRun, head: ProgramRun, name: str = "a probe") -> ProbeRun:
    return ProbeRun(
        name=name, program=Program(language="python", text="print(1)"), base=(base,), head=(head,)
    )


@pytest.mark.parametrize(
    ("at_base", "at_head", "expected"),
    [
        ((), (), True),
        ((), ("shop.py",), False),
        (("shop.py",), (), False),
        # Interpreters read it for any program.
        (("package.json",), ("package.json",), True),
        # A run that was cut off may have read anything.
        ((), None, False),
    ],
)
def test_runs_are_untouched_only_if_it_is_known_that_none_read_the_change(
    at_base: tuple[str, ...], at_head: tuple[str, ...] | None, expected: bool
) -> None:
    assert is_untouched((ran("base", at_base), ran("head", at_head)), OWN.changed) is expected


def test_a_change_of_a_manifest_alone_is_touched_by_who_reads_it() -> None:
    runs = (ran("base", ("package.json",)), ran("head", ("package.json",)))
    assert not is_untouched(runs, {"package.json"})


def test_a_reproduction_that_read_nothing_of_the_change_shows_nothing() -> None:
    def outcome(touched: tuple[str, ...]) -> tuple[str, str]:
        return outcome_of(SHOWS, ran("base", touched), [ran("head", touched, 1)] * 2, OWN)

    assert outcome(()) == ("not_reproduced", NOTHING_TOUCHED)
    assert outcome(("shop.py",))[0] == "reproduced"


def test_a_probe_that_read_nothing_of_the_change_is_not_alike_but_a_difference_stays_one() -> None:
    assert state_of(probe(ran("base", ()), ran("head", ())), OWN) == "untouched"
    assert state_of(probe(ran("base", ("shop.py",)), ran("head", ("shop.py",))), OWN) == "alike"
    assert state_of(probe(ran("base", ()), ran("head", (), 1)), OWN) == "differs"


def test_an_experimenter_covers_only_the_files_that_it_read_or_ran() -> None:
    paths = ("shop.py", "read.py", "other.py")
    reply = Reply(
        specialist="experimenter@2",
        kind="model",
        text="{}",
        uses=(ToolUse(tool="get_file_context", read=("read.py",)),),
        probes=(probe(ran("base", ()), ran("head", ("shop.py",))),),
    )
    assert files_seen(reply, paths) == ("shop.py", "read.py")
    assert files_seen(reply.model_copy(update={"specialist": "logic"}), paths) == paths
