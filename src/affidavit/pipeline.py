"""The stages of a review, in order: read this file first."""

import asyncio
import time
import uuid
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any

from affidavit.config.baseline import read_baseline
from affidavit.config.settings import Settings
from affidavit.contract.vocabulary import verdict_severity
from affidavit.diff.skipping import mark_skipped
from affidavit.events import (
    Emit,
    finding_detected,
    handoff,
    ignore_events,
    pipeline_completed,
    pipeline_started,
)
from affidavit.ports import Case, Reply, Repository, Role, Specialist, Verifiers
from affidavit.prompts import PromptSet, current_prompts
from affidavit.records.candidate import Candidate, Status, Worth
from affidavit.records.change import Change
from affidavit.records.diagnostics import Diagnostic
from affidavit.records.finding import Finding
from affidavit.records.plan import Plan
from affidavit.records.report import Gap, Report, RoleUsage
from affidavit.specialists.model_agents import LENSES
from affidavit.specialists.panel import Panel, Session
from affidavit.specialists.probe import Probed, probe_verifiers
from affidavit.specialists.verifier import ModelVerifier
from affidavit.stages.absence import search_whole_change
from affidavit.stages.comments import note_existing
from affidavit.stages.evidence import check_evidence
from affidavit.stages.merge import merge_candidates
from affidavit.stages.narrate import WORDS_SCHEMA, WORDS_SCHEMA_NAME, narrate
from affidavit.stages.parse import ParsedReplies, parse_replies
from affidavit.stages.plan import PLAN_SCHEMA_NAME, Planned, make_plan, plan_by_size, plan_schema
from affidavit.stages.reading import compare_reading
from affidavit.stages.report import Proceedings, compile_report
from affidavit.stages.review import collect_replies
from affidavit.stages.verify import missing_answers, unanswered, verify_candidates

NO_MODEL = Gap(
    name="model specialists and verifier",
    reason="no model is configured",
    advice="The mechanical specialists reviewed alone.",
)

WITHOUT_VERIFIER = Gap(
    name="model specialists",
    reason="they were not asked, since the verifier cannot judge what they find",
    advice="The mechanical specialists reviewed alone.",
)


@dataclass(frozen=True)
class Crew:
    """Who works on a review, and what they know about rules."""

    specialists: Sequence[Specialist]
    """Those that need no model."""
    same_problem: Callable[[str, str], bool]
    worth_of: Callable[[str], Worth]
    panel: Panel | None = None
    """The models; without them the mechanical specialists review alone."""
    probes_verifier: bool = False
    """Whether the verifier is tried before specialists start."""

    @property
    def models(self) -> dict[str, str]:
        """Role to model; empty where no model looks."""
        return self.panel.models if self.panel else {}

    @property
    def prompts(self) -> PromptSet:
        """The version that the models read; without models, the current one."""
        return self.panel.prompts if self.panel else current_prompts()


