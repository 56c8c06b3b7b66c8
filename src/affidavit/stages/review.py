"""Ask every specialist about a change, side by side, and collect their replies."""

import traceback
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from affidavit.config.settings import Settings
from affidavit.diff.skipping import mark_skipped
from affidavit.errors import AffidavitError
from affidavit.events import Emit, EventName, event, ignore_events, pipeline_started
from affidavit.ports import Case, Joiner, Repository, Runner, Specialist, TryPatch, Verifiers
from affidavit.prompts import PromptSet, current_prompts
from affidavit.records.change import Change
from affidavit.records.docket import Docket
from affidavit.records.report import Answer, Gap, Programs, Reply
from affidavit.system.concurrency import side_by_side

if TYPE_CHECKING:
    from affidavit.agents.briefing import Briefing
    from affidavit.agents.panel import Panel
    from affidavit.git.repository import GitRepository
    from affidavit.proof.running.runners import ProgramRunner

NO_MODEL = Gap(
    name="model specialists and verifier",
    reason="no model is configured",
    advice="The mechanical specialists reviewed alone.",
)
HANDED_IN = Gap(
    name="model specialists",
    reason="another agent submitted its findings, and its tool calls are unknown",
    advice="Only its findings are checked, not what it read.",
)
NOT_JUDGED = Gap(
    name="verifier",
    reason="no model is configured",
    advice="The submitted findings are unverified: no verifier tried to refute them.",
)


def not_independent(models: Mapping[str, str], submitted_by: str) -> tuple[Gap, ...]:
    """Say so where one coding agent both finds and verifies; a second verifier makes up for it."""
    kind, _, verifier = models.get("verifier", "").partition(":")
    if kind != "agent" or "second_verifier" in models:
        return ()
    program, _, model = verifier.partition("/")
    finder, _, other = models.get("specialist", "").removeprefix("agent:").partition("/")
    # Without a name it is the program's default, which may be the same.
    is_same = finder == program and (model == other or not model or not other)
    if not (program in submitted_by.casefold() if submitted_by else is_same):
        return ()
    reason = f"not independent: {program} found and verified"
    return (Gap(name="independent verifier", reason=reason, advice="Choose another with --verifier-model."),)


@dataclass(frozen=True)
class Running:
    """The runner of programs and their sandbox; or why none run."""

    runner: Runner | None = None
    programs: Programs | None = None
    beside: "Callable[[GitRepository], Runner] | None" = None
    """The same for another pair of trees, such as a patched head."""


@dataclass(frozen=True)
class Crew:
    """The specialists and models of a review."""

    specialists: Sequence[Specialist]
    """Those that need no model."""
    panel: "Panel | None" = None
    """The models; without them the mechanical specialists review alone."""
    probes_verifier: bool = False
    """Whether the verifier is probed before specialists start."""
    runner: Runner | None = None
    try_patch: TryPatch | None = None
    """Tries the patches of findings; None: they are not tried."""
    programs: Programs | None = None
    """Where programs run, or why none do; None: the user did not ask for it."""

    def with_packages(self, case: Case) -> Case:
        """Return the case with the packages that models may read, if there are any."""
        packages = self.panel.packages(case) if self.panel else None
        return replace(case, dependencies=packages) if packages else case

    def watched_runner(self, emit: Emit) -> "ProgramRunner | None":
        """Return the runner of programs, whose runs are events; None if no program may run."""
        if self.runner is None:
            return None
        from affidavit.proof.running.runners import ProgramRunner  # noqa: PLC0415 - few reviews run programs

        return ProgramRunner.of(self.runner, emit)

    def judges(self, looked: "Looked") -> tuple[Joiner | None, Verifiers | None]:
        """Return the joiner and the verifiers; None without models."""
        briefing, plan = looked.briefing, looked.case.plan
        if self.panel is None or briefing is None or plan is None:
            return None, None
        return self.panel.joiner(briefing, plan), self.panel.verifiers(briefing, plan)

    @property
    def models(self) -> dict[str, str]:
        """Map role to model; empty without models."""
        return self.panel.models if self.panel else {}

    @property
    def prompts(self) -> PromptSet:
        """Return the prompts that models read; without models, the current ones."""
        return self.panel.prompts if self.panel else current_prompts()


@dataclass(frozen=True)
class Looked:
    """The replies of all specialists, and what later stages need."""

    case: Case
    """With the plan that models worked by, and all replies."""
    docket: Docket
    briefing: "Briefing | None" = None
    """The change as models read it; None without models."""
    planner: Answer | None = None
    verifier_failures: tuple[Gap, ...] = ()
    submitted_by: str = ""
    """Another agent that submitted findings; then none of our planners and specialists was asked."""


def begin_case(
    change: Change,
    repository: Repository,
    settings: Settings,
    emit: Emit = ignore_events,
    review_id: str = "",
) -> Case:
    """Begin the review of a change, without the skipped files."""
    reviewed = mark_skipped(change, repository, settings.leaves_out)
    case = Case(reviewed, repository, emit, review_id=review_id or str(uuid.uuid4()))
    emit(pipeline_started(case.review_id))
    return case


def docket_without_models(change: Change) -> Docket:
    """Return the docket of a review by analysers alone, before they reply."""
    return Docket(not_run=(NO_MODEL,) if change.files else ())


def docket_of_submission(*, is_judged: bool) -> Docket:
    """Return the docket of an outside agent's findings, before they are parsed."""
    return Docket(not_run=(HANDED_IN,) if is_judged else (HANDED_IN, NOT_JUDGED))


async def collect_replies(specialists: Sequence[Specialist], case: Case) -> list[Reply]:
    """Ask all specialists at once; the replies come in the specialists' order."""
    return await side_by_side(_ask(specialist, case) for specialist in specialists)


async def _ask(specialist: Specialist, case: Case) -> Reply:
    if specialist.kind == "mechanical":
        # A model's own conversation says when it begins, and with which model.
        case.emit(event(EventName.AGENT_STARTED, agent="reviewer", specialist=specialist.name, model=None))
    reply = await _examined(specialist, case)
    whole = [(file, file.model_copy(update={"is_partial": False})) for file in case.change.files]
    files = tuple(file.path for file, _ in whole if specialist.examines(file))
    claims = tuple(file.path for file, as_if_whole in whole if specialist.examines(as_if_whole))
    case.emit(
        event(
            EventName.SPECIALIST_FINISHED,
            agent="reviewer",
            specialist=specialist.name,
            duration_ms=reply.duration_ms,
            outcome=_outcome(reply),
        )
    )
    return reply.model_copy(update={"files": files, "claims": claims})


def _outcome(reply: Reply) -> str:
    """Return whether a specialist completed, had nothing to read, or did not run."""
    if reply.text is not None:
        return "looked"
    return "did_not_run" if reply.not_run or reply.incomplete else "nothing_to_read"


async def _examined(specialist: Specialist, case: Case) -> Reply:
    """Return its reply; a bug in one analyser's code makes the review incomplete but does not end it."""
    try:
        return await specialist.examine(case)
    except AffidavitError:
        raise
    except Exception as error:
        if specialist.kind != "mechanical":
            raise
        frame = traceback.extract_tb(error.__traceback__)[-1]
        fault = f"{type(error).__name__}: {error} ({Path(frame.filename).name}:{frame.lineno})"
        part = Gap(name=specialist.name, reason=f"a bug in Affidavit: {fault}", advice="Please report it.")
        return Reply(specialist=specialist.name, kind=specialist.kind, text=None, incomplete=(part,))
