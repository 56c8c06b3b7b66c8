"""Plan what to post: return actions, apply none."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from affidavit.forges.answers import Decision, read_decisions, unheard
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
from affidavit.forges.posting.summary import Told, summary_body
from affidavit.forges.standing import Mark, Standing, write_mark
from affidavit.proof.sameness import names_of
from affidavit.records.candidate import Candidate
from affidavit.records.report import Report
from affidavit.render import wording

_GATES: dict[int, GateState] = {0: "success", 1: "failure", 3: "in_part"}


@dataclass(frozen=True)
class Ground:
    """Everything that a plan follows from."""

    report: Report
    standing: Standing
    limits: Limits
    options: PostOptions

    @property
    def head(self) -> str:
        """The commit that the report is about."""
        return self.report.change.head.commit or ""

    @property
    def is_own_request(self) -> bool:
        """Forges let nobody approve or block their own."""
        return bool(self.standing.account) and self.standing.account == self.standing.author


def plan_actions(report: Report, standing: Standing, limits: Limits, options: PostOptions) -> list[Action]:
    """Return the actions in an order that may be interrupted anywhere; none for an empty change."""
    if report.change.why_empty:
        return []
    ground = Ground(report, standing, limits, options)
    fates = decide_fates(report, standing.findings)
    decisions = read_decisions(standing)
    # A finding whose thread we closed and that is back gets a new comment.
    said = {
        fate.candidate.id: fate
        for fate in fates
        if fate.candidate and not is_closed_by_us(fate.note, standing.account)
    }
    fresh = _fresh(ground, said, decisions)
    return [
        *_summary(ground, fates, said, decisions, fresh),
        *_comments(ground, fresh),
        *close_fixed(fates, report),
        *_approval(ground),
        *_gate(ground),
    ]


# Comments on lines


def _fresh(
    ground: Ground, said: Mapping[str, Fate], decisions: Sequence[Decision]
) -> list[tuple[Candidate, Inline]]:
    """Return the findings to comment on: those without a comment on which nobody has decided."""
    silent = _not_repeated(ground, decisions)
    found: list[tuple[Candidate, Inline]] = []
    for candidate in wording.ordered(wording.standing(ground.report)):
        if candidate.id in said or names_of(candidate) & silent or candidate.said_by:
            continue
        inline = _inline(ground, candidate)
        if inline and inline.place not in ground.options.refused:
            found.append((candidate, inline))
    return found[: ground.limits.comments]


def _not_repeated(ground: Ground, decisions: Iterable[Decision]) -> set[str]:
    """Return the findings that people decided on, and those whose comment somebody deleted."""
    decided = {one.fingerprint for one in decisions}
    before = {name for note in ground.standing.summaries for name in note.mark.listed}
    standing = {name for note in ground.standing.findings for name in note.mark.names}
    return decided | (before - standing)


def _inline(ground: Ground, candidate: Candidate) -> Inline | None:
    finding, change = candidate.finding, ground.report.change
    suggested = suggestion_of(candidate, change)
    if finding and suggested:
        # The lines that are replaced are those that the comment stands on.
        span = {"line": suggested.start, "end_line": suggested.end}
        finding = finding.model_copy(update=span)
    place = inline_place(finding, change) if finding else None
    if place is None:
        return None
    block = suggested.block(ground.limits.suggests_by) if suggested else ""
    body = finding_body(candidate, ground.report, ground.limits.body_length, block)
    return place.model_copy(update={"fingerprint": candidate.fingerprint, "body": body})


def _comments(ground: Ground, fresh: Sequence[tuple[Candidate, Inline]]) -> list[Action]:
    comments = tuple(inline for _, inline in fresh)
    if not ground.limits.has_reviews or ground.options.refused:
        singles: list[Action] = [PostInline(head=ground.head, comment=one) for one in comments]
        comments = ()
    else:
        singles = []
    event = _event(ground)
    if not ground.limits.has_reviews or (not comments and event == "comment"):
        return singles
    body = "" if event == "comment" else _verdict_words(ground)
    return [*singles, PostReview(head=ground.head, body=body, event=event, comments=comments)]


def _event(ground: Ground) -> Event:
    """What a review comes to: a comment, unless more is allowed, true and not said already."""
    decision = ground.report.verdict.decision
    if ground.is_own_request or decision == ground.standing.verdict:
        return "comment"
    if decision == "approve" and ground.options.may_approve:
        return "approve"
    if decision == "request_changes" and ground.options.may_block:
        return "request_changes"
    return "comment"


def _verdict_words(ground: Ground) -> str:
    mark = write_mark(Mark(kind="reply", report=ground.report.id, to="verdict"))
    said = wording.headline(ground.report)
    return f"{mark}\n{said[:1].upper()}{said[1:]}. The summary says more."


# The summary


def _summary(
    ground: Ground,
    fates: Sequence[Fate],
    said: Mapping[str, Fate],
    decisions: Sequence[Decision],
    fresh: Sequence[tuple[Candidate, Inline]],
) -> list[Action]:
    inline = {name: fate.note.url for name, fate in said.items()}
    inline |= {candidate.id: "" for candidate, _ in fresh}
    # Only what stands: what is still to be made is no comment that somebody took away.
    listed = {fate.note.mark.fingerprint for fate in fates}
    before = {name for note in ground.standing.summaries for name in note.mark.listed}
    told = Told(
        inline=inline,
        fates=fates,
        decisions=decisions,
        unheard=unheard(ground.standing),
        left_resolved=frozenset(name for name, fate in said.items() if fate.note.is_resolved),
        listed=tuple(sorted(listed | before)),
        own_request=ground.is_own_request,
    )
    body = summary_body(ground.report, told, ground.options, ground.limits.body_length)
    summaries = ground.standing.summaries
    if not summaries:
        return [PostSummary(body=body)]
    if _same(summaries[0].body, body):
        return []
    return [Edit(note=summaries[0].id, body=body)]


def _same(one: str, other: str) -> bool:
    """Forges fold line ends and cut white space."""
    return one.replace("\r\n", "\n").strip() == other.replace("\r\n", "\n").strip()


# Verdict and gate


def _approval(ground: Ground) -> list[Action]:
    """Withdraw what holds no longer; approve where approving is apart from commenting."""
    actions: list[Action] = []
    decision, said = ground.report.verdict.decision, ground.standing.verdict
    if said and said != decision:
        actions.append(
            WithdrawVerdict(review=ground.standing.verdict_review, why=f"{ground.head[:8]} is another matter")
        )
    if not ground.limits.has_reviews and _event(ground) == "approve":
        actions.append(PostReview(head=ground.head, event="approve"))
    return actions


def _gate(ground: Ground) -> list[Action]:
    if not ground.options.sets_gate:
        return []
    report = ground.report
    said = wording.headline(report)
    state, title = _GATES.get(report.gate.exit_code, "in_part"), f"{said[:1].upper()}{said[1:]}"
    states, words = ground.standing.gate_says or ((), "")
    if state in states and words == title[: ground.limits.status_length]:
        return []
    return [
        SetGate(
            head=ground.head,
            state=state,
            title=title,
        )
    ]
