"""What a cell has instead of keys: the worker at the other end asks the models."""

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
from affidavit.service.cell.channel import Channel

REPLIES: TypeAdapter[ModelResponse] = TypeAdapter(ModelResponse)


@dataclass
class DistantLines:
    """The ways to the models: the worker has the keys, and counts the calls of all reviews together."""

    channel: Channel
    _numbers: Any = field(default_factory=count)
    _partials: dict[int, OnPartialReply] = field(default_factory=dict)
    _refusals: dict[int, Exception] = field(default_factory=dict)

    def to(self, role: Role) -> "DistantLine":
        """The way to the model of a role."""
        return DistantLine(self, role)

    async def ask(
        self, role: Role, messages: list[ModelMessage], question: Question, on_partial: OnPartialReply
    ) -> ModelResponse:
        """The reply of a role's model, or the reason why there is none."""
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
        """Pay for an attempt that came to nothing; False where there is no money for another."""
        try:
            await self._partials[number](REPLIES.validate_python(reply) if reply else None)
        except Exception as error:  # noqa: BLE001 - raised again where the call was made
            self._refusals[number] = error
            return False
        return True


@dataclass(frozen=True)
class DistantLine:
    """The way to the model of one role."""

    lines: DistantLines
    role: Role

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """There is nothing to open on this side."""
        yield

    async def ask(
        self, messages: list[ModelMessage], question: Question, on_partial: OnPartialReply
    ) -> ModelResponse:
        """The reply; raises CallEnded."""
        return await self.lines.ask(self.role, messages, question, on_partial)
