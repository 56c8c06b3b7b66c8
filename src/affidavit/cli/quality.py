"""`affidavit quality`: show how often the findings of this installation were wrong."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import click
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from affidavit.cli.options import data_option, format_option
from affidavit.cli.outputs import print_text
from affidavit.config.places import state_folder
from affidavit.quality.measures import DIMENSIONS, measure_quality
from affidavit.records.measure import Dimension, Quality, RateGroup
from affidavit.render.account import NOT_MEASURED, percent, rate_words
from affidavit.render.ink import Ink
from affidavit.render.wording import counted
from affidavit.store.open import open_store


@click.command()
@click.option(
    "--since",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="YYYY-MM-DD",
    help="Only reviews made on or after this day (UTC).",
)
@click.option(
    "--by",
    "dimensions",
    type=click.Choice(DIMENSIONS),
    multiple=True,
    help="Only these tables; repeatable. Default: all of them.",
)
@format_option
@data_option
def command(
    since: datetime | None, dimensions: tuple[Dimension, ...], output: str, data: Path | None
) -> None:
    """Show how often findings were wrong, and what that rests on.

    The rate is the share labelled wrong among the findings shown and labelled (`affidavit label`). The same
    finding in several reports of a repository counts once. In brackets: the 95% interval.
    """
    store = open_store(data or state_folder())
    quality = measure_quality(
        store, since=since.strftime("%Y-%m-%d") if since else None, dimensions=dimensions or DIMENSIONS
    )
    if output == "text":
        render_quality(quality, console=Console())
    else:
        print_text(quality.model_dump_json(indent=1, ensure_ascii=True) + "\n")


_LABEL_WIDTH = 12
_MAX_VALUE_LENGTH = 28
SMALL_SAMPLE = 30
"""With fewer labels than this, one label moves the rate by more than three points."""
HOW_TO_LABEL = "Label findings: affidavit label REPORT FINDING valid|wrong|nit"
MAX_NAMED = 5
MAX_MISTAKES = 10
Lines = list[tuple[str, str]]


def render_quality(quality: Quality, *, console: Console) -> None:
    ink = Ink(console)
    dash = ink.glyphs.dash
    days = dict.fromkeys(day for day in (quality.first, quality.last) if day)
    since = f" (since {quality.since})" if quality.since else ""
    reviews = [counted(quality.reports, "review"), *([f" {dash} ".join(days)] if days else [])]
    ink.line((", ".join(reviews) + since, "bold"))
    _write(ink, "", [*_alarms(quality), *_rates(quality, dash), *_notes(quality)])
    for dimension, groups in quality.by.items():
        if groups:
            _write(ink, f"By {dimension.replace('_', ' ')}", [])
            ink.console.print(_table(ink, groups))
    _write(ink, "Labelled wrong", _mistakes(quality))
    _write(ink, "Followed", _followed(quality, dash))
    _write(ink, "Evidence", _evidence(quality))
    _write(ink, "Cost", _cost(quality))


def _write(ink: Ink, title: str, lines: Lines) -> None:
    if title and not lines and not title.startswith("By "):
        return
    ink.blank()
    if title:
        ink.line((title, "bold"))
    for label, text in lines:
        ink.hanging(Text(f"{ink.safe(label)} ".ljust(_LABEL_WIDTH), style="dim"), ink.inline(text), indent=0)


def _table(ink: Ink, groups: Sequence[RateGroup]) -> Table:
    table = Table(box=box.SIMPLE_HEAD if ink.glyphs.rule != "-" else box.ASCII)
    for name in ("", "shown", "labelled", "wrong", "nit"):
        table.add_column(name, justify="right" if name in ("shown", "labelled") else "left", overflow="fold")
    for one in groups:
        value = ink.cut(Text(ink.safe(one.value)), _MAX_VALUE_LENGTH)
        wrong = rate_words(one.wrong, ink.glyphs.dash).rpartition(",")[0] if one.wrong else "not measured"
        nit = percent(one.nit.share) if one.nit else ""
        table.add_row(value, str(one.shown), str(one.wrong.n if one.wrong else 0), wrong, nit)
    return table


def _alarms(quality: Quality) -> Lines:
    missing = quality.absences.unsearched
    named = "; ".join(missing[:MAX_NAMED])
    what = counted(len(missing), "absence claim was", "absence claims were")
    return [("ALARM", f"{what} shown without a search. This is a bug: {named}")] if missing else []


def _rates(quality: Quality, dash: str) -> Lines:
    lines = [
        (name, rate_words(rate, dash) if rate else NOT_MEASURED)
        for name, rate in (("wrong", quality.wrong), ("nit", quality.nit))
    ]
    lines.append(("labelled", f"{quality.labelled} of {counted(quality.shown, 'shown finding')}"))
    if quality.unheard:
        who = f"by the author or without write access: {', '.join(list(quality.unheard_from)[:MAX_NAMED])}"
        lines.append(("not counted", f"{counted(quality.unheard, 'finding')} labelled {who}"))
    if quality.withheld_labelled:
        all_of_them = counted(quality.withheld_labelled, "labelled withheld finding")
        lines.append(("withheld", f"{quality.withheld_valid} of {all_of_them} valid"))
    return lines


def _notes(quality: Quality) -> Lines:
    said = []
    if quality.wrong is None:
        since = f" since {quality.since}" if quality.since else ""
        said.append(f"No shown finding{since} has a label yet. {HOW_TO_LABEL}")
    elif quality.wrong.n < SMALL_SAMPLE:
        said.append(f"Only {counted(quality.wrong.n, 'label')}: read the interval, not the rate.")
    if quality.unreadable:
        said.append(f"{counted(quality.unreadable, 'report')} of another version left out; labels count.")
    return [("note", text) for text in said]


def _followed(quality: Quality, dash: str) -> Lines:
    lines = []
    if quality.followed:
        lines.append(("followed", f"{rate_words(quality.followed, dash)} of requests, by the next review"))
    if quality.improved and quality.improvement:
        median = f"median change of the score {quality.improvement.median:+.2f}"
        lines.append(("improved", f"{rate_words(quality.improved, dash)} of next reviews; {median}"))
    return lines


def _mistakes(quality: Quality) -> Lines:
    lines = [
        (one.report_id[:8], f"{one.title} ({one.place}, {one.specialist})" + (f": {one.why}" * bool(one.why)))
        for one in quality.mistakes[:MAX_MISTAKES]
    ]
    left = len(quality.mistakes) - len(lines)
    return [*lines, *([("more", f"{left}; --format json lists all")] if left else [])]


def _evidence(quality: Quality) -> Lines:
    found, searched, fates = quality.quotes_found, quality.absences.searched, quality.fates
    quotes = f"{percent(found.share)} of {found.n} found in the named file" if found else "none checked"
    absences = (
        f"{percent(searched.share)} of {searched.n} shown claims searched" if searched else "none shown"
    )
    reasons = ", ".join(f"{count} {code}" for code, count in fates.withheld.items())
    return [
        ("quotes", quotes),
        ("absences", absences),
        ("candidates", f"{fates.candidates}, of which {fates.shown} shown, {fates.unverified} unverified"),
        ("withheld", reasons or "none"),
    ]


def _cost(quality: Quality) -> Lines:
    spreads = (
        ("seconds", quality.duration_ms, 0.001, ".1f"),
        ("USD", quality.cost_usd, 1, ".4f"),
        ("tokens", quality.tokens, 1, ",.0f"),
    )
    lines = []
    for name, spread, unit, form in spreads:
        if spread:
            middle, total = (format(value * unit, form) for value in (spread.median, spread.total))
            lines.append((name, f"median {middle}, total {total}, {counted(spread.n, 'review')}"))
    if quality.unpriced:
        lines.append(("unpriced", f"{counted(quality.unpriced, 'review')} with models of unknown price"))
    return lines
