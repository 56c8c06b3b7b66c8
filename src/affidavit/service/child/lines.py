"""Ask models from a child process, which has no keys: its worker makes the calls."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field
from itertools import count
from typing import Any

from pydantic import TypeAdapter
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter, ModelResponse

from affidavit.minds.wire.connection import CallEnded, OnPartialReply
from affidavit.minds.wire.forms import Question
from affidavit.ports import Role
from affidavit.service.child.channel import Channel

REPLIES: TypeAdapter[ModelResponse] = TypeAdapter(ModelResponse)


@dataclass
class WorkerLines:
    """Lines to the models through the worker, which has the keys."""

    channel: Channel
    _numbers: Any = field(default_factory=count)
    _partials: dict[int, OnPartialReply] = field(default_factory=dict)
    _refusals: dict[int, Exception] = field(default_factory=dict)

    def to(self, role: Role) -> "WorkerLine":
        """Return the line to the model of a role."""
        return WorkerLine(self, role)

    async def ask(
        self, role: Role, messages: list[ModelMessage], question: Question, on_partial: OnPartialReply
    ) -> ModelResponse:
        """Return the reply of a role's model; raise CallEnded if there is none."""
        number = next(self._numbers)
        self._partials[number] = on_partial
        try:
            answer = await self.channel.call(
                "ask",
                number=number,
                role=role,
                messages=ModelMessagesTypeAdapter.dump_python(messages, mode="json"),
                question=asdict(question),
            )
            if number in self._refusals:
                raise self._refusals.pop(number)
        finally:
            self._partials.pop(number, None)
        reply = REPLIES.validate_python(answer["reply"]) if answer.get("reply") else None
        if "ended" in answer:
            ended = answer["ended"]
            raise CallEnded(ended["outcome"], ended["detail"], reply, was_read=ended["was_read"])
        if reply is None:
            raise AssertionError("an answer has a reply or an end")
        return reply

    async def pay(self, number: int, reply: Any) -> bool:
        """Pay for a failed attempt; return False if the budget allows no other."""
        try:
            await self._partials[number](REPLIES.validate_python(reply) if reply else None)
        except Exception as error:  # noqa: BLE001 - raised again in `ask`
            self._refusals[number] = error
            return False
        return True


@dataclass(frozen=True)
class WorkerLine:
    """The line to the model of one role."""

    lines: WorkerLines
    role: Role

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Open nothing: the worker has the connection."""
        yield

    async def ask(
        self, messages: list[ModelMessage], question: Question, on_partial: OnPartialReply
    ) -> ModelResponse:
        """Return the reply; raise CallEnded if there is none."""
        return await self.lines.ask(self.role, messages, question, on_partial)
