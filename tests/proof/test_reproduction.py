"""What the runs of a program show about a finding."""

import time
from collections.abc import Sequence

import pytest

from affidavit.proof.running.announced import is_said, promises
from affidavit.proof.running.own_names import own_names_of
from affidavit.proof.running.reproduction import (
    VARIES,
    meets,
    run_reproduction,
    settled_by,
    shows_nothing,
    still_fails,
)
from affidavit.records.change import Change, Revision
from affidavit.records.evidence import ReproductionCheck
from affidavit.records.finding import Expected, Reproduction
from affidavit.records.program_runs import AlteredFile, KeptRun, Program, ProgramRun
from affidavit.records.record import Side

OWN = own_names_of(["shop/__init__.py", "shop/price.py", "run.sh"], ["shop/__init__.py", "tests/new.py"])
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
    base: ProgramRun,
    head: ProgramRun,
    second: ProgramRun | None = None,
    at_base: Expected | None = WORKS,
    at_head: Expected = FAILS,
) -> ReproductionCheck:
    reproduction = Reproduction(
        language="python", program="…", expected_at_head=at_head, expected_at_base=at_base
    )
    return run_reproduction(reproduction, Recorded([base], [head, second or head]), OWN)


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


def test_what_prints_otherwise_each_time_and_does_what_was_expected_is_reproduced_and_says_so() -> None:
    heads = [ran("head", 1, f"{drawn}\nValueError: no\n") for drawn in ("0.25", "0.75")]
    done = check(FINE, *heads)
    assert (done.outcome, done.detail) == ("reproduced", VARIES)
    assert done.head == tuple(heads)
    new = check(ran("base", 0, "fine\n"), *heads, at_base=None)
    assert new.outcome == "reproduced_new"
    assert new.detail.endswith(f"prints fine; {VARIES}")
    # What is never the same is no difference.
    addresses = [ran("head", 1, f"ValueError: <Cart at 0x7f00aa{n}bbcc>\n") for n in "12"]
    assert check(FINE, *addresses).detail == ""


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
    assert run_reproduction(reproduction, Recorded([FINE], [head, head]), OWN).outcome == "reproduced"


BLOCKED = (
    "Traceback (most recent call last):\n  File \"a.py\"\nModuleNotFoundError: No module named 'yaml'",
    "Error: Cannot find module 'left-pad'\n  code: 'MODULE_NOT_FOUND'\n}\n\nNode.js v22.1.0",
    "affidavit_reproduction.sh: 1: jq: not found",
    "socket.gaierror: [Errno -3] Temporary failure in name resolution",
    "OSError: [Errno 101] Network is unreachable",
    "TypeError: fetch failed\n  [cause]: Error: connect ECONNREFUSED 127.0.0.1:5432",
    "ConnectionRefusedError: [Errno 111] Connection refused",
    "socket.gaierror: [Errno -2] Name or service not known\n\nThe above exception was the direct cause of "
    "the following exception:\n\nshop.FetchError: no answer",
    "  in _execute_child\nFileNotFoundError: [Errno 2] No such file or directory: 'jq'",
)


@pytest.mark.parametrize("output", BLOCKED)
@pytest.mark.parametrize("pattern", ["", "Error|not found", "fetch failed|FetchError"])
@pytest.mark.parametrize("at_base", [WORKS, None])
def test_a_blocked_run_at_head_is_never_called_reproduced(
    output: str, pattern: str, at_base: Expected | None
) -> None:
    done = check(FINE, ran("head", 1, output), at_base=at_base, at_head=Expected(exit_code=1, output=pattern))
    assert done.outcome == "could_not_run"
    assert "--environment" in done.detail or "no network" in done.detail


BY_NODE = ("failed fetch failed", "TypeError: fetch failed", "code MODULE_NOT_FOUND", "ERR_MODULE_NOT_FOUND")
FULL = (
    "OSError: [Errno 28] No space left on device",
    "failed ENOSPC: no space left on device, write",
    "sqlite3.OperationalError: database or disk is full",
    "OSError: [Errno 27] File too large",
)


