"""Add up scored reviews: recall, precision and the like, over all cases and by language and category."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from affidavit.lab.evaluation.matching import Meaning, Pairing, distance_to, match_findings
from affidavit.lab.records import (
    CaseMatch,
    CaseResult,
    CaseRun,
    ExpectedProblem,
    LabelledCase,
    Miss,
    NearMiss,
    Outcome,
    ScoredFinding,
    Scores,
    Seen,
)
from affidavit.quality.statistics import rate_of
from affidavit.records.candidate import Candidate, Withheld
from affidavit.records.diagnostics import Reason
from affidavit.records.finding import Finding
from affidavit.records.measure import Label, Rate
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
    case: LabelledCase, report: Report, *, number: int, meaning: Meaning, labels: Mapping[str, Label]
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
    """The expected problem that this finding shows too, while another is counted for it."""
    same = [number for (number, other), one in pairing.opinions.items() if other == candidate and one.is_same]
    return min(same, default=None)


def _settled(match: CaseMatch | None, number: int | None, label: Label | None) -> Judged | None:
    """What is decided without a look at the case: a person's label goes before what the case assumes."""
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


UNSTATED = "not stated"
"""The group of what names no language or category."""
OUTCOME_FIELDS: Mapping[str, str] = {
    "true": "true",
    "wrong": "wrong",
    "nit": "nits",
    "repeat": "repeats",
    "unlabelled": "unlabelled",
}
KeepProblem = Callable[[ExpectedProblem], bool]
KeepFinding = Callable[[ScoredFinding, CaseResult], bool]


def score(results: Sequence[CaseResult]) -> Scores:
    """The scores over these cases; those that were not run do not count."""
    scores = _tally(results, lambda _problem: True, lambda _finding, _result: True)
    # A case that is not clean and expects nothing was reviewed, too.
    return scores.model_copy(update={"cases": sum(bool(result.runs) for result in results)})


def score_by_language(results: Sequence[CaseResult]) -> dict[str, Scores]:
    """Language to its scores, by name."""
    languages = sorted({_language(result) for result in results if result.runs})
    return {
        language: score([result for result in results if _language(result) == language])
        for language in languages
    }


def score_by_category(results: Sequence[CaseResult]) -> dict[str, Scores]:
    """Category to its scores: recall by the expected problem's, the rest by the finding's own.

    A finding that shows a problem is of that problem's category, so that the two sides agree.
    """
    ran = [result for result in results if result.runs]
    names = {_category(problem) for result in ran for problem in result.case.expected} | {
        _finding_category(finding, result)
        for result in ran
        for run in result.runs
        for finding in run.findings
    }
    return {name: _score_category(ran, name) for name in sorted(names)}


def _score_category(results: Sequence[CaseResult], name: str) -> Scores:
    return _tally(
        results,
        lambda problem: _category(problem) == name,
        lambda finding, result: _finding_category(finding, result) == name,
    )


def stability(results: Sequence[CaseResult], runs: int) -> tuple[Seen, ...]:
    """In how many of n runs each finding was shown and each expected problem found; empty for one run."""
    if runs < 2:
        return ()
    findings: Counter[int] = Counter()
    problems: Counter[int] = Counter()
    for result in results:
        findings.update(_times({one.fingerprint for one in run.findings} for run in result.runs).values())
        found = _times({match.expected for match in run.matches} for run in result.runs)
        problems.update(found[number] for number in range(len(result.case.expected)) if result.runs)
    return tuple(Seen(times=k, findings=findings[k], expected=problems[k]) for k in range(runs + 1))


def _times(runs: Iterable[set[str]] | Iterable[set[int]]) -> Counter[str | int]:
    return Counter(item for run in runs for item in run)


def _language(result: CaseResult) -> str:
    # `Python` in one list of cases is `python` in another.
    return result.case.language.strip().lower() or UNSTATED


def _category(problem: ExpectedProblem) -> str:
    return str(problem.category) if problem.category else UNSTATED


def _finding_category(finding: ScoredFinding, result: CaseResult) -> str:
    if finding.expected is not None and finding.expected < len(result.case.expected):
        return _category(result.case.expected[finding.expected])
    return str(finding.category)


def _tally(results: Sequence[CaseResult], keeps_problem: KeepProblem, keeps_finding: KeepFinding) -> Scores:
    counts: Counter[str] = Counter()
    runs = 1
    for result in results:
        runs = max(runs, len(result.runs))
        counts["cases"] += bool(result.runs) and _concerns(result, keeps_problem, keeps_finding)
        counts["clean_cases"] += bool(result.runs) and result.case.clean
        for run in result.runs:
            _count_problems(counts, result, run, keeps_problem)
            _count_findings(counts, result, run, keeps_finding)
    return _with_rates(Scores(**counts), runs)


def _concerns(result: CaseResult, keeps_problem: KeepProblem, keeps_finding: KeepFinding) -> bool:
    """Whether a case has a part in these scores: a clean case has one in all, for nothing is to be shown."""
    findings = (finding for run in result.runs for finding in run.findings)
    return (
        result.case.clean
        or any(keeps_problem(problem) for problem in result.case.expected)
        or any(keeps_finding(finding, result) for finding in findings)
    )


def _count_problems(
    counts: Counter[str], result: CaseResult, run: CaseRun, keeps_problem: KeepProblem
) -> None:
    kept = {number for number, problem in enumerate(result.case.expected) if keeps_problem(problem)}
    counts["expected"] += len(kept)
    counts["found"] += sum(match.expected in kept for match in run.matches)
    counts["found_but_withheld"] += sum(
        miss.expected in kept and any(near.withheld for near in miss.near) for miss in run.misses
    )


def _count_findings(
    counts: Counter[str], result: CaseResult, run: CaseRun, keeps_finding: KeepFinding
) -> None:
    kept = [finding for finding in run.findings if keeps_finding(finding, result)]
    counts["shown"] += len(kept)
    for finding in kept:
        counts[OUTCOME_FIELDS[finding.outcome]] += 1
    wrong = sum(finding.outcome == "wrong" for finding in kept)
    if result.case.clean:
        counts["wrong_on_clean"] += wrong
        counts["clean_cases_with_wrong"] += wrong > 0


def _with_rates(scores: Scores, runs: int) -> Scores:
    labelled = scores.true + scores.wrong + scores.nits
    recall, precision = _share(scores.found, scores.expected), _share(scores.true, labelled)
    return scores.model_copy(
        update={
            "recall": recall,
            "recall_interval": _interval(scores.found, scores.expected, runs),
            "precision": precision,
            "precision_interval": _interval(scores.true, labelled, runs),
            "f1": _f1(precision, recall),
            "wrong_rate": _share(scores.wrong, labelled),
            "wrong_rate_interval": _interval(scores.wrong, labelled, runs),
            "wrong_per_clean_case": _share(scores.wrong_on_clean, scores.clean_cases * runs),
        }
    )


def _share(count: int, total: int) -> float | None:
    return count / total if total else None


def _f1(precision: float | None, recall: float | None) -> float | None:
    if precision is None or recall is None:
        return None
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _interval(count: int, total: int, runs: int) -> Rate | None:
    """The interval of one run: the runs see the same cases, so more of them are not more cases."""
    n = round(total / runs)
    return rate_of(min(round(count / runs), n), n)
