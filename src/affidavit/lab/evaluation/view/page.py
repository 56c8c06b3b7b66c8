"""Write an evaluation as one HTML page: the scores, and every case open to the proof of each finding."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from affidavit.lab.evaluation.view import sentences
from affidavit.records.lab.evaluation import CaseResult, CaseRun, Comparison, Evaluation
from affidavit.records.report import Report
from affidavit.render import wording
from affidavit.render.html.cards import Card, CardMaker
from affidavit.render.html.colour import Painter
from affidavit.render.html.prose import inline, prose
from affidavit.render.html.template import render_page
from affidavit.render.safe_text import one_line

_MAX_WITHHELD = 40
"""So many withheld findings of a review come with their proof; the others are in its report."""
_PAINTED_CHARACTERS = 1_500_000
"""Code beyond this is shown without colour, so that a large evaluation still opens."""
_MAX_DESCRIPTION_LENGTH = 4_000

Table = tuple[str, Sequence[str], list[list[str]]]
Reports = Mapping[tuple[str, int], Report]


@dataclass(frozen=True)
class ReviewView:
    """One review of a case."""

    number: int
    shown: tuple[tuple[str, Markup, Card], ...]
    """What each shown finding counts as, why, and its card."""
    withheld: tuple[Card, ...]
    left_out: int


@dataclass(frozen=True)
class CaseView:
    """A case as the page shows it; open where something went wrong."""

    anchor: str
    id: str
    verdict: str
    is_open: bool
    language: str
    title: str
    description: Markup
    repository: str
    range: str
    lines: tuple[tuple[str, Markup], ...]
    reviews: tuple[ReviewView, ...]


def evaluation_page(evaluation: Evaluation, reports: Reports) -> str:
    """The page; `reports` are the native ones by case and run, those that are missing are left out."""
    painter = Painter(_PAINTED_CHARACTERS)
    tables = [
        _table("Scores", sentences.SCORES_HEAD, sentences.headline(evaluation)),
        _table("By language", sentences.TABLE_HEAD, sentences.table(evaluation.by_language)),
        _table("By category", sentences.TABLE_HEAD, sentences.table(evaluation.by_category)),
        _table("Stability", sentences.STABILITY_HEAD, sentences.stability_rows(evaluation)),
    ]
    return _render(
        title=one_line(sentences.title(evaluation), 300),
        facts=[
            one_line(sentences.costs(evaluation), 300),
            f"prompts {one_line(evaluation.prompt_version, 40)}",
        ],
        tables=tables,
        notices=[inline(f"{sentence}.") for sentence in sentences.notices(evaluation)],
        cases=[
            _case(number, result, reports, painter) for number, result in enumerate(evaluation.results, 1)
        ],
        footer=one_line(f"Affidavit {evaluation.affidavit_version}, {evaluation.created_at}", 200),
    )


def comparison_page(comparison: Comparison) -> str:
    """Two evaluations side by side."""
    head = ("", "first", "second", "difference, 95% interval")
    changes = [(case, "; ".join(lines)) for case, lines in sentences.change_lines(comparison)]
    return _render(
        title=f"Comparison over {comparison.cases} cases",
        facts=[],
        tables=[
            _table("Runs", ("", "made with"), _runs(comparison)),
            _table("Second less first", head, sentences.comparison_rows(comparison)),
            _table("Cases that changed", ("case", "what"), changes),
            _table("Left out", ("case", "why"), list(comparison.left_out.items())),
        ],
        notices=[],
        cases=[],
        footer="A difference whose interval contains 0 may be chance.",
    )


def _runs(comparison: Comparison) -> list[tuple[str, str]]:
    runs = (("first", comparison.first), ("second", comparison.second))
    return [(name, sentences.run_words(summary)) for name, summary in runs]


def _render(**parts: Any) -> str:
    return render_page(
        "evaluation.html", styles=["tokens.css", "look.css", "page.css", "evaluation.css"], **parts
    )


def _table(caption: str, head: Sequence[str], rows: Sequence[tuple[str, ...]]) -> Table:
    return caption, head, [[one_line(cell, 600) for cell in row] for row in rows]


def _case(number: int, result: CaseResult, reports: Reports, painter: Painter) -> CaseView:
    case, verdict = result.case, sentences.verdict_of(result)
    reviews = [
        _review(run, report, CardMaker(report, painter, scope=f"case-{number}-run-{run.number}"))
        for run in result.runs
        if (report := reports.get((case.id, run.number)))
    ]
    lines = sentences.case_lines(result)
    return CaseView(
        anchor=f"case-{number}",
        id=one_line(case.id, 200),
        verdict=verdict,
        is_open=any(line.kind in ("wrong", "failure", "otherwise") for line in lines),
        language=one_line(case.language, 60),
        title=one_line(case.title, 300),
        description=prose(case.description[:_MAX_DESCRIPTION_LENGTH]),
        repository=one_line(case.repository, 300),
        range=one_line(f"{case.base[:12]}..{case.head[:12]}", 60),
        lines=tuple((line.kind, inline(line.text)) for line in lines),
        reviews=tuple(reviews),
    )


def _review(run: CaseRun, report: Report, maker: CardMaker) -> ReviewView:
    scored = {finding.candidate: finding for finding in run.findings}
    shown = tuple(
        (finding.outcome, inline(finding.why), maker.card(candidate))
        for candidate in wording.ordered(report.shown)
        if (finding := scored.get(candidate.id))
    )
    withheld = wording.ordered(report.withheld)
    return ReviewView(
        number=run.number,
        shown=shown,
        withheld=tuple(maker.card(candidate) for candidate in withheld[:_MAX_WITHHELD]),
        left_out=max(0, len(withheld) - _MAX_WITHHELD),
    )