@pytest.mark.parametrize("output", [*BY_NODE, *FULL, "failed ENOTFOUND", "EAI_AGAIN"])
@pytest.mark.parametrize("pattern", ["", "failed|code|Error|ERR|EAI"])
@pytest.mark.parametrize("code", [0, 1])
def test_the_few_words_of_a_run_that_was_blocked_are_enough(output: str, pattern: str, code: int) -> None:
    expected = Expected(exit_code=code, output=pattern or "[a-zA-Z]")
    done = check(FINE, ran("head", code, f"{output}\n"), at_head=expected)
    assert done.outcome == "could_not_run"
    fixed = check(ran("base", 1, f"{output}\n"), ran("head", 0, "fine\n"), at_base=Expected(exit_code=1),
                  at_head=WORKS)  # fmt: skip
    assert (fixed.outcome, fixed.detail[:8]) == ("could_not_run", "at base ")


def test_few_words_that_both_sides_say_or_that_name_the_changes_own_module_count_as_ever() -> None:
    both = ran("base", 0, "fine\nfetch failed\n"), ran("head", 1, "fetch failed\nValueError: no\n")
    assert check(*both).outcome == "reproduced"
    own = "Error: Cannot find module './price'\n  code: 'MODULE_NOT_FOUND',\n"
    assert check(FINE, ran("head", 1, own), at_head=Expected(exit_code=1)).outcome == "reproduced"


@pytest.mark.parametrize("output", BLOCKED)
def test_a_blocked_run_at_base_is_no_difference(output: str) -> None:
    fixed = Expected(exit_code=0, output="^fine")
    base, head = ran("base", 1, output), ran("head", 0, "fine\n")
    for at_base in (Expected(exit_code=1), Expected(exit_code=1, output="Error|not found"), None):
        done = check(base, head, at_base=at_base, at_head=fixed)
        assert (done.outcome, done.detail[:8]) == ("could_not_run", "at base ")


def test_what_is_blocked_on_both_sides_is_no_evidence_against_a_finding() -> None:
    both = [ran(side, 1, BLOCKED[0]) for side in ("base", "head")]
    assert check(*both, at_head=Expected(exit_code=1)).outcome == "could_not_run"


def test_an_error_of_the_network_that_a_program_catches_and_prints_shows_nothing() -> None:
    caught = ran("head", 0, "gaierror\n")
    assert check(FINE, caught, at_head=Expected(exit_code=0, output="gaierror")).outcome == "could_not_run"


def test_what_fails_beside_a_warning_about_the_network_is_reproduced() -> None:
    head = ran("head", 1, "cannot report usage: Network is unreachable\nValueError: no\n")
    assert check(FINE, head).outcome == "reproduced"


@pytest.mark.parametrize(
    "output",
    [
        "ModuleNotFoundError: No module named 'shop.price'",
        "ImportError: No module named 'shop.other'; 'shop' has none",
        "affidavit_reproduction.sh: 1: run.sh: not found",
        "Error: Cannot find module './price'",
    ],
)
def test_what_the_change_itself_takes_away_is_a_true_failure(output: str) -> None:
    assert check(FINE, ran("head", 1, output), at_head=Expected(exit_code=1)).outcome == "reproduced"


def test_what_base_lacks_is_said_as_it_was_seen() -> None:
    gone = check(ran("base", 1, "AttributeError: no attribute 'tax'\n"), BROKEN, at_base=None)
    assert (gone.outcome, gone.detail) == (
        "reproduced_new",
        "base lacks it: AttributeError: no attribute 'tax'",
    )
    there = check(ran("base", 0, "one\nfine\n"), BROKEN, at_base=None)
    assert there.outcome == "reproduced_new"
    assert there.detail == "nothing was declared for base, which has exit code 0 and prints fine"


def test_who_exits_with_124_has_ended_in_time() -> None:
    hangs = Expected(exit_code=124)
    exits = check(FINE, ran("head", 124, ""), at_head=hangs)
    assert exits.outcome == "not_reproduced"
    assert "by itself" in exits.detail
    assert check(FINE, ran("head", None, "", "timed_out"), at_head=hangs).outcome == "reproduced"


