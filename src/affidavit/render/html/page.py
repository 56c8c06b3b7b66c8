"""Write a report as one HTML page that loads nothing, runs only its own script, and opens from a file."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from affidavit.records.candidate import Candidate
from affidavit.records.finding import Severity
from affidavit.records.report import Report
from affidavit.render import wording
from affidavit.render.account import (
    alert_lines,
    decision_lines,
    headline_words,
    series_sentence,
    set_aside_lines,
    set_aside_words,
    why_words,
    withheld_counts,
)
from affidavit.render.formats import RenderOptions
from affidavit.render.html.cards import Card, CardMaker, shown_parts
from affidavit.render.html.colour import Painter
from affidavit.render.html.diff import Placed, lay_out, outside_the_change
from affidavit.render.html.prose import inline
from affidavit.render.html.template import render_page
from affidavit.render.programs import behaviour_sentence, compared
from affidavit.render.safe_text import clip, one_line, visible

_MAX_WITHHELD = 500
"""So many withheld findings come with their proof; the others in one line each."""
_DECISIONS = {
    "approve": "Approved",
    "request_changes": "Changes requested",
    "comment": "Comment",
}


@dataclass(frozen=True)
class Cards:
    """The cards of a report by what the page does with them."""

    placed: tuple[Placed, ...]
    standing: tuple[Card, ...]
    folded: tuple[Card, ...]
    nits: tuple[Card, ...]
    withheld: tuple[Card, ...]
    listed: tuple[tuple[str, Markup, str], ...]
    """Reason, title and place of the withheld ones that are not drawn in full."""


def write(report: Report, options: RenderOptions) -> str:
    """The report in this format."""
    return render_html(report, show_withheld=options.show_withheld, show_nits=options.show_nits)


def render_html(report: Report, *, show_withheld: bool = False, show_nits: bool = False) -> str:
    """The page. Withheld findings are always in it; what was asked for is unfolded."""
    cards = _cards(report)
    return render_page(
        "page.html",
        styles=["tokens.css", "look.css", "page.css"],
        script="page.js",
        head=_head(report),
        cards=cards,
        files=lay_out(report.change, cards.placed, report.coverage),
        elsewhere=outside_the_change(report.change, cards.placed),
        account=_account(report),
        counts=withheld_counts(report.withheld),
        set_aside=[inline(line, 1_000) for line in set_aside_lines(report)],
        set_aside_words=inline(set_aside_words(report), 600),
        show_withheld=show_withheld,
        show_nits=show_nits,
    )


def _cards(report: Report) -> Cards:
    maker = CardMaker(report, Painter(300_000))
    shown = [(one, maker.card(one)) for one in wording.ordered(report.shown)]
    nits = wording.nits(report)
    others = [one for one in wording.ordered(report.withheld) if one not in nits]
    return Cards(
        placed=tuple((one.finding, card) for one, card in shown if one.finding),
        standing=tuple(card for _, card in shown if not card.is_folded),
        folded=tuple(card for _, card in shown if card.is_folded),
        nits=tuple(maker.card(one) for one in nits[:_MAX_WITHHELD]),
        withheld=tuple(maker.card(one) for one in others[:_MAX_WITHHELD]),
        listed=tuple(_listed(one) for one in [*nits[_MAX_WITHHELD:], *others[_MAX_WITHHELD:]]),
    )


def _listed(candidate: Candidate) -> tuple[str, Markup, str]:
    title = inline(wording.title_of(candidate), 200)
    return why_words(candidate), title, clip(visible(wording.place_of(candidate)), 300)


def _head(report: Report) -> dict[str, Any]:
    """What stands on top of the page."""
    change = report.change
    added, removed = wording.line_totals(change)
    severities = [one.finding.severity for one in report.shown if one.finding]
    return {
        "decision": report.verdict.decision,
        "verdict": _DECISIONS[report.verdict.decision],
        "headline": one_line(wording.headline(report), 300),
        "gate": "; ".join(wording.gate_words(report, "→")),
        "is_failed": report.gate.exit_code != 0,
        "title": one_line(change.title or change.target, 300) or "Review",
        "repository": one_line(change.repository or "", 200),
        "range": one_line(wording.range_of(change), 100),
        "size": wording.counted(len(change.files), "file"),
        "added": added,
        "removed": removed,
        "severities": [(str(one), severities.count(one)) for one in Severity if one in severities],
        "created": one_line(report.created_at, 40),
        "version": one_line(report.affidavit_version, 40),
        "id": one_line(report.id, 100),
        "measured": headline_words(report.measured),
        "seconds": f"{report.duration_ms / 1000:.1f}",
    }


def _account(report: Report) -> dict[str, Any]:
    """What became of what was said before, what did not run, who looked, and at what."""
    return {
        "series": inline(series_sentence(report), 600),
        "decisions": [(fate, inline(text, 600)) for fate, text in decision_lines(report)],
        "alerts": [inline(text, 400) for text in alert_lines(report)],
        "incomplete": [inline(wording.part_sentence(part)) for part in report.incomplete],
        "not_run": [inline(wording.part_sentence(part)) for part in report.not_run],
        "coverage": one_line(wording.coverage_sentence(report), 500),
        "settings": one_line(wording.settings_sentence(report), 500),
        "behaviour": behaviour_sentence(report),
        "probes": [
            (one.outcome, one_line(one.name, 200), one_line(one.why, 500), shown_parts(one.parts))
            for one in compared(report)
        ],
        "suppressions": _paths(wording.brought_suppressions(report)),
        "skipped": _paths(wording.skipped_files(report)),
        "unexamined": _paths(wording.unexamined_files(report)),
        "partly": _paths(wording.partly_examined_files(report)),
        "replies": [
            (one_line(one.specialist, 100), one.kind, one.state.replace("_", " "), one.findings, one.dropped)
            for one in report.replies
        ],
        "usage": [
            (
                one_line(one.role.replace("_", " "), 80),
                one_line(one.model, 100),
                one.input_tokens + one.output_tokens,
                one.cost_usd,
            )
            for one in report.usage
        ],
    }


def _paths(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(clip(visible(path), 300), one_line(reason, 200)) for path, reason in pairs]
