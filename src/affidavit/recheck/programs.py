"""Run the reproductions of a report again: a report and a runner in, which of them still show it out."""

from affidavit.ports import Runner
from affidavit.proof.reproduction import outcome_of, run_reproduction
from affidavit.recheck.proofs import Proof
from affidavit.records.candidate import Candidate
from affidavit.records.evidence import ReproductionCheck
from affidavit.records.report import Report


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
    """Each reproduction, run again; None holds where it cannot be run here."""
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