def test_a_program_that_hangs_is_expected_as_a_shell_says_it() -> None:
    assert meets(ran("head", None, "begun", "timed_out"), Expected(exit_code=124, output="begun"))
    assert not meets(ran("head", None, "", "out_of_memory"), Expected(exit_code=124))


def test_a_hostile_pattern_takes_no_time() -> None:
    started = time.process_time()
    assert not meets(ran("head", 1, "a" * 200_000 + "!"), Expected(exit_code=1, output="^(a+)+$"))
    assert time.process_time() - started < 5


@pytest.mark.parametrize("flood", ["a" * 250_000, ("b" * 1999 + "\n") * 125, "x: " * 80_000])
def test_a_flood_of_output_is_looked_through_in_no_time(flood: str) -> None:
    started = time.process_time()
    assert check(ran("base", 1, flood), ran("head", 1, f"{flood}\nValueError")).outcome == "not_reproduced"
    assert time.process_time() - started < 5


def without(run: ProgramRun, *names: str) -> ProgramRun:
    return run.model_copy(update={"missing": names})


@pytest.mark.parametrize("at_base", [WORKS, None])
def test_head_that_goes_on_without_a_package_reproduces_nothing(at_base: Expected | None) -> None:
    done = check(FINE, without(BROKEN, "ujson"), at_base=at_base)
    assert done.outcome == "could_not_run"
    assert done.detail.startswith("ujson is not there, and the code at head goes on without it: name an")
    # Nor does it speak against the finding that head ends well so.
    assert check(FINE, without(ran("head", 0, "fine\n"), "ujson")).outcome == "could_not_run"
    assert check(without(FINE, "ujson"), BROKEN).detail.startswith("ujson is not there, and the code at base")


def test_what_both_sides_go_on_without_or_the_change_itself_took_away_counts_as_ever() -> None:
    assert check(without(FINE, "ujson"), without(BROKEN, "ujson")).outcome == "reproduced"
    assert check(FINE, without(BROKEN, "shop")).outcome == "reproduced"


@pytest.mark.parametrize("path", ["redis.conf", "redis/redis.conf", "docs/redis.md", "redis/index.html"])
def test_a_file_that_nobody_can_import_is_no_package_of_the_repository(path: str) -> None:
    assert not own_names_of([path], []).has("redis")
    assert own_names_of([path, "redis.py"], []).has("redis")


def trying(run: ProgramRun, *hosts: str) -> ProgramRun:
    return run.model_copy(update={"unreached": hosts})


def test_a_side_that_goes_on_without_the_network_alone_reproduces_nothing() -> None:
    done = check(FINE, trying(BROKEN, "example.com"))
    assert done.outcome == "could_not_run"
    assert done.detail.startswith("example.com cannot be reached, and the code at head goes on without it: ")
    assert "code at base" in check(trying(FINE, "localhost:5432"), BROKEN).detail
    assert check(trying(FINE, "a.org"), trying(BROKEN, "a.org", "b.org")).outcome == "could_not_run"
    assert check(trying(FINE, "a.org"), trying(BROKEN, "a.org")).outcome == "reproduced"


def reading(run: ProgramRun, path: str, **how: bool) -> ProgramRun:
    return run.model_copy(update={"altered": (AlteredFile(path=path, **how),)})


@pytest.mark.parametrize("how", [{"is_left_out": True}, {"is_changed": True}])
def test_a_side_that_read_what_is_not_its_commits_reproduces_nothing(how: dict[str, bool]) -> None:
    for base, head in (
        (FINE, reading(BROKEN, "data.json", **how)),
        (reading(FINE, "data.json", **how), BROKEN),
    ):
        done = check(base, head)
        assert done.outcome == "could_not_run"
        assert "it read data.json, which " in done.detail
        assert shows_nothing(KeptRun(program=Program(language="sh", text=""), base=base, head=head), OWN)
    # Nor does it speak against the finding.
    assert check(FINE, reading(ran("head", 0, "fine\n"), "data.json", **how)).outcome == "could_not_run"


