"""What became of a patch when it was tried, before anybody was offered it."""

from collections.abc import Sequence
from typing import Literal

from affidavit.records.record import Record

StepName = Literal["applies", "parses", "analysers", "reproduction", "tests"]


class TrialStep(Record):
    """One thing that was tried. `passed` is None where it could not be tried here."""

    name: StepName
    passed: bool | None
    detail: str


class PatchTrial(Record):
    """A patch that was tried."""

    steps: tuple[TrialStep, ...]
    holds: bool
    """It applies to head, and nothing that was tried failed: only such a patch is offered to be committed."""

    @property
    def untried(self) -> tuple[StepName, ...]:
        """The steps that could not be tried: of these nothing is known."""
        return tuple(step.name for step in self.steps if step.passed is None)

    def after(self, recorded: "PatchTrial | None") -> "PatchTrial":
        """This trial with what an earlier one of the same patch says of the steps that were not tried now."""
        known = {step.name: step for step in recorded.steps} if recorded else {}
        return trial_of([_with_record(step, known.get(step.name)) for step in self.steps])


def trial_of(steps: Sequence[TrialStep]) -> PatchTrial:
    """What the steps come to."""
    applies = bool(steps) and steps[0].name == "applies" and steps[0].passed is True
    return PatchTrial(steps=tuple(steps), holds=applies and all(step.passed is not False for step in steps))


def _with_record(step: TrialStep, recorded: TrialStep | None) -> TrialStep:
    """A step that failed before and was not tried again has failed; one that passed is said to have."""
    if step.passed is not None or recorded is None or recorded.passed is None:
        return step
    said = f"the report says that it {'passed' if recorded.passed else 'failed'}: {recorded.detail}"
    if recorded.passed is False:
        return step.model_copy(update={"passed": False, "detail": f"not tried now; {said}"})
    return step.model_copy(update={"detail": f"{step.detail}; {said}"})
