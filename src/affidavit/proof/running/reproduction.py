"""Run a declared reproduction on both sides, and say what that shows: a runner in, an outcome out."""

import re
from collections.abc import Sequence

from affidavit.contract.reproduction_reader import compile_pattern
from affidavit.ports import Runner
from affidavit.proof.running.both_sides import unlike_surroundings
from affidavit.proof.running.own_names import OwnNames
from affidavit.proof.running.surroundings import blocked_by, lacking_in, missing_words, stopped_by
from affidavit.proof.running.varying import steady
from affidavit.records.evidence import ReproductionCheck, ReproductionOutcome
from affidavit.records.finding import Expected, Reproduction
from affidavit.records.record import Side
from affidavit.records.runs.run import ProgramRun

TIMED_OUT = 124
"""The exit code by which a program is expected not to end; that of the command `timeout`."""
NAME_IS_MISSING = re.compile(
    r"\b(?:ImportError|ModuleNotFoundError|AttributeError|NameError|FileNotFoundError|NoMethodError|LoadError)\b"
    r"|Cannot find (?:module|package)|is not a (?:function|constructor)|is not defined|\bundefined: "
    r"|does not provide an export|undefined (?:method|function|local variable|reference)"
    r"|Call to undefined|unexpected keyword argument|takes \d+ positional argument|takes no arguments"
    r"|unrecognized arguments|[Nn]o such (?:option|file|command)|[Uu]nknown (?:option|command|flag)"
    r"|not found\b|cannot find (?:package|module)|is not in std|no field or method|ENOENT"
)
"""What is said where code, a name in it or a file is not there."""
MAX_SAID = 200
VARIES = "run twice at head, it did what was expected both times, and did not print the same"
NOT_DECLARED = "nothing was declared for base"


def run_reproduction(reproduction: Reproduction, runner: Runner, own: OwnNames) -> ReproductionCheck:
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
    outcome, detail = outcome_of(reproduction, base, heads, own)
    return ReproductionCheck(outcome=outcome, detail=detail, base=base, head=heads, sandbox=runner.name)


def outcome_of(
    reproduction: Reproduction, base: ProgramRun, heads: Sequence[ProgramRun], own: OwnNames
) -> tuple[ReproductionOutcome, str]:
    """What the runs show, and why it is not more."""
    at_head, at_base = reproduction.expected_at_head, reproduction.expected_at_base
    blocked = next(filter(None, (hindered(run, at_head, own, (base,)) for run in heads)), "")
    blocked = blocked or unlike_surroundings((base,), heads, own)
    if blocked:
        return "could_not_run", blocked
    as_expected = [meets(run, at_head) for run in heads]
    if any(as_expected) and not all(as_expected):
        return "flaky", "run twice at head, it did not do the same"
    if not all(as_expected):
        return "not_reproduced", f"at head it ended otherwise than expected ({ending_of(heads[0], at_head)})"
    if blocked := hindered(base, at_base, own, heads):
        return "could_not_run", f"at base {blocked}"
    outcome, detail = _compared_with(base, at_head, at_base)
    if varies(heads) and outcome in ("reproduced", "reproduced_new"):
        detail = f"{detail}; {VARIES}" if detail else VARIES
    return outcome, detail


def varies(runs: Sequence[ProgramRun]) -> bool:
    """Whether runs of one side did not print the same, beside what is never the same."""
    return len({steady(run.output) for run in runs}) > 1


def _compared_with(
    base: ProgramRun, at_head: Expected, at_base: Expected | None
) -> tuple[ReproductionOutcome, str]:
    """What base says of a program that did at head what was expected."""
    if meets(base, at_head):
        return "also_at_base", "base does the same as head"
    if at_base is None:
        return "reproduced_new", _seen_at_base(base)
    if not meets(base, at_base):
        return "not_reproduced", f"at base it ended otherwise than expected ({ending_of(base, at_base)})"
    return "reproduced", ""


def hindered(
    run: ProgramRun, expected: Expected | None, own: OwnNames, others: Sequence[ProgramRun] = ()
) -> str:
    """Why a run shows nothing of the code: a limit ended it, something is not there, or the network."""
    if expected is None or not meets(run, expected):
        if stopped := stopped_by(run):
            return stopped
        lacking = lacking_in(run, own)
        return missing_words(lacking) if lacking else blocked_by(run, own, others=others)
    pattern = compile_pattern(expected.output) if expected.output else None
    return blocked_by(run, own, (lambda text: bool(pattern.search(text))) if pattern else None, others)


def meets(run: ProgramRun, expected: Expected) -> bool:
    """Whether a run did what was expected."""
    if (run.state == "timed_out") != (expected.exit_code == TIMED_OUT):
        return False
    if run.state != "timed_out" and run.exit_code != expected.exit_code:
        return False
    return not expected.output or bool(compile_pattern(expected.output).search(run.output))


def ending_of(run: ProgramRun, expected: Expected) -> str:
    """How a run ended; who exits with 124 by itself has ended in time."""
    if run.exit_code == expected.exit_code == TIMED_OUT:
        return f"{run.summary} by itself; {TIMED_OUT} is expected of what does not end in time"
    return run.summary


def is_lacking(base: ProgramRun) -> bool:
    """Whether base says that the code, a name in it or a file is not there."""
    return base.state == "exited" and bool(base.exit_code) and bool(NAME_IS_MISSING.search(base.output))


def _seen_at_base(base: ProgramRun) -> str:
    """What base did, where nobody said what it should do."""
    lines = [line.strip() for line in base.output.splitlines() if line.strip()]
    if is_lacking(base):
        said = next(line for line in reversed(lines) if NAME_IS_MISSING.search(line))
        return f"base lacks it: {said[:MAX_SAID]}"
    printed = f"and prints {lines[-1][:MAX_SAID]}" if lines else "and prints nothing"
    return f"{NOT_DECLARED}, which has {base.summary} {printed}"
