"""Hold one conversation: ask, call the tools that the model wants, and ask again until it answers."""

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ToolReturnPart,
    UserPromptPart,
)

from affidavit.contract.reply_text import writable
from affidavit.events import Agent, Emit, EventName, event, tool_called
from affidavit.minds.history import History
from affidavit.minds.ledger import add_usage
from affidavit.minds.prices import usual_tokens
from affidavit.minds.wire.connection import CallEnded, Outcome
from affidavit.minds.wire.forms import Question
from affidavit.minds.wire.requester import Requester
from affidavit.minds.wire.tool_text import written
from affidavit.minds.wire.transcript import (
    ToolCall,
    answer_in,
    calls_in,
    clean,
    opening,
    repaired,
    text_of,
    without_cache_points,
    without_refused,
)
from affidavit.ports import SPECIALISTS, Role, Talk
from affidavit.records.report import Answer, RoleUsage
from affidavit.redaction.text import Redactor

AGENTS: dict[Role, Agent] = {
    "planner": "planner",
    **dict.fromkeys(SPECIALISTS, "reviewer"),
    "joiner": "reviewer",
    "verifier": "verifier",
    "second_verifier": "verifier",
    "reporter": "reporter",
}
_ANSWER_NOW = "Stop calling tools. Hand in your answer now, with what you know."
_WAS_EMPTY = "Your reply was empty. Go on, or hand in your answer."
_MAX_ARGUMENT_LENGTH = 200
_MAX_RESULT_LENGTH = 400_000
_MAX_CALLS = 32
"""In one reply: endless calls must not hold up a review for hours."""
_TOO_MANY = f"at most {_MAX_CALLS} calls at once; call it again if it is needed"


