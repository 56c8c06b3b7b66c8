"""A patch that is tried again contradicts the report only by what was tried on both machines."""

import asyncio
from collections.abc import Mapping

import pytest

from affidavit.rechecking.findings import Proof
from affidavit.rechecking.programs import try_again
from affidavit.records.candidate import Candidate
from affidavit.records.program_runs import EDITS_TESTS, PatchTrial, StepName, TrialStep, trial_of
from reports import a_candidate, a_finding, a_report, a_verification

UNRUN = f"{EDITS_TESTS}programs are not run here"


def steps(results: Mapping[StepName, bool | None], tests: str = "t") -> tuple[TrialStep, ...]:
    """The steps of a trial; `tests` is what is said of the tests."""
    return tuple(
        TrialStep(name=name, passed=passed, detail=tests if name == "tests" else "")
        for name, passed in {"applies": True, **results}.items()
    )


def rechecked(then: PatchTrial, now: tuple[TrialStep, ...]) -> Proof:
    """The proof of one finding with a patch, of which `then` is recorded and `now` is seen."""
    finding = a_finding(verification=a_verification(patch="--- a/x\n+++ b/x\n"))

    async def trying(_: Candidate) -> tuple[TrialStep, ...]:
        return now

    (proof,) = asyncio.run(try_again(a_report(a_candidate(finding=finding, patch_trial=then)), trying))
    return proof


@pytest.mark.parametrize("recorded", [True, False])
def test_a_patch_that_edits_tests_is_open_where_no_program_is_run(recorded: bool) -> None:
    proof = rechecked(trial_of(steps({"tests": recorded})), steps({"tests": False}, UNRUN))
    assert (proof.holds, proof.detail) == (None, "tried again in part: tests could not be tried here")


def test_tests_that_failed_and_are_not_run_now_are_open() -> None:
    assert rechecked(trial_of(steps({"tests": False})), steps({"tests": None})).holds is None


def test_tests_that_passed_and_fail_now_contradict_the_report() -> None:
    proof = rechecked(trial_of(steps({"tests": True})), steps({"tests": False}))
    assert (proof.holds, "tried again, it fails (tests: t)" in proof.detail) == (False, True)


def test_a_report_cannot_claim_that_its_failure_was_not_tried() -> None:
    forged = trial_of(steps({"tests": False}, UNRUN))
    assert rechecked(forged, steps({"tests": True})).holds is False


def test_a_result_that_does_not_follow_from_its_steps_is_a_contradiction() -> None:
    forged = PatchTrial(steps=steps({"tests": False}), holds=True)
    assert rechecked(forged, steps({"tests": None})).holds is False
