"""Plan the actions that post a report."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from affidavit.forges.answers import Decision, edited_dismissals, read_decisions
from affidavit.forges.posting.actions import (
    Action,
    Edit,
    Event,
    GateState,
    Inline,
    Limits,
    PostInline,
    PostOptions,
    PostReview,
    PostSummary,
    SetGate,
    WithdrawVerdict,
)
from affidavit.forges.posting.bodies import finding_body, inline_place, suggestion_of
from affidavit.forges.posting.fates import Fate, close_fixed, decide_fates, is_closed_by_us
from affidavit.forges.posting.summary import SummaryContext, summary_body
from affidavit.forges.standing import Mark, Standing, write_mark
from affidavit.proof.sameness import names_of
from affidavit.records.candidate import Candidate
from affidavit.records.report import Report
from affidavit.render import wording

_GATES: dict[int, GateState] = {0: "success", 1: "failure", 3: "in_part"}


@dataclass(frozen=True)
class PostingContext:
    """The inputs of a plan."""

    report: Report
    standing: Standing
    limits: Limits
    options: PostOptions

    @property
    def head(self) -> str:
        """Return the commit that the report is about."""
        return self.report.change.head.commit or ""

    @property
    def is_own_request(self) -> bool:
        """Check whether we opened the request: forges let nobody approve or block their own."""
        return bool(self.standing.account) and self.standing.account == self.standing.author


def plan_actions(report: Report, standing: Standing, limits: Limits, options: PostOptions) -> list[Action]:
    """Return the actions, in an order that can be interrupted anywhere; none for an empty change."""
    if report.change.why_empty:
        return []
    posting = PostingContext(report, standing, limits, options)
    fates = decide_fates(report, standing.findings)
    decisions = read_decisions(standing)
    # A finding whose thread we closed and that is back gets a new comment.
    said = {
        fate.candidate.id: fate
        for fate in fates
        if fate.candidate and not is_closed_by_us(fate.note, standing.account)
    }
    fresh = _fresh(posting, said, decisions)
    return [
        *_summary(posting, fates, said, decisions, fresh),
        *_comments(posting, fresh),
        *close_fixed(fates, report),
        *_approval(posting),
        *_gate(posting),
    ]


# Comments on lines


def _fresh(
    posting: PostingContext, said: Mapping[str, Fate], decisions: Sequence[Decision]
) -> list[tuple[Candidate, Inline]]:
    """Return the findings to comment on: those without a comment on which nobody has decided."""
    silent = _not_repeated(posting, decisions)
    found: list[tuple[Candidate, Inline]] = []
    for candidate in wording.ordered(wording.standing(posting.report)):
        if candidate.id in said or names_of(candidate) & silent or candidate.said_by:
            continue
        inline = _inline(posting, candidate)
        if inline and inline.place not in posting.options.refused:
            found.append((candidate, inline))
    return found[: posting.limits.comments]


def _not_repeated(posting: PostingContext, decisions: Iterable[Decision]) -> set[str]:
    """Return the findings that people decided on, and those whose comment somebody deleted."""
    decided = {one.fingerprint for one in decisions}
    before = {name for note in posting.standing.summaries for name in note.mark.listed}
    standing = {name for note in posting.standing.findings for name in note.mark.names}
    return decided | (before - standing)


def _inline(posting: PostingContext, candidate: Candidate) -> Inline | None:
    finding, change = candidate.finding, posting.report.change
    suggested = suggestion_of(candidate, change)
    if finding and suggested:
        # A suggestion replaces the lines that the comment is on.
        span = {"line": suggested.start, "end_line": suggested.end}
        finding = finding.model_copy(update=span)
    place = inline_place(finding, change) if finding else None
    if place is None:
        return None
    block = suggested.block(posting.limits.suggests_by) if suggested else ""
    body = finding_body(candidate, posting.report, posting.limits.body_length, block)
    return place.model_copy(update={"fingerprint": candidate.fingerprint, "body": body})


def _comments(posting: PostingContext, fresh: Sequence[tuple[Candidate, Inline]]) -> list[Action]:
    comments = tuple(inline for _, inline in fresh)
    if not posting.limits.has_reviews or posting.options.refused:
        singles: list[Action] = [PostInline(head=posting.head, comment=one) for one in comments]
        comments = ()
    else:
        singles = []
    event = _event(posting)
    if not posting.limits.has_reviews or (not comments and event == "comment"):
        return singles
    body = "" if event == "comment" else _verdict_words(posting)
    return [*singles, PostReview(head=posting.head, body=body, event=event, comments=comments)]


def _event(posting: PostingContext) -> Event:
    """Return the event of the review: a comment, unless a verdict is allowed and not yet given."""
    decision = posting.report.verdict.decision
    if posting.is_own_request or decision == posting.standing.verdict:
        return "comment"
    if decision == "approve" and posting.options.may_approve:
        return "approve"
    if decision == "request_changes" and posting.options.may_block:
        return "request_changes"
    return "comment"


def _verdict_words(posting: PostingContext) -> str:
    mark = write_mark(Mark(kind="reply", report=posting.report.id, to="verdict"))
    said = wording.headline(posting.report)
    return f"{mark}\n{said[:1].upper()}{said[1:]}. The summary says more."


# The summary


def _summary(
    posting: PostingContext,
    fates: Sequence[Fate],
    said: Mapping[str, Fate],
    decisions: Sequence[Decision],
    fresh: Sequence[tuple[Candidate, Inline]],
) -> list[Action]:
    inline = {name: fate.note.url for name, fate in said.items()}
    inline |= {candidate.id: "" for candidate, _ in fresh}
    # Only existing comments: one still to be posted was not deleted by anybody.
    listed = {fate.note.mark.fingerprint for fate in fates}
    before = {name for note in posting.standing.summaries for name in note.mark.listed}
    context = SummaryContext(
        inline=inline,
        fates=fates,
        decisions=decisions,
        edited=edited_dismissals(posting.standing),
        left_resolved=frozenset(name for name, fate in said.items() if fate.note.is_resolved),
        listed=tuple(sorted(listed | before)),
        own_request=posting.is_own_request,
    )
    body = summary_body(posting.report, context, posting.options, posting.limits.body_length)
    summaries = posting.standing.summaries
    if not summaries:
        return [PostSummary(body=body)]
    if _same(summaries[0].body, body):
        return []
    return [Edit(note=summaries[0].id, body=body)]


def _same(one: str, other: str) -> bool:
    """Compare two texts as forges store them: line ends folded, white space cut."""
    return one.replace("\r\n", "\n").strip() == other.replace("\r\n", "\n").strip()


# Verdict and gate


def _approval(posting: PostingContext) -> list[Action]:
    """Withdraw an outdated verdict; approve on forges without reviews."""
    actions: list[Action] = []
    decision, said = posting.report.verdict.decision, posting.standing.verdict
    if said and said != decision:
        actions.append(
            WithdrawVerdict(
                review=posting.standing.verdict_review, why=f"{posting.head[:8]} has another verdict"
            )
        )
    if not posting.limits.has_reviews and _event(posting) == "approve":
        actions.append(PostReview(head=posting.head, event="approve"))
    return actions


def _gate(posting: PostingContext) -> list[Action]:
    if not posting.options.sets_gate:
        return []
    report = posting.report
    said = wording.headline(report)
    state, title = _GATES.get(report.gate.exit_code, "in_part"), f"{said[:1].upper()}{said[1:]}"
    states, words = posting.standing.gate_says or ((), "")
    if state in states and words == title[: posting.limits.status_length]:
        return []
    return [
        SetGate(
            head=posting.head,
            state=state,
            title=title,
        )
    ]