@dataclass(frozen=True)
class Looks:
    """What all specialists handed in, and who judges it."""

    specialists: Sequence[Specialist]
    replies: Sequence[Reply]
    parsed: ParsedReplies
    plan: Plan | None = None
    verifier: ModelVerifier | None = None
    planned: Planned | None = None
    session: Session | None = None
    verifiers: Verifiers | None = None
    probed: Probed = field(default_factory=Probed)
    not_run: Sequence[Gap] = ()

    @property
    def incomplete(self) -> list[Gap]:
        """What was begun and not completed before the findings were checked."""
        return [
            *self.probed.failures,
            *(self.planned.incomplete if self.planned else ()),
            *self.parsed.incomplete,
            *(part for reply in self.replies for part in reply.incomplete),
        ]

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What specialists and parser had to say of the replies."""
        return [*(item for reply in self.replies for item in reply.diagnostics), *self.parsed.diagnostics]

    @property
    def usage(self) -> list[RoleUsage]:
        """What the models used up so far; of the verifier, all that it has judged by now."""
        return [
            *self.probed.usage,
            *(self.planned.usage if self.planned else ()),
            *(usage for reply in self.replies for usage in reply.usage),
            *(self.verifier.spent if self.verifier else ()),
        ]


async def review(
    change: Change, repository: Repository, settings: Settings, crew: Crew, emit: Emit = ignore_events
) -> Report:
    """From an opened change to the native report."""
    started, review_id = time.monotonic(), str(uuid.uuid4())
    emit(pipeline_started(review_id))
    change = mark_skipped(change, repository, settings.include, settings.exclude)
    case = Case(change, repository, emit)

    looks = await (_look_with_models(crew, crew.panel, case, settings) if crew.panel else _look(crew, case))
    compared = compare_reading(looks.parsed.candidates, looks.replies, looks.plan, repository)
    checked = check_evidence(compared.candidates, change, repository, has_verifier=looks.verifier is not None)
    searched = search_whole_change(checked.candidates, looks.plan, change, repository)
    said = note_existing(searched, change.discussion)
    merged = merge_candidates(said, change, repository, crew.same_problem)
    _announce_findings(merged, emit)

    verified = await verify_candidates(merged, verifiers=looks.verifiers, worth_of=crew.worth_of, emit=emit)
    _announce_verified(verified, emit)

    proceedings = Proceedings(
        review_id=review_id,
        candidates=verified,
        replies=looks.parsed.replies,
        incomplete=[*looks.incomplete, *unanswered(verified)],
        not_run=[*looks.not_run, *(part for reply in looks.replies for part in reply.not_run)],
        analyser_runs=[run for reply in looks.replies for run in reply.analyser_runs],
        diagnostics=[
            *looks.diagnostics,
            *compared.diagnostics,
            *checked.diagnostics,
            *missing_answers(verified),
        ],
        usage=looks.usage,
        models=crew.models,
        prompt_version=crew.prompts.version,
        schema_version=crew.prompts.schema_version,
        plan=looks.plan,
    )
    report = compile_report(proceedings, change, settings, looks.specialists, read_baseline(repository.base))
    worded = await _put_into_words(report, looks.session, emit)
    done = worded.model_copy(update={"duration_ms": round((time.monotonic() - started) * 1000)})
    emit(pipeline_completed(done))
    return done


def _announce_findings(merged: Sequence[Candidate], emit: Emit) -> None:
    """Tell of each finding that goes to the verifier."""
    standing = [candidate for candidate in merged if candidate.is_shown]
    for candidate in standing:
        if finding := candidate.finding:
            emit(finding_detected(candidate, verdict_severity(finding.severity, finding.category)))
    emit(handoff("reviewer", "verifier", findings_count=len(standing)))


def _announce_verified(verified: Sequence[Candidate], emit: Emit) -> None:
    verified_count = sum(candidate.status is Status.VERIFIED for candidate in verified)
    emit(handoff("verifier", "reporter", verified_count=verified_count))


async def _put_into_words(report: Report, session: Session | None, emit: Emit) -> Report:
    reporter = session.panel.minds.get("reporter") if session else None
    if session is None or reporter is None:
        return report
    talk = session.reporter_talk(report, WORDS_SCHEMA, WORDS_SCHEMA_NAME)
    return await narrate(report, reporter, talk, emit)


async def _look(crew: Crew, case: Case) -> Looks:
    """The mechanical specialists alone."""
    case.emit(handoff("planner", "reviewer", chunks_count=len(case.change.reviewed_files())))
    replies = await collect_replies(crew.specialists, case)
    parsed = parse_replies(replies, case.change)
    return Looks(crew.specialists, replies, parsed, not_run=[NO_MODEL])


async def _look_with_models(crew: Crew, panel: Panel, case: Case, settings: Settings) -> Looks:
    """The machine looks while the planner reads; then the agents, and fresh eyes on what they left out."""
    looking = asyncio.create_task(collect_replies(crew.specialists, case))
    session = panel.convene(case)
    rough = plan_by_size(case.change, LENSES, session.always, session.briefing.context.symbols)
    talk = session.planner_talk(rough, plan_schema([*LENSES, *session.always]), PLAN_SCHEMA_NAME)
    planning = make_plan(panel.minds["planner"], talk, rough, LENSES, case.emit)
    planned, probed = await _plan_while_probing(planning, _probe(crew, panel, case), looking=looking)
    if probed.failures:
        return await _look_without_verifier(crew, case, looking, planned, probed)
    case.emit(handoff("planner", "reviewer", chunks_count=len(planned.plan.chunks)))
    replies = await looking
    session = session.with_leads(_findings(parse_replies(replies, case.change)))
    agents = session.agents(planned.plan)
    replies += await collect_replies(agents, case)
    second = session.second_look(planned.plan, _findings(parse_replies(replies, case.change)))
    replies += await collect_replies(second, case)
    verifier = session.verifier(planned.plan)
    return Looks(
        specialists=[*crew.specialists, *agents, *second],
        replies=replies,
        parsed=parse_replies(replies, case.change),
        plan=planned.plan,
        verifier=verifier,
        verifiers=session.verifiers(verifier, settings.verifier_votes or 1),
        planned=planned,
        session=session,
        probed=probed,
    )


async def _look_without_verifier(
    crew: Crew, case: Case, looking: asyncio.Task[list[Reply]], planned: Planned, probed: Probed
) -> Looks:
    """What specialists find could not be verified, so none is paid; the machine's review is handed in."""
    case.emit(handoff("planner", "reviewer", chunks_count=len(case.change.reviewed_files())))
    replies = await looking
    return Looks(
        crew.specialists,
        replies,
        parse_replies(replies, case.change),
        # Nobody works by the plan, so only what it cost is left of it.
        planned=Planned(Plan(), planned.usage),
        probed=probed,
        not_run=[WITHOUT_VERIFIER],
    )


async def _probe(crew: Crew, panel: Panel, case: Case) -> Probed:
    if not crew.probes_verifier:
        return Probed()
    roles: tuple[Role, ...] = ("verifier", "second_verifier")
    minds = [panel.minds[role] for role in roles if role in panel.minds]
    return await probe_verifiers(minds, panel.prompts, case.emit)


async def _plan_while_probing(
    planning: Coroutine[Any, Any, Planned],
    probing: Coroutine[Any, Any, Probed],
    *,
    looking: asyncio.Task[list[Reply]],
) -> tuple[Planned, Probed]:
    """Plan while the verifier is tried; where it cannot be asked, the plan is not waited for."""
    planner = asyncio.create_task(planning)
    try:
        probed = await probing
        if probed.failures and not planner.done():
            planner.cancel()
            await asyncio.gather(planner, return_exceptions=True)
            return Planned(Plan()), probed
        return await planner, probed
    except BaseException:
        planner.cancel()
        looking.cancel()
        await asyncio.gather(planner, looking, return_exceptions=True)
        raise


def _findings(parsed: ParsedReplies) -> list[Finding]:
    return [candidate.finding for candidate in parsed.candidates if candidate.finding]
