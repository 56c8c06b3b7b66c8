"""Write an evaluation, or the comparison of two, for somebody who reads it on a terminal."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from affidavit.lab.evaluation.view import sentences
from affidavit.records.lab.evaluation import CaseResult, Comparison, Evaluation
from affidavit.render.ink import Ink
from affidavit.render.wording import counted

_SIGNS: dict[sentences.Kind, tuple[str, str, str]] = {
    "found": ("✓", "+", "green"),
    "true": ("✓", "+", "green"),
    "missed": ("✗", "-", "yellow"),
    "near": ("  ~", "  ~", "dim"),
    "wrong": ("!", "!", "red"),
    "nit": ("·", ".", "dim"),
    "repeat": ("·", ".", "dim"),
    "unlabelled": ("?", "?", "cyan"),
    "incomplete": ("…", "_", "yellow"),
    "failure": ("✗", "x", "red"),
    "program": ("▸", ">", "green"),
    "otherwise": ("▸", ">", "red"),
}
"""Sign, its ASCII form, and its style."""
_NAME_WIDTH = 11
_MAX_ON_A_SCREEN = 10
"""With more cases the scores on top are out of sight when the last case is written, so they come again."""
_UNBOUND = 10_000
"""Wider than any table."""


def render_evaluation(evaluation: Evaluation, *, console: Console) -> None:
    """Scores first, then the tables, then every case with its matches."""
    ink = Ink(console)
    write_title(ink, sentences.title(evaluation))
    for name, value, meaning in sentences.headline(evaluation):
        write_pair(ink, name, f"{value}  ({meaning})")
    write_pair(ink, "cost", sentences.costs(evaluation))
    write_table(ink, "By language", sentences.TABLE_HEAD, sentences.table(evaluation.by_language))
    write_table(ink, "By category", sentences.TABLE_HEAD, sentences.table(evaluation.by_category))
    write_table(ink, "Stability", sentences.STABILITY_HEAD, sentences.stability_rows(evaluation))
    ink.blank()
    ink.line(("Cases", "bold"))
    for result in evaluation.results:
        _write_case(ink, result)
    ink.blank()
    for sentence in sentences.notices(evaluation):
        ink.prose(f"{sentence}.", indent=0)
    if len(evaluation.results) > _MAX_ON_A_SCREEN:
        write_title(ink, "; ".join(f"{name} {value}" for name, value, _ in sentences.headline(evaluation)))


def write_title(ink: Ink, text: str) -> None:
    """A line in bold."""
    ink.hanging(Text(), Text(shown(ink, text), style="bold"), indent=0)


def write_pair(ink: Ink, name: str, text: str) -> None:
    """A name and what it comes to, one under the other."""
    ink.hanging(Text(f"{name:<{_NAME_WIDTH}}", style="dim"), Text(shown(ink, text)), indent=2)


def shown(ink: Ink, text: str) -> str:
    """A sentence of ours, in signs that the console has."""
    if ink.encoding.startswith("utf"):
        return ink.safe(text)
    return ink.safe(text.replace("\N{EN DASH}", "-").replace("\N{LEFTWARDS ARROW}", "<-"))


def write_table(ink: Ink, title: str, head: Sequence[str], rows: Sequence[tuple[str, ...]]) -> None:
    """A table with its title; a list where it is wider than the console. Nothing without rows."""
    if not rows:
        return
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for number, name in enumerate(head):
        grid.add_column(name, justify="left" if number == 0 else "right", header_style="dim", no_wrap=True)
    for row in rows:
        grid.add_row(*(Text(shown(ink, cell)) for cell in row))
    ink.blank()
    ink.line((title, "bold"))
    unbound = ink.console.options.update(max_width=_UNBOUND)
    if ink.console.measure(grid, options=unbound).maximum <= ink.width:
        ink.console.print(grid)
        return
    # A column that is cut off or left out would be a number that nobody sees.
    for name, *cells in rows:
        listed = ", ".join(f"{column} {cell}" for column, cell in zip(head[1:], cells, strict=True))
        ink.hanging(Text("- "), Text(shown(ink, f"{name}: {listed}")), indent=0)


def _write_case(ink: Ink, result: CaseResult) -> None:
    language = f" {ink.glyphs.dot} {ink.safe(result.case.language)}" if result.case.language else ""
    style = "green" if sentences.verdict_of(result) == "clean" else ""
    ink.line(
        "  ",
        (ink.safe(result.case.id), "bold"),
        (language, "dim"),
        "  ",
        (sentences.verdict_of(result), style),
    )
    for line in sentences.case_lines(result):
        sign, plain, colour = _SIGNS[line.kind]
        mark = sign if ink.encoding.startswith("utf") else plain
        ink.hanging(Text(f"{mark} {line.kind}: ", style=colour), Text(shown(ink, line.text)), indent=4)


def render_comparison(comparison: Comparison, *, console: Console) -> None:
    """The differences with their intervals, then the cases that changed."""
    ink = Ink(console)
    write_title(ink, f"{counted(comparison.cases, 'case')} in both runs")
    write_pair(ink, "first", sentences.run_words(comparison.first))
    write_pair(ink, "second", sentences.run_words(comparison.second))
    rows = sentences.comparison_rows(comparison)
    write_table(ink, "Second less first", ("", "first", "second", "difference, 95% interval"), rows)
    if comparison.changes:
        ink.blank()
        ink.line(("Cases that changed", "bold"))
    for case, lines in sentences.change_lines(comparison):
        ink.line("  ", (ink.safe(case), "bold"))
        for line in lines:
            ink.prose(line, indent=4)
    for case, reason in comparison.left_out.items():
        ink.prose(f"left out: {case}: {reason}", indent=0)
