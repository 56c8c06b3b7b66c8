"""Write the measures of an installation as one HTML page that loads nothing."""

from collections.abc import Sequence
from dataclasses import dataclass

from affidavit import __version__
from affidavit.lab.labels.view import sentences
from affidavit.records.measure import Group, Quality, Rate
from affidavit.render.account import percent
from affidavit.render.html.template import render_page
from affidavit.render.safe_text import one_line

_LEFT, _WIDTH = 5, 170
"""Where the rail of a picture begins, and how long it is."""
_MAX_CELL_LENGTH = 120


@dataclass(frozen=True)
class Bar:
    """An interval on the rail."""

    low: float
    at: float
    high: float


def quality_page(quality: Quality) -> str:
    """The rate first, then what qualifies it, then where it comes from."""
    scale = sentences.scale(quality)
    return render_page(
        "quality.html",
        styles=["tokens.css", "look.css", "page.css", "quality.css"],
        period=sentences.period(quality),
        alarms=[one_line(alarm, 2_000) for alarm in sentences.alarms(quality)],
        rates=sentences.rates(quality),
        definition=sentences.DEFINITION,
        warnings=sentences.warnings(quality),
        tables=[
            (sentences.DIMENSION_WORDS.get(dimension, dimension), _rows(groups, scale))
            for dimension, groups in quality.by.items()
            if groups
        ],
        scale=percent(scale),
        sections=sentences.sections(quality),
        version=__version__,
    )


def _rows(groups: Sequence[Group], scale: float) -> list[tuple[list[str], Bar | None]]:
    return [
        ([one_line(cell, _MAX_CELL_LENGTH) for cell in sentences.group_cells(one)], _bar(one.wrong, scale))
        for one in groups
    ]


def _bar(rate: Rate | None, scale: float) -> Bar | None:
    if rate is None:
        return None
    low, at, high = (round(_LEFT + share / scale * _WIDTH, 1) for share in (rate.low, rate.share, rate.high))
    return Bar(low, at, high)
