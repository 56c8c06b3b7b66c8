"""One review: look, read, check, judge, report. Read this file first."""

import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from affidavit.config.baseline import dismissals_of
from affidavit.config.settings import Settings
from affidavit.diff.skipping import mark_skipped
from affidavit.events import Emit, handoff, ignore_events, pipeline_completed, pipeline_started
from affidavit.iterations.following.scope import choose_scope
from affidavit.ports import (
    Case,
    Joiner,
    Repository,
    Reproducer,
    Runner,
    Specialist,
    Steps,
    Verifiers,
    take_each,
)
from affidavit.prompts import PromptSet, current_prompts
from affidavit.proof.running.own_names import own_names
from affidavit.proof.running.watched_runner import WatchedRunner
from affidavit.records.change import Change
from affidavit.records.context import ContextMap
from affidavit.records.docket import Docket
from affidavit.records.iteration import Earlier
from affidavit.records.plan import Plan
from affidavit.records.report import Answer, Gap, Programs, Reply, Report
from affidavit.specialists.agents.panel import Panel, Session
from affidavit.specialists.rulebook import rules_off
from affidavit.stages.looking.inputs import keep_inputs, redacted_reply
from affidavit.stages.looking.parse import hand_in, read_replies
from affidavit.stages.looking.plan import Opening, plan_review
from affidavit.stages.looking.reading import doubt_unmade_looks
from affidavit.stages.looking.review import collect_replies
from affidavit.stages.proving.behaviour import compare_behaviour
from affidavit.stages.proving.evidence import (
    check_causes,
    check_dependencies,
    locate_quotes,
    run_searches,
    search_whole_change,
)
from affidavit.stages.proving.merge import merge
from affidavit.stages.proving.reproduce import LiveReproducer, TryPatch, reproduce
from affidavit.stages.proving.try_patches import try_patches
from affidavit.stages.proving.verify import verify
from affidavit.stages.reporting.comments import note_existing
from affidavit.stages.reporting.follow_up import carry, follow_up_of, rerun
from affidavit.stages.reporting.narrate import narrate
from affidavit.stages.reporting.places import name_places
from affidavit.stages.reporting.report import compile_report
from affidavit.system.concurrency import both

Check = Callable[[Docket, Case], Docket]
Merged = tuple[Docket, Answer | None]

CHECKS: tuple[Check, ...] = (
    doubt_unmade_looks,  # a look that was claimed and never made
    locate_quotes,  # the quoted code is in the commit
    check_causes,  # an impact names a part of the change
    check_dependencies,  # what is quoted of packages stands there
    run_searches,  # what is "missing" is searched for,
    search_whole_change,  # also in the parts of the change that its finder was not shown
    note_existing,  # who has commented here before
)
"""Each takes the docket and the case, and returns the docket."""

NO_MODEL = Gap(
    name="model specialists and verifier",
    reason="no model is configured",
    advice="The mechanical specialists reviewed alone.",
)


def docket_without_models(change: Change) -> Docket:
    """What is to be said before the machine alone is heard."""
    return Docket(not_run=(NO_MODEL,) if change.files else ())


HANDED_IN = Gap(
    name="model specialists",
    reason="another agent handed its findings in, and was not watched",
    advice="What it read is not known: only what it says is checked.",
)
NOT_JUDGED = Gap(
    name="verifier",
    reason="no model is configured",
    advice="What was handed in is unverified: nobody has tried to refute it.",
)


