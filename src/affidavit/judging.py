"""Judge findings: check their proof, group duplicates, and ask the verifier."""

from collections.abc import Callable, Container
from functools import partial

from affidavit.ports import Case, Joiner, Reproducer, Verifiers
from affidavit.proof.lending import lend_patches
from affidavit.records.docket import Docket
from affidavit.records.iteration import FollowUp
from affidavit.records.report import Answer, Report
from affidavit.stages.evidence import check
from affidavit.stages.follow_up import carry, follow_up_of, rerun
from affidavit.stages.merge import merge, name_places
from affidavit.stages.review import Looked
from affidavit.stages.verify import verify


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
        docket = await try_patches(docket, reproducer)
    docket = lend_patches(docket) if docket.joins_claims else docket
    return name_places(docket, case), grouping, partial(follow_up_of, carrying=carrying, case=case)
