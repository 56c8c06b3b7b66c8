"""Write the summary comment: verdict, overview, gaps, decisions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from affidavit.forges.answers import Decision, why_edited
from affidavit.forges.posting.actions import PostOptions
from affidavit.forges.posting.bodies import fitted
from affidavit.forges.posting.fates import Fate
from affidavit.forges.standing import Mark, write_mark
from affidavit.proof.sameness import names_of
from affidavit.records.candidate import Candidate
from affidavit.records.report import Report
from affidavit.render import wording
from affidavit.render.markdown import (
    about_line,
    clipped_line,
    finding_block,
    fit_blocks,
    fold_of,
    folded_item,
    headline,
    joined_blocks,
    name_span,
    note_items,
    one_line_item,
)
from affidavit.render.safe_text import markdown_line, one_line
from affidavit.render.view import ReportView, view_of

MAX_NOTES_LENGTH = 7_000
"""Limit of the text below the findings."""
MAX_LISTED = 50
MAX_WALKED = 12
MAX_SENTENCE = 400
HOW_TO_DISMISS = (
    "Dismiss a finding with `/affidavit dismiss why` in its thread, or `/affidavit dismiss FINGERPRINT why` "
    "anywhere here. Said by somebody with write access who is not the author, it lifts the gate; said by "
    "anybody else, it keeps the comment from being repeated."
)


@dataclass(frozen=True)
class SummaryContext:
    """The inputs of a summary beside the report."""

    inline: Mapping[str, str] = field(default_factory=dict)
    """Addresses of comments on lines, empty where unknown, by the candidate's id."""
    fates: Sequence[Fate] = ()
    decisions: Sequence[Decision] = ()
    left_resolved: frozenset[str] = frozenset()
    """Ids of open findings in threads that somebody resolved."""
    edited: Sequence[Decision] = ()
    """Dismissals that do not count, since somebody else may have edited them."""
    listed: tuple[str, ...] = ()
    """Fingerprints that have or had a comment on a line."""
    own_request: bool = False


def summary_body(report: Report, context: SummaryContext, options: PostOptions, limit: int) -> str:
    """Write the summary; findings that do not fit are counted, what follows them is always kept."""
    head = report.change.head.commit or ""
    mark = write_mark(
        Mark(kind="summary", report=report.id, head=head, run=options.run, listed=context.listed)
    )
    view = view_of(report)
    top = [mark, f"## Affidavit\n\n{headline(view)}", about_line(view), *_own_request(context)]
    top += _walkthrough(report, view)
    rest = _rest(report, view, context, options)
    room = limit - sum(len(block) + 2 for block in (*top, *rest))
    blocks = [*_overview(view, context), *_in_full(view, context), *_smaller(view), *_nits(view, options)]
    findings = fit_blocks(blocks, max(room - 400, 1_000), "finding", "findings")
    return fitted(joined_blocks([*top, *findings, *rest]), limit)


def _own_request(context: SummaryContext) -> list[str]:
    if not context.own_request:
        return []
    return ["This account opened the request itself: forges let nobody approve or block their own."]


def _walkthrough(report: Report, view: ReportView) -> list[str]:
    """Say what the change does by a model's plan, in which order to read it, and what behaves differently."""
    plan = report.plan
    if plan is None or plan.made_by != "model" or not plan.goal:
        return []
    does = [markdown_line(one_line(text, MAX_SENTENCE)) for text in (plan.goal, plan.approach, plan.impact)]
    paths = dict.fromkeys(path for chunk in plan.chunks for path in chunk.paths)
    order = [f"{number}. {name_span(path)}" for number, path in enumerate(paths, 1)]
    shown = order[:MAX_WALKED] + [f"{len(order) - MAX_WALKED} more"] * (len(order) > MAX_WALKED)
    differing = [one for one in view.probes if one.outcome.startswith("differs")][:MAX_WALKED]
    said = [
        f"- {clipped_line(one.name)}" + f" ({clipped_line(one.in_short)})" * bool(one.in_short)
        for one in differing
    ]
    ran = ["Behaves differently, by programs that ran before and after:", "\n".join(said)] if said else []
    return [fold_of("Walkthrough", [" ".join(filter(None, does)), "\n".join(shown), *ran])]


def _overview(view: ReportView, context: SummaryContext) -> list[str]:
    """List the findings that are shown in full, with links to their comments."""
    lines = []
    for one in view.standing[:MAX_LISTED]:
        blocks = " (blocks)" if one.is_blocking else ""
        url = context.inline.get(one.id)
        where = " in a thread that was resolved" if one.id in context.left_resolved else ""
        lines.append(one_line_item(one) + blocks + (f" ([comment]({url}){where})" if url else ""))
    return ["\n".join(lines)] if lines else []


