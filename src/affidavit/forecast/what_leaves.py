"""`affidavit review --what-leaves`: what would be sent to whom, after redaction, word for word."""

import os
from collections.abc import Mapping, Sequence
from typing import NoReturn

from pydantic_ai.messages import ModelRequest, UserPromptPart

from affidavit.errors import SettingsError
from affidavit.events import ignore_events
from affidavit.forecast.talks import FirstTalks
from affidavit.minds.choice import ModelChoice
from affidavit.minds.conversation import Conversation
from affidavit.minds.conversation_log import ConversationLog
from affidavit.minds.ledger import Ledger
from affidavit.minds.wire.providers import build_model
from affidavit.minds.wire.requester import Requester
from affidavit.ports import Role, Talk
from affidavit.redaction.spans import MARKER
from affidavit.render.safe_text import one_line, visible

RULE = "=" * 78
INTRODUCTION = (
    "What a review would send. Nothing was sent, and no model was asked.",
    "Secrets are shown as [redacted:KIND], as they would be sent.",
    "Invisible characters are shown as <U+…>.",
)
LATER = (
    "Later in the review this is sent too, redacted in the same way:",
    "- to each verifier, first of all: whether `return 1 + 1` returns 3, to see that it can answer;",
    "- to specialists and verifiers: what the planner answered (goal, approach, impact, questions);",
    "- to every model: what it reads with its tools, from base and head of this repository;",
    "- to the second look: one line for each finding that the others reported;",
    "- to the joiner: place, title, claim and proposed change of each finding that stands;",
    "- to the verifier, and to a second one: each finding of a specialist, its quote with surroundings, its",
    "  hunks and searches;",
    "- to the reporter, if there is one: what the change is for, and the findings that are shown.",
)


def describe_leaving(
    talks: FirstTalks,
    choices: Mapping[Role, ModelChoice],
    environment: Mapping[str, str] = os.environ,
    outside: Sequence[str] = (),
) -> str:
    """Everything that is known before a model has spoken, and what will follow.

    `outside`: servers whose tools models may call, each with the tools.
    """
    roles: list[tuple[Role, Sequence[Talk]]] = [
        ("planner", [talks.planner]),
        ("specialist", talks.specialists),
        ("verifier", talks.carried_findings or [talks.verifier]),
        ("second_verifier", [talks.verifier] if "second_verifier" in choices else []),
    ]
    sections = [
        _section(role, choices[role], address_of(choices[role], environment), talk)
        for role, several in roles
        for talk in several
    ]
    return "\n".join(
        [*INTRODUCTION, "", *sections, RULE, *LATER, *_of_packages(talks.packages), *_of_servers(outside), ""]
    )


def _of_packages(packages: Sequence[str]) -> list[str]:
    if not packages:
        return []
    return [
        "Models may also read the sources of these packages, redacted in the same way"
        " (--no-dependencies: of none):",
        f"packages: {one_line(', '.join(packages))}",
    ]


def _of_servers(servers: Sequence[str]) -> list[str]:
    if not servers:
        return []
    return [
        "Models may also call these tools of servers that you named; what they ask is redacted first:",
        *(f"- {one_line(server)}" for server in servers),
    ]


def address_of(choice: ModelChoice, environment: Mapping[str, str]) -> str:
    """Where requests go; without a key the client cannot be made, and the provider is named."""
    if choice.base_url:
        return choice.base_url
    try:
        address = build_model(choice, environment).base_url
    except SettingsError:
        address = None
    return address or f"the address of {choice.provider}"


def _section(role: Role, choice: ModelChoice, address: str, talk: Talk) -> str:
    # The conversation itself prepares what is shown, so that it cannot differ from what is sent.
    conversation = Conversation(_silent_requester(role, choice), talk, ignore_events)
    question = conversation.question
    tools = [tool["function"]["name"] for tool in question.tools]
    messages = conversation.as_it_leaves()
    texts = [text for message in messages if isinstance(message, ModelRequest) for text in _texts(message)]
    lines = [
        RULE,
        f"to:      {one_line(choice.model)} at {one_line(address)}",
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


def _texts(message: ModelRequest) -> list[str]:
    texts: list[str] = []
    for part in message.parts:
        if isinstance(part, UserPromptPart):
            content = [part.content] if isinstance(part.content, str) else part.content
            texts += [each for each in content if isinstance(each, str)]
    return texts


def _silent_requester(role: Role, choice: ModelChoice) -> Requester:
    def connect() -> NoReturn:
        raise AssertionError("what would leave is shown, not sent")

    return Requester(role, choice, Ledger(), ConversationLog(), connect)
