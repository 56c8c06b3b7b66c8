"""Try the patches of findings that stand: a docket in, the same with what became of each patch out."""

from affidavit.ports import Reproducer
from affidavit.records.candidate import Candidate
from affidavit.records.docket import Docket
from affidavit.records.program_runs import trial_of

STAGE = "patch"
MAX_TRIED = 12
"""Patches in one review: each takes a run of the analysers and of programs."""


async def try_patches(docket: Docket, trier: Reproducer | None) -> Docket:
    """The docket with its patches tried, one after the other; no trial withholds a finding."""
    if trier is None:
        return docket
    having = sorted(filter(_has_patch, docket.candidates), key=_first_tried)
    offered = {one.id for one in having[:MAX_TRIED]}
    return docket.then([await _tried(one, trier) if one.id in offered else one for one in docket.candidates])


def _first_tried(candidate: Candidate) -> tuple[bool, int]:
    """What a model wrote before what an analyser would write for many findings, the worst of each first."""
    return candidate.kind == "mechanical", candidate.finding.severity.rank if candidate.finding else 9


def _has_patch(candidate: Candidate) -> bool:
    evidence = candidate.finding.verification if candidate.finding else None
    return candidate.is_shown and evidence is not None and bool(evidence.patch)


async def _tried(candidate: Candidate, trier: Reproducer) -> Candidate:
    steps = await trier.try_patch(candidate)
    if steps is None:
        return candidate
    trial = trial_of(steps)
    failed = [step.detail for step in steps if step.passed is False]
    what = "tried, and holds" if trial.holds else f"tried, and fails: {'; '.join(failed)}"
    return candidate.then(STAGE, what, patch_trial=trial)
