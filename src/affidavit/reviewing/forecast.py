"""Show what a review with models would cost or send, without asking a model."""

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NoReturn

from affidavit.agents.limits import effort_of
from affidavit.agents.panel import Panel
from affidavit.config.places import cache_folder
from affidavit.config.settings import Settings
from affidavit.errors import SettingsError
from affidavit.events import Emit, ignore_events
from affidavit.iterations.scope import choose_scope
from affidavit.minds.choice import ModelChoice
from affidavit.minds.conversation import Conversation
from affidavit.minds.conversation_log import ConversationLog
from affidavit.minds.ledger import Ledger
from affidavit.minds.wire.providers import build_client
from affidavit.minds.wire.requester import Requester
from affidavit.minds.wire.transcript import as_data
from affidavit.pipeline import look
from affidavit.ports import SPECIALISTS, Case, Role, Talk, Verifiers
from affidavit.prompts import PromptSet
from affidavit.records.iteration import Earlier
from affidavit.records.report import Answer, RoleUsage
from affidavit.redaction.spans import MARKER
from affidavit.render.safe_text import one_line, visible
from affidavit.reviewing.cost import FirstTalks, describe_cost
from affidavit.reviewing.hold import assemble_crew
from affidavit.reviewing.models import models_of
from affidavit.reviewing.options import ReviewOptions
from affidavit.reviewing.panel import asked_at, named_servers
from affidavit.reviewing.running import opened_runner
from affidavit.reviewing.series import followed_by
from affidavit.stages.evidence import check
from affidavit.stages.follow_up import carry
from affidavit.stages.intake import OpenedChange
from affidavit.stages.merge import merge
from affidavit.stages.preflight import find_what_runs
from affidavit.stages.review import Crew, begin_case
from affidavit.stages.verify import verify
from affidavit.tools.outside_connection import NamedServer


@dataclass
class ListeningMind:
    """A model that records questions and answers none, so it needs no key."""

    role: Role
    model: str
    heard: list[Talk] = field(default_factory=list)

    async def converse(self, talk: Talk, _emit: Emit) -> Answer:
        """Record the talk; as with a spent budget, nothing is asked twice."""
        self.heard.append(talk)
        return Answer(outcome="budget_exhausted", usage=RoleUsage(role=self.role, model=self.model))


UNASKED = Talk(speaker="planner", instructions="", prefix="", task="", schema={}, schema_name="")
"""If nothing is new since the earlier review, nothing is planned."""


def prepare_talks(
    opened: OpenedChange,
    settings: Settings,
    options: ReviewOptions,
    choices: Mapping[Role, ModelChoice],
    prompts: PromptSet,
    earlier: Earlier | None,
) -> FirstTalks:
    """Hold the review with models that only listen, and return what they were asked first."""
    cache = None if options.no_cache else cache_folder()
    minds = {role: ListeningMind(role, choice.model) for role, choice in choices.items()}
    with opened_runner(opened.repository, settings, options) as running:
        case = begin_case(opened.change, opened.repository, settings)
        panel = Panel(
            minds,
            cache,
            prompts,
            analysers_off=settings.analysers_off,
            reads_dependencies=options.dependencies,
            effort=effort_of(settings, opened.change.changed_files),
        )
        crew = replace(assemble_crew(settings, cache), panel=panel)
        case = asyncio.run(find_what_runs(replace(case, runner=running.runner, earlier=earlier)))
        case = crew.with_packages(case)
        chosen = choose_scope(case, settings.model_dump(mode="json"), crew.models, crew.prompts.version)
        shared = asyncio.run(_hold(replace(case, scope=chosen), crew))
    opened_packages = panel.packages(case)
    packages = opened_packages.packages.by_name.values() if opened_packages else ()
    return FirstTalks(
        verifier=shared,
        planner=next(iter(minds["planner"].heard), UNASKED),
        specialists=tuple(minds["specialist"].heard),
        carried_findings=tuple(minds["verifier"].heard),
        further_specialists={role: minds[role].heard for role in SPECIALISTS[1:] if role in minds},
        packages=tuple(sorted(f"{one.name} {one.version}" for one in packages)),
    )


async def _hold(case: Case, crew: Crew) -> Talk:
    """Hold the review up to its report; return what all talks of its verifier share."""
    looked = await look(case, crew)
    panel, briefing, plan = crew.panel, looked.briefing, looked.case.plan
    if panel is None or briefing is None or plan is None:
        raise AssertionError("models that are not tried before are always asked")
    verifier = panel.verifier(briefing, plan)
    open_too, _ = carry(check(looked.docket, looked.case), looked.case)
    docket, _ = await merge(open_too, looked.case)
    await verify(docket, Verifiers(verifier), ignore_events)
    return verifier.shared_talk()


