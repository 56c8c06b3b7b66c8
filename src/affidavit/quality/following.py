"""Measure whether feedback was followed, and whether that helped: kept reports in, rates out."""

from collections import Counter
from dataclasses import dataclass, field

from affidavit.iterations.feedback.summary import summary_of
from affidavit.quality.statistics import rate_of
from affidavit.records.iteration import FindingDecision
from affidavit.records.measure import Dimension, Followed, Rate
from affidavit.records.report import Report

NO_MODEL = "no model"
DIMENSIONS: tuple[Dimension, ...] = ("specialist", "prompt_version")


@dataclass
class FollowTally:
    """Sums over reports that follow another one."""

    asked: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Dimension and its value to what was asked, and decided in the next review."""
    followed: Counter[tuple[str, str]] = field(default_factory=Counter)
    deltas: list[float] = field(default_factory=list)
    clarity: list[float] = field(default_factory=list)


def count_follow_up(tally: FollowTally, report: Report) -> None:
    """Count what one report says of the review before it."""
    summary = summary_of(report)
    if summary.clarity is not None:
        tally.clarity.append(summary.clarity)
    earlier = report.inputs.earlier if report.inputs else None
    if report.follow_up is None or earlier is None or not earlier.history:
        return
    before = earlier.history[-1]
    if summary.is_like(before):
        tally.deltas.append(round(summary.score - before.score, 3))
    kinds = {one.candidate.id: one.candidate.kind for one in earlier.findings}
    for decision in report.follow_up.decisions:
        if decision.fate in ("cannot_tell", "dismissed"):
            continue
        is_machine = kinds.get(decision.earlier) == "mechanical"
        values = {
            "specialist": decision.specialist.partition("@")[0],
            "prompt_version": NO_MODEL if is_machine else earlier.prompt_version,
        }
        for key in values.items():
            tally.asked[key] += 1
            tally.followed[key] += is_followed(decision)


def is_followed(decision: FindingDecision) -> bool:
    """The code at its place was changed, and what was asked is done, in whole or in part."""
    return decision.code_changed and decision.fate in ("fixed", "partly_fixed")


def followed_rate(tally: FollowTally) -> Rate | None:
    """Over all that was asked."""
    asked = sum(count for (name, _), count in tally.asked.items() if name == "specialist")
    done = sum(count for (name, _), count in tally.followed.items() if name == "specialist")
    return rate_of(done, asked)


def followed_groups(tally: FollowTally) -> dict[Dimension, tuple[Followed, ...]]:
    """By specialist and by version of the prompts, who asked most first."""
    groups: dict[Dimension, tuple[Followed, ...]] = {}
    for dimension in DIMENSIONS:
        rows = [(value, count) for (name, value), count in tally.asked.items() if name == dimension]
        made = [
            Followed(value=value, asked=count, followed=rate_of(tally.followed[dimension, value], count))
            for value, count in sorted(rows, key=lambda row: (-row[1], row[0]))
        ]
        if made:
            groups[dimension] = tuple(made)
    return groups
