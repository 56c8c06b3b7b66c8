"""Write the measures of an installation for a terminal, each rate with a picture of its interval."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from affidavit.lab.labels.view import sentences
from affidavit.records.measure import Group, Quality, Rate
from affidavit.render.account import percent
from affidavit.render.ink import Ink

_LABEL_WIDTH = 12
_BAR_CELLS = 24
_NARROWEST_WITH_BAR = 100
_MAX_VALUE_LENGTH = 28
_GOOD, _FAIR = 0.05, 0.15
"""Shares of wrong findings with which a reviewer is trusted, and borne with: for the colour alone."""


def render_quality(quality: Quality, *, console: Console) -> None:
    """The rate first, then what qualifies it, then where it comes from."""
    ink = Ink(console)
    ink.line(("How good the reviews are", "bold"))
    ink.line((sentences.period(quality, ink.glyphs.dash), "dim"))
    for alarm in sentences.alarms(quality):
        ink.blank()
        ink.hanging(Text("ALARM ", style="bold white on red"), ink.inline(alarm, "bold red"), indent=0)
    ink.blank()
    _write_rates(ink, quality)
    ink.blank()
    ink.hanging(Text(), ink.inline(sentences.DEFINITION, "dim"), indent=0)
    for warning in sentences.warnings(quality):
        ink.hanging(Text("note  ", style="bold yellow"), ink.inline(warning), indent=0)
    for dimension, groups in quality.by.items():
        _write_groups(
            ink, sentences.DIMENSION_WORDS.get(dimension, dimension), groups, sentences.scale(quality)
        )
    for section in sentences.sections(quality):
        _write_heading(ink, section.heading)
        _write_lines(ink, section.lines)


def _write_rates(ink: Ink, quality: Quality) -> None:
    wrong, *others = sentences.rates(quality, ink.glyphs.dash)
    style = f"bold {_colour(quality.wrong)}"
    ink.hanging(_label(wrong[0], style), Text(wrong[1], style=style), indent=0)
    _write_lines(ink, others)


def _write_lines(ink: Ink, lines: Sequence[tuple[str, str]]) -> None:
    for label, text in lines:
        ink.hanging(_label(ink.safe(label), "dim"), ink.inline(text), indent=0)


def _label(text: str, style: str) -> Text:
    return Text.assemble((text, style), " " * max(_LABEL_WIDTH - len(text), 1))


def _write_heading(ink: Ink, title: str) -> None:
    ink.blank()
    rule = ink.glyphs.rule * max(ink.text_width - len(title) - 1, 0)
    ink.line((title, "bold"), " ", (rule, "dim"))


def _write_groups(ink: Ink, name: str, groups: Sequence[Group], scale: float) -> None:
    if not groups:
        return
    _write_heading(ink, f"By {name}")
    rows = [(_safe_cells(ink, one), one.wrong) for one in groups]
    head = ("", "shown", "labelled", "wrong", "nit")
    widths = [max(len(cells[column]) for cells in [head, *(row[0] for row in rows)]) for column in range(5)]
    has_bar = ink.text_width >= _NARROWEST_WITH_BAR and any(rate for _, rate in rows)
    ink.line((_aligned(head, widths), "dim"), (f"  0 to {percent(scale)}" if has_bar else "", "dim"))
    for cells, rate in rows:
        bar = _bar(ink, rate, scale) if has_bar and rate else Text()
        ink.line(Text(_aligned(cells, widths), style="" if rate else "dim"), "  ", bar)


def _safe_cells(ink: Ink, one: Group) -> tuple[str, ...]:
    value, *others = sentences.group_cells(one, ink.glyphs.dash)
    return (ink.cut(Text(ink.safe(value)), _MAX_VALUE_LENGTH).plain, *others)


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    value, *others = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
    shown, labelled, *rates = others
    return "  ".join([value, shown.strip().rjust(widths[1]), labelled.strip().rjust(widths[2]), *rates])


def _bar(ink: Ink, rate: Rate, scale: float) -> Text:
    """Where the rate lies between none and the end of the scale."""

    def cell(share: float) -> int:
        return min(int(share / scale * _BAR_CELLS), _BAR_CELLS - 1)

    drawn = [" "] * _BAR_CELLS
    drawn[cell(rate.low) : cell(rate.high) + 1] = ink.glyphs.rule * (cell(rate.high) - cell(rate.low) + 1)
    drawn[cell(rate.share)] = "\u25cf" if ink.glyphs.rule != "-" else "o"
    return Text(f"{ink.glyphs.bar}{''.join(drawn)}{ink.glyphs.bar}", style=_colour(rate))


def _colour(rate: Rate | None) -> str:
    if rate is None:
        return "dim"
    # By the interval: three labels without a wrong one are no reason for green.
    return "green" if rate.high <= _FAIR else "red" if rate.low > _GOOD else "yellow"
