"""`affidavit quality`: how good the reviews of this installation are, as far as people have labelled them."""

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

import click
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from affidavit.cli.outputs import print_text
from affidavit.config.places import state_folder
from affidavit.quality.measures import DIMENSIONS, measure_quality
from affidavit.records.evidence import QuoteOutcome
from affidavit.records.measure import Dimension, Mistake, Quality, Rate, RateGroup, Spread
from affidavit.render.account import NOT_MEASURED, percent, rate_words
from affidavit.render.ink import Ink
from affidavit.render.safe_text import one_line
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
@click.option(
    "--format",
    "output",
    type=click.Choice(["text", "json"]),
    default="text",
    help="Goes to standard output; default text.",
)
@click.option("--data", type=click.Path(path_type=Path), help="Folder of the store.")
def command(
    since: datetime | None, dimensions: tuple[Dimension, ...], output: str, data: Path | None
) -> None:
    """Say how often findings were wrong, how sure that is, and what became of everything else.

    The rate is: labelled wrong, among the findings that were shown and labelled (`affidavit label`).
    The same finding in several reports of a repository counts once. In brackets: the 95% interval.

    Every number comes from the kept reports and labels; nothing is sent anywhere.
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
_GOOD, _FAIR = 0.05, 0.15
"""Shares of wrong findings that the rate is green or yellow up to."""
SMALL_SAMPLE = 30
"""With fewer labels than this, one label moves the rate by more than three points."""
DEFINITION = (
    "Wrong: findings that people labelled wrong, among those that were shown and labelled."
    " The same finding in several reports of a repository counts once."
    " In brackets: the 95% interval (Wilson)."
)
HOW_TO_LABEL = "Label findings: affidavit label REPORT FINDING valid|wrong|nit"
QUOTE_WORDS: dict[QuoteOutcome, str] = {
    "exact": "were at the named lines",
    "relocated": "were elsewhere in the file, and were moved there",
    "ambiguous": "were in several places, and the nearest was taken",
    "not_found": "were not found, and their findings withheld",
    "not_quoted": "were missing: the finding quoted nothing",
}
DIMENSION_WORDS = {"prompt_version": "prompt version"}
MAX_NAMED = 5
MAX_NAME_LENGTH = 80
MAX_MISTAKES = 10


Section = tuple[str, Sequence[tuple[str, str]]]
"""A heading and its lines: name and sentence."""


def render_quality(quality: Quality, *, console: Console) -> None:
    """Write the error rate, then what qualifies it, then where it comes from."""
    ink = Ink(console)
    ink.line(("How good the reviews are", "bold"))
    ink.line((_period(quality, ink.glyphs.dash), "dim"))
    for alarm in _alarms(quality):
        ink.blank()
        ink.hanging(Text("ALARM ", style="bold white on red"), ink.inline(alarm, "bold red"), indent=0)
    ink.blank()
    wrong, *others = _rates(quality, ink.glyphs.dash)
    style = f"bold {_colour(quality.wrong)}"
    ink.hanging(_label(wrong[0], style), Text(wrong[1], style=style), indent=0)
    _write_lines(ink, others)
    ink.blank()
    ink.hanging(Text(), ink.inline(DEFINITION, "dim"), indent=0)
    for warning in _warnings(quality):
        ink.hanging(Text("note  ", style="bold yellow"), ink.inline(warning), indent=0)
    for dimension, groups in quality.by.items():
        if groups:
            _write_heading(ink, f"By {DIMENSION_WORDS.get(dimension, dimension)}")
            ink.console.print(_table(ink, groups))
    for heading, lines in _sections(quality):
        _write_heading(ink, heading)
        _write_lines(ink, lines)


def _write_lines(ink: Ink, lines: Sequence[tuple[str, str]]) -> None:
    for label, text in lines:
        ink.hanging(_label(ink.safe(label), "dim"), ink.inline(text), indent=0)


def _label(text: str, style: str) -> Text:
    return Text.assemble((text, style), " " * max(_LABEL_WIDTH - len(text), 1))


def _write_heading(ink: Ink, title: str) -> None:
    ink.blank()
    rule = ink.glyphs.rule * max(ink.text_width - len(title) - 1, 0)
    ink.line((title, "bold"), " ", (rule, "dim"))


def _table(ink: Ink, groups: Sequence[RateGroup]) -> Table:
    table = Table(box=box.SIMPLE_HEAD if ink.glyphs.rule != "-" else box.ASCII)
    for name in ("", "shown", "labelled", "wrong", "nit"):
        table.add_column(name, justify="right" if name in ("shown", "labelled") else "left", overflow="fold")
    for one in groups:
        value = ink.cut(Text(ink.safe(one.value)), _MAX_VALUE_LENGTH)
        wrong = rate_words(one.wrong, ink.glyphs.dash).rpartition(",")[0] if one.wrong else "not measured"
        labelled = one.wrong.n if one.wrong else 0
        nit = percent(one.nit.share) if one.nit else ""
        table.add_row(value, str(one.shown), str(labelled), Text(wrong, style=_colour(one.wrong)), nit)
    return table


def _colour(rate: Rate | None) -> str:
    if rate is None:
        return "dim"
    # By the interval: three labels without a wrong one are no reason for green.
    return "green" if rate.high <= _FAIR else "red" if rate.low > _GOOD else "yellow"


def _period(quality: Quality, dash: str) -> str:
    """What was looked at."""
    said = counted(quality.reports, "review")
    if quality.first and quality.last:
        said += (
            f", {quality.first}"
            if quality.first == quality.last
            else f", {quality.first} {dash} {quality.last}"
        )
    return f"{said} (since {quality.since})" if quality.since else said


def _rates(quality: Quality, dash: str) -> tuple[tuple[str, str], ...]:
    """The headline: what was wrong, what was a nit, and how many findings that is about."""
    lines = [("wrong", _rate_or_not(quality.wrong, dash)), ("nit", _rate_or_not(quality.nit, dash))]
    lines.append(("labelled", f"{quality.labelled} of {counted(quality.shown, 'shown finding')}"))
    if quality.unheard:
        people = [one_line(name, MAX_NAME_LENGTH) for name in quality.unheard_from]
        named = ", ".join(people[:MAX_NAMED]) + (", …" if len(people) > MAX_NAMED else "")
        who = "by the author of a change or without write access, in no rate"
        lines.append(("not counted", f"{counted(quality.unheard, 'finding')} labelled {who}: {named}"))
    if quality.withheld_labelled:
        all_of_them = counted(quality.withheld_labelled, "withheld and labelled finding")
        lines.append(("withheld", f"{quality.withheld_valid} of {all_of_them} valid: withheld wrongly"))
    return tuple(lines)


def _rate_or_not(rate: Rate | None, dash: str) -> str:
    return rate_words(rate, dash) if rate else NOT_MEASURED


def _alarms(quality: Quality) -> list[str]:
    """What must not be: said before everything else."""
    missing = quality.absences.unsearched
    if not missing:
        return []
    named = "; ".join(missing[:MAX_NAMED]) + ("; …" if len(missing) > MAX_NAMED else "")
    what = counted(len(missing), "absence claim was", "absence claims were")
    return [f"{what} shown without a search that ran. This must never happen: {named}"]


def _warnings(quality: Quality) -> list[str]:
    """What to keep in mind while reading the numbers."""
    said = []
    if quality.wrong is None:
        whose = f"since {quality.since} " if quality.since else ""
        said.append(f"No finding that was shown {whose}has a label yet. {HOW_TO_LABEL}")
    elif quality.wrong.n < SMALL_SAMPLE:
        said.append(
            f"{counted(quality.wrong.n, 'label is', 'labels are')} few: read the interval, not the rate."
        )
    if quality.wrong and quality.labelled < quality.shown:
        unlabelled = quality.shown - quality.labelled
        said.append(
            f"{counted(unlabelled, 'shown finding has', 'shown findings have')} no label; the rate applies"
            f" to {'it' if unlabelled == 1 else 'them'} only if those labelled were not picked because they"
            " looked wrong or right."
        )
    if quality.unreadable:
        what = counted(quality.unreadable, "report was", "reports were")
        said.append(f"{what} kept by another version and left out, but for the labels.")
    return said


def _sections(quality: Quality) -> list[Section]:
    """What was wrong, evidence, fates, cost."""
    mistakes = [("Labelled wrong", _mistake_lines(quality))] if quality.mistakes else []
    return [
        *mistakes,
        *_followed_section(quality),
        ("Evidence", (*_quote_lines(quality), _absence_line(quality))),
        ("What became of what was handed in", _fate_lines(quality)),
        ("Cost", _cost_lines(quality)),
    ]


def _followed_section(quality: Quality) -> list[Section]:
    """Whether feedback was followed, and whether that helped; nothing where no review followed another."""
    if quality.followed is None and quality.improved is None:
        return []
    lines = []
    if quality.followed:
        lines.append(("followed", f"{rate_words(quality.followed)} of what was asked, by the next review"))
    if quality.improved and quality.improvement:
        median = f"median change of the score {quality.improvement.median:+.2f}"
        lines.append(("improved", f"{rate_words(quality.improved)} of next reviews; {median}"))
    if quality.clarity:
        lines.append(("clarity", f"median {quality.clarity.median:.2f} over {quality.clarity.n} documents"))
    for dimension, groups in quality.followed_by.items():
        named = [
            f"{one.value} {percent(one.followed.share)} of {one.asked}"
            for one in groups[:MAX_NAMED]
            if one.followed
        ]
        lines.append((DIMENSION_WORDS.get(dimension, dimension), "followed: " + "; ".join(named)))
    return [("Followed", tuple(lines))]


def _mistake_lines(quality: Quality) -> tuple[tuple[str, str], ...]:
    listed = quality.mistakes[:MAX_MISTAKES]
    lines = [(one_line(one.report_id)[:8], _mistake_words(one)) for one in listed]
    left = len(quality.mistakes) - len(listed)
    return (*lines, ("more", f"{left}, all of them with --format json")) if left else tuple(lines)


def _mistake_words(mistake: Mistake) -> str:
    what = (
        f"{one_line(mistake.title, 200)} ({one_line(mistake.place, 200)}, {one_line(mistake.specialist, 80)})"
    )
    return f"{what}: {one_line(mistake.why, 300)}" if mistake.why.strip() else what


def _quote_lines(quality: Quality) -> list[tuple[str, str]]:
    if not quality.quotes_found:
        return [("quotes", "none checked yet")]
    found = quality.quotes_found
    whole = f"{percent(found.share)} of {found.n} were found in the named file (should be more than 95%)"
    return [
        ("quotes", whole),
        *_outcome_lines(quality),
    ]


def _outcome_lines(quality: Quality) -> list[tuple[str, str]]:
    return [
        (outcome.replace("_", " "), f"{percent(rate.share)} {QUOTE_WORDS[outcome]}")
        for outcome, rate in quality.quotes.items()
        if rate.count or outcome in ("exact", "relocated", "not_found")
    ]


def _absence_line(quality: Quality) -> tuple[str, str]:
    absences = quality.absences
    said = "none shown"
    if absences.searched:
        rate = absences.searched
        said = f"{percent(rate.share)} of {counted(rate.n, 'shown absence claim')} searched (must be 100%)"
    if absences.withheld:
        said += f"; {absences.withheld} more withheld for want of a search"
    return "absences", said


def _fate_lines(quality: Quality) -> tuple[tuple[str, str], ...]:
    fates = quality.fates
    reasons = ", ".join(f"{count} {code}" for code, count in fates.withheld.items())
    return (
        ("handed in", f"{fates.candidates}, of which {fates.shown} shown (repetitions counted)"),
        ("dropped", f"{fates.dropped} by the contract"),
        ("refuted", f"{fates.refuted} by the verifier"),
        ("unverified", f"{fates.unverified} shown as such"),
        ("withheld", reasons or "none"),
    )


def _cost_lines(quality: Quality) -> tuple[tuple[str, str], ...]:
    lines = []
    if quality.duration_ms:
        lines.append(("duration", _spread_words(quality.duration_ms, _seconds)))
    if quality.cost_usd:
        lines.append(("money", _spread_words(quality.cost_usd, lambda value: f"{value:.4f} USD")))
    if quality.unpriced:
        lines.append(
            ("unpriced", f"{counted(quality.unpriced, 'review')} with models whose price is not known")
        )
    if quality.tokens:
        lines.append(("tokens", _spread_words(quality.tokens, lambda value: f"{value:,.0f}")))
    elif quality.reports:
        lines.append(("money", "0 USD: no model looked"))
    return tuple(lines) or (("reviews", "none yet"),)


def _spread_words(spread: Spread, write: Callable[[float], str]) -> str:
    return f"median {write(spread.median)} a review, {write(spread.total)} in all, over {spread.n}"


def _seconds(milliseconds: float) -> str:
    seconds = milliseconds / 1000
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min {rest} s"
