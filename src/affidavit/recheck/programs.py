"""Run the programs of a report again: a report and a runner in, which of them still show it out."""

from collections.abc import Iterator

from affidavit.ports import Runner
from affidavit.proof.behaviour import run_probe, state_of
from affidavit.proof.reproduction import outcome_of, run_reproduction
from affidavit.recheck.proofs import Proof
from affidavit.records.candidate import Candidate
from affidavit.records.evidence import ReproductionCheck
from affidavit.records.record import Side
from affidavit.records.report import Report
from affidavit.records.run import KeptRun, ProbeRun, ProgramRun


def recorded_checks(report: Report) -> list[tuple[Candidate, ReproductionCheck]]:
    """What the report says that programs showed."""
    return [(one, one.reproduction) for one in report.candidates if one.reproduction]


def check_outcomes(report: Report) -> list[Proof]:
    """Without running anything: what the report says of its runs must follow from them."""
    proofs = []
    for candidate, check in recorded_checks(report):
        evidence = candidate.finding.verification if candidate.finding else None
        reproduction = evidence.reproduction if evidence else None
        if check.outcome == "could_not_run" and not check.head:
            continue
        drawn = (
            outcome_of(reproduction, check.base, check.head)[0]
            if reproduction and check.base and len(check.head) > 1
            else None
        )
        if drawn != check.outcome:
            detail = f"it is called {check.outcome}; its recorded runs come to {drawn or 'nothing'}"
            proofs.append(_proof(candidate, holds=False, detail=detail))
    return proofs


def run_again(report: Report, runner: Runner | None, reason: str = "") -> list[Proof]:
    """Each program of the report, run again; None holds where it cannot be run here."""
    return [
        *_reproductions_again(report, runner, reason),
        *_probes_again(report, runner, reason),
        *_decisions_again(report, runner, reason),
    ]


def recorded_probes(report: Report) -> list[ProbeRun]:
    """What the report says that probes showed."""
    return [probe for reply in (report.inputs.replies if report.inputs else ()) for probe in reply.probes]


def recorded_decisions(report: Report) -> list[tuple[str, KeptRun]]:
    """The programs by which verifiers decided, each with its candidate."""
    given = report.inputs.judgements if report.inputs else ()
    return [(one.candidate, one.judgement.run) for one in given if one.judgement.run]


def _probes_again(report: Report, runner: Runner | None, reason: str) -> Iterator[Proof]:
    for probe in recorded_probes(report):
        title = f"probe {probe.name}"
        if runner is None:
            yield _of_report(title, holds=None, detail=f"nothing is run here: {reason}")
            continue
        then, now = state_of(probe), state_of(run_probe(probe.name, probe.program, runner))
        is_open = "could_not_run" in (then, now) or "flaky" in (then, now)
        holds = True if now == then else None if is_open else False
        said = f"run again: {now.replace('_', ' ')}" + ("" if now == then else f"; the report says {then}")
        yield _of_report(title, holds=holds, detail=said)


def _decisions_again(report: Report, runner: Runner | None, reason: str) -> Iterator[Proof]:
    """A program that decided must do again what it did."""
    for candidate, kept in recorded_decisions(report):
        sides: tuple[tuple[Side, ProgramRun | None], ...] = (("base", kept.base), ("head", kept.head))
        for side, then in sides:
            if then is None:
                continue
            title = f"the verifier's program on {candidate}, at {side}"
            if runner is None:
                yield _of_report(title, holds=None, detail=f"nothing is run here: {reason}")
                continue
            now = runner.run(kept.program, side)
            is_same = (now.state, now.exit_code, now.output) == (then.state, then.exit_code, then.output)
            is_open = "not_started" in (now.state, then.state)
            detail = f"run again: {now.summary}" + ("" if is_same else f"; the report has {then.summary}")
            yield _of_report(title, holds=True if is_same else None if is_open else False, detail=detail)


def _of_report(title: str, *, holds: bool | None, detail: str) -> Proof:
    return Proof(
        finding="", title="the report as a whole", kind="behaviour", holds=holds, detail=f"{title}: {detail}"
    )


def _reproductions_again(report: Report, runner: Runner | None, reason: str) -> list[Proof]:
    proofs = []
    for candidate, check in recorded_checks(report):
        evidence = candidate.finding.verification if candidate.finding else None
        if evidence is None or evidence.reproduction is None:
            detail = "the report says that a program was run, and has no program"
            proofs.append(_proof(candidate, holds=False, detail=detail))
        elif runner is None:
            proofs.append(_proof(candidate, holds=None, detail=f"nothing is run here: {reason}"))
        else:
            proofs.append(_compared(candidate, check, run_reproduction(evidence.reproduction, runner)))
    return proofs


def _compared(candidate: Candidate, then: ReproductionCheck, now: ReproductionCheck) -> Proof:
    what = now.outcome.replace("_", " ") + (f": {now.detail}" if now.detail else "")
    if now.outcome == then.outcome:
        return _proof(candidate, holds=True, detail=f"run again: {what}")
    if "could_not_run" in (now.outcome, then.outcome) or "flaky" in (now.outcome, then.outcome):
        return _proof(candidate, holds=None, detail=f"run again: {what}; the report says {then.outcome}")
    return _proof(candidate, holds=False, detail=f"run again: {what}; the report says {then.outcome}")


def _proof(candidate: Candidate, *, holds: bool | None, detail: str) -> Proof:
    title = candidate.finding.title if candidate.finding else ""
    return Proof(finding=candidate.id, title=title, kind="reproduction", holds=holds, detail=detail)
