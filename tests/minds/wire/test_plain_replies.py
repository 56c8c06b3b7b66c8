"""Servers that are asked for a stream and answer with one JSON object."""

import asyncio
import json
from typing import Any

import pytest

from affidavit.minds.choice import CallLimits
from affidavit.minds.wire.bounds import PIECE_BYTES
from affidavit.ports import Talk
from affidavit.records.report import Answer
from model_server import USAGE, Act, Exchange, Script, serving
from talks import JUDGEMENT, SCHEMA_NAME, Shelf, a_choice, a_mind, a_talk, answer_of


def plainly(message: dict[str, Any], finish: str | None = "stop", **fields: Any) -> Act:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    return sends({"id": "1", "object": "chat.completion", "choices": [choice], "usage": USAGE, **fields})


def sends(body: Any) -> Act:
    return lambda exchange: exchange.send_status(200, body)


def calling(name: str, arguments: Any) -> Act:
    call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}
    return plainly({"content": None, "tool_calls": [call]}, "tool_calls")


def cut_in_the_middle(exchange: Exchange) -> None:
    exchange.send_response(200)
    exchange.send_header("Content-Type", "application/json")
    exchange.send_header("Content-Length", "1000")
    exchange.end_headers()
    exchange.wfile.write(b'{"id": "1", "choices": [')
    exchange.close_connection = True


def silent_in_the_middle(exchange: Exchange) -> None:
    exchange.send_response(200)
    exchange.send_header("Content-Type", "application/json")
    exchange.send_header("Content-Length", "1000")
    exchange.end_headers()
    exchange.wfile.write(b'{"id": "1", ')
    exchange.wfile.flush()
    exchange.rfile.read(1)  # until the client has hung up


def converse(
    *acts: Act, talk: Talk | None = None, limits: CallLimits | None = None, **options: Any
) -> tuple[Answer, Script]:
    with serving(*acts) as (url, script):
        mind = a_mind(a_choice(url, **options), **({"limits": limits} if limits else {}))
        return asyncio.run(answer_of(mind, talk or a_talk(), None)), script


def test_a_plain_reply_is_read_and_nobody_is_asked_twice() -> None:
    answer, script = converse(plainly({"content": JUDGEMENT}))
    assert (answer.outcome, answer.text, len(script.requests)) == ("answered", JUDGEMENT, 1)
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (100, 10)


@pytest.mark.parametrize("arguments", ['{"path": "a.py"}', {"path": "a.py"}])
def test_calls_of_tools_are_made_whether_their_arguments_are_text_or_not(arguments: Any) -> None:
    shelf = Shelf()
    answer, script = converse(
        calling("read", arguments), calling(SCHEMA_NAME, json.loads(JUDGEMENT)), talk=a_talk(shelf)
    )
    assert shelf.asked == [("read", {"path": "a.py"})]
    assert (answer.outcome, json.loads(answer.text or "")) == ("answered", json.loads(JUDGEMENT))
    assert script.requests[1]["messages"][-1]["tool_call_id"] == "c1"


@pytest.mark.parametrize("levels", [60, 500, 30_000])
def test_arguments_that_are_nested_too_deeply_are_for_the_tool_to_refuse(levels: int) -> None:
    shelf = Shelf()
    deep = '{"path": ' * levels + "1" + "}" * levels
    answer, _ = converse(calling("read", deep), plainly({"content": JUDGEMENT}), talk=a_talk(shelf))
    assert answer.outcome == "answered"
    assert [type(arguments) for _, arguments in shelf.asked] == [str]


def test_a_whole_reply_has_ended_where_the_server_does_not_say_how() -> None:
    answer, _ = converse(plainly({"content": JUDGEMENT}, finish=None))
    assert (answer.outcome, answer.text) == ("answered", JUDGEMENT)


def test_a_plain_reply_at_the_limit_of_tokens_is_cut_off() -> None:
    answer, _ = converse(plainly({"content": '{"judg'}, finish="length"))
    assert (answer.outcome, answer.text) == ("cut_off", '{"judg')


@pytest.mark.parametrize(
    "act",
    [plainly({"content": None, "refusal": "I will not."}), plainly({"content": ""}, finish="content_filter")],
)
def test_a_plain_refusal_is_its_own_outcome(act: Act) -> None:
    assert converse(act)[0].outcome == "refused"


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        3,
        {"choices": []},
        {"choices": "x"},
        {"choices": [{"message": None}]},
        {"choices": [{"message": {"tool_calls": ["x"]}}]},
        {"choices": [{"message": {"tool_calls": 3}}]},
        {"error": {"message": "overloaded"}},
    ],
)
def test_json_that_is_no_reply_ends_as_failed(body: Any) -> None:
    answer, script = converse(sends(body))
    assert (answer.outcome, answer.text, len(script.requests)) == ("failed", None, 1)


def test_json_that_is_too_deep_to_read_ends_as_failed() -> None:
    def send(exchange: Exchange) -> None:
        exchange.send_response(200)
        exchange.send_header("Content-Type", "application/json")
        exchange.end_headers()
        exchange.wfile.write(b"[" * 100_000)
        exchange.close_connection = True

    assert converse(send)[0].outcome == "failed"


def test_the_reason_that_a_server_gives_in_place_of_a_reply_is_told() -> None:
    assert "overloaded" in converse(sends({"error": {"message": "overloaded"}}))[0].detail


def test_a_plain_reply_that_was_cut_is_asked_for_again() -> None:
    answer, script = converse(cut_in_the_middle, plainly({"content": JUDGEMENT}))
    assert (answer.outcome, len(script.requests)) == ("answered", 2)


def test_a_server_that_falls_silent_in_a_plain_reply_times_out_and_is_not_asked_again() -> None:
    answer, script = converse(silent_in_the_middle, silence_seconds=0.5)
    assert (answer.outcome, len(script.requests)) == ("timed_out", 1)


def test_a_plain_reply_without_end_is_not_read_to_it() -> None:
    answer, script = converse(plainly({"content": "x" * PIECE_BYTES}))
    assert (answer.outcome, len(script.requests)) == ("failed", 1)
    assert "more in one piece than is read, 4,000,000 bytes" in answer.detail


def test_a_long_plain_reply_is_not_read_because_it_has_blank_lines() -> None:
    def send(exchange: Exchange) -> None:
        exchange.send_response(200)
        exchange.send_header("Content-Type", "application/json")
        exchange.end_headers()
        exchange.wfile.write(b"[" + (b"1," * 1_000 + b"\n\n") * (PIECE_BYTES // 2_000) + b"1]")
        exchange.close_connection = True

    assert "more in one piece than is read" in converse(send)[0].detail


def test_a_plain_reply_that_is_too_long_is_cut_off() -> None:
    answer, _ = converse(plainly({"content": "x" * 20_000}), limits=CallLimits(max_reply_chars=10_000))
    assert answer.outcome == "cut_off"
