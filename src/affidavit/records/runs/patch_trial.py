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


def trial_of(steps: Sequence[TrialStep]) -> PatchTrial:
    """What the steps come to."""
    applies = bool(steps) and steps[0].name == "applies" and steps[0].passed is True
    return PatchTrial(steps=tuple(steps), holds=applies and all(step.passed is not False for step in steps))
