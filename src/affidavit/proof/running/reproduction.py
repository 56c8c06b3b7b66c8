"""Judge a reproduction: one program, run on both sides of the change."""

import hashlib
import re
from collections.abc import Iterable, Sequence

from affidavit.contract.finding_reader import compile_pattern
from affidavit.ports import Runner
from affidavit.proof.running.announced import is_said
from affidavit.proof.running.outputs import steady
from affidavit.proof.running.own_names import OwnNames
from affidavit.proof.running.surroundings import (
    WITHOUT_NETWORK,
    altered_words,
    blocked_by,
    missed_on_one_side,
    missing_dependency,
    missing_words,
    of_one_side,
    stopped_by,
    surroundings_errors,
)
from affidavit.proof.running.touched import NOTHING_TOUCHED, is_untouched
from affidavit.records.evidence import ReproductionCheck, ReproductionOutcome
from affidavit.records.finding import Expected, Reproduction
from affidavit.records.program_runs import KeptRun, ProbeRun, Program, ProgramRun
from affidavit.records.record import Side
from affidavit.records.report import ProbeState

MAY_DECIDE = ("exited", "timed_out")
"""Ends of runs that can prove something: a timeout may be the expected result."""


def surroundings_difference(base: Sequence[ProgramRun], head: Sequence[ProgramRun], own: OwnNames) -> str:
    """Say what only one side lacked or had changed; empty if both ran under the same conditions."""
    return missed_on_one_side(base, head, own) or _unreached(base, head) or _altered_files(base, head)


def _unreached(base: Iterable[ProgramRun], head: Iterable[ProgramRun]) -> str:
    at_base, at_head = ({name for run in runs for name in run.unreached} for runs in (base, head))
    side, name = of_one_side(at_base, at_head)
    went_on = f"{name} cannot be reached, and the code at {side} goes on without it"
    return f"{went_on}: {WITHOUT_NETWORK}" if name else ""


def _altered_files(base: Sequence[ProgramRun], head: Sequence[ProgramRun]) -> str:
    """Say which file differed from the commit: one of the change, or any on one side alone."""
    for runs in (head, base):
        changed = next((one for run in runs for one in run.altered if one.is_changed), None)
        if changed is not None:
            return f"at {runs[0].side} {altered_words(changed)}"
    if any(run.state != "exited" for run in (*base, *head)):
        # It is unknown what else a stopped run read.
        return ""
    at_base, at_head = ({one.path: one for run in runs for one in run.altered} for runs in (base, head))
    side, path = of_one_side(at_base.keys(), at_head.keys())
    return f"at {side} alone {altered_words((at_base | at_head)[path])}" if path else ""


def shows_nothing(kept: KeptRun, own: OwnNames) -> str:
    """Say why a program decides nothing; one that timed out may decide."""
    base, head = ([run] if run else [] for run in (kept.base, kept.head))
    for runs, others in ((base, head), (head, base)):
        for run in runs:
            stopped = "" if run.state in MAY_DECIDE else stopped_by(run)
            why = stopped or blocked_by(run, own, others=others)
            if why:
                return f"at {run.side} {why}"
    return surroundings_difference(base, head, own) if base and head else ""


TIMED_OUT = 124
"""This expected exit code means that a program times out, as with the command `timeout`."""
NAME_IS_MISSING = re.compile(
    r"\b(?:ImportError|ModuleNotFoundError|AttributeError|NameError|FileNotFoundError|NoMethodError|LoadError)\b"
    r"|Cannot find (?:module|package)|is not a (?:function|constructor)|is not defined|\bundefined: "
    r"|does not provide an export|undefined (?:method|function|local variable|reference)"
    r"|Call to undefined|unexpected keyword argument|takes \d+ positional argument|takes no arguments"
    r"|unrecognized arguments|[Nn]o such (?:option|file|command)|[Uu]nknown (?:option|command|flag)"
    r"|not found\b|cannot find (?:package|module)|is not in std|no field or method|ENOENT"
)
"""Error messages about missing code, names or files."""
MAX_SAID = 200
VARIES = "run twice at head, it did what was expected both times, and did not print the same"
NOT_DECLARED = "nothing was declared for base"
ALIKE_AT_BASE = "base does the same as head"
STILL_THE_SAME = "with the patch its program does the same as without"


