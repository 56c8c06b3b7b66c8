"""Score reviews against their cases, and add up the scores over all cases and by language."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from affidavit.lab.evaluation.matching import Meaning, Pairing, distance_to, match_findings
from affidavit.lab.records import (
    CaseMatch,
    CaseResult,
    CaseRun,
    LabelledCase,
    Miss,
    NearMiss,
    Outcome,
    ScoredFinding,
    Scores,
)
from affidavit.quality.statistics import rate_of
from affidavit.records.candidate import Candidate, Withheld
from affidavit.records.diagnostics import Reason
from affidavit.records.finding import Finding
from affidavit.records.measure import Label
from affidavit.records.report import Report, RoleUsage

OUTCOME_OF_LABEL: Mapping[Label, Outcome] = {
    Label.VALID: "true",
    Label.WRONG: "wrong",
    Label.NIT: "nit",
}
NOT_LOST = frozenset({Reason.DUPLICATE_OF})
"""A duplicate counts under the finding that it was joined with."""
Judged = tuple[Outcome, str]


async def score_review(
    case: LabelledCase, report: Report, *, meaning: Meaning, labels: Mapping[str, Label]
) -> CaseRun:
    """Score the review of a case; `labels` are those that people gave, by fingerprint."""
    # A finding that a person labelled wrong shows no problem, however near it is.
    eligible = [one for one in report.shown if labels.get(one.fingerprint) is not Label.WRONG]
    pairing = await match_findings(case.expected, eligible, report.change, meaning)
    matched = {match.expected for match in pairing.matches}
    missed = [number for number in range(len(case.expected)) if number not in matched]
    return CaseRun(
        report_id=report.id,
        matches=pairing.matches,
        findings=await _score_findings(case, report, pairing, meaning, labels),
        misses=tuple([await _miss(case, one, report, pairing, meaning) for one in missed]),
        withheld=len(report.withheld),
        incomplete=tuple(f"{part.name}: {part.reason}" for part in report.incomplete),
        duration_ms=report.duration_ms,
        tokens=tokens_of(report.usage),
        cost_usd=cost_of(report.usage),
    )


def tokens_of(usage: Sequence[RoleUsage]) -> int:
    """Return the tokens in and out."""
    return sum(one.input_tokens + one.output_tokens for one in usage)


def cost_of(usage: Sequence[RoleUsage]) -> float | None:
    """Return the cost; None if the price of a model is unknown."""
    return total_cost(one.cost_usd for one in usage if one.requests)


def total_cost(costs: Iterable[float | None]) -> float | None:
    """Return the sum; None if a part is unknown."""
    listed = list(costs)
    return None if None in listed else sum(cost for cost in listed if cost is not None)


async def _score_findings(
    case: LabelledCase, report: Report, pairing: Pairing, meaning: Meaning, labels: Mapping[str, Label]
) -> tuple[ScoredFinding, ...]:
    matches = {match.candidate: match for match in pairing.matches}
    scored = []
    for candidate in report.shown:
        if candidate.finding is None:
            continue
        match = matches.get(candidate.id)
        number = match.expected if match else _repeated(candidate.id, pairing)
        judged = _settled(match, number, labels.get(candidate.fingerprint)) or await _unmatched(
            case, report, candidate, candidate.finding, meaning
        )
        scored.append(_scored(candidate, candidate.finding, judged, number))
    return tuple(scored)


def _repeated(candidate: str, pairing: Pairing) -> int | None:
    """Return the expected problem that this finding repeats: another is counted for it."""
    same = [number for (number, other), one in pairing.opinions.items() if other == candidate and one.is_same]
    return min(same, default=None)


def _settled(match: CaseMatch | None, number: int | None, label: Label | None) -> Judged | None:
    """Decide by match, label or repetition; a person's label beats what the case assumes."""
    if match is not None:
        return "true", match.reason
    if label is not None:
        return OUTCOME_OF_LABEL[label], f"labelled {label}"
    if number is not None:
        return "repeat", "another finding is counted for the same problem"
    return None