RULE = "=" * 78
INTRODUCTION = (
    "What a review would send. Nothing was sent, and no model was asked.",
    "Secrets are shown as REDACTED_KIND_NUMBER, as they would be sent.",
    "Invisible characters are shown as <U+…>.",
)
LATER = (
    "Later in the review this is sent too, redacted in the same way:",
    "- to each verifier, first of all: whether `return 1 + 1` returns 3, to see that it can answer;",
    "- to specialists and verifiers: what the planner answered (goal, approach, impact, questions);",
    "- to every model: what it reads with its tools, from base and head of this repository;",
    "- to the second look: one line for each finding that the others reported;",
    "- to the joiner: place, title, claim and proposed change of each open finding;",
    "- to the verifier, and to a second one: each finding of a specialist, its quote with surroundings, its",
    "  hunks and searches;",
    "- to the reporter, if there is one: what the change is for, and the findings that are shown.",
)


def describe_leaving(
    talks: FirstTalks, choices: Mapping[Role, ModelChoice], servers: Sequence[NamedServer]
) -> str:
    """Show what models are sent before any has answered, and list what follows later."""
    roles: list[tuple[Role, Sequence[Talk]]] = [
        ("planner", [talks.planner]),
        *talks.by_specialist.items(),
        ("verifier", talks.carried_findings or [talks.verifier]),
        ("second_verifier", [talks.verifier] if "second_verifier" in choices else []),
    ]
    sections = [_section(role, choices[role], talk) for role, several in roles for talk in several]
    return "\n".join(
        [*INTRODUCTION, "", *sections, RULE, *LATER, *_of_packages(talks.packages), *_of_servers(servers), ""]
    )


def _of_packages(packages: Sequence[str]) -> list[str]:
    if not packages:
        return []
    return [
        "Models may also read the sources of these packages, redacted in the same way"
        " (--no-dependencies: of none):",
        f"packages: {one_line(', '.join(packages))}",
    ]


def _of_servers(servers: Sequence[NamedServer]) -> list[str]:
    if not servers:
        return []
    tools = [f"{one.name} ({one.place}): {', '.join(one.allow)}" for one in servers]
    return [
        "Models may also call these tools of servers that you named; what they ask is redacted first:",
        *(f"- {one_line(each)}" for each in tools),
    ]


def _address_of(choice: ModelChoice) -> str:
    """Return where requests go, or the provider if no client can be made without a key."""
    if choice.base_url:
        return choice.base_url
    if choice.provider == "agent":
        return "the provider that it is logged in at"
    try:
        address = build_client(choice, os.environ).model.base_url
    except SettingsError:
        address = None
    return address or f"the address of {choice.provider}"


def _section(role: Role, choice: ModelChoice, talk: Talk) -> str:
    # The conversation itself prepares the shown text, so it cannot differ from what is sent.
    requester = Requester(role, choice, Ledger(), ConversationLog(), _refuse_to_connect)
    conversation = Conversation(requester, talk, ignore_events)
    question = conversation.question
    tools = [tool["function"]["name"] for tool in question.tools]
    texts = [part["text"] for sent in as_data(conversation.outgoing_messages()) for part in sent["parts"]]
    lines = [
        RULE,
        f"to:      {one_line(choice.model)} at {one_line(_address_of(choice))}",
        f"role:    {role.replace('_', ' ')} ({one_line(talk.speaker)})",
        f"tools:   {', '.join(tools) or 'none'}",
        f"answer:  {question.schema_name}",
        f"secrets: {sum(len(MARKER.findall(text)) for text in texts)} redacted",
        "--- instructions",
        question.instructions,
        "--- message",
        *texts,
    ]
    return visible("\n".join(lines), keep="\n\t")


def _refuse_to_connect() -> NoReturn:
    raise AssertionError("what would leave is shown, not sent")


def checked_servers(opened: OpenedChange, options: ReviewOptions) -> str:
    """Name the outside servers of `--mcp-servers`; raise if the file is wrong, with a model or without."""
    return ", ".join(one.name for one in named_servers(opened, options))


def describe_forecast(
    opened: OpenedChange,
    settings: Settings,
    options: ReviewOptions,
    prompts: PromptSet,
    *,
    is_estimate: bool,
) -> str:
    effort = effort_of(settings, opened.change.changed_files)
    choices = asked_at(effort, models_of(settings, options))
    earlier = followed_by(opened, options).earlier
    talks = prepare_talks(opened, settings, options, choices, prompts, earlier)
    if is_estimate:
        return describe_cost(talks, choices)
    return describe_leaving(talks, choices, named_servers(opened, options))
