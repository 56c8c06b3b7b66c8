"""Run the programs of a report and try its patches again, and compare the results with the record."""

from collections.abc import Iterator, Sequence

from affidavit.ports import Runner, TryPatch
from affidavit.proof.running.announced import promises
from affidavit.proof.running.outputs import steady
from affidavit.proof.running.own_names import OwnNames
from affidavit.proof.running.reproduction import run_probe, run_reproduction, settled_by, state_of, varies
from affidavit.rechecking.findings import Proof, proof_of
from affidavit.records.candidate import Candidate
from affidavit.records.evidence import ReproductionCheck
from affidavit.records.program_runs import KeptRun, PatchTrial, ProbeRun, ProgramRun, TrialStep, trial_of
from affidavit.records.record import Side
from affidavit.records.report import Report

AGAIN = "run again: "


def run_again(report: Report, runner: Runner | None, own: OwnNames, reason: str = "") -> list[Proof]:
    """Run each program of the report again; `reason` says why there is no runner."""
    checks = [
        (one, one.reproduction)
        for one in report.candidates
        if one.reproduction and not one.lender("reproduction")
    ]
    probes = [probe for reply in report.inputs.replies for probe in reply.probes]
    given = report.inputs.judgements
    promised = promises(report.change)
    decisions = [(one.candidate, one.judgement.run) for one in given if one.judgement.run]
    if runner is None:
        is_any = bool(checks or probes or decisions)
        return [_of_report("programs", holds=None, detail=f"nothing is run here: {reason}")] if is_any else []
    return [
        *(_reproduced_again(one, check, runner, own, promised) for one, check in checks),
        *(_probed_again(probe, runner, own) for probe in probes),
        *(proof for name, kept in decisions for proof in _decided_again(name, kept, runner)),
    ]


def _probed_again(probe: ProbeRun, runner: Runner, own: OwnNames) -> Proof:
    again = run_probe(probe.name, probe.program, runner, own)
    then, now = state_of(probe, own), state_of(again, own)
    is_open = "could_not_run" in (then, now) or "flaky" in (then, now)
    holds = True if now == then else None if is_open else False
    said = f"{AGAIN}{now.replace('_', ' ')}" + ("" if now == then else f"; the report says {then}")
    pairs = zip(_sides_of(probe), _sides_of(again), strict=False)
    other = [run.side for run, seen in pairs if _differs(run, seen)]
    if holds and other and now != "flaky":
        holds, said = None, f"{said}; {_changed_on(other)}"
    return _of_report(f"probe {probe.name}", holds=holds, detail=said)


def _decided_again(candidate: str, kept: KeptRun, runner: Runner) -> Iterator[Proof]:
    """Run the program by which a verifier decided; it must do the same again."""
    sides: tuple[tuple[Side, ProgramRun | None], ...] = (("base", kept.base), ("head", kept.head))
    for side, then in sides:
        if then is None:
            continue
        now = runner.run(kept.program, side)
        is_same = not _differs(then, now)
        is_open = "not_started" in (now.state, then.state)
        detail = f"{AGAIN}{now.summary}" + ("" if is_same else f"; the report has {then.summary}")
        title = f"the verifier's program on {candidate}, at {side}"
        yield _of_report(title, holds=True if is_same else None if is_open else False, detail=detail)


def _of_report(title: str, *, holds: bool | None, detail: str) -> Proof:
    return Proof(
        finding="", title="the report as a whole", kind="behaviour", holds=holds, detail=f"{title}: {detail}"
    )


def _reproduced_again(
    candidate: Candidate, then: ReproductionCheck, runner: Runner, own: OwnNames, promised: str
) -> Proof:
    offered, patch = candidate.evidence.reproduction, candidate.evidence.patch or ""
    if offered is None:
        detail = "the report says that a program was run, and has no program"
        return proof_of(candidate, "reproduction", False, detail)
    now = run_reproduction(offered, runner, own, promised, patch if then.patched else "")
    fixes = [
        settled_by(offered, one.head[0], one.patched, own)[0] if one.patched else None for one in (then, now)
    ]
    if now.patched and None not in fixes and fixes[0] != fixes[1]:
        detail = f"{AGAIN}with its patch {now.patched.summary}; the report says otherwise"
        return proof_of(candidate, "reproduction", False, detail)
    return _compared(candidate, then, now)


