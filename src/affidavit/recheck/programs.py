"""Run the programs of a report again: a report and a runner in, which of them still show it out."""

from collections.abc import Iterator, Sequence

from affidavit.ports import Runner
from affidavit.proof.running.own_names import OwnNames, steady
from affidavit.proof.running.reproduction import outcome_of, run_probe, run_reproduction, state_of, varies
from affidavit.recheck.additions import parse_version
from affidavit.recheck.proofs import Proof
from affidavit.records.candidate import Candidate
from affidavit.records.evidence import ReproductionCheck
from affidavit.records.finding import Reproduction
from affidavit.records.record import Side
from affidavit.records.report import Report
from affidavit.records.runs.run import KeptRun, ProbeRun, ProgramRun

AGAIN = "run again: "
NOTICED_SINCE = (2, 8)
"""From this version of a report on, more surroundings are noticed that a run may fail at."""


def recorded_checks(report: Report) -> list[tuple[Candidate, ReproductionCheck]]:
    """What the report says that programs showed."""
    return [(one, one.reproduction) for one in report.candidates if one.reproduction]


def check_outcomes(report: Report, own: OwnNames) -> list[Proof]:
    """What the report says of its runs must follow from them, and none is left out; nothing is run."""
    proofs = _left_out(report)
    for candidate, check in recorded_checks(report):
        reproduction = declared_by(candidate)
        if check.outcome == "could_not_run" and not check.head:
            continue
        drawn, said = (
            outcome_of(reproduction, check.base, check.head, own)
            if reproduction and check.base and len(check.head) > 1
            else (None, "")
        )
        if drawn != check.outcome:
            detail = f"it is called {check.outcome}; its recorded runs come to {drawn or 'nothing'}"
            is_open = drawn == "could_not_run" and _is_before(report, NOTICED_SINCE)
            proofs.append(_proof(candidate, holds=None if is_open else False, detail=detail))
        elif check.detail and check.detail != said:
            detail = f"it says {check.detail!r}; its recorded runs come to {said!r}"
            proofs.append(_proof(candidate, holds=False, detail=detail))
    return proofs


def _is_before(report: Report, version: tuple[int, int]) -> bool:
    then = parse_version(report.report_version)
    return then is not None and then < version


def _left_out(report: Report) -> list[Proof]:
    """Where programs were run, each that a shown finding declares has a record, if only of why it was not."""
    programs = report.inputs.programs if report.inputs else None
    if programs is None or not programs.sandbox:
        return []
    detail = "programs were run, and what its own one did is not in the report"
    return [
        _proof(one, holds=False, detail=detail)
        for one in report.candidates
        if one.is_shown and declared_by(one) and one.reproduction is None
    ]


def declared_by(candidate: Candidate) -> Reproduction | None:
    """The program that a finding offers."""
    evidence = candidate.finding.verification if candidate.finding else None
    return evidence.reproduction if evidence else None


def run_again(report: Report, runner: Runner | None, own: OwnNames, reason: str = "") -> list[Proof]:
    """Each program of the report, run again; None holds where it cannot be run here."""
    return [
        *_reproductions_again(report, runner, own, reason),
        *_probes_again(report, runner, own, reason),
        *_decisions_again(report, runner, reason),
    ]


def recorded_probes(report: Report) -> list[ProbeRun]:
    """What the report says that probes showed."""
    return [probe for reply in (report.inputs.replies if report.inputs else ()) for probe in reply.probes]


def recorded_decisions(report: Report) -> list[tuple[str, KeptRun]]:
    """The programs by which verifiers decided, each with its candidate."""
    given = report.inputs.judgements if report.inputs else ()
    return [(one.candidate, one.judgement.run) for one in given if one.judgement.run]


