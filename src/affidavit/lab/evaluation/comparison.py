"""Compare two evaluations of the same cases: paired intervals, and which cases changed."""

from collections.abc import Sequence

from affidavit.errors import InputError
from affidavit.lab.evaluation.scoring import score
from affidavit.lab.evaluation.statistics import paired_bootstrap, paired_outcomes
from affidavit.lab.records import (
    CaseChange,
    CaseResult,
    Comparison,
    Evaluation,
    ScoreDifference,
)


def compare_evaluations(first: Evaluation, second: Evaluation) -> Comparison:
    """The second against the first, over the cases that both reviewed; raises InputError where none is."""
    firsts, seconds = ({one.case.id: one for one in each.results} for each in (first, second))
    left_out = _left_out(firsts, seconds)
    names = [name for name in firsts if name in seconds and name not in left_out]
    if not names:
        raise InputError("the two evaluations have no reviewed case in common: run both over the same cases")
    before, after = [firsts[name] for name in names], [seconds[name] for name in names]
    return Comparison(
        first=_summary(first),
        second=_summary(second),
        cases=len(names),
        left_out=left_out,
        scores_first=score(before),
        scores_second=score(after),
        differences=_differences(before, after),
        changes=tuple(
            change for one, other in zip(before, after, strict=True) if (change := _change(one, other))
        ),
    )


def _summary(evaluation: Evaluation) -> dict[str, str]:
    """What distinguishes a run."""
    return {
        "affidavit": evaluation.affidavit_version,
        "prompts": evaluation.prompt_version,
        **{f"{role} model": model for role, model in sorted(evaluation.models.items())},
        "judge": evaluation.judge or "place and category",
        "created": evaluation.created_at,
    }


def _left_out(firsts: dict[str, CaseResult], seconds: dict[str, CaseResult]) -> dict[str, str]:
    """Case to the reason why it cannot be compared."""
    reasons: dict[str, str] = {}
    for name in [*firsts, *(name for name in seconds if name not in firsts)]:
        one, other = firsts.get(name), seconds.get(name)
        if one is None or other is None:
            reasons[name] = f"only the {'second' if one is None else 'first'} run has it"
        elif one.failure or other.failure:
            reasons[name] = f"it could not be run: {one.failure or other.failure}"
        elif one.case.without_programs != other.case.without_programs:
            reasons[name] = "the case itself was changed between the runs"
    return reasons


def _differences(before: Sequence[CaseResult], after: Sequence[CaseResult]) -> tuple[ScoreDifference, ...]:
    """Second less first. A problem and a case are a yes or a no in each run, so they pair; a rate of
    findings has other findings on either side, so its cases are drawn anew."""
    clean = [(one, other) for one, other in zip(before, after, strict=True) if one.case.clean]
    return (
        ScoreDifference(
            name="recall",
            what="expected problems that are found",
            interval=paired_outcomes(_found(after), _found(before)),
        ),
        ScoreDifference(
            name="clean_cases_with_wrong",
            what="clean cases on which something wrong is shown",
            interval=paired_outcomes(
                [_has_wrong(other) for _, other in clean], [_has_wrong(one) for one, _ in clean]
            ),
        ),
        ScoreDifference(
            name="wrong_rate",
            what="wrong findings among those whose truth is known",
            interval=paired_bootstrap(after, before, lambda cases: score(cases).wrong_rate),
        ),
        ScoreDifference(
            name="precision",
            what="true findings among those whose truth is known",
            interval=paired_bootstrap(after, before, lambda cases: score(cases).precision),
        ),
        ScoreDifference(
            name="f1",
            what="both together: the harmonic mean of recall and precision",
            interval=paired_bootstrap(after, before, lambda cases: score(cases).f1),
        ),
    )


def _found(results: Sequence[CaseResult]) -> list[bool]:
    """For each expected problem, whether it is found; with several runs, in at least half of them."""
    return [
        2 * _times_found(result, number) >= len(result.runs)
        for result in results
        for number in range(len(result.case.expected))
    ]


def _times_found(result: CaseResult, number: int) -> int:
    return sum(any(match.expected == number for match in run.matches) for run in result.runs)


def _has_wrong(result: CaseResult) -> bool:
    flagged = sum(any(finding.outcome == "wrong" for finding in run.findings) for run in result.runs)
    return 2 * flagged >= len(result.runs)


def _change(before: CaseResult, after: CaseResult) -> CaseChange | None:
    """What became different in a case; None where nothing did."""
    was, is_now = _found([before]), _found([after])
    # Only a case that both runs read alike is compared, so its problems are the same in both.
    both = list(zip(after.case.expected, was, is_now, strict=True))
    gained = tuple(problem for problem, before_it, now in both if now and not before_it)
    lost = tuple(problem for problem, before_it, now in both if before_it and not now)
    wrong_before, wrong_after = _wrong(before), _wrong(after)
    change = CaseChange(
        case=after.case.id,
        gained=gained,
        lost=lost,
        wrong_gained=tuple(wrong_after[one] for one in wrong_after if one not in wrong_before),
        wrong_lost=tuple(wrong_before[one] for one in wrong_before if one not in wrong_after),
    )
    return change if (gained or lost or change.wrong_gained or change.wrong_lost) else None


def _wrong(result: CaseResult) -> dict[str, str]:
    """Fingerprint to what is wrongly said, in any of the runs."""
    return {
        finding.fingerprint or finding.candidate: f"{finding.file}:{finding.line} {finding.title}"
        for run in result.runs
        for finding in run.findings
        if finding.outcome == "wrong"
    }