def run_reproduction(
    reproduction: Reproduction, runner: Runner, own: OwnNames, promises: str = "", patch: str = ""
) -> ReproductionCheck:
    """Run a reproduction once at base and twice at head, and with the patch if it showed the problem.

    Only these runs count. `promises` is the text in which the change says what it fixes.
    """
    runs: list[ProgramRun] = []
    sides: tuple[Side, ...] = ("head", "base", "head")
    for side in sides:
        run = runner.run(reproduction.as_program, side, reproduction.seconds)
        runs.append(run)
        if run.state == "not_started":
            return ReproductionCheck(outcome="could_not_run", detail=run.detail, sandbox=runner.name)
    head, base, again = runs
    outcome, detail = outcome_of(reproduction, base, (head, again), own, promises)
    check = ReproductionCheck(
        outcome=outcome, detail=detail, base=base, head=(head, again), sandbox=runner.name
    )
    if not patch or not check.is_shown_by_running:
        return check
    program = reproduction.as_program.model_copy(update={"patch": patch})
    run = runner.run(program, "head", reproduction.seconds)
    return check if run.state == "not_started" else check.model_copy(update={"patched": run})


def settled_by(
    reproduction: Reproduction, head: ProgramRun, patched: ProgramRun, own: OwnNames
) -> tuple[bool | None, str]:
    """Say whether a patch makes a program of head do what it should; None if that was not shown."""
    if still_fails(reproduction, patched):
        return False, f"{STILL_THE_SAME} ({patched.summary})"
    expected = _when_fixed(reproduction)
    is_as_expected = expected is not None and meets(patched, expected)
    blocked = "" if is_as_expected else stopped_by(patched) or blocked_by(patched, own)
    if blocked and meets(head, reproduction.expected_at_head):
        return False, f"with the patch its program cannot be run any more: {blocked}"
    # Code that continues without a package or a host behaves differently without being fixed.
    if unlike := blocked or surroundings_difference([head], [patched], own):
        return None, f"with the patch {unlike}"
    passed = is_as_expected or expected is None
    return passed, f"{'settled' if passed else 'not settled'}: with the patch {patched.summary}"


def still_fails(reproduction: Reproduction, patched: ProgramRun) -> bool:
    """Check whether a program does with the patch what it does at head, and not what it should."""
    expected = _when_fixed(reproduction)
    is_as_expected = expected is not None and meets(patched, expected)
    return meets(patched, reproduction.expected_at_head) and not is_as_expected


def _when_fixed(reproduction: Reproduction) -> Expected | None:
    return reproduction.expected_when_fixed or reproduction.expected_at_base


def outcome_of(
    reproduction: Reproduction,
    base: ProgramRun,
    heads: Sequence[ProgramRun],
    own: OwnNames,
    promises: str = "",
) -> tuple[ReproductionOutcome, str]:
    """Judge the runs, and say why they do not show more."""
    at_head, at_base = reproduction.expected_at_head, reproduction.expected_at_base
    blocked = next(filter(None, (why_inconclusive(run, at_head, own, (base,)) for run in heads)), "")
    blocked = blocked or surroundings_difference((base,), heads, own)
    if blocked:
        return "could_not_run", blocked
    as_expected = [meets(run, at_head) for run in heads]
    if any(as_expected) and not all(as_expected):
        return "flaky", "run twice at head, it did not do the same"
    if not all(as_expected):
        return "not_reproduced", f"at head it did not end as expected ({ending_of(heads[0], at_head)})"
    if blocked := why_inconclusive(base, at_base, own, heads):
        return "could_not_run", f"at base {blocked}"
    outcome, detail = _compared_with(base, reproduction, promises)
    is_shown = outcome in ("reproduced", "reproduced_new", "promised")
    if is_shown and is_untouched((base, *heads), own.changed):
        return "not_reproduced", NOTHING_TOUCHED
    if varies(heads) and is_shown:
        detail = f"{detail}; {VARIES}" if detail else VARIES
    return outcome, detail


def varies(runs: Sequence[ProgramRun]) -> bool:
    """Check whether runs of one side printed different things, apart from what always varies."""
    return len({steady(run.output) for run in runs}) > 1


def _compared_with(
    base: ProgramRun, reproduction: Reproduction, promises: str
) -> tuple[ReproductionOutcome, str]:
    """Judge the run at base of a program that did at head what was expected."""
    at_base, promised = reproduction.expected_at_base, reproduction.promised
    if meets(base, reproduction.expected_at_head):
        if not promised:
            return "also_at_base", ALIKE_AT_BASE
        if is_said(promised, promises):
            return "promised", f"{ALIKE_AT_BASE}, and the change says: {' '.join(promised.split())}"
        return "also_at_base", f"{ALIKE_AT_BASE}, and its title and description do not promise what is quoted"
    if at_base is None:
        return "reproduced_new", _seen_at_base(base)
    if not meets(base, at_base):
        return "not_reproduced", f"at base it did not end as expected ({ending_of(base, at_base)})"
    return "reproduced", ""


