"""The stages of a review, in order: read this file first."""

import asyncio
import time
import uuid
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

from affidavit.baseline import read_baseline
from affidavit.code.skipping import mark_skipped
from affidavit.events import (
    Emit,
    finding_detected,
    handoff,
    ignore_events,
    pipeline_completed,
    pipeline_started,
)
from affidavit.ports import Brief, Reply, Repository, Specialist
from affidavit.prompts import PromptSet, current_prompts
from affidavit.records.candidate import Status, Worth
from affidavit.records.change import Change
from affidavit.records.finding import Finding
from affidavit.records.plan import Plan
from affidavit.records.report import Part, Report, RoleUsage
from affidavit.settings import Settings
from affidavit.specialists.model_agents import LENSES
from affidavit.specialists.panel import Panel, Session
from affidavit.specialists.probe import probe_verifier
from affidavit.specialists.verifier import ModelVerifier
from affidavit.stages.evidence import check_evidence, confirm_evidence
from affidavit.stages.merge import merge_candidates
from affidavit.stages.parse import ParsedReplies, parse_replies
from affidavit.stages.plan import PLAN_SCHEMA_NAME, Planned, make_plan, plan_by_size, plan_schema
from affidavit.stages.report import Proceedings, compile_report
from affidavit.stages.review import collect_replies
from affidavit.stages.verify import unanswered, verify_candidates
from affidavit.stages.words import WORDS_SCHEMA, WORDS_SCHEMA_NAME, add_words

NO_MODEL = Part(
    name="model specialists and verifier",
    reason="no model is configured",
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
    probing: Sequence[RoleUsage] = ()


async def review(
    change: Change, repository: Repository, settings: Settings, crew: Crew, emit: Emit = ignore_events
) -> Report:
    """From an opened change to the native report."""
    started, review_id = time.monotonic(), str(uuid.uuid4())
    emit(pipeline_started(review_id))
    change = mark_skipped(change, repository, settings.include, settings.exclude)
    brief = Brief(change, repository, emit)

    looks = await _look_with_models(crew, crew.panel, brief) if crew.panel else await _look(crew, brief)
    parsed = looks.parsed
    checked = check_evidence(parsed.candidates, change, repository, has_verifier=looks.verifier is not None)
    merged = merge_candidates(checked.candidates, change, repository, crew.same_problem)
    standing = [candidate for candidate in merged if candidate.is_shown]
    for candidate in standing:
        emit(finding_detected(candidate))
    emit(handoff("reviewer", "verifier", findings_count=len(standing)))

    verified = await verify_candidates(merged, verifier=looks.verifier, worth_of=crew.worth_of, emit=emit)
    confirmed = confirm_evidence(verified, repository)
    verified_count = sum(candidate.status is Status.VERIFIED for candidate in confirmed)
    emit(handoff("verifier", "reporter", verified_count=verified_count))

    replies = looks.replies
    proceedings = Proceedings(
        review_id=review_id,
        candidates=confirmed,
        replies=parsed.replies,
        incomplete=[
            *(looks.planned.incomplete if looks.planned else ()),
            *parsed.incomplete,
            *(part for reply in replies for part in reply.incomplete),
            *unanswered(confirmed),
        ],
        not_run=[*(part for reply in replies for part in reply.not_run), *([] if crew.panel else [NO_MODEL])],
        analyser_runs=[run for reply in replies for run in reply.analyser_runs],
        diagnostics=[
            *(item for reply in replies for item in reply.diagnostics),
            *parsed.diagnostics,
            *checked.diagnostics,
        ],
        usage=[
            *looks.probing,
            *(looks.planned.usage if looks.planned else ()),
            *(usage for reply in replies for usage in reply.usage),
            *(looks.verifier.spent if looks.verifier else ()),
        ],
        models=crew.models,
        prompt_version=crew.prompts.version,
        schema_version=crew.prompts.schema_version,
        plan=looks.plan,
        duration_ms=round((time.monotonic() - started) * 1000),
    )
    dismissals = read_baseline(repository.base)
    report = compile_report(proceedings, change, settings, looks.specialists, dismissals)
    if looks.session and (reporter := looks.session.panel.minds.get("reporter")):
        talk = looks.session.reporter_talk(report, WORDS_SCHEMA, WORDS_SCHEMA_NAME)
        report = await add_words(report, reporter, talk, emit)
    emit(pipeline_completed(report))
    return report


async def _look(crew: Crew, brief: Brief) -> Looks:
    """The mechanical specialists alone."""
    brief.emit(handoff("planner", "reviewer", chunks_count=len(brief.change.reviewed_files())))
    replies = await collect_replies(crew.specialists, brief)
    return Looks(crew.specialists, replies, parse_replies(replies, brief.change))


async def _look_with_models(crew: Crew, panel: Panel, brief: Brief) -> Looks:
    """The machine looks while the planner reads; then the agents, and fresh eyes on what they left out."""
    looking = asyncio.create_task(collect_replies(crew.specialists, brief))
    session = panel.convene(brief)
    rough = plan_by_size(brief.change, LENSES)
    talk = session.planner_talk(rough, plan_schema(LENSES), PLAN_SCHEMA_NAME)
    planning = make_plan(panel.minds["planner"], talk, rough, LENSES, brief.emit)
    planned, probing = await _all_or_none(planning, _probe(crew, panel, brief), looking=looking)
    brief.emit(handoff("planner", "reviewer", chunks_count=len(planned.plan.chunks)))
    replies = await looking
    session = session.with_leads(_findings(parse_replies(replies, brief.change)))
    agents = session.agents(planned.plan)
    replies += await collect_replies(agents, brief)
    second = session.second_look(planned.plan, _findings(parse_replies(replies, brief.change)))
    replies += await collect_replies(second, brief)
    return Looks(
        specialists=[*crew.specialists, *agents, *second],
        replies=replies,
        parsed=parse_replies(replies, brief.change),
        plan=planned.plan,
        verifier=session.verifier(planned.plan),
        planned=planned,
        session=session,
        probing=probing,
    )


async def _probe(crew: Crew, panel: Panel, brief: Brief) -> tuple[RoleUsage, ...]:
    return (await probe_verifier(panel.minds["verifier"], brief.emit),) if crew.probes_verifier else ()


async def _all_or_none(
    planning: Coroutine[Any, Any, Planned],
    probing: Coroutine[Any, Any, tuple[RoleUsage, ...]],
    *,
    looking: asyncio.Task[list[Reply]],
) -> tuple[Planned, tuple[RoleUsage, ...]]:
    """Plan while the verifier is tried; where it cannot be asked, nobody goes on."""
    planner = asyncio.create_task(planning)
    try:
        probed = await probing
        return await planner, probed
    except BaseException:
        planner.cancel()
        looking.cancel()
        await asyncio.gather(planner, looking, return_exceptions=True)
        raise


def _findings(parsed: ParsedReplies) -> list[Finding]:
    return [candidate.finding for candidate in parsed.candidates if candidate.finding]
