"""Run the programs and try the patches that findings offer."""

import asyncio
from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace

from affidavit.ports import Case, Reproducer, Runner, TryPatch
from affidavit.proof.running.announced import announcements, is_said, promises
from affidavit.proof.running.own_names import OwnNames, own_names
from affidavit.proof.running.reproduction import (
    STILL_THE_SAME,
    not_compared,
    run_reproduction,
    state_of,
    still_fails,
)
from affidavit.proof.running.runners import ProgramRunner
from affidavit.records.candidate import Candidate
from affidavit.records.diagnostics import Reason
from affidavit.records.docket import Docket
from affidavit.records.evidence import ReproductionCheck
from affidavit.records.finding import Reproduction
from affidavit.records.program_runs import ProbeRun, TrialStep, trial_of
from affidavit.records.report import BehaviourRow, Explained, Gap, Programs, Reply, Report


def compare_behaviour(case: Case, report: Report) -> tuple[BehaviourRow, ...]:
    """Return a row for each probe that was run; an explanation counts only if the change has its words."""
    explained: dict[tuple[str, str], list[Explained]] = {}
    for one in report.replies:
        for word in one.differences:
            explained.setdefault((one.specialist, word.probe), []).append(word)
    probes = [(reply, probe) for reply in case.replies for probe in reply.probes]
    if not probes:
        return ()
    said, own = announcements(case.change), own_names(case.repository)
    return tuple(
        _row(reply, probe, own, explained.get((reply.specialist, probe.name), ()), said, report)
        for reply, probe in probes
    )


def _row(
    reply: Reply, probe: ProbeRun, own: OwnNames, words: Sequence[Explained], said: str, report: Report
) -> BehaviourRow:
    """Judge a probe: a finding wins, and the change announces what differs only if it announces all of it."""
    row = BehaviourRow(
        specialist=reply.specialist,
        name=probe.name,
        state=state_of(probe, own),
        detail=not_compared(probe, own),
    )
    if row.state != "differs":
        return row
    findings = [one.id for word in words if (one := _found(reply, word.finding, report))]
    announced = [" ".join(word.announced.split()) for word in words if is_said(word.announced, said)]
    is_all = bool(words) and len(announced) == len(words)
    return row.model_copy(
        update={
            "state": "reported" if findings else "announced" if is_all else "differs",
            "announced": "; ".join(dict.fromkeys(announced)),
            "candidates": tuple(dict.fromkeys(findings)),
        }
    )


def _found(reply: Reply, name: str, report: Report) -> Candidate | None:
    """Return the finding that a specialist gave this name."""
    mine = (one for one in report.candidates if name and one.specialist == reply.specialist)
    return next((one for one in mine if one.finding and one.finding.id == name), None)


MAX_TRIED = 12
"""Patches in one review: each takes a run of the analysers and of programs."""


async def try_patches(docket: Docket, trier: TryPatch) -> Docket:
    """Try the patches one after the other; no trial withholds a finding.

    Where the patch of a group's leader does not hold, those of the others are tried.
    """
    shown = {one.id for one in docket.candidates if one.is_shown}
    tried = await _try_all(docket, trier, shown, MAX_TRIED)
    failed = {one.id for one in tried.candidates if not (one.patch_trial and one.patch_trial.holds)} & shown
    others = {one.id for one in tried.candidates if one.duplicate_of in failed}
    left = MAX_TRIED - sum(1 for one in tried.candidates if one.patch_trial)
    return await _try_all(tried, trier, others, left)


async def _try_all(docket: Docket, trier: TryPatch, names: Container[str], most: int) -> Docket:
    """Try the patches of the named findings, the worst first."""
    having = [one for one in docket.candidates if one.id in names and one.evidence.patch]
    offered = {one.id for one in sorted(having, key=_first_tried)[: max(most, 0)]}
    return docket.then([await _tried(one, trier) if one.id in offered else one for one in docket.candidates])


def _first_tried(candidate: Candidate) -> tuple[bool, int]:
    """Return a key to sort by: models' patches first, the worst of each first."""
    return candidate.kind == "mechanical", candidate.rank


async def _tried(candidate: Candidate, trier: TryPatch) -> Candidate:
    steps = await trier(candidate)
    if steps is None:
        return candidate
    trial = trial_of(steps)
    failed = [step.detail for step in steps if step.passed is False]
    what = "tried, and holds" if trial.holds else f"tried, and fails: {'; '.join(failed)}"
    return candidate.then("patch", what, patch_trial=trial)