def _in_full(view: ReportView, context: SummaryContext) -> list[str]:
    """Write the findings without a comment on a line of the diff."""
    left = [one for one in view.standing if one.id not in context.inline]
    if not left:
        return []
    blocks = [f"#### {name_span(one.file)}\n\n{finding_block(one)}" for one in left]
    return [f"### Not on a line of the diff\n\n{blocks[0]}", *blocks[1:]]


def _smaller(view: ReportView) -> list[str]:
    # Nothing else shows by which name such a point can be dismissed: it has no thread.
    items = [
        f"{folded_item(one)} {name_span(one.fingerprint)}" if one.fingerprint else folded_item(one)
        for one in view.folded
    ]
    if not items:
        return []
    shown = items[:MAX_LISTED] + [f"- {len(items) - MAX_LISTED} more"] * (len(items) > MAX_LISTED)
    return [fold_of(f"{wording.counted(len(items), 'smaller point')}", ["\n".join(shown)])]


def _nits(view: ReportView, options: PostOptions) -> list[str]:
    items = [one_line_item(one) for one in view.nits[:MAX_LISTED]] if options.nits else []
    return [fold_of("True, and withheld as nits", ["\n".join(items)])] if items else []


def _rest(report: Report, view: ReportView, context: SummaryContext, options: PostOptions) -> list[str]:
    blocks = [*_since(context), *_decided(report, context)]
    account = fit_blocks(note_items(view), MAX_NOTES_LENGTH, "note", "notes")
    account += _proven(report, options)
    # Where nothing is said, there is nothing to dismiss.
    how = [HOW_TO_DISMISS] if report.shown or context.fates or context.decisions else []
    return [*blocks, "---", *account, *how]


def _since(context: SummaryContext) -> list[str]:
    """List the earlier findings that are fixed or unknown."""
    said = {
        "fixed": "Fixed since the last review",
        "cannot_tell": "Not raised again; it is unknown whether it is fixed",
    }
    blocks = []
    for kind, label in said.items():
        fates = [one for one in context.fates if one.kind == kind]
        items = [f"- {_titled(one)}: {clipped_line(one.reason)}" for one in fates[:MAX_LISTED]]
        if items:
            blocks.append(fold_of(f"{label}: {len(fates)}", ["\n".join(items)]))
    return blocks


def _titled(fate: Fate) -> str:
    """Name a finding by its mark and the address of our comment; the comment's text is not trusted."""
    name = fate.note.mark.fingerprint
    rule = f"{name_span(fate.note.mark.rule)} " if fate.note.mark.rule else ""
    place = f" in {name_span(fate.note.path)}" if fate.note.path else ""
    return f"{rule}[{name}]({fate.note.url}){place}" if fate.note.url else f"{rule}{name_span(name)}{place}"


def _decided(report: Report, context: SummaryContext) -> list[str]:
    decided = [*context.decisions, *context.edited][:MAX_LISTED]
    if not decided:
        return []
    titles = {name: one for one in report.candidates for name in names_of(one)}
    items = [f"- {_decision(one, titles.get(one.fingerprint))}" for one in decided]
    return [f"**Decided by people**\n\n{chr(10).join(items)}"]


def _decision(decision: Decision, candidate: Candidate | None) -> str:
    what = {"dismissed": "dismissed", "wrong": "called wrong"}[decision.kind]
    title = clipped_line(wording.title_of(candidate)) if candidate else name_span(decision.fingerprint)
    why = f": {clipped_line(decision.why)}" if decision.why else ""
    # A mention would call the person each time that the summary is edited.
    is_counted = candidate is not None and candidate.is_shown
    return f"{title}, {what} by {name_span(decision.by.name)}{why} ({_effect(decision, is_counted)})"


def _effect(decision: Decision, is_counted: bool) -> str:
    if decision.edited:
        return why_edited(decision)
    if decision.lifts_gate:
        # A report is older than the answers to it.
        return "lifts the gate from the next review on" if is_counted else "lifts the gate"
    reasons = {
        "author": "the author's own word: it still counts at the gate",
        "no_rights": "without write access: it still counts at the gate",
        "unknown": "it still counts at the gate",
        "lifts": "kept as a label; `/affidavit dismiss why` would lift the gate",
    }
    return reasons[decision.by.lifting]


def _proven(report: Report, options: PostOptions) -> list[str]:
    """Say how the report itself can be checked."""
    items = [
        f"- report {name_span(report.id)}"
        + (f", sha256 {name_span(options.digest)}" if options.digest else "")
    ]
    if options.signer:
        items.append(f"- signed with {name_span(options.signer)}")
    if options.is_rechecked and not options.unproven:
        items.append("- proven again by an independent recheck")
    return items + [f"- not proven again: {clipped_line(part)}" for part in options.unproven[:MAX_LISTED]]
