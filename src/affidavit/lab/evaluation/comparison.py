"""Compare two evaluations of the same cases: both scores, and which cases changed."""

from pathlib import Path

from pydantic import ValidationError

from affidavit.errors import InputError
from affidavit.lab.evaluation.scoring import score
from affidavit.lab.records import CaseChange, CaseResult, Comparison, Evaluation, ExpectedProblem


def read_evaluation(place: Path) -> Evaluation:
    """Read an evaluation from its JSON; raise InputError if it is none."""
    try:
        return Evaluation.model_validate_json(place.read_bytes())
    except OSError as error:
        raise InputError(
            f"{place} cannot be read: {error.strerror}; name a file that eval --format json=FILE wrote"
        ) from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InputError(
            f"{place} is not an evaluation that this version can read: {where}: {first['msg']}"
        ) from error


def compare_evaluations(first: Evaluation, second: Evaluation) -> Comparison:
    """Compare the cases that both reviewed; raise InputError if there is none."""
    firsts, seconds = ({one.case.id: one for one in each.results} for each in (first, second))
    left_out = _left_out(firsts, seconds)
    names = [name for name in firsts if name in seconds and name not in left_out]
    if not names:
        raise InputError("the two evaluations have no reviewed case in common: run both over the same cases")
    return Comparison(
        first=_summary(first),
        second=_summary(second),
        cases=len(names),
        left_out=left_out,
        scores_first=score([firsts[name] for name in names]),
        scores_second=score([seconds[name] for name in names]),
        changes=tuple(change for name in names if (change := _change(firsts[name], seconds[name]))),
    )


def _summary(evaluation: Evaluation) -> dict[str, str]:
    """Return what distinguishes a run."""
    return {
        "affidavit": evaluation.affidavit_version,
        "prompts": evaluation.prompt_version,
        **{f"{role} model": model for role, model in sorted(evaluation.models.items())},
        "judge": evaluation.judge or "place and category",
        "created": evaluation.created_at,
    }


def _left_out(firsts: dict[str, CaseResult], seconds: dict[str, CaseResult]) -> dict[str, str]:
    """Map each case that cannot be compared to the reason."""
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


def _change(before: CaseResult, after: CaseResult) -> CaseChange | None:
    """Return what changed in a case, or None."""
    found_before, found_after = _found(before), _found(after)
    wrong_before, wrong_after = _wrong(before), _wrong(after)
    change = CaseChange(
        case=after.case.id,
        gained=_problems(after, found_after - found_before),
        lost=_problems(after, found_before - found_after),
        wrong_gained=tuple(wrong_after[one] for one in wrong_after if one not in wrong_before),
        wrong_lost=tuple(wrong_before[one] for one in wrong_before if one not in wrong_after),
    )
    return change if change != CaseChange(case=after.case.id) else None


def _found(result: CaseResult) -> set[int]:
    return {match.expected for match in result.run.matches} if result.run else set()


def _problems(result: CaseResult, numbers: set[int]) -> tuple[ExpectedProblem, ...]:
    return tuple(result.case.expected[number] for number in sorted(numbers))


def _wrong(result: CaseResult) -> dict[str, str]:
    """Map the fingerprint of each wrong finding to what it says."""
    return {
        finding.fingerprint or finding.candidate: f"{finding.file}:{finding.line} {finding.title}"
        for finding in (result.run.findings if result.run else ())
        if finding.outcome == "wrong"
    }
