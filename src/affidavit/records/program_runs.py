"""Define programs and patches that were run on a side of the change, and their results."""

import hashlib
from collections.abc import Sequence
from typing import Literal

from affidavit.records.record import Record, Side

StepName = Literal["applies", "parses", "analysers", "reproduction", "tests"]
EDITS_TESTS = "the patch edits tests; "
"""The beginning of a step's detail if it failed because the tests it edits could not be run."""


class TrialStep(Record):
    """One step of a trial. `passed` is None if it could not be tried."""

    name: StepName
    passed: bool | None
    detail: str

    @property
    def was_tried(self) -> bool:
        """Check whether it ran; a patch that edits tests fails where tests cannot run."""
        return self.passed is not None and not self.detail.startswith(EDITS_TESTS)


class PatchTrial(Record):
    steps: tuple[TrialStep, ...]
    holds: bool
    """It applies to head and no tried step failed; only such a patch may be offered as a suggestion."""

    @property
    def untried(self) -> tuple[StepName, ...]:
        """Return the steps that could not be tried."""
        return tuple(step.name for step in self.steps if step.passed is None)

    def after(self, recorded: "PatchTrial | None") -> "PatchTrial":
        """Add what an earlier trial of the same patch says of the steps not tried now."""
        known = {step.name: step for step in recorded.steps} if recorded else {}
        return trial_of([_with_record(step, known.get(step.name)) for step in self.steps])


def trial_of(steps: Sequence[TrialStep]) -> PatchTrial:
    applies = bool(steps) and steps[0].name == "applies" and steps[0].passed is True
    return PatchTrial(steps=tuple(steps), holds=applies and all(step.passed is not False for step in steps))


def _with_record(step: TrialStep, recorded: TrialStep | None) -> TrialStep:
    """Keep an earlier failure of a step that was not tried again."""
    if step.passed is not None or recorded is None or recorded.passed is None:
        return step
    said = f"the report says that it {'passed' if recorded.passed else 'failed'}: {recorded.detail}"
    if recorded.passed is False:
        return step.model_copy(update={"passed": False, "detail": f"not tried now; {said}"})
    return step.model_copy(update={"detail": f"{step.detail}; {said}"})


RunState = Literal[
    "exited", "timed_out", "out_of_memory", "out_of_disk", "too_many_processes", "flooded", "not_started"
]


class AddedFile(Record):
    """A file that a program needs; it may not replace one of the change."""

    path: str
    content: str


class Program(Record):
    language: str
    text: str
    files: tuple[AddedFile, ...] = ()
    patch: str = ""
    """A unified diff that is applied to head before the program runs there."""

    @property
    def run_id(self) -> str:
        """Return a short name for its runs: the same for the same program."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:10]


class RunLimits(Record):
    seconds: float = 30.0
    cpu_seconds: int = 60
    memory_mb: int = 2048
    tasks: int = 256
    disk_mb: int = 512
    """What it may write, beside the copy that it works in."""
    output_kb: int = 256


class AlteredFile(Record):
    """A file whose copy differs from the commit."""

    path: str
    is_left_out: bool = False
    """It is left out as too large to search for secrets; otherwise its secrets are redacted."""
    is_changed: bool = False
    """Base and head do not have the same file at this path."""


class ProgramRun(Record):
    side: Side
    state: RunState
    exit_code: int | None = None
    output: str = ""
    """What it printed to both of its outputs, in order and without secrets."""
    duration_ms: int = 0
    detail: str = ""
    missing: tuple[str, ...] = ()
    """Packages that Python code of the repository failed to import, even if it caught the error."""
    unreached: tuple[str, ...] = ()
    """Hosts that Python code failed to reach, even if it caught the error."""
    altered: tuple[AlteredFile, ...] = ()
    touched: tuple[str, ...] | None = None
    """The files of the change that it read, by the kernel's times of access; None if that is not known.

    A file of Python or JavaScript counts only if a changed line ran, where that is known.
    """
    executed: tuple[str, ...] = ()
    """The changed lines of Python and JavaScript that ran, such as `shop/price.py:2-4`."""
    left_seconds: int | None = None
    """The time for programs that the review had left after this run; None: no limit."""

    @property
    def summary(self) -> str:
        if self.state == "exited":
            return f"exit code {self.exit_code}"
        return {
            "timed_out": "ended: it took too long",
            "out_of_memory": "ended: it took too much memory",
            "out_of_disk": "ended: its disk was full",
            "too_many_processes": "ended: it started too many processes",
            "flooded": "ended: it printed too much",
            "not_started": "not started",
        }[self.state]


class KeptRun(Record):
    """A program that decided something, with its runs."""

    program: Program
    base: ProgramRun | None = None
    head: ProgramRun | None = None


class ProbeRun(Record):
    """A program that compares behaviour; it runs twice on sides that differ."""

    name: str
    program: Program
    base: tuple[ProgramRun, ...] = ()
    head: tuple[ProgramRun, ...] = ()
