"""Connect the model of one role to planner, specialists, verifier and reporter."""

import asyncio
import os
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from affidavit.contract.reply_text import object_with_key
from affidavit.events import Emit
from affidavit.minds.choice import CallLimits, ModelChoice
from affidavit.minds.conversation import Conversation
from affidavit.minds.conversation_log import ConversationLog, exchange_key
from affidavit.minds.ledger import Ledger
from affidavit.minds.wire.connection import Connection, Sleep
from affidavit.minds.wire.providers import Client, build_client
from affidavit.minds.wire.requester import Line, Requester
from affidavit.ports import Role, Talk
from affidavit.records.report import Answer, RoleUsage

MAX_UNREADABLE = 3
"""After this many unreadable answers in a row, a model is not asked again."""


@dataclass
class UnreadableCount:
    """The number of unreadable answers of a model in a row, over all its roles."""

    in_a_row: int = 0


class PydanticMind:
    """A mind on pydantic-ai; many talks may be held at the same time."""

    def __init__(  # noqa: PLR0913 - each of its parts can be another
        self,
        role: Role,
        choice: ModelChoice,
        ledger: Ledger | None = None,
        log: ConversationLog | None = None,
        limits: CallLimits | None = None,
        *,
        gate: asyncio.Semaphore | None = None,
        client: Callable[[], Client] | None = None,
        line: Callable[[], Line] | None = None,
        sleep: Sleep = asyncio.sleep,
        unreadable: UnreadableCount | None = None,
    ) -> None:
        self._unreadable = unreadable or UnreadableCount()
        self.role: Role = role
        self.model = choice.model
        limits = limits or CallLimits()
        gate = gate or asyncio.Semaphore(limits.at_once)

        def connect() -> Connection:
            dial = client or partial(build_client, choice, os.environ)
            return Connection(dial, choice, limits, gate, sleep)

        self._requester = Requester(
            role, choice, ledger or Ledger(), log or ConversationLog(), line or connect
        )

    def kept_open(self) -> AbstractAsyncContextManager[None]:
        """Keep the connection open between talks; without this, each talk opens its own."""
        return self._requester.open_connection()

    async def converse(self, talk: Talk, emit: Emit) -> Answer:
        """Hold a talk; whatever goes wrong with the model is an outcome, not an exception."""
        if self._unreadable.in_a_row >= MAX_UNREADABLE:
            detail = (
                f"{MAX_UNREADABLE} answers of {self.model} could not be read in a row: it is not asked again"
            )
            return Answer(outcome="failed", detail=detail, usage=RoleUsage(role=self.role, model=self.model))
        # A coding agent's process holds one conversation.
        requester = (
            replace(self._requester) if self._requester.choice.provider == "agent" else self._requester
        )
        answer = await Conversation(requester, talk, emit).hold()
        if answer.outcome == "answered":
            self._unreadable.in_a_row = 0 if is_readable(answer.text, talk) else self._unreadable.in_a_row + 1
        return answer.model_copy(update={"request": talk_key(talk, self.model)})


def is_readable(text: str | None, talk: Talk) -> bool:
    """Check whether an answer is an object with a requested field, and only allowed choices."""
    fields: dict[str, Any] = talk.schema.get("properties", {})
    found = next((one for name in fields if (one := object_with_key(text, name)) and name in one), None)
    if found is None:
        return not fields
    return all(
        str(found[name]).strip().upper() in {str(choice).upper() for choice in choices}
        for name in talk.schema.get("required", ())
        # A field with one choice is a version, which the parser reads.
        if name in found and len(choices := fields[name].get("enum", ())) > 1
    )


def talk_key(talk: Talk, model: str) -> str:
    """Return the key of a talk: the same for the same words to the same model."""
    return exchange_key(
        {
            "model": model,
            "speaker": talk.speaker,
            "instructions": talk.instructions,
            "prefix": talk.prefix,
            "task": talk.task,
            "schema": talk.schema,
        }
    )
