"""What blocks whatever the version: what the machine proves now in, what the report leaves out of it out.

A report of another version cannot be compared whole: words, worth and rules may have changed. But what the
machine proves on the report's own change, by rules that every version has, blocks in every version.
"""

from collections.abc import Iterator, Sequence

from affidavit.config.settings import Settings
from affidavit.pipeline import NO_MODEL, Looked, conclude
from affidavit.ports import Case
from affidavit.prompts import current_prompts
from affidavit.recheck.proofs import Proof
from affidavit.records.candidate import Candidate
from affidavit.records.diagnostics import Reason
from affidavit.records.docket import Docket
from affidavit.records.report import Reply, Report
from affidavit.stages.parse import hand_in, read_replies

IN_EVERY_VERSION = frozenset(
    {"bandit", "hadolint", "kingfisher", "oxlint", "references", "ruff", "shellcheck", "ty", "yamllint"}
) | {"zizmor"}
"""Specialists of the first release: a report of any version has their replies. A later one is not missed."""
GROWING = frozenset({"ty"})
"""Analysers that learn to see more with each version: what another version of theirs adds proves nothing."""


async def check_blocking(
    report: Report, case: Case, settings: Settings, replies: Sequence[Reply]
) -> list[Proof]:
    """A failed proof for each finding that blocks now, and that the report has not among what blocks."""
    heard = [reply for reply in replies if _counts(reply, report)]
    docket = hand_in(read_replies(heard, case.change), heard, Docket(not_run=(NO_MODEL,)))
    now = await conclude(Looked(case, docket), None, None, settings, {}, current_prompts())
    blocking = [one for one in now.candidates if one.id in now.verdict.blocking]
    known = list(_known(report))
    return [_missing(one) for one in blocking if not any(_is_same(one, other) for other in known)]


def _counts(reply: Reply, report: Report) -> bool:
    """Whether what a specialist says now can be held against the report."""
    states = {one.specialist: one.state for one in report.replies}
    gaps = {gap.name for gap in (*report.not_run, *report.incomplete)}
    name = reply.specialist
    # That it could not look is said openly, and whoever reads the report can see it.
    if states.get(name, "none") == "none" and name in gaps and name not in _examining(report):
        return False
    if name in GROWING and _has_other_version(reply, report):
        return False
    return name in states or name in IN_EVERY_VERSION


def _examining(report: Report) -> set[str]:
    """Whom the coverage of the report names."""
    return {name for file in report.coverage for hunk in file.hunks for name in hunk.examined_by}


def _has_other_version(reply: Reply, report: Report) -> bool:
    then = {(run.analyser, run.side): run.version for run in report.analyser_runs}
    return any(then.get((run.analyser, run.side), run.version) != run.version for run in reply.analyser_runs)


def _known(report: Report) -> Iterator[Candidate]:
    """What blocks in the report, and what stands under it."""
    for one in report.candidates:
        leader = one.withheld.detail if one.withheld and one.withheld.code is Reason.DUPLICATE_OF else one.id
        if leader in report.verdict.blocking:
            yield one


def _is_same(one: Candidate, other: Candidate) -> bool:
    """Of several places of one problem, each version may name another first."""
    first, second = one.finding, other.finding
    if first is None or second is None or first.file != second.file:
        return False
    return first.line == second.line or first.rule_id == second.rule_id


def _missing(one: Candidate) -> Proof:
    finding = one.finding
    place = f"{finding.file}:{finding.line}" if finding else ""
    rule = finding.rule_id if finding else ""
    detail = f"checked again, {one.specialist} reports {rule} at {place}, which blocks in every version"
    title = finding.title if finding else ""
    return Proof(finding="", title=title, kind="analyser", holds=False, detail=detail)
