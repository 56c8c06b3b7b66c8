"""Summarise the history of a series of reviews: scores, effects of feedback, alerts."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from affidavit.iterations.review_summary import Alert, find_alerts
from affidavit.records.iteration import IterationSummary, StoredIteration, StoredSeries
from affidavit.records.record import Record
from affidavit.render.account import BACK, FATES
from affidavit.render.ink import Ink
from affidavit.render.wording import counted

FOLLOWED_SHARE = 0.5
"""Feedback counts as followed if the code changed and at least this share of it was done."""


class QualityTracking(Record):
    """How one feedback document was followed, in the fields of its schema; None: no review followed."""

    feedback_followed: bool | None = None
    improvement_observed: bool | None = None
    improvement_delta: float | None = None
    feedback_clarity_score: float | None = None


class Chapter(Record):
    """One review of the series, and what it led to."""

    summary: IterationSummary
    quality_tracking: QualityTracking


class Story(Record):
    """A series of reviews, oldest first."""

    repository: str
    series: str
    chapters: tuple[Chapter, ...]
    alerts: tuple[Alert, ...] = ()


def tell(series: Sequence[StoredIteration]) -> Story:
    """Build the history of a series with at least one review."""
    newest = series[-1]
    summaries = [one.summary for one in _current(series)]
    chapters = [
        Chapter(summary=one, quality_tracking=track(one, following))
        for one, following in zip(summaries, [*summaries[1:], None], strict=True)
    ]
    return Story(
        repository=newest.repository,
        series=newest.series,
        chapters=tuple(chapters),
        alerts=tuple(find_alerts(summaries)),
    )


def track(summary: IterationSummary, following: IterationSummary | None) -> QualityTracking:
    """Measure in the next review how a feedback document was followed."""
    if following is None:
        return QualityTracking(feedback_clarity_score=summary.clarity)
    # Nobody is asked to fix dismissed findings.
    asked = sum(count for fate, count in following.fates.items() if fate != "dismissed")
    # Scores of reviews under different conditions do not compare.
    delta = round(following.score - summary.score, 3) if summary.is_like(following) else None
    return QualityTracking(
        feedback_followed=following.followed / asked >= FOLLOWED_SHARE if asked else None,
        improvement_observed=None if delta is None else delta > 0,
        improvement_delta=delta,
        feedback_clarity_score=summary.clarity,
    )


def became_of(summary: IterationSummary) -> str:
    """Say what became of the earlier findings, and how many came back."""
    counts = [f"{count} {FATES[fate]}" for fate, count in summary.fates.items() if count]
    return ", ".join([*counts, *([f"{summary.back} {BACK}"] if summary.back else [])])


def score_word(summary: IterationSummary) -> str:
    """Format the score; in brackets if the review is incomplete."""
    return f"({summary.score:.2f})" if summary.incomplete else f"{summary.score:.2f}"


def verdict_word(summary: IterationSummary) -> str:
    """Format the verdict and what it does not cover."""
    words: list[str] = [summary.verdict]
    words += ["not completed"] if summary.incomplete else []
    words += [f"{len(summary.left_out)} not examined"] if summary.left_out else []
    return ", ".join(words)


def as_json(story: Story) -> dict[str, Any]:
    """Return the history as JSON; leave out unknown values of the tracking."""
    content = story.model_dump(mode="json")
    for chapter in content["chapters"]:
        tracking = chapter["quality_tracking"]
        chapter["quality_tracking"] = {name: value for name, value in tracking.items() if value is not None}
    return content


def _current(series: Sequence[StoredIteration]) -> Sequence[StoredIteration]:
    """Return the reviews since the newest review with number 1."""
    begins = [at for at, one in enumerate(series) if one.iteration == 1]
    return series[begins[-1] :] if begins else series


_BAR_CELLS = 20
_HEAD = ("review", "head", "score", "", "verdict", "followed", "change")


def render_story(story: Story, *, console: Console) -> None:
    """Print a line for each review, the open findings, and the alerts."""
    ink = Ink(console)
    ink.line((ink.safe(story.series), "bold"), f"  {counted(len(story.chapters), 'review')}")
    ink.line((ink.safe(story.repository), "dim"))
    ink.blank()
    rows = [_HEAD, *(_cells(one) for one in story.chapters)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    for number, row in enumerate(rows):
        text = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        ink.line((ink.safe(text), "dim" if number == 0 else ""))
    _write_open(ink, story.chapters[-1])
    for alert in story.alerts:
        start = Text("alert  ", style="bold red")
        ink.hanging(start, ink.inline(f"{alert.kind.replace('_', ' ')}: {alert.detail}"), indent=0)


def render_list(found: Sequence[StoredSeries], *, console: Console, elsewhere: int = 0) -> None:
    """Print every series with its newest review."""
    ink = Ink(console)
    if not found:
        ink.line("no series of reviews is stored yet; review a branch: `affidavit review main...topic`")
    for one in found:
        newest = one.newest.summary
        ink.line(
            (ink.safe(one.series), "bold"),
            f"  review {newest.number}, {_standing(newest)}",
            f", {len(newest.open)} open  ",
            (ink.safe(one.repository), "dim"),
        )
    if elsewhere:
        ink.line((f"{elsewhere} series of other repositories: --all lists them, too", "dim"))


def _standing(summary: IterationSummary) -> str:
    """Return score and verdict, with a mark for an incomplete review."""
    if summary.incomplete:
        return f"not completed (score so far {summary.score:.2f}), {summary.verdict}"
    return f"score {summary.score:.2f}, {summary.verdict}"


def _cells(chapter: Chapter) -> tuple[str, ...]:
    summary, tracking = chapter.summary, chapter.quality_tracking
    followed = {None: "", True: "yes", False: "no"}[tracking.feedback_followed]
    delta = tracking.improvement_delta
    filled = round(summary.score * _BAR_CELLS) if not summary.incomplete else 0
    return (
        str(summary.number),
        summary.head[:8],
        score_word(summary),
        "#" * filled + "." * (_BAR_CELLS - filled),
        verdict_word(summary),
        followed,
        "" if delta is None else f"{delta:+.2f}",
    )


def _write_open(ink: Ink, newest: Chapter) -> None:
    summary = newest.summary
    became = became_of(summary)
    ink.blank()
    ink.line(f"of what was asked before: {became}" if became else "nothing was asked before")
    for what, names in (("not completed", summary.incomplete), ("not looked at", summary.left_out)):
        if names:
            ink.line(ink.safe(f"{what}: {', '.join(names)}"))
    ink.line(f"open now: {len(summary.open)}")
    for one in summary.open:
        times = f" ({one.times} times)" if one.times > 1 else ""
        said = ink.inline(f"{one.place} {one.title}{times}")
        ink.hanging(Text(one.severity.value.ljust(9)), said, indent=2)
