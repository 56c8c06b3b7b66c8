"""Write the story of a series as one HTML page that loads nothing, with the curve of its scores."""

from collections.abc import Sequence
from dataclasses import dataclass

from affidavit import __version__
from affidavit.iterations.history.story import Chapter, Story, became_of, score_word, verdict_word
from affidavit.render.html.prose import inline
from affidavit.render.html.template import render_page
from affidavit.render.safe_text import one_line

WIDTH, HEIGHT = 640, 180
_LEFT, _TOP, _RIGHT, _BOTTOM = 36, 12, 16, 28


@dataclass(frozen=True)
class Dot:
    """One review on the curve."""

    x: float
    y: float
    number: int
    score: str
    verdict: str
    said: str
    is_whole: bool
    """Whether its score is that of a completed review: only those make the line."""


def story_page(story: Story) -> str:
    """The curve first, then the reviews, then what is open."""
    newest = story.chapters[-1].summary
    dots = curve(story.chapters)
    return render_page(
        "history.html",
        styles=["tokens.css", "look.css", "page.css", "quality.css", "history.css"],
        series=one_line(story.series, 200),
        repository=one_line(story.repository, 300),
        alerts=[(one.kind.replace("_", " "), inline(one.detail, 400)) for one in story.alerts],
        dots=dots,
        line=" ".join(f"{dot.x},{dot.y}" for dot in dots if dot.is_whole),
        grid=[(_y(score), f"{score:g}") for score in (0, 0.5, 0.8, 1)],
        width=WIDTH,
        height=HEIGHT,
        left=_LEFT,
        right=WIDTH - _RIGHT,
        reviews=[_row(chapter) for chapter in story.chapters],
        open=[
            (str(one.severity), one_line(one.place, 200), inline(one.title, 300), one.times)
            for one in newest.open
        ],
        version=__version__,
    )


def curve(chapters: Sequence[Chapter]) -> list[Dot]:
    """Where each review stands on the picture."""
    room = WIDTH - _LEFT - _RIGHT
    step = room / max(len(chapters) - 1, 1)
    return [
        Dot(
            round(_LEFT + at * step, 1),
            _y(chapter.summary.score),
            chapter.summary.number,
            score_word(chapter.summary),
            chapter.summary.verdict,
            verdict_word(chapter.summary),
            not chapter.summary.incomplete,
        )
        for at, chapter in enumerate(chapters)
    ]


def _y(score: float) -> float:
    return round(_TOP + (1 - score) * (HEIGHT - _TOP - _BOTTOM), 1)


def _row(chapter: Chapter) -> tuple[str, ...]:
    summary, tracking = chapter.summary, chapter.quality_tracking
    return (
        str(summary.number),
        one_line(summary.created_at[:16].replace("T", " "), 20),
        summary.head[:8],
        score_word(summary),
        verdict_word(summary),
        str(len(summary.open)),
        became_of(summary),
        {None: "", True: "yes", False: "no"}[tracking.feedback_followed],
        "" if tracking.improvement_delta is None else f"{tracking.improvement_delta:+.2f}",
        "" if tracking.feedback_clarity_score is None else f"{tracking.feedback_clarity_score:.2f}",
    )
