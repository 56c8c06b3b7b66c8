"""Try the patches of a report again: a report and who tries in, which of them go as the report says out."""

from collections.abc import Mapping, Sequence

from affidavit.ports import TryPatch
from affidavit.recheck.proofs import Proof
from affidavit.records.candidate import Candidate
from affidavit.records.report import Report
from affidavit.records.runs.patch_trial import PatchTrial, StepName, TrialStep, trial_of


async def try_again(report: Report, trying: TryPatch | None, reason: str = "") -> list[Proof]:
    """Each patch whose trial is on record, tried again; None holds where it cannot be tried here."""
    proofs = []
    for candidate in report.candidates:
        then = candidate.patch_trial
        if then is None:
            continue
        if not _has_patch(candidate):
            detail = "the report says that a patch was tried, and has no patch"
            proofs.append(_proof(candidate, holds=False, detail=detail))
        elif trying is None:
            proofs.append(_proof(candidate, holds=None, detail=f"nothing is run here: {reason}"))
        else:
            proofs.append(_compared(candidate, then, trial_of(await trying(candidate))))
    return proofs


def _compared(candidate: Candidate, then: PatchTrial, now: PatchTrial) -> Proof:
    """What was seen then must be seen again; what cannot be tried here leaves it open."""
    before = {step.name: step for step in then.steps}
    again = {step.name: step for step in now.steps}
    other = [step for step in now.steps if _is_other(before.get(step.name), step)]
    if other or then.holds != now.holds:
        word = "holds" if now.holds else "fails"
        said = "; ".join(f"{step.name}: {step.detail}" for step in other) or "the steps are as recorded"
        recorded = "holds" if then.holds else "fails"
        detail = f"tried again, it {word} ({said}); the report says that it {recorded}"
        return _proof(candidate, holds=False, detail=detail)
    open_now = [name for name, step in before.items() if step.passed is not None and _is_open(again, name)]
    if open_now:
        detail = f"tried again in part: {', '.join(open_now)} could not be tried here"
        return _proof(candidate, holds=None, detail=detail)
    tried = _named([step for step in now.steps if step.passed is not None])
    return _proof(candidate, holds=True, detail=f"tried again: {tried}")


def _is_other(then: TrialStep | None, now: TrialStep) -> bool:
    """Whether both were tried and ended otherwise."""
    before = then.passed if then else None
    return before is not None and now.passed is not None and before != now.passed


def _is_open(again: Mapping[StepName, TrialStep], name: StepName) -> bool:
    return name not in again or again[name].passed is None


def _named(steps: Sequence[TrialStep]) -> str:
    words = {True: "passed", False: "failed"}
    return ", ".join(f"{step.name} {words[bool(step.passed)]}" for step in steps)


def _has_patch(candidate: Candidate) -> bool:
    evidence = candidate.finding.verification if candidate.finding else None
    return evidence is not None and bool(evidence.patch)


def _proof(candidate: Candidate, *, holds: bool | None, detail: str) -> Proof:
    title = candidate.finding.title if candidate.finding else ""
    return Proof(finding=candidate.id, title=title, kind="patch", holds=holds, detail=detail)
