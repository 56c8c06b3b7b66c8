"""Minds on the library's own scripted model, and on Anthropic's wire format."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from pydantic_ai.exceptions import ContentFilterError, ModelConnectionError
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from pydantic_ai.providers.anthropic import AnthropicProvider

from affidavit.minds.choice import CallLimits, choose_model
from model_server import Act, Exchange, serving
from talks import JUDGEMENT, SCHEMA_NAME, Shelf, a_choice, a_mind, a_talk, answer_of

Piece = str | dict[int, DeltaToolCall]


def scripted(*replies: list[Piece] | Exception) -> FunctionModel:
    """A model that sends one reply after the other; the last is repeated."""
    asked = 0

    async def stream(_messages: list[ModelMessage], _info: AgentInfo) -> AsyncIterator[Any]:
        nonlocal asked
        reply = replies[min(asked, len(replies) - 1)]
        asked += 1
        if isinstance(reply, Exception):
            raise reply
        for piece in reply:
            yield piece

    return FunctionModel(stream_function=stream)


def call(name: str, arguments: str, number: int = 0) -> dict[int, DeltaToolCall]:
    return {number: DeltaToolCall(name=name, json_args=arguments, tool_call_id=f"call-{number}")}


def test_tools_are_called_in_order_and_their_results_sent_back() -> None:
    shelf = Shelf({"a.py": "A", "b.py": "B"})
    both: list[Piece] = [call("read", '{"path":"a.py"}', 0), call("read", '{"path":"b.py"}', 1)]
    model = scripted(both, [call(SCHEMA_NAME, JUDGEMENT)])
    answer = asyncio.run(answer_of(a_mind(a_choice(), model=model), a_talk(shelf)))
    assert (answer.outcome, answer.text) == ("answered", JUDGEMENT)
    assert shelf.asked == [("read", {"path": "a.py"}), ("read", {"path": "b.py"})]
    assert answer.usage.requests == 2


def test_an_answer_beside_other_calls_is_the_answer() -> None:
    shelf = Shelf()
    reply: list[Piece] = [call("read", '{"path":"a.py"}', 0), call(SCHEMA_NAME, JUDGEMENT, 1)]
    answer = asyncio.run(answer_of(a_mind(a_choice(), model=scripted(reply)), a_talk(shelf)))
    assert (answer.outcome, answer.text) == ("answered", JUDGEMENT)
    assert shelf.asked == []


def test_a_content_filter_is_a_refusal() -> None:
    model = scripted(ContentFilterError("filtered"))
    answer = asyncio.run(answer_of(a_mind(a_choice(), model=model), a_talk()))
    assert answer.outcome == "refused"


def test_backoff_doubles_and_is_spread() -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    model = scripted(ModelConnectionError("m", "gone"))
    limits = CallLimits(attempts=4, first_delay_seconds=1.0)
    mind = a_mind(a_choice(), model=model, limits=limits, sleep=sleep)
    assert asyncio.run(answer_of(mind, a_talk())).outcome == "failed"
    assert [0.75 * 2**n <= each <= 1.25 * 2**n for n, each in enumerate(waited)] == [True, True, True]


def test_a_mistake_of_our_own_is_not_taken_for_a_models_failure() -> None:
    class Broken(Shelf):
        def call(self, name: str, arguments: object) -> dict[str, Any]:
            raise RuntimeError("a tool must not raise")

    model = scripted([call("read", "{}")])
    with pytest.raises(RuntimeError, match="must not raise"):
        asyncio.run(answer_of(a_mind(a_choice(), model=model), a_talk(Broken())))


def anthropic_says(block: dict[str, Any], delta: dict[str, Any], stop: str) -> Act:
    """A reply in Anthropic's format, of one block."""
    usage = {
        "input_tokens": 7,
        "cache_read_input_tokens": 90,
        "cache_creation_input_tokens": 3,
        "output_tokens": 1,
    }
    message = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "claude",
        "content": [],
        "usage": usage,
    }
    events = [
        {"type": "message_start", "message": {**message, "stop_reason": None, "stop_sequence": None}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": 20}},
        {"type": "message_stop"},
    ]

    def act(exchange: Exchange) -> None:
        exchange.start_stream()
        for event in events:
            exchange.send_line(f"event: {event['type']}\ndata: {json.dumps(event)}")

    return act


def tool_use(name: str, arguments: str) -> Act:
    block = {"type": "tool_use", "id": "t1", "name": name, "input": {}}
    return anthropic_says(block, {"type": "input_json_delta", "partial_json": arguments}, "tool_use")


def ask_anthropic(url: str, **options: Any) -> Any:
    choice = choose_model("anthropic:claude-sonnet-4-6", "verifier", **options)
    provider = AnthropicProvider(api_key="k", base_url=url.removesuffix("/v1"))
    mind = a_mind(choice, model=AnthropicModel(choice.name, provider=provider))
    return asyncio.run(answer_of(mind, a_talk(Shelf())))


def test_anthropic_is_told_to_cache_tools_instructions_and_the_shared_prefix() -> None:
    with serving(tool_use("read", '{"path":"a.py"}'), tool_use(SCHEMA_NAME, JUDGEMENT)) as (url, script):
        answer = ask_anthropic(url)
    assert (answer.outcome, answer.text) == ("answered", JUDGEMENT)
    request = script.requests[0]
    assert "cache_control" in request["tools"][-1]
    assert "cache_control" in request["system"][-1]
    prefix, task = request["messages"][0]["content"][:2]
    assert (prefix["text"], "cache_control" in prefix) == ("The change.", True)
    assert task["text"] == "Judge this."
    assert request["tool_choice"]["type"] == "any"


def test_cached_tokens_are_counted_and_priced() -> None:
    with serving(tool_use(SCHEMA_NAME, JUDGEMENT)) as (url, _):
        answer = ask_anthropic(url)
    assert (answer.usage.input_tokens, answer.usage.cached_tokens) == (100, 90)
    assert answer.usage.cost_usd is not None
    # Anthropic takes 3 USD for a million new tokens of this model, and a tenth for cached ones.
    assert answer.usage.cached_usd == pytest.approx(90 * 0.3 / 1_000_000)
    assert answer.usage.cost_usd - answer.usage.cached_usd > 10 * 3 / 1_000_000


def test_an_anthropic_reply_at_the_limit_of_tokens_is_cut_off_with_its_text() -> None:
    block = {"type": "tool_use", "id": "t1", "name": SCHEMA_NAME, "input": {}}
    cut = anthropic_says(block, {"type": "input_json_delta", "partial_json": '{"judg'}, "max_tokens")
    with serving(cut) as (url, _):
        answer = ask_anthropic(url)
    assert (answer.outcome, answer.text) == ("cut_off", '{"judg')


def test_an_anthropic_refusal_is_a_refusal() -> None:
    refusal = anthropic_says({"type": "text", "text": ""}, {"type": "text_delta", "text": "No."}, "refusal")
    with serving(refusal) as (url, _):
        assert ask_anthropic(url).outcome == "refused"
