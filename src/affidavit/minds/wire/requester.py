"""Exchange one request with a model, from the log or over the wire, and count what it used."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from pydantic_ai.messages import ModelMessage, ModelResponse

from affidavit.errors import BudgetError
from affidavit.minds.choice import ModelChoice
from affidavit.minds.conversation_log import ConversationLog, exchange_key
from affidavit.minds.ledger import Estimate, Ledger, Purse
from affidavit.minds.prices import cached_cost_usd, cost_usd, estimate_tokens, usual_tokens
from affidavit.minds.wire.connection import CallEnded, OnPartialReply
from affidavit.minds.wire.forms import Question
from affidavit.minds.wire.transcript import as_data, reply_as_data, reply_from_data
from affidavit.ports import Role
from affidavit.records.report import RoleUsage

_WITH_CACHE_POINTS = {"anthropic", "bedrock", "openrouter", "openai"}
_MOST_TOKENS = 1_000_000_000
"""Larger reports of a server are cut to this."""
_BELIEVED_SHARE = 0.5
"""A report below this share of our own count is not believed: tokenisers differ less."""


@dataclass(frozen=True)
class Exchange:
    """The result of one request, and its cost."""

    usage: RoleUsage
    reply: ModelResponse | None = None
    ended: CallEnded | None = None


class Line(Protocol):
    """A way to a model: a connection, or a proxy that has the key."""

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
        return usage_of(request, reply, self.role, self.choice)

    def _nothing(self, *, requests: int = 0) -> RoleUsage:
        return RoleUsage(
            role=self.role, model=self.model, requests=requests, cost_usd=cost_usd(self.choice, 0, 0)
        )

    def _request(self, messages: list[ModelMessage], question: Question) -> dict[str, Any]:
        return {
            "model": self.model,
            "temperature": self.choice.temperature,
            **({"reasoning": self.choice.reasoning} if self.choice.reasoning else {}),
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


def most_input(request: dict[str, Any]) -> int:
    """Estimate the tokens of a request, rather too many than too few."""
    return estimate_tokens(json.dumps(request, ensure_ascii=False))


def usage_of(
    request: dict[str, Any], reply: ModelResponse | None, role: Role, choice: ModelChoice
) -> RoleUsage:
    """Return the usage of a request and its reply, never far below our own count."""
    if reply is None:
        return _usage(role, choice, most_input(request), is_estimated=True)
    written = json.dumps(as_data([reply])[0], ensure_ascii=False)
    # Some servers keep a model to a schema without showing it the schema.
    read = json.dumps([request["instructions"], request["tools"], request["messages"]], ensure_ascii=False)
    least_in, least_out = usual_tokens(read), usual_tokens(_words_of(reply))
    stated_in, stated_out = _number(reply.usage.input_tokens), _number(reply.usage.output_tokens)
    if not (_is_credible(stated_in, least_in) and _is_credible(stated_out, least_out)):
        most_in = max(most_input(request), stated_in or 0)
        most_out = max(estimate_tokens(written), stated_out or 0)
        stated = (stated_in or 0) + (stated_out or 0)
        return _usage(role, choice, most_in, most_out, is_estimated=True, reported_tokens=stated)
    tokens = max(stated_in or 0, least_in)
    cached = min(_number(reply.usage.cache_read_tokens) or 0, tokens)
    kept = min(_number(reply.usage.cache_write_tokens) or 0, tokens - cached)
    return _usage(role, choice, tokens, max(stated_out or 0, least_out), cached, kept)


def _usage(
    role: Role,
    choice: ModelChoice,
    input_tokens: int,
    output_tokens: int = 0,
    cached_tokens: int = 0,
    cache_write_tokens: int = 0,
    *,
    is_estimated: bool = False,
    reported_tokens: int = 0,
) -> RoleUsage:
    return RoleUsage(
        role=role,
        model=choice.model,
        requests=1,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        cached_tokens=cached_tokens,
        cost_usd=cost_usd(choice, input_tokens, output_tokens, cached_tokens, cache_write_tokens),
        cached_usd=cached_cost_usd(choice, input_tokens, cached_tokens) or 0.0,
        estimated_requests=int(is_estimated),
        reported_tokens=reported_tokens,
    )


def _words_of(reply: ModelResponse) -> str:
    """Return what the model wrote, without what we write around it."""
    data = as_data([reply])[0]
    calls = "".join(f"{call['tool']} {json.dumps(call['arguments'])} " for call in data["calls"])
    return f"{data['text']}{calls}"


def _number(stated: object) -> int | None:
    """Return a reported number of tokens; None for anything else."""
    if isinstance(stated, bool) or not isinstance(stated, int):
        return None
    return stated if 0 <= stated <= _MOST_TOKENS else None


def _is_credible(stated: int | None, least: int) -> bool:
    return stated is not None and stated > 0 and stated >= least * _BELIEVED_SHARE
