"""Write the story of a series of reviews, or the list of all series, for a terminal."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from affidavit.iterations.history.story import Chapter, Story, became_of, score_word, verdict_word
from affidavit.records.iteration import IterationSummary, StoredSeries
from affidavit.render.ink import Ink
from affidavit.render.wording import counted

_BAR_CELLS = 20
_HEAD = ("review", "head", "score", "", "verdict", "followed", "change")


def render_story(story: Story, *, console: Console) -> None:
    """A line for each review with its score, what is open now, and the alerts."""
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
    """Every series with its newest review; how many other repositories have is said."""
    ink = Ink(console)
    if not found:
        ink.line("no series of reviews is kept yet: review a branch, as in `affidavit review main...topic`")
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
    """Score and verdict; of a review that was not completed, only how far it came."""
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
