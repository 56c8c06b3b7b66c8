"""One exchange with a model: from the log where it is known, else over the line and within the budget."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse

from affidavit.errors import BudgetError
from affidavit.minds.choice import ModelChoice
from affidavit.minds.conversation_log import ConversationLog, exchange_key
from affidavit.minds.exchange import CallEnded, Line, Lost
from affidavit.minds.forms import Question
from affidavit.minds.ledger import Estimate, Ledger, Purse
from affidavit.minds.prices import cost_usd, estimate_tokens
from affidavit.minds.transcript import as_data, reply_as_data, reply_from_data
from affidavit.ports import Role
from affidavit.records.report import RoleUsage

_WITH_CACHE_POINTS = {"anthropic", "bedrock", "openrouter", "openai"}


@dataclass(frozen=True)
class Told:
    """What came of one request, and what it cost."""

    usage: RoleUsage
    reply: ModelResponse | None = None
    ended: CallEnded | None = None


@dataclass
class Teller:
    """Asks for one role; the line is made when it is first needed, so that a replay needs no key."""

    role: Role
    choice: ModelChoice
    ledger: Ledger
    log: ConversationLog
    connect: Callable[[], Line]
    _line: Line | None = field(default=None, init=False)

    @property
    def model(self) -> str:
        """The model in one word."""
        return self.choice.model

    @property
    def has_cache_points(self) -> bool:
        """Whether the provider wants to be told what to cache."""
        return self.choice.provider in _WITH_CACHE_POINTS

    @asynccontextmanager
    async def open_line(self) -> AsyncIterator[None]:
        """Keep connections open for the length of a conversation; a replay needs none."""
        if self.log.is_replay:
            yield
            return
        self._line = self._line or self.connect()
        async with self._line.model:
            yield

    async def tell(self, messages: list[ModelMessage], question: Question) -> Told:
        """One exchange. Its failure is a part of what was told."""
        request = self._request(messages, question)
        key = exchange_key(request)
        known = self.log.find(key)
        if known is not None:
            return self._known(known)
        if self.log.is_replay:
            ended = CallEnded(
                "failed", f"the recorded run has no such exchange (key {key[:12]}): ask a model"
            )
            return Told(self._usage(0, 0, requests=0), ended=ended)
        estimate = _estimated_input(request)
        told = await self._ask(messages, question, estimate)
        if told.ended is None or told.ended.outcome != "budget_exhausted":
            self.log.append(key, {"request": _new_in(request), **_as_kept(told)})
        return told

    async def _ask(self, messages: list[ModelMessage], question: Question, input_tokens: int) -> Told:
        most = self.choice.max_tokens
        estimate = Estimate(input_tokens + most, cost_usd(self.choice, input_tokens, most))
        purse = Purse(self.ledger, self.role, estimate, self._usage(0, 0, requests=0))

        async def lose(part: ModelResponse) -> None:
            await purse.pay_and_reserve(self._usage_of(part, input_tokens))

        try:
            async with purse:
                told = await self._over_the_line(messages, question, input_tokens, lose)
                purse.due = told.usage
        except BudgetError as error:
            return Told(purse.paid, ended=CallEnded("budget_exhausted", str(error)))
        return replace(told, usage=purse.paid)

    async def _over_the_line(
        self, messages: list[ModelMessage], question: Question, input_tokens: int, lose: Lost
    ) -> Told:
        if self._line is None:
            raise AssertionError("the line is opened before anything is told")
        try:
            reply = await self._line.ask(messages, question, lose)
        except CallEnded as ended:
            return Told(self._usage_of_end(ended, input_tokens), ended=ended)
        return Told(self._usage_of(reply, input_tokens), reply=reply)

    def _usage_of_end(self, ended: CallEnded, input_tokens: int) -> RoleUsage:
        if ended.reply is not None:
            return self._usage_of(ended.reply, input_tokens)
        # A silent model has read the request, and its provider may charge for that.
        return self._usage(input_tokens if ended.outcome == "timed_out" else 0, 0)

    def _usage_of(self, reply: ModelResponse, input_tokens: int) -> RoleUsage:
        usage = reply.usage
        output = usage.output_tokens or estimate_tokens(json.dumps(as_data([reply])[0], ensure_ascii=False))
        return self._usage(
            usage.input_tokens or input_tokens,
            output,
            cached=usage.cache_read_tokens,
            written=usage.cache_write_tokens,
        )

    def _usage(
        self, tokens: int, output: int, *, requests: int = 1, cached: int = 0, written: int = 0
    ) -> RoleUsage:
        return RoleUsage(
            role=self.role,
            model=self.model,
            requests=requests,
            input_tokens=tokens,
            output_tokens=output,
            cached_tokens=cached,
            cost_usd=cost_usd(self.choice, tokens, output, cached, written),
        )

    def _request(self, messages: list[ModelMessage], question: Question) -> dict[str, Any]:
        # Several talks with the same words are several exchanges; one alone keeps the key it always had.
        own = {} if question.take == 1 else {"take": question.take}
        return {
            **own,
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

    def _known(self, exchange: dict[str, Any]) -> Told:
        try:
            told = _from_kept(exchange)
        except (ValueError, KeyError, TypeError):
            ended = CallEnded("failed", "the recorded exchange cannot be read: was the file changed?")
            return Told(self._usage(0, 0, requests=0), ended=ended)
        self.ledger.note(self.role, told.usage)
        return told


def _estimated_input(request: dict[str, Any]) -> int:
    return estimate_tokens(json.dumps(request, ensure_ascii=False))


def _new_in(request: dict[str, Any]) -> dict[str, Any]:
    """What this request adds to the one before it: the rest stands there already."""
    messages = request["messages"]
    return request if len(messages) == 1 else {"model": request["model"], "messages": messages[-1:]}


def _as_kept(told: Told) -> dict[str, Any]:
    kept: dict[str, Any] = {"usage": told.usage.model_dump(mode="json")}
    if told.ended is not None:
        kept["failure"] = {"outcome": told.ended.outcome, "detail": told.ended.detail}
    reply = told.reply or (told.ended.reply if told.ended else None)
    return kept | ({"reply": reply_as_data(reply)} if reply else {})


def _from_kept(exchange: dict[str, Any]) -> Told:
    usage = RoleUsage.model_validate(exchange["usage"])
    reply = reply_from_data(exchange["reply"]) if "reply" in exchange else None
    if "failure" not in exchange:
        return Told(usage, reply=reply)
    failure = exchange["failure"]
    return Told(usage, ended=CallEnded(failure["outcome"], failure["detail"], reply))
