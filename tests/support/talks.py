"""Talks, tools and minds for the tests."""

from collections.abc import Mapping
from typing import Any

from pydantic_ai.models import Model

from affidavit.events import Event, ignore_events
from affidavit.minds.choice import CallLimits, ModelChoice, choose_model
from affidavit.minds.conversation_log import ConversationLog
from affidavit.minds.ledger import Ledger
from affidavit.minds.mind import PydanticMind
from affidavit.minds.wire.providers import Client
from affidavit.ports import Role, Talk, ToolSource
from affidavit.records.report import Answer

JUDGEMENT = '{"judgment":"CONFIRMED","reason":"a.py:3"}'
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "judgment": {"type": "string", "enum": ["CONFIRMED", "REFUTED"]},
        "reason": {"type": "string", "maxLength": 40},
    },
    "required": ["judgment", "reason"],
    "additionalProperties": False,
}
SCHEMA_NAME = "verification_judgment"
QUICK = CallLimits(first_delay_seconds=0.001)


class Shelf:
    """Tools that read from a dictionary, and remember what they were asked."""

    def __init__(self, files: Mapping[str, str] | None = None) -> None:
        self.files = files or {"a.py": "x = 1"}
        self.asked: list[tuple[str, object]] = []

    @property
    def descriptions(self) -> list[dict[str, Any]]:
        parameters = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
        function = {"name": "read", "description": "Read a file.", "parameters": parameters}
        return [{"type": "function", "function": function}]

    def call(self, name: str, arguments: object) -> dict[str, Any]:
        self.asked.append((name, arguments))
        if name != "read" or not isinstance(arguments, dict):
            return {"error": f"call read with a path, not {name}"}
        return {"text": self.files.get(str(arguments.get("path")), "")}


def a_talk(tools: ToolSource | None = None, *, task: str = "Judge this.", max_turns: int = 3) -> Talk:
    return Talk(
        speaker="verifier",
        instructions="You check facts.",
        prefix="The change.",
        task=task,
        schema=SCHEMA,
        schema_name=SCHEMA_NAME,
        tools=tools,
        max_turns=max_turns,
    )


def a_choice(base_url: str | None = None, **options: Any) -> ModelChoice:
    options.setdefault("silence_seconds", 5)
    return choose_model("tiny", "verifier", base_url=base_url or "http://127.0.0.1:9/v1", **options)


def a_mind(
    choice: ModelChoice,
    *,
    role: Role = "verifier",
    ledger: Ledger | None = None,
    log: ConversationLog | None = None,
    limits: CallLimits = QUICK,
    model: Model[Any] | None = None,
    **options: Any,
) -> PydanticMind:
    client = (lambda: Client(model)) if model is not None else None
    return PydanticMind(role, choice, ledger, log, limits, client=client, **options)


async def answer_of(mind: PydanticMind, talk: Talk, events: list[Event] | None = None) -> Answer:
    return await mind.converse(talk, events.append if events is not None else ignore_events)
