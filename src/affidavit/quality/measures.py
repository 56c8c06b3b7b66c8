"""Measure the reviews of an installation: rates, with their intervals, of stored reports and labels."""

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import get_args

from affidavit.iterations.review_summary import summary_of
from affidavit.quality.labels import newest_by_problem, problem_of
from affidavit.quality.statistics import rate_of
from affidavit.records.candidate import Candidate, Status
from affidavit.records.diagnostics import Reason
from affidavit.records.finding import Finding, Severity
from affidavit.records.measure import (
    MIN_LABELS,
    Absences,
    Dimension,
    Fates,
    Label,
    LabelledFinding,
    Mistake,
    Quality,
    Rate,
    RateGroup,
    ReviewPoint,
    Spread,
    TooFew,
)
from affidavit.records.report import Report
from affidavit.store.open import Store

DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)
NO_MODEL = "no model"
"""Used as model and prompt of an analyser's finding."""
FOUND = ("exact", "relocated", "ambiguous")
MAX_POINTS = 1_000
"""The newest reviews, for the chart over time."""


@dataclass(frozen=True)
class Sighting:
    """A finding shown in one report, with the values that it is grouped by."""

    problem: str
    report_id: str
    candidate_id: str
    title: str
    place: str
    values: Mapping[Dimension, str]


@dataclass
class QualityTally:
    """Sums over reports while they are read one at a time: a store may hold more than fits into memory."""

    unreadable: int = 0
    points: list[ReviewPoint] = field(default_factory=list)
    sightings: list[Sighting] = field(default_factory=list)
    quotes: Counter[str] = field(default_factory=Counter)
    withheld: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    unsearched: list[str] = field(default_factory=list)
    tokens: list[float] = field(default_factory=list)
    deltas: list[float] = field(default_factory=list)
    """Changes of the score between two reviews that looked at the same."""


def measure_headline(store: Store, tenant: str | None = None) -> Rate | None:
    """Return the share of wrong findings among the shown and labelled; None if none is labelled."""
    shown = [one for one in store.labels.with_findings(tenant=tenant) if one.is_shown]
    return _share(newest_by_problem(shown).values(), Label.WRONG)


def with_measured(report: Report, store: Store, tenant: str | None = None) -> Report:
    """Add the current error rate of the installation, or of a tenant, to a report."""
    rate = measure_headline(store, tenant)
    few: TooFew = "too few labels"
    return report.model_copy(update={"measured": few if rate and rate.n < MIN_LABELS else rate})


def measure_quality(
    store: Store,
    *,
    since: str | None = None,
    dimensions: Sequence[Dimension] = DIMENSIONS,
    tenant: str | None = None,
) -> Quality:
    """Measure the reviews since a date (YYYY-MM-DD), of a tenant or of all."""
    tally = QualityTally()
    for report in store.reports.each(since or "", tenant):
        _count_report(tally, report)
    labelled = store.labels.with_findings(since or "", tenant)
    shown = newest_by_problem([one for one in labelled if one.is_shown])
    withheld = newest_by_problem([one for one in labelled if not one.is_shown])
    unheard = store.labels.uncounted(since or "", tenant)
    return Quality(
        since=since,
        reports=len(tally.points),
        unreadable=tally.unreadable,
        first=min((one.created_at[:10] for one in tally.points), default=None),
        last=max((one.created_at[:10] for one in tally.points), default=None),
        shown=len({one.problem for one in tally.sightings} | shown.keys()),
        labelled=len(shown),
        wrong=_share(shown.values(), Label.WRONG),
        nit=_share(shown.values(), Label.NIT),
        unheard=len({(one.report_id, one.candidate_id) for one in unheard}),
        unheard_from=dict(Counter(one.by for one in unheard).most_common()),
        withheld_labelled=len(withheld),
        withheld_valid=sum(one.entry.label is Label.VALID for one in withheld.values()),
        mistakes=_mistakes(tally.sightings, shown),
        by={dimension: _groups(tally.sightings, shown, dimension) for dimension in dimensions},
        followed=rate_of(tally.counts["followed"], tally.counts["asked"]),
        improved=rate_of(sum(delta > 0 for delta in tally.deltas), len(tally.deltas)),
        improvement=_spread(tally.deltas),
        quotes_found=rate_of(sum(tally.quotes[outcome] for outcome in FOUND), tally.quotes.total()),
        absences=_absences(tally),
        fates=_fates(tally),
        duration_ms=_spread([one.duration_ms for one in tally.points]),
        # A partial sum would pass for a cheap review.
        cost_usd=_spread([one.cost_usd for one in tally.points if one.cost_usd is not None]),
        tokens=_spread(tally.tokens),
        unpriced=tally.counts["unpriced"],
        over_time=tuple(tally.points[-MAX_POINTS:]),
    )


def _share(labelled: Iterable[LabelledFinding], label: Label) -> Rate | None:
    labels = [one.entry.label for one in labelled]
    return rate_of(labels.count(label), len(labels))


# Reading one report


def _count_report(tally: QualityTally, report: Report | None) -> None:
    if report is None:
        tally.unreadable += 1
        return
    tally.points.append(_point(report))
    if report.usage:
        tally.tokens.append(report.tokens)
        tally.counts["unpriced"] += report.cost_usd is None
    _count_follow_up(tally, report)
    for candidate in report.candidates:
        _count_candidate(tally, report, candidate)


