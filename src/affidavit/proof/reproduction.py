"""Run a declared reproduction on both sides, and say what that shows: a runner in, an outcome out."""

import re
from collections.abc import Sequence

from affidavit.contract.reproduction_reader import compile_pattern
from affidavit.ports import Runner
from affidavit.records.evidence import ReproductionCheck, ReproductionOutcome
from affidavit.records.finding import Expected, Reproduction
from affidavit.records.record import Side
from affidavit.records.run import ProgramRun

TIMED_OUT = 124
"""The exit code by which a program is expected not to end; that of the command `timeout`."""
MISSING = re.compile(
    r"No module named '?([\w.]+)|Cannot find (?:module|package) '([^'./][^']*)'"
    r"|no required module provides package ([\w./-]+)|cannot load such file -- ([\w/.-]+)"
    r"|([\w.-]+): (?:command )?not found"
)
"""What an interpreter says where a dependency is not there."""
IN_AN_ENVIRONMENT = "name an environment that has it with --environment"


def run_reproduction(reproduction: Reproduction, runner: Runner) -> ReproductionCheck:
    """Once at base, twice at head; only what the machine sees counts."""
    runs: list[ProgramRun] = []
    sides: tuple[Side, ...] = ("head", "base", "head")
    for side in sides:
        run = runner.run(reproduction.as_program, side)
        runs.append(run)
        if run.state == "not_started":
            return ReproductionCheck(outcome="could_not_run", detail=run.detail, sandbox=runner.name)
    base = next(run for run in runs if run.side == "base")
    heads = tuple(run for run in runs if run.side == "head")
    outcome, detail = outcome_of(reproduction, base, heads)
    return ReproductionCheck(outcome=outcome, detail=detail, base=base, head=heads, sandbox=runner.name)


def outcome_of(
    reproduction: Reproduction, base: ProgramRun, heads: Sequence[ProgramRun]
) -> tuple[ReproductionOutcome, str]:
    """What the runs show, and why it is not more."""
    at_head = reproduction.expected_at_head
    as_expected = [meets(run, at_head) for run in heads]
    if any(as_expected) and not all(as_expected):
        return "flaky", "run twice at head, it did not do the same"
    if not all(as_expected):
        lacking = lacking_in(heads[0])
        if lacking:
            return "could_not_run", f"{lacking} is not there: {IN_AN_ENVIRONMENT}"
        return "not_reproduced", f"at head it ended otherwise than expected ({heads[0].summary})"
    if meets(base, at_head):
        return "also_at_base", "base does the same as head"
    if reproduction.expected_at_base is None:
        return "reproduced_new", ""
    if not meets(base, reproduction.expected_at_base):
        return "not_reproduced", f"at base it ended otherwise than expected ({base.summary})"
    return "reproduced", ""


def meets(run: ProgramRun, expected: Expected) -> bool:
    """Whether a run did what was expected."""
    code = TIMED_OUT if run.state == "timed_out" else run.exit_code
    if code != expected.exit_code:
        return False
    return not expected.output or bool(compile_pattern(expected.output).search(run.output))


def lacking_in(run: ProgramRun) -> str:
    """What a program lacks that the environment should have."""
    found = MISSING.search(run.output) if run.state == "exited" and run.exit_code else None
    return next((name for name in found.groups() if name), "") if found else ""