@dataclass(frozen=True)
class Crew:
    """Who works on a review."""

    specialists: Sequence[Specialist]
    """Those that need no model."""
    panel: Panel | None = None
    """The models; without them the mechanical specialists review alone."""
    probes_verifier: bool = False
    """Whether the verifier is tried before specialists start."""
    runner: Runner | None = None
    try_patch: TryPatch | None = None
    """Who tries the patches that findings bring; None: nobody does."""
    programs: Programs | None = None
    """In what programs are run, or why none is; None: the user did not ask for it."""

    def before(self, case: Case) -> "tuple[Crew, Case]":
        """The crew before a case, and the case with the packages that models may read, if there are any."""
        if self.panel is None:
            return self, case
        panel, opened = self.panel.opening(case)
        return replace(self, panel=panel), opened

    @property
    def models(self) -> dict[str, str]:
        """Role to model; empty where no model looks."""
        return self.panel.models if self.panel else {}

    @property
    def prompts(self) -> PromptSet:
        """The version that the models read; without models, the current one."""
        return self.panel.prompts if self.panel else current_prompts()


@dataclass(frozen=True)
class Conduct:
    """How a review is held: under which name, and who takes its steps."""

    review_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    take: Steps = take_each
    began: float = field(default_factory=time.time)
    """Seconds since the epoch; a review that somebody else began keeps its beginning."""


@dataclass(frozen=True)
class Looked:
    """What everybody who looked handed in, and the models that stay until the end of the review."""

    case: Case
    """With the plan that models worked by, and all replies."""
    docket: Docket
    session: Session | None = None
    planner: Answer | None = None
    verifier_failures: tuple[Gap, ...] = ()
    submitted_by: str = ""
    """Another agent that handed findings in; no planner and no specialist of ours was asked then."""

    @property
    def joiner(self) -> Joiner | None:
        """Who says which findings have one cause; None where no model does."""
        plan = self.case.plan
        return self.session.joiner(plan) if self.session and plan else None

    def verifiers(self, votes: int) -> Verifiers | None:
        """Who judges the findings; None where no model looked."""
        plan = self.case.plan
        return self.session.verifiers(plan, votes) if self.session and plan else None


async def review(
    change: Change,
    repository: Repository,
    settings: Settings,
    crew: Crew,
    emit: Emit = ignore_events,
    earlier: Earlier | None = None,
    conduct: Conduct | None = None,
) -> Report:
    """From an opened change to the native report; `earlier` is the review before it, if there was one."""
    conduct = conduct or Conduct()
    take = conduct.take
    opened = open_case(change, repository, settings, emit, conduct.review_id)
    runner = WatchedRunner.of(crew.runner, emit)
    case = replace(opened, runner=runner, earlier=earlier)
    crew, case = crew.before(case)
    chosen = choose_scope(case, settings.model_dump(mode="json"), crew.models, crew.prompts.version)
    looked = await look(replace(case, scope=chosen), crew, take)
    verifiers = looked.verifiers(settings.verifier_votes or 1)
    report = await conclude(
        looked,
        looked.joiner,
        verifiers,
        settings,
        crew.models,
        crew.prompts,
        reproducer=(
            LiveReproducer(runner, crew.programs, own_names(repository), crew.try_patch)
            if crew.programs
            else None
        ),
        take=take,
    )
    report = await take("report", Report, lambda: narrate(report, looked.session, emit))
    report = report.model_copy(update={"duration_ms": round((time.time() - conduct.began) * 1000)})
    emit(pipeline_completed(report))
    return report


async def conclude(
    looked: Looked,
    joiner: Joiner | None,
    verifiers: Verifiers | None,
    settings: Settings,
    models: Mapping[str, str],
    prompts: PromptSet,
    reproducer: Reproducer | None = None,
    take: Steps = take_each,
) -> Report:
    """From what everybody handed in to the report: a function of its inputs, which it keeps."""
    case = replace(looked.case, is_rule_off=rules_off(settings))
    carried, carrying = carry(check(looked.docket, case), case)
    checked = await take("check", Docket, lambda: reproduce(carried, reproducer))
    merged, grouping = await take("merge", Merged, lambda: merge(rerun(checked), case, joiner))
    blocking = {linter.name for linter in settings.linters if linter.blocks}
    verified = await take("verify", Docket, lambda: verify(merged, verifiers, case.emit, blocking))
    tried = await take("patches", Docket, lambda: try_patches(verified, reproducer))
    docket = name_places(tried, case)
    names = {name for one in docket.candidates for name in (one.fingerprint, *one.carries)}
    dismissals = dismissals_of(case.repository.excusing, names, case.change.dismissals)
    report = compile_report(docket, case, settings, dismissals, models, prompts)
    report = report.model_copy(update={"behaviour": compare_behaviour(case, report)})
    ground = reproducer.ground if reproducer else None
    inputs = keep_inputs(docket, case, looked.planner, grouping, looked.verifier_failures, ground)
    inputs = inputs.model_copy(update={"submitted_by": looked.submitted_by})
    return report.model_copy(update={"inputs": inputs, "follow_up": follow_up_of(report, carrying, case)})