STAGE = "reproduce"
AT_ONCE = 2
MAX_REASONS = 5
PROGRAMS = "programs"
BRING_IT = "install what is missing, or name an environment that has it with --environment"


@dataclass(frozen=True)
class LiveReproducer:
    """Runs reproductions, a few at a time; without a runner it only reports why."""

    runner: ProgramRunner | None
    programs: Programs
    own: OwnNames
    """The repository's own names, which no environment could provide."""
    patches: TryPatch | None = None
    promises: str = ""
    """The text in which the change says what it fixes."""
    turns: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))

    @classmethod
    def of(
        cls,
        runner: ProgramRunner | None,
        programs: Programs | None,
        case: Case,
        patches: TryPatch | None,
    ) -> "LiveReproducer | None":
        """Return a reproducer; None if the user did not ask to run programs."""
        own, said = own_names(case.repository), promises(case.change)
        return cls(runner, programs, own, patches, said) if programs else None

    @property
    def ground(self) -> Programs:
        """Return how programs are run and how many were; or why none is."""
        tally = self.runner.tally if self.runner else None
        counted = {"runs": tally.runs, "duration_ms": tally.duration_ms} if tally else {}
        return self.programs.model_copy(update=counted)

    async def reproduce(self, candidate: Candidate) -> ReproductionCheck | None:
        """Run a candidate's reproduction; return None if none is declared, or nothing can be run."""
        offered, patch = candidate.evidence.reproduction, candidate.evidence.patch or ""
        if self.runner is None or offered is None:
            return None
        runner = replace(self.runner, finding=candidate.id)
        async with self.turns:
            return await run_aside(offered, runner, self.own, self.promises, patch)

    async def try_patch(self, candidate: Candidate) -> tuple[TrialStep, ...] | None:
        """Try a candidate's patch; return None if patches are not tried."""
        return await self.patches(candidate) if self.patches else None


async def run_aside(
    reproduction: Reproduction, runner: Runner, own: OwnNames, promised: str = "", patch: str = ""
) -> ReproductionCheck:
    """Run a reproduction in a thread; end it if this task is cancelled."""
    try:
        return await asyncio.to_thread(run_reproduction, reproduction, runner, own, promised, patch)
    except asyncio.CancelledError:
        # The thread would go on until its program ends.
        runner.stop()
        raise


async def reproduce(docket: Docket, reproducer: Reproducer | None) -> Docket:
    """Run every declared reproduction; none, or a failed one, withholds nothing."""
    if reproducer is None:
        return docket
    checked = await asyncio.gather(*(_checked(one, reproducer) for one in docket.candidates))
    useless = [one.note(Reason.PATCH_DOES_NOT_FIX, STILL_THE_SAME) for one in checked if _is_useless(one)]
    return _with_gaps(docket.then(checked, useless), reproducer.ground)


async def _checked(candidate: Candidate, reproducer: Reproducer) -> Candidate:
    check = await reproducer.reproduce(candidate) if candidate.is_shown else None
    if check is None:
        return candidate
    what = check.outcome.replace("_", " ")
    return candidate.then(STAGE, f"{what}: {check.detail}" if check.detail else what, reproduction=check)


def _is_useless(candidate: Candidate) -> bool:
    """Check whether the patch leaves the finding's own program as it is."""
    offered, check = candidate.evidence.reproduction, candidate.reproduction
    return bool(offered and check and check.patched and still_fails(offered, check.patched))


def _with_gaps(docket: Docket, ground: Programs) -> Docket:
    """Add one gap for each reason why programs could not run."""
    if ground.reason:
        return docket.plus(Docket(not_run=(Gap(name=PROGRAMS, reason=ground.reason, advice=ground.advice),)))
    reasons = dict.fromkeys(
        one.reproduction.detail
        for one in docket.candidates
        if one.reproduction and one.reproduction.outcome == "could_not_run"
    )
    return docket.plus(Docket(not_run=tuple(map(_gap, list(reasons)[:MAX_REASONS]))))


def _gap(detail: str) -> Gap:
    """Return a gap with the obstacle, and the advice after the colon."""
    reason, _, advice = detail.partition(": ")
    if not advice or reason.endswith("what can"):
        return Gap(name=PROGRAMS, reason=detail, advice=BRING_IT)
    return Gap(name=PROGRAMS, reason=reason, advice=advice)