def test_a_file_without_its_secrets_that_both_sides_have_and_read_alike_counts_as_ever() -> None:
    both = reading(FINE, "settings.py"), reading(BROKEN, "settings.py")
    assert check(*both).outcome == "reproduced"
    alone = check(FINE, reading(BROKEN, "settings.py"))
    assert alone.outcome == "could_not_run"
    assert alone.detail.startswith(
        "at head alone it read settings.py, which its copy has without the secrets"
    )
    # What a run that was ended has read, beside files of the change, is not known.
    hangs = check(both[0], ran("head", None, "", "timed_out"), at_head=Expected(exit_code=124))
    assert hangs.outcome == "reproduced"


LIMITS = ["timed_out", "out_of_memory", "out_of_disk", "too_many_processes", "flooded"]


@pytest.mark.parametrize("state", LIMITS)
def test_a_run_that_a_limit_ended_unexpectedly_says_nothing_for_or_against(state: str) -> None:
    for base, head in ((FINE, ran("head", None, "", state)), (ran("base", None, "", state), BROKEN)):
        done = check(base, head)
        assert done.outcome == "could_not_run"
        assert "and was ended: " in done.detail or "its disk was full: " in done.detail


def test_a_program_that_was_blocked_decides_nothing_and_one_that_does_not_end_may() -> None:
    program = Program(language="python", text="…")
    blocked = KeptRun(program=program, base=FINE, head=ran("head", 1, BLOCKED[0]))
    assert shows_nothing(blocked, OWN).startswith("at head yaml is not there")
    assert shows_nothing(KeptRun(program=program, base=FINE, head=without(BROKEN, "ujson")), OWN)
    for head in (BROKEN, ran("head", None, "", "timed_out")):
        assert shows_nothing(KeptRun(program=program, base=FINE, head=head), OWN) == ""


STILL = Reproduction(
    language="python",
    program="…",
    expected_at_head=FAILS,
    expected_at_base=FAILS,
    expected_when_fixed=WORKS,
    promised="Empty carts no longer fail",
)


@pytest.mark.parametrize(
    ("said", "outcome"),
    [("fix: empty carts no longer fail.", "promised"), ("fix: carts", "also_at_base")],
)
def test_what_the_change_promises_and_does_not_do_is_shown_without_a_difference(
    said: str, outcome: str
) -> None:
    base = BROKEN.model_copy(update={"side": "base"})
    shown = run_reproduction(STILL, Recorded([base], [BROKEN, BROKEN]), OWN, said)
    assert (shown.outcome, shown.is_shown_by_running) == (outcome, outcome == "promised")


def test_the_change_itself_says_what_it_promises() -> None:
    about = {"title": "Fix carts", "description": "Empty carts no\nlonger fail."}
    change = Change(source="range", target="a..b", base=Revision(tree=""), head=Revision(tree=""), files=())
    assert is_said("empty carts no longer fail", promises(change.model_copy(update=about)))
    assert not is_said("carts", promises(change.model_copy(update=about)))


@pytest.mark.parametrize(
    ("patched", "passed"),
    [
        (ran("head", 0, "fine\n"), True),
        (ran("head", 1, "ValueError: still\n"), False),
        (ran("head", 3), False),
    ],
)
def test_a_patch_is_judged_by_what_a_fixed_head_does(patched: ProgramRun, passed: bool) -> None:
    runner = Recorded([ran("base", 2, "no such command\n")], [BROKEN, BROKEN, patched])
    new = STILL.model_copy(update={"expected_at_base": None, "promised": None})
    shown = run_reproduction(new, runner, OWN, patch="a patch")
    assert (shown.outcome, shown.patched) == ("reproduced_new", patched)
    assert settled_by(new, BROKEN, patched, OWN)[0] is passed
    assert still_fails(new, patched) is (patched.exit_code == 1)
