"""From an opened change to the talks that a review with models would begin with; no model is asked."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from affidavit.assembly import assemble_crew, assemble_panel
from affidavit.config.settings import Settings
from affidavit.dependencies.found import find_packages
from affidavit.events import Emit, ignore_events
from affidavit.iterations.following.scope import choose_scope
from affidavit.minds.choice import ModelChoice
from affidavit.pipeline import check, look
from affidavit.ports import Case, Role, Runner, Talk, Verifiers
from affidavit.prompts import PromptSet
from affidavit.records.iteration import Earlier
from affidavit.records.report import Answer, RoleUsage
from affidavit.stages.looking.intake import OpenedChange
from affidavit.stages.looking.review import Crew, open_case
from affidavit.stages.proving.merge import merge
from affidavit.stages.proving.verify import verify
from affidavit.stages.reporting.follow_up import carry


@dataclass
class ListeningMind:
    """A model that has a name, keeps what it would be asked, and answers nothing: no key is needed."""

    role: Role
    model: str
    heard: list[Talk] = field(default_factory=list)

    async def converse(self, talk: Talk, _emit: Emit) -> Answer:
        """Keep the talk; as where nothing may be spent, nobody is asked a second time."""
        self.heard.append(talk)
        return Answer(outcome="budget_exhausted", usage=RoleUsage(role=self.role, model=self.model))


UNASKED = Talk(speaker="planner", instructions="", prefix="", task="", schema={}, schema_name="")
"""Where nothing is new since the review before, nobody plans."""


@dataclass(frozen=True)
class FirstTalks:
    """What is known of a review's talks before any model has spoken."""

    planner: Talk
    specialists: tuple[Talk, ...]
    """With the second look; what the planner will add is not in them."""
    verifier: Talk
    """What all of its talks share; the task is empty."""
    carried_findings: tuple[Talk, ...]
    """What the verifier is asked about findings of the review before."""
    packages: tuple[str, ...] = ()
    """Whose sources models may read, each with its version."""


def prepare_talks(
    opened: OpenedChange,
    settings: Settings,
    choices: Mapping[Role, ModelChoice],
    cache: Path | None,
    prompts: PromptSet | None = None,
    *,
    reads_dependencies: bool = True,
    runner: Runner | None = None,
    earlier: Earlier | None = None,
) -> FirstTalks:
    """The talks of the review itself, which is held with models that only listen: they run nothing."""
    case = replace(open_case(opened.change, opened.repository, settings), runner=runner, earlier=earlier)
    minds = {role: ListeningMind(role, choice.model) for role, choice in choices.items()}
    panel = assemble_panel(
        minds,
        cache,
        prompts,
        analysers_off=settings.analysers_off,
        reads_dependencies=reads_dependencies,
    )
    crew = replace(assemble_crew(settings, cache), panel=panel)
    crew, case = crew.before(case)
    chosen = choose_scope(case, settings.model_dump(mode="json"), crew.models, crew.prompts.version)
    shared = asyncio.run(_hold(replace(case, scope=chosen), crew))
    return FirstTalks(
        verifier=shared,
        planner=next(iter(minds["planner"].heard), UNASKED),
        specialists=tuple(minds["specialist"].heard),
        carried_findings=tuple(minds["verifier"].heard),
        packages=_packages(opened) if reads_dependencies else (),
    )


def _packages(opened: OpenedChange) -> tuple[str, ...]:
    repository = opened.repository
    found = find_packages(repository.folder, repository.base, is_tracked=repository.tracks).by_name.values()
    return tuple(sorted(f"{one.name} {one.version}" for one in found))


async def _hold(case: Case, crew: Crew) -> Talk:
    """Go through the review up to its report; what all talks of its verifier share comes back."""
    looked = await look(case, crew)
    session, plan = looked.session, looked.case.plan
    if session is None or plan is None:
        raise AssertionError("models that are not tried before are always asked")
    verifier = session.verifier(plan)
    open_too, _ = carry(check(looked.docket, looked.case), looked.case)
    docket, _ = await merge(open_too, looked.case)
    await verify(docket, Verifiers(verifier), ignore_events)
    return verifier.shared_talk()
