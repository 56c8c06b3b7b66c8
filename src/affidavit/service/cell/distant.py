"""What a cell has instead of keys and a database: the worker at the other end asks models and keeps steps."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field
from functools import cache
from itertools import count
from typing import Any

from pydantic import TypeAdapter
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter, ModelResponse

from affidavit.minds.wire.connection import CallEnded, OnPartialReply
from affidavit.minds.wire.forms import Question
from affidavit.ports import Kept, Role
from affidavit.service.cell.channel import Channel

STEP: ContextVar[str] = ContextVar("STEP", default="")
"""The step that is being taken; several are at once."""
REPLIES: TypeAdapter[ModelResponse] = TypeAdapter(ModelResponse)


@cache
def adapter_of(form: Any) -> TypeAdapter[Any]:
    """What reads and writes results of a form; making one takes longer than most steps."""
    return TypeAdapter(form)


@dataclass
class DistantSteps:
    """Takes a step unless the worker knows its result from an earlier attempt."""

    channel: Channel
    _works: dict[str, tuple[Any, Callable[[], Awaitable[Any]]]] = field(default_factory=dict)
    _results: dict[str, Any] = field(default_factory=dict)

    async def __call__(self, name: str, form: Any, work: Callable[[], Awaitable[Kept]], /) -> Kept:
        """The result of a step, as it was kept or as it is now."""
        self._works[name] = (adapter_of(form), work)
        kept = await self.channel.call("step", name=name)
        result: Kept
        if name in self._results:
            # What was just made here need not come back to be read.
            result = self._results.pop(name)
        else:
            result = self._works[name][0].validate_python(kept)
        return result

    async def take(self, name: str) -> Any:
        """Take a step, since nobody has; the worker asks for it."""
        form, work = self._works[name]
        STEP.set(name)
        self._results[name] = await work()
        return form.dump_python(self._results[name], mode="json")


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
