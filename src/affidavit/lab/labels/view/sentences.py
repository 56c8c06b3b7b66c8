"""Say what the measures of an installation mean: sentences, tables and warnings that all formats share."""

from collections.abc import Callable
from dataclasses import dataclass

from affidavit.records.evidence import QuoteOutcome
from affidavit.records.measure import Group, Mistake, Quality, Rate, Spread
from affidavit.render.account import EN_DASH, NOT_MEASURED, percent, rate_words
from affidavit.render.safe_text import one_line
from affidavit.render.wording import counted

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


@dataclass(frozen=True)
class Section:
    """A heading and its lines: name and sentence."""

    heading: str
    lines: tuple[tuple[str, str], ...]


def period(quality: Quality, dash: str = EN_DASH) -> str:
    """What was looked at."""
    said = counted(quality.reports, "review")
    if quality.first and quality.last:
        said += (
            f", {quality.first}"
            if quality.first == quality.last
            else f", {quality.first} {dash} {quality.last}"
        )
    return f"{said} (since {quality.since})" if quality.since else said


def rates(quality: Quality, dash: str = EN_DASH) -> tuple[tuple[str, str], ...]:
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


def alarms(quality: Quality) -> list[str]:
    """What must not be: said before everything else."""
    missing = quality.absences.unsearched
    if not missing:
        return []
    named = "; ".join(missing[:MAX_NAMED]) + ("; …" if len(missing) > MAX_NAMED else "")
    what = counted(len(missing), "absence claim was", "absence claims were")
    return [f"{what} shown without a search that ran. This must never happen: {named}"]


def warnings(quality: Quality) -> list[str]:
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


def scale(quality: Quality) -> float:
    """What the end of every picture stands for: one scale, so that tables can be compared."""
    highs = (one.wrong.high for groups in quality.by.values() for one in groups if one.wrong)
    return max(highs, default=1.0)


def group_cells(one: Group, dash: str = EN_DASH) -> tuple[str, str, str, str, str]:
    """Value, shown, labelled, wrong, nit."""
    labelled = one.wrong.n if one.wrong else 0
    return (one.value, str(one.shown), str(labelled), _short(one.wrong, dash), _share(one.nit))


def _short(rate: Rate | None, dash: str) -> str:
    return rate_words(rate, dash).rpartition(",")[0] if rate else "not measured"


def _share(rate: Rate | None) -> str:
    return percent(rate.share) if rate else ""


def sections(quality: Quality) -> list[Section]:
    """What was wrong, evidence, fates, cost."""
    mistakes = [Section("Labelled wrong", _mistake_lines(quality))] if quality.mistakes else []
    return [
        *mistakes,
        *_followed_section(quality),
        Section("Evidence", (*_quote_lines(quality), _absence_line(quality))),
        Section("What became of what was handed in", _fate_lines(quality)),
        Section("Cost", _cost_lines(quality)),
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
        named = [f"{one.value} {_share(one.followed)} of {one.asked}" for one in groups[:MAX_NAMED]]
        lines.append((DIMENSION_WORDS.get(dimension, dimension), "followed: " + "; ".join(named)))
    return [Section("Followed", tuple(lines))]


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