def _point(report: Report) -> ReviewPoint:
    codes = Counter(one.withheld.code for one in report.candidates if one.withheld)
    quotes = Counter(one.quote.outcome for one in report.candidates if one.quote)
    return ReviewPoint(
        report_id=report.id,
        created_at=report.created_at,
        prompt_version=report.prompt_version,
        duration_ms=report.duration_ms,
        cost_usd=report.cost_usd if report.usage else None,
        candidates=len(report.candidates),
        shown=len(report.shown),
        dropped=sum(one.finding is None for one in report.candidates) + report.set_aside_count,
        set_aside=report.set_aside_count,
        relocated=quotes["relocated"],
        refuted=codes[Reason.REFUTED],
    )


def _count_follow_up(tally: QualityTally, report: Report) -> None:
    """Count how the feedback of the review before was followed."""
    earlier = report.inputs.earlier
    if report.follow_up is None or earlier is None or not earlier.history:
        return
    summary, before = summary_of(report), earlier.history[-1]
    if summary.is_like(before):
        tally.deltas.append(round(summary.score - before.score, 3))
    undecided = ("cannot_tell", "dismissed")
    tally.counts["asked"] += sum(n for fate, n in summary.fates.items() if fate not in undecided)
    tally.counts["followed"] += summary.followed


def _count_candidate(tally: QualityTally, report: Report, candidate: Candidate) -> None:
    if candidate.quote:
        tally.quotes[candidate.quote.outcome] += 1
    if candidate.withheld:
        tally.withheld[candidate.withheld.code] += 1
    if candidate.finding is None or not candidate.is_shown:
        return
    tally.counts["unverified"] += candidate.status is Status.UNVERIFIED
    if candidate.finding.verification and candidate.finding.verification.is_absence_finding:
        _count_absence(tally, report, candidate)
    tally.sightings.append(_sighting(report, candidate, candidate.finding))


def _count_absence(tally: QualityTally, report: Report, candidate: Candidate) -> None:
    tally.counts["absences"] += 1
    if not candidate.searches or any(run.state == "failed" for run in candidate.searches):
        tally.unsearched.append(f"{report.id} {candidate.id}")


def _sighting(report: Report, candidate: Candidate, finding: Finding) -> Sighting:
    by_machine = candidate.kind == "mechanical"
    return Sighting(
        problem=problem_of(report.change.repository, candidate.fingerprint, report.id, candidate.id),
        report_id=report.id,
        candidate_id=candidate.id,
        title=finding.title,
        place=f"{finding.file}:{finding.line}",
        values={
            "specialist": candidate.specialist,
            "category": finding.category,
            "severity": finding.severity,
            "model": NO_MODEL if by_machine else report.models.get("specialist", "unknown"),
            "prompt_version": NO_MODEL if by_machine else report.prompt_version,
            "month": report.created_at[:7],
        },
    )


# Putting the sums together


def _groups(
    sightings: Sequence[Sighting], labelled: Mapping[str, LabelledFinding], dimension: Dimension
) -> tuple[RateGroup, ...]:
    """Group the problems, each by the report in which it was labelled or else first seen."""
    place: dict[str, Sighting] = {}
    for one in sightings:
        label = labelled.get(one.problem)
        is_labelled_here = label and (one.report_id, one.candidate_id) == (
            label.entry.report_id,
            label.entry.candidate_id,
        )
        if one.problem not in place or is_labelled_here:
            place[one.problem] = one
    problems: dict[str, list[str]] = {}
    for problem, one in place.items():
        problems.setdefault(one.values[dimension], []).append(problem)
    groups = [_group(value, members, labelled) for value, members in problems.items()]
    return tuple(sorted(groups, key=lambda one: _order(one, dimension)))


def _group(value: str, problems: Sequence[str], labelled: Mapping[str, LabelledFinding]) -> RateGroup:
    found = [labelled[problem] for problem in problems if problem in labelled]
    return RateGroup(
        value=value,
        shown=len(problems),
        wrong=_share(found, Label.WRONG),
        nit=_share(found, Label.NIT),
    )


def _order(one: RateGroup, dimension: Dimension) -> tuple[int, str]:
    """Sort severities by rank, months by time, everything else by the number of findings."""
    if dimension == "severity":
        return Severity(one.value).rank, ""
    return (0, one.value) if dimension == "month" else (-one.shown, one.value)


def _mistakes(sightings: Sequence[Sighting], labelled: dict[str, LabelledFinding]) -> tuple[Mistake, ...]:
    seen = {(one.report_id, one.candidate_id): one for one in sightings}
    # By number of the label, so that the newest comes first.
    entries = [one.entry for one in reversed(labelled.values()) if one.entry.label is Label.WRONG]
    return tuple(
        Mistake(
            report_id=entry.report_id,
            candidate_id=entry.candidate_id,
            specialist=found.values["specialist"],
            title=found.title,
            place=found.place,
            why=entry.why,
        )
        for entry in entries
        if (found := seen.get((entry.report_id, entry.candidate_id)))
    )


def _absences(tally: QualityTally) -> Absences:
    shown = tally.counts["absences"]
    return Absences(
        shown=shown,
        searched=rate_of(shown - len(tally.unsearched), shown),
        unsearched=tuple(tally.unsearched),
        withheld=tally.withheld[Reason.ABSENCE_NOT_SEARCHED],
    )


def _fates(tally: QualityTally) -> Fates:
    return Fates(
        candidates=sum(one.candidates for one in tally.points),
        shown=sum(one.shown for one in tally.points),
        dropped=sum(one.dropped - one.set_aside for one in tally.points),
        refuted=tally.withheld[Reason.REFUTED] + tally.withheld[Reason.ABSENCE_DISPROVED],
        unverified=tally.counts["unverified"],
        withheld={str(code): count for code, count in tally.withheld.most_common()},
    )


def _spread(values: Sequence[float]) -> Spread | None:
    if not values:
        return None
    return Spread(n=len(values), total=sum(values), median=statistics.median(values))
