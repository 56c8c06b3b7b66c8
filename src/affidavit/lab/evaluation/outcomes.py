"""Score one review of a case: what each shown finding counts as, and what was missed."""

from collections.abc import Iterable, Mapping, Sequence

from affidavit.lab.evaluation.matching import Meaning, Pairing, distance_to, match_findings
from affidavit.records.candidate import Candidate, Withheld
from affidavit.records.diagnostics import Reason
from affidavit.records.finding import Finding
from affidavit.records.lab.evaluation import (
    Case,
    CaseRun,
    Match,
    Miss,
    NearMiss,
    Outcome,
    ScoredFinding,
)
from affidavit.records.label import Label
from affidavit.records.report import Report, RoleUsage

OUTCOME_OF_LABEL: Mapping[Label, Outcome] = {
    Label.VALID: "true",
    Label.WRONG: "wrong",
    Label.NIT: "nit",
}
NOT_LOST = frozenset({Reason.DUPLICATE_OF})
"""A duplicate is said by the finding that it was joined with."""
Judged = tuple[Outcome, str]


async def score_review(
    case: Case, report: Report, *, number: int, meaning: Meaning, labels: Mapping[str, Label]
) -> CaseRun:
    """The run of a case; `labels` are those that people gave, by fingerprint."""
    # What a person called wrong shows no problem, however near to one it stands.
    eligible = [one for one in report.shown if labels.get(one.fingerprint) is not Label.WRONG]
    pairing = await match_findings(case.expected, eligible, report.change, meaning)
    matched = {match.expected for match in pairing.matches}
    missed = [number for number in range(len(case.expected)) if number not in matched]
    return CaseRun(
        number=number,
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
    """Tokens in and out."""
    return sum(one.input_tokens + one.output_tokens for one in usage)


def cost_of(usage: Sequence[RoleUsage]) -> float | None:
    """What was paid; None where the price of a model is not known."""
    return total_cost(one.cost_usd for one in usage if one.requests)


def total_cost(costs: Iterable[float | None]) -> float | None:
    """The sum; one unknown part makes the whole unknown."""
    listed = list(costs)
    return None if None in listed else sum(cost for cost in listed if cost is not None)


async def _score_findings(
    case: Case, report: Report, pairing: Pairing, meaning: Meaning, labels: Mapping[str, Label]
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
    """The expected problem that this finding shows too, while another is counted for it."""
    same = [number for (number, other), one in pairing.opinions.items() if other == candidate and one.is_same]
    return min(same, default=None)


def _settled(match: Match | None, number: int | None, label: Label | None) -> Judged | None:
    """What is decided without a look at the case: a person's label goes before what the case assumes."""
    if match is not None:
        return "true", match.reason
    if label is not None:
        return OUTCOME_OF_LABEL[label], f"labelled {label}"
    if number is not None:
        return "repeat", "another finding is counted for the same problem"
    return None


async def _unmatched(
    case: Case, report: Report, candidate: Candidate, finding: Finding, meaning: Meaning
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


async def _miss(case: Case, number: int, report: Report, pairing: Pairing, meaning: Meaning) -> Miss:
    """A missed problem with what stands beside it: findings that say something else, and withheld ones."""
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
