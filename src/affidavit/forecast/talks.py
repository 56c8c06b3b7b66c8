"""From an opened change to the talks that a review with models would begin with; no model is asked."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from affidavit.assembly import assemble_crew, assemble_panel
from affidavit.config.settings import Settings
from affidavit.diff.skipping import mark_skipped
from affidavit.events import Emit, ignore_events
from affidavit.minds.choice import ModelChoice
from affidavit.pipeline import Crew
from affidavit.ports import Answer, Case, Role, Specialist, Talk
from affidavit.prompts import PromptSet
from affidavit.proof.judgement import JUDGEMENT_SCHEMA, JUDGEMENT_SCHEMA_NAME
from affidavit.records.candidate import Candidate, Worth
from affidavit.records.finding import Finding
from affidavit.records.plan import Plan
from affidavit.specialists.model_agents import LENSES, ModelAgent
from affidavit.specialists.panel import Session
from affidavit.stages.evidence import check_evidence
from affidavit.stages.intake import OpenedChange
from affidavit.stages.merge import merge_candidates
from affidavit.stages.parse import ParsedReplies, parse_replies
from affidavit.stages.plan import PLAN_SCHEMA_NAME, plan_by_size, plan_schema
from affidavit.stages.review import collect_replies


@dataclass
class NamedMind:
    """A model that has a name and is never asked, so that no key is needed and nothing can leave."""

    role: Role
    model: str

    async def converse(self, talk: Talk, _emit: Emit) -> Answer:
        """Refuse: whoever comes here has made a mistake."""
        raise AssertionError(f"{self.role} was asked ({talk.speaker}), but only its talks were wanted")


@dataclass(frozen=True)
class FirstTalks:
    """What is known of a review's talks before any model has spoken."""

    planner: Talk
    specialists: tuple[Talk, ...]
    """With the second look; what the planner will add is not in them."""
    verifier: Talk
    """What all of its talks share; the task is empty."""
    machine_findings: tuple[Talk, ...]
    """What the verifier is asked about findings that need no model to be found."""


def prepare_talks(
    opened: OpenedChange,
    settings: Settings,
    choices: Mapping[Role, ModelChoice],
    cache: Path | None,
    prompts: PromptSet | None = None,
) -> FirstTalks:
    """Render the talks as the review would: the mechanical specialists look first."""
    change = mark_skipped(opened.change, opened.repository, settings.include, settings.exclude)
    case = Case(change, opened.repository, ignore_events)
    minds = {role: NamedMind(role, choice.model) for role, choice in choices.items()}
    session = assemble_panel(minds, cache, prompts, analysers_off=settings.analysers_off).convene(case)
    rough = plan_by_size(change, LENSES, session.always, session.briefing.context.symbols)
    planner = session.planner_talk(rough, plan_schema([*LENSES, *session.always]), PLAN_SCHEMA_NAME)
    crew = assemble_crew(settings, cache)
    parsed = parse_replies(asyncio.run(collect_replies(crew.specialists, case)), change)
    leads = [candidate.finding for candidate in parsed.candidates if candidate.finding]
    session = session.with_leads(leads)
    agents = [*session.agents(rough), *session.second_look(rough, leads)]
    return FirstTalks(
        planner=planner,
        specialists=_talks_of(agents, session),
        verifier=_shared_by_verifier(session, rough),
        machine_findings=tuple(
            session.verifier(rough).talk(candidate, finding)
            for candidate, finding in _to_be_judged(parsed, case, crew)
        ),
    )


def _talks_of(agents: Sequence[Specialist], session: Session) -> tuple[Talk, ...]:
    tools = session.panel.make_tools(session.case)
    return tuple(agent.talk(tools) for agent in agents if isinstance(agent, ModelAgent))


def _shared_by_verifier(session: Session, rough: Plan) -> Talk:
    return Talk(
        speaker="verifier",
        instructions=session.briefing.prompts.render("verifier", fence_rule=session.briefing.fence.rule),
        prefix=session.briefing.verifier_text(rough),
        task="",
        schema=JUDGEMENT_SCHEMA,
        schema_name=JUDGEMENT_SCHEMA_NAME,
        tools=session.verifier_tools(),
    )


def _to_be_judged(parsed: ParsedReplies, case: Case, crew: Crew) -> list[tuple[Candidate, Finding]]:
    """The machine's findings that stand and are not mere nits by their rule."""
    checked = check_evidence(parsed.candidates, case.change, case.repository, has_verifier=True)
    merged = merge_candidates(checked.candidates, case.change, case.repository, crew.same_problem)
    return [
        (candidate, candidate.finding)
        for candidate in merged
        if candidate.withheld is None
        and candidate.finding
        and crew.worth_of(candidate.finding.rule_id or "") is not Worth.NIT
    ]
