"""Two evaluations of the same cases."""

from typing import Any

import pytest
from evaluated_cases import a_case, found, problem, result

from affidavit.errors import InputError
from affidavit.lab.evaluation.comparison import compare_evaluations
from affidavit.lab.evaluation.scoring import score
from affidavit.lab.records import CaseResult, Evaluation, LabelledCase
from affidavit.records.candidate import Candidate
from affidavit.records.finding import Expected, Reproduction

BUGS = [a_case(problem(10), id=f"bug-{number}") for number in range(6)]
CLEAN = [a_case(id=f"clean-{number}") for number in range(4)]


def evaluation(*results: CaseResult, **fields: Any) -> Evaluation:
    told = {"affidavit_version": "1", "created_at": "now", "prompt_version": "1.0.0", **fields}
    return Evaluation(**{**score(results).model_dump(), **told, "results": results})


def run(found_in: set[int], wrong_in: set[int]) -> Evaluation:
    """Problems found in these cases, wrong findings on these clean ones."""
    results = [result(case, *_shown(number in found_in)) for number, case in enumerate(BUGS)]
    results += [result(case, *_shown(number in wrong_in)) for number, case in enumerate(CLEAN)]
    return evaluation(*results)


def _shown(is_shown: bool) -> tuple[Candidate, ...]:
    return (found("f", 10),) if is_shown else ()


def test_a_run_compared_with_itself_differs_in_nothing() -> None:
    told = compare_evaluations(run({0, 1}, {0}), run({0, 1}, {0}))
    assert told.changes == ()
    assert told.scores_first == told.scores_second


def test_the_cases_that_changed_are_named_with_what_changed() -> None:
    changes = {one.case: one for one in compare_evaluations(run({0}, {0}), run({1}, {1})).changes}
    assert changes["bug-0"].lost == BUGS[0].expected
    assert changes["bug-1"].gained == BUGS[1].expected
    assert changes["clean-0"].wrong_lost == ("app.py:10 The total is wrong",)
    assert changes["clean-1"].wrong_gained == ("app.py:10 The total is wrong",)
    assert set(changes) == {"bug-0", "bug-1", "clean-0", "clean-1"}


def test_only_cases_that_both_reviewed_unchanged_are_compared() -> None:
    moved: LabelledCase = a_case(problem(11), id="bug-1")
    first = evaluation(*(result(case) for case in BUGS[:4]))
    second = evaluation(
        result(BUGS[0]), result(moved), CaseResult(case=BUGS[2], failure="gone"), result(CLEAN[0])
    )
    told = compare_evaluations(first, second)
    assert told.cases == 1
    assert told.left_out["bug-1"] == "the case itself was changed between the runs"
    assert told.left_out["bug-2"] == "it could not be run: gone"
    assert told.left_out["bug-3"] == "only the first run has it"
    assert told.left_out["clean-0"] == "only the second run has it"


def test_runs_with_nothing_in_common_are_refused() -> None:
    with pytest.raises(InputError, match="no reviewed case in common"):
        compare_evaluations(evaluation(result(BUGS[0])), evaluation(result(BUGS[1])))


def test_what_distinguishes_the_runs_is_told() -> None:
    told = compare_evaluations(
        evaluation(result(BUGS[0]), models={"verifier": "small"}),
        evaluation(result(BUGS[0]), models={"verifier": "large"}, prompt_version="1.1.0"),
    )
    assert (told.first["verifier model"], told.second["verifier model"]) == ("small", "large")
    assert (told.first["prompts"], told.second["prompts"]) == ("1.0.0", "1.1.0")


def test_a_case_that_was_given_a_program_is_still_the_same_case() -> None:
    program = Reproduction(language="sh", program="exit 1", expected_at_head=Expected(exit_code=1))
    given = BUGS[0].expected[0].model_copy(update={"reproduction": program, "outcome": "reproduced_new"})
    later = BUGS[0].model_copy(update={"expected": (given,)})
    compared = compare_evaluations(evaluation(result(BUGS[0])), evaluation(result(later)))
    assert (compared.cases, compared.left_out) == (1, {})