def _compared(candidate: Candidate, then: ReproductionCheck, now: ReproductionCheck) -> Proof:
    what = now.outcome.replace("_", " ") + (f": {now.detail}" if now.detail else "")
    if now.outcome == then.outcome:
        other = _printed_otherwise(then, now)
        said = f"; {_changed_on(other)}" if other else ""
        # A result that varies between runs may be as recorded.
        is_open = bool(other) and not (now.is_shown_by_running and varies(now.head))
        return proof_of(candidate, "reproduction", None if is_open else True, f"{AGAIN}{what}{said}")
    is_open = not {"could_not_run", "flaky"}.isdisjoint((now.outcome, then.outcome))
    detail = f"{AGAIN}{what}; the report says {then.outcome}"
    return proof_of(candidate, "reproduction", None if is_open else False, detail)


def _printed_otherwise(then: ReproductionCheck, now: ReproductionCheck) -> list[str]:
    """Name the sides on which a program does something else now."""
    if then.outcome == "could_not_run" and not then.head:
        return []
    pairs = [(then.base, now.base), (then.patched, now.patched), *zip(then.head, now.head, strict=False)]
    missing = ["head"] if len(then.head) != len(now.head) else []
    other = [after.side for before, after in pairs if after and (before is None or _differs(before, after))]
    return list(dict.fromkeys([*other, *missing]))


def _differs(then: ProgramRun, now: ProgramRun) -> bool:
    """Check whether a run did something else, apart from what always varies."""
    before, after = ((one.state, one.exit_code, steady(one.output)) for one in (then, now))
    return before != after


def _changed_on(sides: Sequence[str]) -> str:
    named = " and ".join(dict.fromkeys(sides))
    return f"at {named} it prints something else now: the recorded text is not verified"


def _sides_of(probe: ProbeRun) -> tuple[ProgramRun, ...]:
    return (*probe.base[:1], *probe.head[:1])


async def try_again(report: Report, trying: TryPatch | None, reason: str = "") -> list[Proof]:
    """Try each patch again that was tried; `reason` says why it cannot be."""
    proofs = []
    for candidate in report.candidates:
        then = candidate.patch_trial
        if then is None or candidate.lender("patch"):
            continue
        if not candidate.evidence.patch:
            detail = "the report says that a patch was tried, and has no patch"
            proofs.append(proof_of(candidate, "patch", False, detail))
        elif trying is None:
            proofs.append(proof_of(candidate, "patch", None, f"nothing is run here: {reason}"))
        else:
            proofs.append(
                _compared_trial(candidate, then, await trying(_without_patched_run(candidate)) or ())
            )
    return proofs


def _without_patched_run(candidate: Candidate) -> Candidate:
    """Leave out what the report says of the program with the patch: it is run again."""
    check = candidate.reproduction
    fresh = check.model_copy(update={"patched": None}) if check else None
    return candidate.model_copy(update={"reproduction": fresh})


def _compared_trial(candidate: Candidate, then: PatchTrial, steps: Sequence[TrialStep]) -> Proof:
    before = {step.name: step.passed for step in then.steps}
    tried = [step for step in steps if step.was_tried]
    other = [step for step in tried if before.get(step.name) not in (None, step.passed)]
    untried = [step.model_copy(update={"passed": None}) for step in steps if not step.was_tried]
    holds = trial_of([*tried, *untried]).after(then).holds
    if other or then.holds != holds:
        said = "; ".join(f"{step.name}: {step.detail}" for step in other) or "the steps are as recorded"
        words = {True: "holds", False: "fails"}
        detail = f"tried again, it {words[holds]} ({said}); the report says that it {words[then.holds]}"
        return proof_of(candidate, "patch", False, detail)
    open_now = [name for name in before if before[name] is not None and name not in {s.name for s in tried}]
    if open_now:
        detail = f"tried again in part: {', '.join(open_now)} could not be tried here"
        return proof_of(candidate, "patch", None, detail)
    return proof_of(candidate, "patch", True, f"tried again: {_named(tried)}")


def _named(steps: Sequence[TrialStep]) -> str:
    words = {True: "passed", False: "failed"}
    return ", ".join(f"{step.name} {words[bool(step.passed)]}" for step in steps)
