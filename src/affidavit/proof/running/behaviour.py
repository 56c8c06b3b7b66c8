"""Run a probe on both sides and say whether they behave alike; a runner in, what the machine saw out."""

import hashlib
from collections.abc import Sequence

from affidavit.ports import Runner
from affidavit.proof.running.both_sides import unlike_surroundings
from affidavit.proof.running.own_names import OwnNames
from affidavit.proof.running.surroundings import blocked_by, says_of_surroundings, stopped_by
from affidavit.proof.running.varying import steady
from affidavit.records.record import Side
from affidavit.records.report import ProbeState
from affidavit.records.runs.run import ProbeRun, Program, ProgramRun

MAX_OUTPUT = 8_000
"""Characters of an output that are kept of a probe; of a longer one both ends, and a hash of the whole."""


def run_probe(
    name: str, program: Program, runner: Runner, own: OwnNames, seconds: float | None = None
) -> ProbeRun:
    """Once on each side; where they differ, once more, so that what is never the same is known as such."""
    probe = ProbeRun(name=name, program=program)
    for _ in range(2):
        for side in ("base", "head"):
            probe = _with_run(probe, side, _kept(runner.run(program, side, seconds)))
        if state_of(probe, own) != "differs":
            break
    return probe


def _with_run(probe: ProbeRun, side: Side, run: ProgramRun) -> ProbeRun:
    return probe.model_copy(update={side: (*getattr(probe, side), run)})


def _kept(run: ProgramRun) -> ProgramRun:
    return run.model_copy(update={"output": shortened(run.output)})


def shortened(text: str) -> str:
    """Both ends of a long text; what is left out still tells two texts apart."""
    if len(text) <= MAX_OUTPUT:
        return text
    digest = hashlib.sha256(steady(text).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    half = MAX_OUTPUT // 2
    left_out = f"… {len(text) - MAX_OUTPUT} characters left out, what does not vary is sha256 {digest} …"
    return f"{text[:half]}\n{left_out}\n{text[-half:]}"


def state_of(probe: ProbeRun, own: OwnNames) -> ProbeState:
    """What the runs of a probe show; `own` is what no environment could bring."""
    if not_compared(probe, own):
        return "could_not_run"
    if not (_is_steady(probe.base) and _is_steady(probe.head)):
        return "flaky"
    return "alike" if _seen(probe.base[0]) == _seen(probe.head[0]) else "differs"


def not_compared(probe: ProbeRun, own: OwnNames) -> str:
    """Why the two sides were not compared, with the side that was in the way; empty where they were.

    A run that did not begin, that a limit ended or that failed at its surroundings shows nothing of the code:
    next to one that did, it would look like a difference.
    """
    if not probe.base or not probe.head:
        return "it was not run on both sides"
    for runs, others in ((probe.base, probe.head), (probe.head, probe.base)):
        for run in runs:
            if why := stopped_by(run) or blocked_by(run, own, others=others):
                return f"at {run.side} {why}"
    return unlike_surroundings(probe.base, probe.head, own) or _said_on_one_side(probe, own)


def _said_on_one_side(probe: ProbeRun, own: OwnNames) -> str:
    """What only one side prints of surroundings that fail, though it ended well."""
    said = [
        next(filter(None, (says_of_surroundings(run, own) for run in runs)), "")
        for runs in (probe.base, probe.head)
    ]
    if all(said) or not any(said):
        return ""
    return f"at base {said[0]}" if said[0] else f"at head {said[1]}"


def _is_steady(runs: Sequence[ProgramRun]) -> bool:
    return all(_seen(run) == _seen(runs[0]) for run in runs)


def _seen(run: ProgramRun) -> tuple[str, int | None, str]:
    return run.state, run.exit_code, steady(run.output)