def docket_of_submission(*, is_judged: bool) -> Docket:
    """What is to be said before findings of another agent are read."""
    return Docket(not_run=(HANDED_IN,) if is_judged else (HANDED_IN, NOT_JUDGED))


def open_case(
    change: Change,
    repository: Repository,
    settings: Settings,
    emit: Emit = ignore_events,
    review_id: str = "",
) -> Case:
    """A change to be reviewed, without what is not to be looked at."""
    case = Case(
        mark_skipped(change, repository, settings.leaves_out),
        repository,
        emit,
        review_id=review_id or str(uuid.uuid4()),
    )
    emit(pipeline_started(case.review_id))
    return case


async def look(case: Case, crew: Crew, take: Steps = take_each) -> Looked:
    """The machine always; models where there are some and their verifier answers."""

    async def by_machine() -> list[Reply]:
        return await take("analysers", list[Reply], lambda: collect_replies(crew.specialists, case))

    if crew.panel is None:
        case.emit(handoff("planner", "reviewer", chunks_count=len(case.change.reviewed_files())))
        replies = await by_machine()
        return _looked(case, replies, read_replies(replies, case.change), docket_without_models(case.change))
    replies, (session, opening) = await both(
        by_machine(), _open(case, crew.panel, take, probes_verifier=crew.probes_verifier)
    )
    read = read_replies(replies, case.change)
    if opening.plan is None:
        looked = _looked(case, replies, read, opening.docket)
        return replace(looked, planner=opening.answer, verifier_failures=opening.verifier_failures)
    session = session.with_leads(read.findings)
    for name, ask in (("first look", _first_look), ("second look", _second_look)):
        agents = ask(session, opening.plan, read)
        heard = await take(name, list[Reply], partial(_hear, agents, case))
        replies, read = [*replies, *heard], read.plus(read_replies(heard, case.change))
    looked = _looked(replace(case, plan=opening.plan), replies, read, opening.docket)
    return replace(looked, session=session, planner=opening.answer)


async def _open(case: Case, panel: Panel, take: Steps, *, probes_verifier: bool) -> tuple[Session, Opening]:
    """The models before the change, with its map, and the plan that they work by."""
    shown = panel.redact(case)

    async def read_context() -> ContextMap:
        return panel.read_context(shown)

    session = panel.brief(shown, await take("map", ContextMap, read_context))
    planning = partial(plan_review, session, case, probes_verifier=probes_verifier)
    return session, await take("plan", Opening, planning)


async def _hear(agents: Sequence[Specialist], case: Case) -> list[Reply]:
    return [redacted_reply(one) for one in await collect_replies(agents, case)]


def _first_look(session: Session, plan: Plan, _read: Docket) -> list[Specialist]:
    return session.agents(plan)


def _second_look(session: Session, plan: Plan, read: Docket) -> list[Specialist]:
    return session.second_look(plan, read.findings, read.replies)


def _looked(case: Case, replies: Sequence[Reply], read: Docket, before: Docket) -> Looked:
    return Looked(replace(case, replies=tuple(replies)), hand_in(read, replies, before))


def check(docket: Docket, case: Case) -> Docket:
    """What was handed in, after every check."""
    for each in CHECKS:
        docket = each(docket, case)
    return docket