def why_inconclusive(
    run: ProgramRun, expected: Expected | None, own: OwnNames, others: Sequence[ProgramRun] = ()
) -> str:
    """Say why a run shows nothing of the code: a limit, a missing dependency or the network."""
    if expected is None or not meets(run, expected):
        if stopped := stopped_by(run):
            return stopped
        lacking = missing_dependency(run, own)
        return missing_words(lacking) if lacking else blocked_by(run, own, others=others)
    pattern = compile_pattern(expected.output) if expected.output else None
    return blocked_by(run, own, (lambda text: bool(pattern.search(text))) if pattern else None, others)


def meets(run: ProgramRun, expected: Expected) -> bool:
    """Check whether a run did what was expected."""
    if (run.state == "timed_out") != (expected.exit_code == TIMED_OUT):
        return False
    if run.state != "timed_out" and run.exit_code != expected.exit_code:
        return False
    return not expected.output or bool(compile_pattern(expected.output).search(run.output))


def ending_of(run: ProgramRun, expected: Expected) -> str:
    """Say how a run ended; a program that exits with 124 itself has ended in time."""
    if run.exit_code == expected.exit_code == TIMED_OUT:
        return f"{run.summary} by itself; {TIMED_OUT} is expected of what does not end in time"
    return run.summary


def is_missing_at_base(base: ProgramRun) -> bool:
    """Check whether base reports that the code, a name in it or a file is missing."""
    return base.state == "exited" and bool(base.exit_code) and bool(NAME_IS_MISSING.search(base.output))


def _seen_at_base(base: ProgramRun) -> str:
    """Say what base did, where nothing was expected of it."""
    lines = [line.strip() for line in base.output.splitlines() if line.strip()]
    if is_missing_at_base(base):
        said = next(line for line in reversed(lines) if NAME_IS_MISSING.search(line))
        return f"base lacks it: {said[:MAX_SAID]}"
    printed = f"and prints {lines[-1][:MAX_SAID]}" if lines else "and prints nothing"
    return f"{NOT_DECLARED}, which has {base.summary} {printed}"


MAX_OUTPUT = 8_000
"""Characters of an output that are kept of a probe; of a longer one both ends, and a hash of the whole."""


def run_probe(
    name: str, program: Program, runner: Runner, own: OwnNames, seconds: float | None = None
) -> ProbeRun:
    """Run a probe on each side, and once more if the sides differ, to see what is never the same."""
    probe = ProbeRun(name=name, program=program)
    for _ in range(2):
        for side in ("base", "head"):
            run = runner.run(program, side, seconds)
            kept = run.model_copy(update={"output": shortened(run.output)})
            probe = probe.model_copy(update={side: (*getattr(probe, side), kept)})
        if state_of(probe, own) != "differs":
            break
    return probe


def shortened(text: str) -> str:
    """Keep both ends of a long text, and a hash that tells two texts apart."""
    if len(text) <= MAX_OUTPUT:
        return text
    digest = hashlib.sha256(steady(text).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    half = MAX_OUTPUT // 2
    left_out = f"… {len(text) - MAX_OUTPUT} characters left out, what does not vary is sha256 {digest} …"
    return f"{text[:half]}\n{left_out}\n{text[-half:]}"


def state_of(probe: ProbeRun, own: OwnNames) -> ProbeState:
    """Judge the runs of a probe; `own` are the repository's own names."""
    if not_compared(probe, own):
        return "could_not_run"
    base, head = set(map(_seen, probe.base)), set(map(_seen, probe.head))
    if len(base) > 1 or len(head) > 1:
        return "flaky"
    alike: ProbeState = "untouched" if is_untouched((*probe.base, *probe.head), own.changed) else "alike"
    return alike if base == head else "differs"


def not_compared(probe: ProbeRun, own: OwnNames) -> str:
    """Say why the two sides were not compared; empty if they were.

    A run that did not begin, or that a limit or its surroundings ended, shows nothing of the code. Beside one
    that ran, it would look like a difference.
    """
    if not probe.base or not probe.head:
        return "it was not run on both sides"
    for runs, others in ((probe.base, probe.head), (probe.head, probe.base)):
        for run in runs:
            if why := stopped_by(run) or blocked_by(run, own, others=others):
                return f"at {run.side} {why}"
    return surroundings_difference(probe.base, probe.head, own) or _said_on_one_side(probe, own)


def _said_on_one_side(probe: ProbeRun, own: OwnNames) -> str:
    """Say what only one side prints about failing surroundings, though it ended well."""
    said = [
        next(filter(None, (surroundings_errors(run, own) for run in runs)), "")
        for runs in (probe.base, probe.head)
    ]
    if all(said) or not any(said):
        return ""
    return f"at base {said[0]}" if said[0] else f"at head {said[1]}"


def _seen(run: ProgramRun) -> tuple[str, int | None, str]:
    return run.state, run.exit_code, steady(run.output)
