"""Exchange one request with a model: from the log, else over the wire and within the budget."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from pydantic_ai.messages import ModelMessage, ModelResponse

from affidavit.errors import BudgetError
from affidavit.minds.choice import ModelChoice
from affidavit.minds.conversation_log import ConversationLog, exchange_key
from affidavit.minds.ledger import Estimate, Ledger, Purse
from affidavit.minds.prices import cost_usd
from affidavit.minds.wire.connection import CallEnded, OnPartialReply
from affidavit.minds.wire.forms import Question
from affidavit.minds.wire.transcript import as_data, reply_as_data, reply_from_data
from affidavit.minds.wire.usage import most_input, used
from affidavit.ports import Role
from affidavit.records.report import RoleUsage

_WITH_CACHE_POINTS = {"anthropic", "bedrock", "openrouter", "openai"}


@dataclass(frozen=True)
class Exchange:
    """The result of one request, and its cost."""

    usage: RoleUsage
    reply: ModelResponse | None = None
    ended: CallEnded | None = None


class Line(Protocol):
    """A way to a model: a connection, or a proxy that holds the key."""

    def opened(self) -> AbstractAsyncContextManager[None]: ...

    async def ask(
        self, messages: list[ModelMessage], question: Question, on_partial: OnPartialReply
    ) -> ModelResponse:
        """Return the reply; raise CallEnded."""


@dataclass
class Requester:
    """Sends the requests of one role; it connects at the first one, so that a replay needs no key."""

    role: Role
    choice: ModelChoice
    ledger: Ledger
    log: ConversationLog
    connect: Callable[[], Line]
    _connection: Line | None = field(default=None, init=False)

    @property
    def model(self) -> str:
        """Return the name of the model."""
        return self.choice.model

    @property
    def has_cache_points(self) -> bool:
        """Check whether the provider wants marks that say what to cache."""
        return self.choice.provider in _WITH_CACHE_POINTS

    @asynccontextmanager
    async def open_connection(self) -> AsyncIterator[None]:
        """Keep the connection open for the length of a conversation; a replay needs none."""
        if self.log.is_replay:
            yield
            return
        self._connection = self._connection or self.connect()
        async with self._connection.opened():
            yield

    async def send(self, messages: list[ModelMessage], question: Question) -> Exchange:
        """Send one request. A failure is part of the exchange, not an exception."""
        request = self._request(messages, question)
        key = exchange_key(request)
        recorded = self.log.find(key)
        if recorded is not None:
            return self._recorded(recorded)
        if self.log.is_replay:
            ended = CallEnded(
                "failed", f"the recorded run has no such exchange (key {key[:12]}); run it with a model"
            )
            return Exchange(self._nothing(), ended=ended)
        exchange = await self._ask(messages, question, request)
        if exchange.ended is None or exchange.ended.outcome != "budget_exhausted":
            self.log.append(key, {"request": _new_in(request), **_as_kept(exchange)})
        return exchange

    async def _ask(
        self, messages: list[ModelMessage], question: Question, request: dict[str, Any]
    ) -> Exchange:
        most, input_tokens = self.choice.max_tokens, most_input(request)
        estimate = Estimate(input_tokens + most, cost_usd(self.choice, input_tokens, most))
        unanswered = self._usage_of(request, None)
        purse = Purse(self.ledger, self.role, estimate, self._nothing(), unanswered)

        async def on_partial(part: ModelResponse | None) -> None:
            await purse.pay_and_reserve(self._usage_of(request, part))

        try:
            async with purse:
                exchange = await self._over_the_wire(messages, question, request, on_partial)
                purse.due = exchange.usage
        except BudgetError as error:
            return Exchange(purse.paid, ended=CallEnded("budget_exhausted", str(error)))
        return replace(exchange, usage=purse.paid)

    async def _over_the_wire(
        self,
        messages: list[ModelMessage],
        question: Question,
        request: dict[str, Any],
        on_partial: OnPartialReply,
    ) -> Exchange:
        if self._connection is None:
            raise AssertionError("the connection is opened before anything is sent")
        try:
            reply = await self._connection.ask(messages, question, on_partial)
        except CallEnded as ended:
            spent = self._usage_of(request, ended.reply) if ended.was_read else self._nothing(requests=1)
            return Exchange(spent, ended=ended)
        return Exchange(self._usage_of(request, reply), reply=reply)

    def _usage_of(self, request: dict[str, Any], reply: ModelResponse | None) -> RoleUsage:
        of = used(request, reply)
        return RoleUsage(
            role=self.role,
            model=self.model,
            requests=1,
            input_tokens=of.input_tokens,
            output_tokens=of.output_tokens,
            cached_tokens=of.cached_tokens,
            cost_usd=cost_usd(
                self.choice, of.input_tokens, of.output_tokens, of.cached_tokens, of.written_tokens
            ),
            estimated_requests=int(of.is_estimated),
            reported_tokens=of.reported_tokens,
        )

    def _nothing(self, *, requests: int = 0) -> RoleUsage:
        return RoleUsage(
            role=self.role, model=self.model, requests=requests, cost_usd=cost_usd(self.choice, 0, 0)
        )

    def _request(self, messages: list[ModelMessage], question: Question) -> dict[str, Any]:
        return {
            "model": self.model,
            "temperature": self.choice.temperature,
            "max_tokens": self.choice.max_tokens,
            "instructions": question.instructions,
            "schema": question.schema,
            "schema_name": question.schema_name,
            "tools": list(question.tools),
            "must_answer": question.must_answer,
            "messages": as_data(messages),
        }

    def _recorded(self, kept: dict[str, Any]) -> Exchange:
        try:
            exchange = _from_kept(kept)
        except (ValueError, KeyError, TypeError):
            ended = CallEnded("failed", "the recorded exchange cannot be read: was the file changed?")
            return Exchange(self._nothing(), ended=ended)
        self.ledger.note(self.role, exchange.usage)
        return exchange


def _new_in(request: dict[str, Any]) -> dict[str, Any]:
    """Return what a request adds to the one before it; the log has the rest already."""
    messages = request["messages"]
    return request if len(messages) == 1 else {"model": request["model"], "messages": messages[-1:]}


def _as_kept(exchange: Exchange) -> dict[str, Any]:
    kept: dict[str, Any] = {"usage": exchange.usage.model_dump(mode="json")}
    if exchange.ended is not None:
        kept["failure"] = {"outcome": exchange.ended.outcome, "detail": exchange.ended.detail}
    reply = exchange.reply or (exchange.ended.reply if exchange.ended else None)
    return kept | ({"reply": reply_as_data(reply)} if reply else {})


def _from_kept(kept: dict[str, Any]) -> Exchange:
    usage = RoleUsage.model_validate(kept["usage"])
    reply = reply_from_data(kept["reply"]) if "reply" in kept else None
    if "failure" not in kept:
        return Exchange(usage, reply=reply)
    failure = kept["failure"]
    return Exchange(usage, ended=CallEnded(failure["outcome"], failure["detail"], reply))
