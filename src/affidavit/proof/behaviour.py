"""Run a probe on both sides and say whether they behave alike; a runner in, what the machine saw out."""

import hashlib
from collections.abc import Sequence

from affidavit.ports import Runner
from affidavit.proof.reproduction import lacking_in
from affidavit.records.record import Side
from affidavit.records.report import ProbeState
from affidavit.records.run import ProbeRun, Program, ProgramRun

MAX_OUTPUT = 8_000
"""Characters of an output that are kept of a probe; of a longer one both ends, and a hash of the whole."""


def run_probe(name: str, program: Program, runner: Runner, seconds: float | None = None) -> ProbeRun:
    """Once on each side; where they differ, once more, so that what is never the same is known as such."""
    probe = ProbeRun(name=name, program=program)
    for _ in range(2):
        for side in ("base", "head"):
            probe = _with_run(probe, side, _kept(runner.run(program, side, seconds)))
        if state_of(probe) != "differs":
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
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    half = MAX_OUTPUT // 2
    left_out = f"… {len(text) - MAX_OUTPUT} characters left out, all of it is sha256 {digest} …"
    return f"{text[:half]}\n{left_out}\n{text[-half:]}"


def state_of(probe: ProbeRun) -> ProbeState:
    """What the runs of a probe show."""
    runs = (*probe.base, *probe.head)
    if not probe.base or not probe.head or any(run.state == "not_started" for run in runs):
        return "could_not_run"
    if not (_is_steady(probe.base) and _is_steady(probe.head)):
        return "flaky"
    if _seen(probe.base[0]) != _seen(probe.head[0]):
        return "differs"
    # What is not there on either side shows nothing about the change.
    return "could_not_run" if lacking_in(probe.head[0]) else "alike"


def _is_steady(runs: Sequence[ProgramRun]) -> bool:
    return all(_seen(run) == _seen(runs[0]) for run in runs)


def _seen(run: ProgramRun) -> tuple[str, int | None, str]:
    return run.state, run.exit_code, run.output
