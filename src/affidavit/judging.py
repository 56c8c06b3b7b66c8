"""Judge findings: check their proof, group duplicates, and ask the verifier."""

from collections.abc import Callable, Container, Sequence
from functools import partial

from affidavit.diff.between import files_between
from affidavit.errors import InputError
from affidavit.git.repository import GitRepository
from affidavit.ports import Case, Joiner, Reproducer, Specialist, Verifiers
from affidavit.proof.lending import lend_patches
from affidavit.records.candidate import Candidate
from affidavit.records.change import Change, Revision
from affidavit.records.docket import Docket
from affidavit.records.finding import Finding
from affidavit.records.iteration import FollowUp
from affidavit.records.program_runs import TrialStep
from affidavit.records.report import Answer, Report
from affidavit.stages.evidence import check
from affidavit.stages.follow_up import carry, follow_up_of, rerun
from affidavit.stages.merge import merge, name_places
from affidavit.stages.parse import read_replies
from affidavit.stages.review import Looked, collect_replies
from affidavit.stages.verify import verify

MAX_NAMED = 3


async def judge(
    looked: Looked,
    case: Case,
    joiner: Joiner | None,
    verifiers: Verifiers | None,
    reproducer: Reproducer | None,
    blocking_linters: Container[str],
) -> tuple[Docket, Answer | None, Callable[[Report], FollowUp | None]]:
    """Return the judged findings, the joiner's answer, and how to follow up on the earlier review."""
    docket, carrying = carry(check(looked.docket, case), case)
    if reproducer:
        from affidavit.stages.reproduce import reproduce, try_patches  # noqa: PLC0415 - few run programs

        docket = await reproduce(docket, reproducer)
    merged, grouping = await merge(rerun(docket), case, joiner)
    docket = await verify(merged, verifiers, case.emit, blocking_linters)
    if reproducer:
        docket = await try_patches(docket, reproducer.try_patch)
    docket = lend_patches(docket) if docket.joins_claims else docket
    return name_places(docket, case), grouping, partial(follow_up_of, carrying=carrying, case=case)


async def try_fixes(docket: Docket, case: Case, specialists: Sequence[Specialist]) -> Docket:
    """Try the fixes that analysers offer: with one, its finding is gone and nothing new appears."""
    repository, named = case.repository, {one.name: one for one in specialists if one.kind == "mechanical"}
    offered = any(
        one.is_shown and one.specialist in named and one.evidence.patch for one in docket.candidates
    )
    if not offered or not isinstance(repository, GitRepository):
        return docket
    from affidavit.stages.reproduce import try_patches  # noqa: PLC0415 - few findings have a fix

    async def try_one(candidate: Candidate) -> tuple[TrialStep, ...] | None:
        analyser = named.get(candidate.specialist)
        return await _try_fix(candidate, case.change, repository, analyser) if analyser else None

    return await try_patches(docket, try_one)


async def _try_fix(
    candidate: Candidate, change: Change, repository: GitRepository, analyser: Specialist
) -> tuple[TrialStep, ...]:
    from affidavit.git.patches import apply_patch, patched_repository  # noqa: PLC0415 - few findings have a fix

    try:
        contents = apply_patch(repository, candidate.evidence.patch or "")
    except InputError as error:
        return (TrialStep(name="applies", passed=False, detail=str(error)),)
    patched = patched_repository(repository, contents)
    back = GitRepository(patched.store, patched.head, patched.base, patched.tip)
    added, removed = [await _new_findings(change, sides, analyser) for sides in (patched, back)]
    claim = candidate.claim
    is_gone = (claim.rule_id, claim.file, claim.line) in {
        (one.rule_id, one.file, one.line) for one in removed
    }
    said = [] if is_gone else [f"with the patch it still reports {claim.rule_id}"]
    said += [f"new with the patch: {one.rule_id} at {one.file}:{one.line}" for one in added[:MAX_NAMED]]
    detail = "; ".join(said) or f"{analyser.name}: the finding is gone, nothing new"
    return (
        TrialStep(name="applies", passed=True, detail=f"to head, in {', '.join(contents)}"[:300]),
        TrialStep(name="analysers", passed=not said, detail=detail),
    )


async def _new_findings(change: Change, sides: GitRepository, analyser: Specialist) -> Sequence[Finding]:
    """Return what an analyser finds on the step from one side to the other."""
    step = Case(change_between(change, sides), sides)
    return read_replies(await collect_replies([analyser], step), step.change).findings


def change_between(change: Change, sides: GitRepository) -> Change:
    """Return the change from one side to the other, such as from head to patched head."""
    base, head = sides.base, sides.head
    update = {
        "files": files_between(sides.store, base, head),
        "commits": (),
        "base": Revision(tree=base.revision, commit=base.commit),
        "head": Revision(tree=head.revision),
    }
    return change.model_copy(update=update)
