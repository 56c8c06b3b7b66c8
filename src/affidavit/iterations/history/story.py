"""Kept reviews of one series in, the story of it out: each with what its feedback led to, and the alerts."""

from collections.abc import Sequence
from typing import Any

from affidavit.iterations.feedback.alerts import Alert, find_alerts
from affidavit.records.iteration import IterationSummary, StoredIteration
from affidavit.records.record import Record
from affidavit.render.account import BACK, FATES

FOLLOWED_SHARE = 0.5
"""Feedback counts as followed where at least so much of what was asked was done, by changing the code."""


class QualityTracking(Record):
    """What became of one feedback document; the fields are those of its schema. None: no review followed."""

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
    """The story of a series that has at least one review; what was merged before belongs to another."""
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
    """What the next review shows of how a feedback document was followed."""
    if following is None:
        return QualityTracking(feedback_clarity_score=summary.clarity)
    # What people dismissed is asked of nobody any more.
    asked = sum(count for fate, count in following.fates.items() if fate != "dismissed")
    # Of two that did not look at the same, nobody knows which is better.
    delta = round(following.score - summary.score, 3) if summary.is_like(following) else None
    return QualityTracking(
        feedback_followed=following.followed / asked >= FOLLOWED_SHARE if asked else None,
        improvement_observed=None if delta is None else delta > 0,
        improvement_delta=delta,
        feedback_clarity_score=summary.clarity,
    )


def became_of(summary: IterationSummary) -> str:
    """What became of the findings before a review, and how many came back; empty where there is nothing."""
    counts = [f"{count} {FATES[fate]}" for fate, count in summary.fates.items() if count]
    return ", ".join([*counts, *([f"{summary.back} {BACK}"] if summary.back else [])])


def score_word(summary: IterationSummary) -> str:
    """The score; in brackets where it is not that of a whole review."""
    return f"({summary.score:.2f})" if summary.incomplete else f"{summary.score:.2f}"


def verdict_word(summary: IterationSummary) -> str:
    """The verdict, and what it does not speak for."""
    words: list[str] = [summary.verdict]
    words += ["not completed"] if summary.incomplete else []
    words += [f"{len(summary.left_out)} not looked at"] if summary.left_out else []
    return ", ".join(words)


def as_json(story: Story) -> dict[str, Any]:
    """The story for other programs; what is not known is left out of the tracking, as its schema wants it."""
    content = story.model_dump(mode="json")
    for chapter in content["chapters"]:
        tracking = chapter["quality_tracking"]
        chapter["quality_tracking"] = {name: value for name, value in tracking.items() if value is not None}
    return content


def as_contents(story: Story) -> dict[str, Any]:
    """The story for the page, in words."""
    return {
        "repository": story.repository,
        "series": story.series,
        "alerts": [f"{one.kind.replace('_', ' ')}: {one.detail}" for one in story.alerts],
        "reviews": [_row(chapter) for chapter in story.chapters],
        "open": [
            {"severity": str(one.severity), "place": one.place, "title": one.title, "times": one.times}
            for one in story.chapters[-1].summary.open
        ],
    }


def _row(chapter: Chapter) -> dict[str, Any]:
    summary, tracking = chapter.summary, chapter.quality_tracking
    return {
        "number": summary.number,
        "created_at": summary.created_at,
        "head": summary.head,
        "score": summary.score,
        "score_said": score_word(summary),
        "verdict": verdict_word(summary),
        "open": len(summary.open),
        "became": became_of(summary),
        "followed": tracking.feedback_followed,
        "delta": tracking.improvement_delta,
        "clarity": tracking.feedback_clarity_score,
        "is_whole": not summary.incomplete,
    }


def _current(series: Sequence[StoredIteration]) -> Sequence[StoredIteration]:
    """The reviews since the last first one."""
    begins = [at for at, one in enumerate(series) if one.iteration == 1]
    return series[begins[-1] :] if begins else series