async def _unmatched(
    case: LabelledCase, report: Report, candidate: Candidate, finding: Finding, meaning: Meaning
) -> Judged:
    if case.clean:
        return "wrong", "the case is clean"
    for claim in case.known_wrong:
        if distance_to(claim, candidate, report.change) is not None:
            opinion = await meaning.compare(claim, finding)
            if opinion.is_same:
                return "wrong", f"known to be wrong: {opinion.reason}"
    return "unlabelled", "it matches no expected problem, and nobody has labelled it"


def _scored(candidate: Candidate, finding: Finding, judged: Judged, expected: int | None) -> ScoredFinding:
    outcome, why = judged
    return ScoredFinding(
        candidate=candidate.id,
        fingerprint=candidate.fingerprint,
        title=finding.title,
        file=finding.file,
        line=finding.line,
        severity=finding.severity,
        category=finding.category,
        specialist=candidate.specialist,
        outcome=outcome,
        why=why,
        expected=expected,
    )


async def _miss(case: LabelledCase, number: int, report: Report, pairing: Pairing, meaning: Meaning) -> Miss:
    """Describe a missed problem with the findings near it."""
    problem = case.expected[number]
    near = [
        NearMiss(candidate=one.id, title=_title(one), why=pairing.opinions[number, one.id].reason)
        for one in report.shown
        if (number, one.id) in pairing.opinions and not pairing.opinions[number, one.id].is_same
    ]
    for candidate in report.withheld:
        if candidate.finding is None or candidate.withheld is None or candidate.withheld.code in NOT_LOST:
            continue
        if distance_to(problem, candidate, report.change) is not None:
            opinion = await meaning.compare(problem, candidate.finding)
            if opinion.is_same:
                near.append(_withheld(candidate, candidate.withheld))
    return Miss(expected=number, near=tuple(near))


def _withheld(candidate: Candidate, withheld: Withheld) -> NearMiss:
    why = withheld.detail or withheld.code.replace("_", " ")
    return NearMiss(candidate=candidate.id, title=_title(candidate), withheld=withheld.code, why=why)


def _title(candidate: Candidate) -> str:
    return candidate.finding.title if candidate.finding else ""


UNSTATED = "not stated"
"""The group of cases that name no language."""
OUTCOME_FIELDS: Mapping[str, str] = {
    "true": "true",
    "wrong": "wrong",
    "nit": "nits",
    "repeat": "repeats",
    "unlabelled": "unlabelled",
}


def score(results: Sequence[CaseResult]) -> Scores:
    """Add up the scores of these cases; cases that were not run do not count."""
    counts: Counter[str] = Counter()
    for result in results:
        if result.run is not None:
            counts.update(_counts(result.case, result.run))
    labelled = counts["true"] + counts["wrong"] + counts["nits"]
    return Scores(
        **counts,
        recall=rate_of(counts["found"], counts["expected"]),
        precision=rate_of(counts["true"], labelled),
        wrong_rate=rate_of(counts["wrong"], labelled),
    )


def _counts(case: LabelledCase, run: CaseRun) -> Counter[str]:
    counts = Counter(OUTCOME_FIELDS[finding.outcome] for finding in run.findings)
    wrong_on_clean = counts["wrong"] if case.clean else 0
    counts.update(
        cases=1,
        clean_cases=int(case.clean),
        expected=len(case.expected),
        found=len(run.matches),
        found_but_withheld=sum(any(near.withheld for near in miss.near) for miss in run.misses),
        shown=len(run.findings),
        wrong_on_clean=wrong_on_clean,
        clean_cases_with_wrong=int(wrong_on_clean > 0),
    )
    return counts


def score_by_language(results: Sequence[CaseResult]) -> dict[str, Scores]:
    """Map each language to its scores, by name."""
    languages = sorted({_language(result) for result in results if result.run})
    return {
        language: score([result for result in results if _language(result) == language])
        for language in languages
    }


def _language(result: CaseResult) -> str:
    # `Python` in one list of cases is `python` in another.
    return result.case.language.strip().lower() or UNSTATED
