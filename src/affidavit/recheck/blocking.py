"""What blocks whatever the version: what the machine proves now in, what the report leaves out of it out.

A report of another version cannot be compared whole: words, worth and rules may have changed. But what the
machine proves on the report's own change, by rules that every version has, blocks in every version.
"""

from collections.abc import Iterator, Sequence

from affidavit.config.settings import Settings
from affidavit.pipeline import conclude
from affidavit.ports import Case
from affidavit.prompts import current_prompts
from affidavit.recheck.proofs import Proof, has_other_version
from affidavit.records.candidate import Candidate
from affidavit.records.diagnostics import Reason
from affidavit.records.report import Reply, Report
from affidavit.stages.looking.parse import hand_in, read_replies
from affidavit.stages.looking.review import Looked, docket_without_models

IN_EVERY_VERSION = frozenset(
    {"hadolint", "kingfisher", "oxlint", "references", "ruff", "shellcheck", "ty", "yamllint"}
) | {"zizmor"}
"""Specialists of the first release: a report of any version has their replies. A later one is not missed."""
GROWING = frozenset({"ty"})
"""Analysers that learn to see more with each version: what another version of theirs adds proves nothing."""


async def check_blocking(
    report: Report, case: Case, settings: Settings, replies: Sequence[Reply]
) -> list[Proof]:
    """A failed proof for each finding that blocks now, and that the report has not among what blocks."""
    heard = [reply for reply in replies if _counts(reply, report)]
    docket = hand_in(read_replies(heard, case.change), heard, docket_without_models(case.change))
    now = await conclude(Looked(case, docket), None, None, settings, {}, current_prompts())
    blocking = [one for one in now.candidates if one.id in now.verdict.blocking or _blocks_under(one, now)]
    return [_missing(one) for one in _unmatched(blocking, list(_known(report)))]


def _blocks_under(one: Candidate, now: Report) -> bool:
    """A place that a blocking finding of the same analyser stands for, and that would block by itself."""
    if one.withheld is None or one.withheld.code is not Reason.DUPLICATE_OF or one.finding is None:
        return False
    leaders = {each.id: each.specialist for each in now.candidates if each.id in now.verdict.blocking}
    is_proven = not one.why_not_counted and one.finding.severity.is_grave
    return is_proven and leaders.get(one.withheld.detail) == one.specialist


def _counts(reply: Reply, report: Report) -> bool:
    """Whether what a specialist says now can be held against the report."""
    states = {one.specialist: one.state for one in report.replies}
    gaps = {gap.name for gap in (*report.not_run, *report.incomplete)}
    name = reply.specialist
    # That it could not look is said openly, and whoever reads the report can see it.
    if states.get(name, "none") == "none" and name in gaps and name not in _examining(report):
        return False
    if name in GROWING and has_other_version(reply, report):
        return False
    return name in states or name in IN_EVERY_VERSION


def _examining(report: Report) -> set[str]:
    """Whom the coverage of the report names."""
    return {name for file in report.coverage for hunk in file.hunks for name in hunk.examined_by}


def _known(report: Report) -> Iterator[Candidate]:
    """What blocks in the report, and what stands under it."""
    for one in report.candidates:
        leader = one.withheld.detail if one.withheld and one.withheld.code is Reason.DUPLICATE_OF else one.id
        if leader in report.verdict.blocking:
            yield one


def _unmatched(blocking: Sequence[Candidate], known: Sequence[Candidate]) -> list[Candidate]:
    """What of the first has no partner in the second; nobody is a partner twice.

    The surest pairs are made first, so that one that is near does not take another's partner.
    """
    left, free = list(blocking), list(known)
    for is_pair in (_is_same, _is_at_same_line, _is_same_rule_nearby):
        for one in tuple(left):
            partner = next((other for other in free if is_pair(one, other)), None)
            if partner is not None:
                left.remove(one)
                free.remove(partner)
    return left


def _is_same(one: Candidate, other: Candidate) -> bool:
    return _is_at_same_line(one, other) and _rule(one) == _rule(other)


def _is_at_same_line(one: Candidate, other: Candidate) -> bool:
    first, second = one.finding, other.finding
    return first is not None and second is not None and (first.file, first.line) == (second.file, second.line)


def _is_same_rule_nearby(one: Candidate, other: Candidate) -> bool:
    """Another version may name the line beside; what is near is what the machine quotes now."""
    quote, second = one.quote, other.finding
    if quote is None or quote.start is None or second is None or _rule(one) != _rule(other):
        return False
    return second.file == quote.file and quote.start <= second.line <= (quote.end or quote.start)


def _rule(one: Candidate) -> str | None:
    return one.finding.rule_id if one.finding else None


def _missing(one: Candidate) -> Proof:
    finding = one.finding
    place = f"{finding.file}:{finding.line}" if finding else ""
    rule = finding.rule_id if finding else ""
    detail = f"checked again, {one.specialist} reports {rule} at {place}, which blocks in every version"
    title = finding.title if finding else ""
    return Proof(finding="", title=title, kind="analyser", holds=False, detail=detail)