@dataclass
class Conversation:
    """One conversation, from the first request to the answer."""

    requester: Requester
    talk: Talk
    emit: Emit
    redactor: Redactor = field(default_factory=Redactor)
    messages: list[ModelMessage] = field(default_factory=list)
    usage: RoleUsage = field(init=False)
    _next_tokens: int = 0
    """The size of the next request."""

    def __post_init__(self) -> None:
        requester = self.requester
        self.usage = RoleUsage(role=requester.role, model=requester.model, cost_usd=0.0)
        self.question = Question(
            instructions=self.redactor.redact(writable(self.talk.instructions)),
            schema=self.talk.schema,
            schema_name=self.talk.schema_name,
            tools=tuple(self.talk.tools.descriptions) if self.talk.tools else (),
        )
        self.history = History(self.talk.repeatable)
        self.history.note_first(self.talk.prefix)
        # The text that many talks share stays separate until it is clean: it is searched for secrets once.
        self.messages = [opening(self.talk.prefix, self.talk.task)]

    async def hold(self) -> Answer:
        """Hold the conversation until there is an answer, or a reason why there is none."""
        self._emit(EventName.AGENT_STARTED, model=self.requester.model)
        try:
            async with self.requester.open_connection():
                return await self._turns()
        except CallEnded as end:
            text = self._last_word(end.reply) if end.reply else None
            is_cut = end.outcome == "failed" and text
            return self._answer("cut_off" if is_cut else end.outcome, text, end.detail)

    async def _turns(self) -> Answer:
        is_empty_again = False
        for number in range(1, self.talk.max_turns + 1):
            reply = await self._ask(self.question)
            if answer := self._answer_from(reply):
                return answer
            calls = calls_in(reply, self.talk.schema_name)
            if not calls:
                if is_empty_again:
                    return self._answer("failed", None, "the model sent two empty replies")
                is_empty_again = True
                self._say(UserPromptPart(content=_WAS_EMPTY))
                continue
            results = [await self._result_of(call, number) for call in calls[:_MAX_CALLS]]
            results += [_refused(call, _TOO_MANY) for call in calls[_MAX_CALLS:]]
            self._add_round(reply, results)
            left = self._left(number)
            if not left:
                break
            self.messages = self.history.shortened(self.messages)
            if self.talk.max_tokens is not None:
                self._say(UserPromptPart(content=f"(end of round {number}; left: {left})"))
        return await self._last_turn(number)

    def _add_round(self, reply: ModelResponse, results: list[ToolReturnPart]) -> None:
        self.messages.append(without_refused(repaired(reply), results))
        self.messages.append(ModelRequest(parts=[*results]))
        self._next_tokens += usual_tokens(*(str(one.content) for one in results))

    def _left(self, number: int) -> str:
        """Say how many rounds and tokens are left; nothing if the next reply has to be the answer."""
        rounds, most = self.talk.max_turns - number, self.talk.max_tokens
        tokens = None if most is None else most - self.usage.input_tokens - self._next_tokens
        # Another round needs a request for itself and one for the answer.
        if rounds < 1 or (tokens is not None and tokens < self._next_tokens):
            return ""
        left = _rounds(rounds)
        return left if tokens is None else f"{left}, {tokens:,} tokens; each round sends everything again"

    async def _last_turn(self, number: int) -> Answer:
        """Ask for the answer; a model that calls tools instead is cut off, and its answer says so."""
        self._say(UserPromptPart(content=_ANSWER_NOW))
        reply = await self._ask(self.question)
        calls = calls_in(reply, self.talk.schema_name)
        if (answer := self._answer_from(reply)) or not calls:
            return answer or self._answer("failed", None, f"no answer in {number + 1} rounds")
        self._add_round(reply, [_refused(call, _ANSWER_NOW) for call in calls])
        reply = await self._ask(replace(self.question, must_answer=True))
        answer = self._answer_from(reply)
        wanted = ", ".join(dict.fromkeys(call.name for call in calls[:_MAX_CALLS]))
        cut = f"cut short after {_rounds(number)} and {self.usage.input_tokens:,} tokens; it wanted {wanted}"
        if answer is None:
            return self._answer("failed", None, f"no answer: {cut}")
        return answer.model_copy(update={"detail": answer.detail or cut})

    async def _ask(self, question: Question) -> ModelResponse:
        exchange = await self.requester.send(self.outgoing_messages(), question)
        self.usage = add_usage(self.usage, exchange.usage)
        self._next_tokens = exchange.usage.input_tokens + exchange.usage.output_tokens
        totals = self.requester.ledger.totals()
        self._emit(
            EventName.USAGE_UPDATED,
            model=self.requester.model,
            input_tokens=totals.input_tokens,
            output_tokens=totals.output_tokens,
            cached_tokens=totals.cached_tokens,
            cost_usd=totals.cost_usd,
        )
        if exchange.ended is not None:
            raise exchange.ended
        if exchange.reply is None:
            raise AssertionError("an exchange has a reply or an end")
        return exchange.reply

    def outgoing_messages(self) -> list[ModelMessage]:
        """Return the messages so far, redacted and in the form that the provider wants."""
        messages = clean(self.messages, self.redactor)
        return messages if self.requester.has_cache_points else without_cache_points(messages)

    def _answer_from(self, reply: ModelResponse) -> Answer | None:
        text = self._last_word(reply)
        if reply.finish_reason == "content_filter":
            refusal = (reply.provider_details or {}).get("refusal")
            return self._answer("refused", text, writable(str(refusal or "the model refused to answer")))
        if reply.finish_reason == "length":
            return self._answer("cut_off", text, "the reply reached the limit of tokens")
        is_answer = answer_in(reply, self.talk.schema_name) is not None
        if not is_answer and calls_in(reply, self.talk.schema_name):
            return None
        return self._answer("answered", text) if text else None

    def _last_word(self, reply: ModelResponse) -> str | None:
        text = answer_in(reply, self.talk.schema_name) or text_of(reply)
        return text if text.strip() else None

    def _say(self, part: ModelRequestPart) -> None:
        """Add to the message sent next; some models refuse two messages in a row from one side."""
        last = self.messages[-1]
        if not isinstance(last, ModelRequest):
            raise AssertionError("the last message is ours")
        self.messages[-1] = replace(last, parts=[*last.parts, part])

    async def _result_of(self, call: ToolCall, number: int) -> ToolReturnPart:
        named = _shown(tool_called(call.name, call.arguments))
        self._emit(EventName.TOOL_CALLED, **named, args=_shown(call.arguments))
        result = await self._call(call)
        result = self.history.without_repetition(call.name, self.redactor.redact_all(result), number)
        text = written(result)
        if len(text) > _MAX_RESULT_LENGTH:
            text = written({"error": "the result was too long to read: ask for less", "start": text[:10_000]})
        return ToolReturnPart(tool_name=call.name, content=text, tool_call_id=call.call_id)

    async def _call(self, call: ToolCall) -> dict[str, Any]:
        if self.talk.tools is None:
            return {"error": "there are no tools: hand in your answer"}
        return await asyncio.to_thread(self.talk.tools.call, call.name, call.arguments)

    def _emit(self, name: EventName, **data: Any) -> None:
        agent = AGENTS[self.requester.role]
        self.emit(event(name, agent=agent, specialist=self.talk.speaker, **data))

    def _answer(self, outcome: Outcome, text: str | None, detail: str = "") -> Answer:
        return Answer(outcome=outcome, text=text, detail=detail, usage=self.usage)


def _rounds(count: int) -> str:
    return "1 round" if count == 1 else f"{count} rounds"


def _refused(call: ToolCall, why: str) -> ToolReturnPart:
    error = {"error": f"not called: {why}"}
    return ToolReturnPart(tool_name=call.name, content=written(error), tool_call_id=call.call_id)


def _shown(arguments: object) -> Any:
    """Shorten the arguments of a tool call for an event."""
    if isinstance(arguments, dict):
        return {writable(str(key))[:_MAX_ARGUMENT_LENGTH]: _shown(each) for key, each in arguments.items()}
    if isinstance(arguments, bool | int | float) or arguments is None:
        return arguments
    return writable(str(arguments))[:_MAX_ARGUMENT_LENGTH]