def _probes_again(report: Report, runner: Runner | None, own: OwnNames, reason: str) -> Iterator[Proof]:
    for probe in recorded_probes(report):
        title = f"probe {probe.name}"
        if runner is None:
            yield _of_report(title, holds=None, detail=f"nothing is run here: {reason}")
            continue
        again = run_probe(probe.name, probe.program, runner, own)
        then, now = state_of(probe, own), state_of(again, own)
        is_open = "could_not_run" in (then, now) or "flaky" in (then, now)
        holds = True if now == then else None if is_open else False
        said = f"{AGAIN}{now.replace('_', ' ')}" + ("" if now == then else f"; the report says {then}")
        other = [
            run.side
            for run, seen in zip(_sides_of(probe), _sides_of(again), strict=False)
            if _differs(run, seen)
        ]
        if holds and other and now != "flaky":
            holds, said = None, f"{said}; {_otherwise(other)}"
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
            is_same = not _differs(then, now)
            is_open = "not_started" in (now.state, then.state)
            detail = f"{AGAIN}{now.summary}" + ("" if is_same else f"; the report has {then.summary}")
            yield _of_report(title, holds=True if is_same else None if is_open else False, detail=detail)


def _of_report(title: str, *, holds: bool | None, detail: str) -> Proof:
    return Proof(
        finding="", title="the report as a whole", kind="behaviour", holds=holds, detail=f"{title}: {detail}"
    )


def _reproductions_again(report: Report, runner: Runner | None, own: OwnNames, reason: str) -> list[Proof]:
    proofs = []
    for candidate, check in recorded_checks(report):
        reproduction = declared_by(candidate)
        if reproduction is None:
            detail = "the report says that a program was run, and has no program"
            proofs.append(_proof(candidate, holds=False, detail=detail))
        elif runner is None:
            proofs.append(_proof(candidate, holds=None, detail=f"nothing is run here: {reason}"))
        else:
            proofs.append(_compared(candidate, check, run_reproduction(reproduction, runner, own)))
    return proofs


def _compared(candidate: Candidate, then: ReproductionCheck, now: ReproductionCheck) -> Proof:
    what = now.outcome.replace("_", " ") + (f": {now.detail}" if now.detail else "")
    if now.outcome == then.outcome:
        other = _printed_otherwise(then, now)
        said = f"; {_otherwise(other)}" if other else ""
        # What the machine itself sees vary from run to run can be as it was recorded.
        is_open = bool(other) and not (now.is_shown_by_running and varies(now.head))
        return _proof(candidate, holds=None if is_open else True, detail=f"{AGAIN}{what}{said}")
    if "could_not_run" in (now.outcome, then.outcome) or "flaky" in (now.outcome, then.outcome):
        return _proof(candidate, holds=None, detail=f"{AGAIN}{what}; the report says {then.outcome}")
    return _proof(candidate, holds=False, detail=f"{AGAIN}{what}; the report says {then.outcome}")


def _printed_otherwise(then: ReproductionCheck, now: ReproductionCheck) -> list[str]:
    """The sides on which a program does now something else than the report shows of it."""
    if then.outcome == "could_not_run" and not then.head:
        return []
    pairs = [(then.base, now.base), *zip(then.head, now.head, strict=False)]
    missing = ["head"] if len(then.head) != len(now.head) else []
    other = [after.side for before, after in pairs if after and (before is None or _differs(before, after))]
    return list(dict.fromkeys([*other, *missing]))


def _differs(then: ProgramRun, now: ProgramRun) -> bool:
    """Whether it did something else; what is known to vary from run to run is no difference."""
    before, after = ((one.state, one.exit_code, steady(one.output)) for one in (then, now))
    return before != after


def _otherwise(sides: Sequence[str]) -> str:
    """What a report shows and nobody can print again is on its word: a clock, chance, or a forged text."""
    named = " and ".join(dict.fromkeys(sides))
    return f"at {named} it prints otherwise now: the recorded text is on its word"


def _sides_of(probe: ProbeRun) -> tuple[ProgramRun, ...]:
    return (*probe.base[:1], *probe.head[:1])


def _proof(candidate: Candidate, *, holds: bool | None, detail: str) -> Proof:
    title = candidate.finding.title if candidate.finding else ""
    return Proof(finding=candidate.id, title=title, kind="reproduction", holds=holds, detail=detail)
