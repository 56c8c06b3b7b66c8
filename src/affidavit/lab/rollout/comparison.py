"""The new versions against the old ones: each measure with its n and its interval."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from affidavit.lab.statistics import bootstrap_interval, rate_of
from affidavit.records.lab.measure import Interval, Rate
from affidavit.records.lab.rollout import Arm, ReviewCounts, RolloutReview
from affidavit.records.record import Record

Labels = Mapping[tuple[str, str], str]
"""Report and finding to what a person said about it."""


@dataclass(frozen=True)
class Share:
    """A measure that is a share: counted things among others."""

    name: str
    counted: str
    among: str
    meaning: str


SHARES = (
    Share("dropped", "dropped", "findings", "findings that the contract dropped"),
    Share("coerced", "coerced", "replies", "replies in which something had to be coerced"),
    Share("incompatible", "incompatible", "replies", "replies rejected for their versions"),
    Share("rejected", "rejected", "replies", "replies rejected for any reason"),
    Share("unanswered", "unanswered", "asked", "specialists that gave no reply"),
    Share("not quoted", "not_quoted", "findings", "findings whose quote is not in the commit"),
    Share("refuted", "refuted", "judged", "judged findings that the verifier refuted"),
    Share("unverified", "unverified", "judged", "judged findings that nobody could decide"),
    Share("nits", "nits", "confirmed", "confirmed findings that are not worth acting on"),
)
MIN_FOR_A_MEDIAN = 6
"""With fewer values no 95% interval of a median exists that assumes nothing about them."""
WRONG = Share("wrong", "", "", "shown and labelled findings that people called wrong")


class SharePair(Record):
    """One share under both versions; None where there is nothing to take a share of."""

    name: str
    meaning: str
    old: Rate | None
    new: Rate | None
    difference: Interval | None
    """New less old."""

    @property
    def is_worse(self) -> bool:
        """The new versions have more of it, and hardly by chance."""
        return self.difference is not None and self.difference.low > 0


class Middle(Record):
    """A median with its interval; None where there are too few values for one."""

    n: int
    median: float
    interval: Interval | None


class MedianPair(Record):
    """One quantity under both versions; None where it is not known."""

    name: str
    unit: str
    old: Middle | None
    new: Middle | None


class Comparison(Record):
    """Everything that was seen of both versions."""

    old_reviews: int
    new_reviews: int
    shares: tuple[SharePair, ...]
    medians: tuple[MedianPair, ...]

    def share(self, name: str) -> SharePair:
        """The measure with this name."""
        return next(pair for pair in self.shares if pair.name == name)


def compare_versions(reviews: Sequence[RolloutReview], labels: Labels) -> Comparison:
    """What the reviews of both arms say."""
    old, new = _of_arm(reviews, "old"), _of_arm(reviews, "new")
    wrong = _pair(WRONG, _wrong(old, labels), _wrong(new, labels))
    return Comparison(
        old_reviews=len(old),
        new_reviews=len(new),
        shares=(*(_pair(share, share_of(old, share), share_of(new, share)) for share in SHARES), wrong),
        medians=(
            MedianPair(name="cost", unit="USD", old=_middle(_costs(old)), new=_middle(_costs(new))),
            MedianPair(name="duration", unit="s", old=_middle(_durations(old)), new=_middle(_durations(new))),
        ),
    )


def share_of(reviews: Sequence[RolloutReview], share: Share) -> Rate | None:
    """One share over all reviews."""
    counts = [review.counts for review in reviews]
    return rate_of(_sum(counts, share.counted), _sum(counts, share.among))


def independent_difference(first: Rate | None, second: Rate | None) -> Interval | None:
    """The first rate less the second, measured on different cases.

    Newcombe, R. G. (1998), Statistics in Medicine 17:873-890, method 10: the two Wilson intervals, squared
    and added.
    """
    if first is None or second is None:
        return None
    estimate = first.share - second.share
    down = math.hypot(first.share - first.low, second.high - second.share)
    up = math.hypot(first.high - first.share, second.share - second.low)
    return Interval(estimate=estimate, low=max(-1.0, estimate - down), high=min(1.0, estimate + up))


def _of_arm(reviews: Sequence[RolloutReview], arm: Arm) -> list[RolloutReview]:
    return [review for review in reviews if review.arm == arm]


def _sum(counts: Sequence[ReviewCounts], name: str) -> int:
    return sum(getattr(count, name) for count in counts)


def _pair(share: Share, old: Rate | None, new: Rate | None) -> SharePair:
    difference = independent_difference(new, old)
    return SharePair(name=share.name, meaning=share.meaning, old=old, new=new, difference=difference)


def _wrong(reviews: Sequence[RolloutReview], labels: Labels) -> Rate | None:
    said = [
        labels[review.report_id, finding]
        for review in reviews
        for finding in review.counts.shown
        if (review.report_id, finding) in labels
    ]
    return rate_of(said.count("wrong"), len(said))


def _costs(reviews: Sequence[RolloutReview]) -> list[float]:
    return [review.counts.cost_usd for review in reviews if review.counts.cost_usd is not None]


def _durations(reviews: Sequence[RolloutReview]) -> list[float]:
    return [review.counts.duration_ms / 1000 for review in reviews]


def _middle(values: Sequence[float]) -> Middle | None:
    if not values:
        return None
    interval = bootstrap_interval(values, median) if len(values) >= MIN_FOR_A_MEDIAN else None
    return Middle(n=len(values), median=median(values), interval=interval)
