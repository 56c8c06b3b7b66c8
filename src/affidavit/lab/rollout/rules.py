"""The rules of a rollout: when to roll back, when to promote, when a version may be retired."""

from collections.abc import Sequence

from affidavit.contract.versions import parse_prompt_version, parse_schema_version
from affidavit.lab.rollout.comparison import SHARES, Comparison, share_of
from affidavit.records.lab.measure import Rate
from affidavit.records.lab.rollout import Rollout, RolloutReview

KEPT_WITHIN_SLO = ("dropped", "rejected")
"""A rejected reply is lost with all that it held, so what holds for dropped findings holds for it."""
COMPARED_BEFORE_PROMOTION = ("refuted", "wrong")
ALARM_REVIEWS = 3
"""In fewer reviews it may be one bad reply; an alarm needs the same trouble in several."""


def show_rate(rate: Rate) -> str:
    """A share with its interval and its n: `12.5% [4.3-31.0], 3 of 24`."""
    return f"{100 * rate.share:.1f}% [{100 * rate.low:.1f}–{100 * rate.high:.1f}], {rate.count} of {rate.n}"  # noqa: RUF001


def find_alarm(rollout: Rollout, reviews: Sequence[RolloutReview]) -> str | None:
    """Why the new versions must be rolled back; None where they need not.

    The SLO is broken for certain: even the low end of the interval is above it.
    """
    slice_reviews = [review for review in reviews if review.arm == "new"]
    if len(slice_reviews) < rollout.min_reviews:
        return None
    for share in SHARES:
        rate = share_of(slice_reviews, share) if share.name in KEPT_WITHIN_SLO else None
        troubled = sum(bool(getattr(review.counts, share.counted)) for review in slice_reviews)
        if rate is not None and rate.low > rollout.slo_dropped and troubled >= ALARM_REVIEWS:
            return (
                f"{share.meaning}: {show_rate(rate)}, above {_slo(rollout)},"
                f" in {troubled} of {len(slice_reviews)} reviews"
            )
    return None


def why_not_promote(rollout: Rollout, comparison: Comparison) -> list[str]:
    """What speaks against a promotion by a person; empty: the SLO is kept in a large enough sample."""
    return _too_few(rollout, comparison) + _above_slo(rollout, comparison, is_certainty_needed=False)


def why_not_promote_alone(rollout: Rollout, comparison: Comparison) -> list[str]:
    """What speaks against a promotion that nobody looks at: the SLO must be kept for certain."""
    problems = _too_few(rollout, comparison) + _above_slo(rollout, comparison, is_certainty_needed=True)
    for name in COMPARED_BEFORE_PROMOTION:
        pair = comparison.share(name)
        if pair.is_worse and pair.new:
            problems.append(f"{pair.meaning}: {show_rate(pair.new)}, more than under the old version")
    return problems


def why_not_retire(version: str, current: str, *, is_schema: bool) -> str | None:
    """A version may go once one of a later major is promoted: before that, both are read."""
    parse = parse_schema_version if is_schema else parse_prompt_version
    kind = "schema" if is_schema else "prompt"
    gone, kept = parse(version), parse(current)
    if gone is None or kept is None:
        form = "1.0" if is_schema else "1.0 or 1.0.0"
        return f"{version[:40]!r} is not a {kind} version; write it as {form}"
    if gone.major < kept.major:
        return None
    return (
        f"{kind} version {version} can be retired in the next major only: the current one is {current}, and"
        f" within major {kept.major} both are read. Roll out {kept.major + 1}.0 and promote it first"
    )


def _too_few(rollout: Rollout, comparison: Comparison) -> list[str]:
    seen, wanted = comparison.new_reviews, rollout.min_reviews
    return [f"only {seen} of {wanted} reviews of the slice are there"] if seen < wanted else []


def _above_slo(rollout: Rollout, comparison: Comparison, *, is_certainty_needed: bool) -> list[str]:
    if comparison.new_reviews == 0:
        return []
    problems = []
    for pair in map(comparison.share, KEPT_WITHIN_SLO):
        if pair.new is None:
            problems.append(f"{pair.meaning}: nothing was handed in, so nothing is known")
        elif pair.new.share > rollout.slo_dropped:
            problems.append(f"{pair.meaning}: {show_rate(pair.new)}, above {_slo(rollout)}")
        elif is_certainty_needed and pair.new.high > rollout.slo_dropped:
            problems.append(f"{pair.meaning}: {show_rate(pair.new)}, not within {_slo(rollout)} for certain")
    return problems


def _slo(rollout: Rollout) -> str:
    return f"the SLO of {100 * rollout.slo_dropped:g}%"
