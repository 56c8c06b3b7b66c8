import asyncio
import json
import re
from dataclasses import replace
from typing import Any

import pytest

from affidavit.contract.reply_text import FoundObject, find_object
from affidavit.events import Event, EventName
from affidavit.minds.choice import CallLimits, choose_model
from affidavit.minds.ledger import Ledger, SpendingLimit
from affidavit.minds.roles import kept_open
from affidavit.minds.wire.providers import build_client
from affidavit.ports import Talk
from affidavit.records.report import Answer
from model_server import (
    Act,
    Exchange,
    Script,
    breaks_off,
    calls,
    fails,
    is_silent,
    keeps_alive,
    refuses,
    says,
    serving,
    stating,
)
from talks import JUDGEMENT, SCHEMA_NAME, Shelf, a_choice, a_mind, a_talk, answer_of


def converse(
    *acts: Act, talk: Talk | None = None, events: list[Event] | None = None, **options: Any
) -> tuple[Answer, Script]:
    mind_options = {key: options.pop(key) for key in ("limits", "ledger", "log", "sleep") if key in options}
    with serving(*acts) as (url, script):
        mind = a_mind(a_choice(url, **options), **mind_options)
        return asyncio.run(answer_of(mind, talk or a_talk(), events)), script


def test_without_tools_the_answer_is_forced_by_a_schema_of_that_name() -> None:
    answer, script = converse(says(JUDGEMENT))
    assert (answer.outcome, answer.text) == ("answered", JUDGEMENT)
    assert script.requests[0]["response_format"]["json_schema"]["name"] == SCHEMA_NAME
    assert script.requests[0]["temperature"] == 1.0


def test_with_tools_the_answer_is_forced_by_a_tool_of_that_name() -> None:
    shelf = Shelf()
    answer, script = converse(
        calls(("read", '{"path":"a.py"}')), calls((SCHEMA_NAME, JUDGEMENT)), talk=a_talk(shelf)
    )
    assert (answer.outcome, answer.text) == ("answered", JUDGEMENT)
    assert shelf.asked == [("read", {"path": "a.py"})]
    assert script.requests[0]["tool_choice"] == "required"
    assert [tool["function"]["name"] for tool in script.requests[0]["tools"]] == ["read", SCHEMA_NAME]
    assert script.requests[1]["messages"][-1]["content"] == "text: x = 1"


def test_of_very_many_calls_in_one_reply_some_are_made_and_all_are_answered() -> None:
    shelf = Shelf()
    many = [("read", '{"path":"a.py"}')] * 500
    answer, script = converse(calls(*many), calls((SCHEMA_NAME, JUDGEMENT)), talk=a_talk(shelf))
    assert (answer.outcome, len(shelf.asked)) == ("answered", 32)
    results = [message["content"] for message in script.requests[1]["messages"] if message["role"] == "tool"]
    assert len(results) == 500
    assert "not called: at most 32 calls at once" in results[-1]


def test_each_request_begins_with_the_whole_request_before_it() -> None:
    _, script = converse(calls(("read", '{"path":"a.py"}')), says(JUDGEMENT), talk=a_talk(Shelf()))
    first, second = (request["messages"] for request in script.requests)
    assert second[: len(first)] == first
    assert script.requests[0]["tools"] == script.requests[1]["tools"]
    assert first[1]["content"].startswith("The change.")


def test_plain_text_is_the_answer_where_the_model_calls_nothing() -> None:
    answer, _ = converse(says("I think it is fine."), talk=a_talk(Shelf()))
    assert (answer.outcome, answer.text) == ("answered", "I think it is fine.")


def test_prose_around_json_reaches_the_parser_which_finds_the_object() -> None:
    result = '{"schema_version": "1.1", "prompt_version": "1", "findings": []}'
    answer, _ = converse(says(f"Sure! Here it is:\n```json\n{result}\n```\nAnything else?"))
    assert answer.outcome == "answered"
    assert answer.text is not None
    assert isinstance(find_object(answer.text), FoundObject)


@pytest.mark.parametrize("status", [500, 502, 503, 529])
def test_a_server_error_is_tried_again(status: int) -> None:
    answer, script = converse(fails(status), fails(status), says(JUDGEMENT))
    assert answer.outcome == "answered"
    assert len(script.requests) == 3


def test_a_server_that_only_fails_ends_as_failed_after_four_attempts() -> None:
    answer, script = converse(fails(500, "the disk is full"))
    assert (answer.outcome, answer.text) == ("failed", None)
    assert "500" in answer.detail
    assert "the disk is full" in answer.detail
    assert len(script.requests) == 4


def test_retry_after_is_waited_for() -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    answer, script = converse(fails(429, Retry_After="7"), says(JUDGEMENT), sleep=sleep)
    assert answer.outcome == "answered"
    assert waited == [7.0]
    assert len(script.requests) == 2


def test_a_wait_longer_than_the_limit_is_not_waited_for() -> None:
    answer, script = converse(fails(429, Retry_After="3600"))
    assert answer.outcome == "failed"
    assert len(script.requests) == 1


@pytest.mark.parametrize(("status", "said"), [(401, "key"), (404, "no such model"), (413, "413")])
def test_what_another_try_cannot_mend_is_asked_once(status: int, said: str) -> None:
    answer, script = converse(fails(status))
    assert answer.outcome == "failed"
    assert said in answer.detail
    assert len(script.requests) == 1


def test_a_server_without_structured_output_is_asked_in_another_form_from_then_on() -> None:
    def act(exchange: Exchange) -> None:
        if "response_format" in exchange.body:
            fails(400, "response_format is not supported")(exchange)
        elif "tools" in exchange.body:
            fails(400, "tools are not supported")(exchange)
        else:
            says(JUDGEMENT)(exchange)

    async def twice(url: str) -> list[Answer]:
        mind = a_mind(a_choice(url))
        return [await answer_of(mind, a_talk()), await answer_of(mind, a_talk())]

    with serving(act) as (url, script):
        answers = asyncio.run(twice(url))
    assert [answer.text for answer in answers] == [JUDGEMENT, JUDGEMENT]
    assert len(script.requests) == 4
    assert '"judgment"' in script.requests[-1]["messages"][0]["content"]


@pytest.mark.parametrize("named", ["temperature", "max_completion_tokens"])
def test_a_setting_that_the_model_refuses_is_changed(named: str) -> None:
    def act(exchange: Exchange) -> None:
        refused = "temperature" if named == "temperature" else "max_tokens"
        if refused in exchange.body:
            fails(400, f"{refused} is not supported with this model: {named}")(exchange)
        else:
            says(JUDGEMENT)(exchange)

    answer, script = converse(act)
    assert answer.outcome == "answered"
    assert len(script.requests) == 2


def test_reasoning_is_asked_for_and_a_refusal_names_it_at_once() -> None:
    answer, script = converse(fails(400, "Unsupported parameter: 'reasoning_effort'"), reasoning="high")
    assert [request["reasoning_effort"] for request in script.requests] == ["high"]
    assert "Unsupported parameter" in answer.detail
    assert "the request set reasoning to high: change or remove it" in answer.detail


@pytest.mark.parametrize(
    ("ending", "path", "key"),
    [
        ("", "/openai/deployments/ours/chat/completions?api-version=2024-10-21", "api-key"),
        ("/openai/v1/", "/openai/v1/chat/completions", "authorization"),
    ],
)
def test_a_deployment_of_azure_answers_at_either_form_of_its_address(
    ending: str, path: str, key: str
) -> None:
    def act(exchange: Exchange) -> None:
        exchange.start_stream()
        # Azure's first event is about its content filter.
        exchange.send_line('data: {"id":"","object":"","created":0,"model":"","choices":[]}')
        exchange.send_delta({"role": "assistant", "content": JUDGEMENT})
        exchange.end_stream()

    with serving(act) as (url, script):
        environment = {
            "AZURE_OPENAI_ENDPOINT": url.removesuffix("/v1") + ending,
            "AZURE_OPENAI_API_KEY": "very-secret",
            "OPENAI_API_VERSION": "2024-10-21",
        }
        choice = choose_model("azure:ours", "verifier", silence_seconds=5)
        mind = a_mind(choice, model=build_client(choice, environment).model)
        answer = asyncio.run(answer_of(mind, a_talk()))
    assert (answer.outcome, answer.text) == ("answered", JUDGEMENT)
    assert script.headers[0][":path"] == path
    assert script.headers[0][key].endswith("very-secret")


def test_a_connection_cut_before_the_reply_is_tried_again() -> None:
    answer, _ = converse(breaks_off(), says(JUDGEMENT))
    assert answer.outcome == "answered"


def test_a_connection_cut_in_the_middle_of_the_reply_is_tried_again() -> None:
    answer, script = converse(breaks_off('{"judgment":'), says(JUDGEMENT))
    assert (answer.outcome, answer.text) == ("answered", JUDGEMENT)
    assert len(script.requests) == 2


def test_an_attempt_that_was_cut_in_the_middle_is_paid_for_too() -> None:
    ledger = Ledger()
    whole, _ = converse(says(JUDGEMENT))
    answer, _ = converse(breaks_off('{"judgment":'), says(JUDGEMENT), ledger=ledger)
    assert answer.usage.requests == 2
    assert answer.usage.input_tokens > whole.usage.input_tokens
    assert answer.usage.output_tokens > whole.usage.output_tokens
    assert ledger.totals().input_tokens == answer.usage.input_tokens


def test_an_attempt_after_a_cut_is_not_made_with_money_that_is_gone() -> None:
    most = 200 + a_choice("http://127.0.0.1:9/v1").max_tokens
    ledger = Ledger(SpendingLimit(tokens=most + 100))
    answer, script = converse(breaks_off('{"judgment":' + "x" * 3_000), says(JUDGEMENT), ledger=ledger)
    assert (answer.outcome, len(script.requests)) == ("budget_exhausted", 1)
    assert answer.usage.output_tokens > 1_000


def test_an_attempt_that_was_refused_costs_nothing() -> None:
    whole, _ = converse(says(JUDGEMENT))
    answer, _ = converse(fails(500), fails(429), says(JUDGEMENT))
    assert answer.usage == whole.usage


def test_a_reply_that_is_always_cut_keeps_what_came() -> None:
    answer, _ = converse(breaks_off('{"judgment":"CONF'))
    assert (answer.outcome, answer.text) == ("cut_off", '{"judgment":"CONF')


def test_nobody_at_the_address_ends_as_failed() -> None:
    answer = asyncio.run(answer_of(a_mind(a_choice("http://127.0.0.1:9/v1")), a_talk()))
    assert answer.outcome == "failed"
    assert "connection" in answer.detail


@pytest.mark.parametrize("text", ["", '{"judg'])
def test_a_silent_model_times_out_and_is_not_asked_again(text: str) -> None:
    answer, script = converse(is_silent(text), silence_seconds=0.3)
    assert answer.outcome == "timed_out"
    assert answer.text == (text or None)
    assert len(script.requests) == 1


def test_a_slow_reply_is_not_ended_while_parts_of_it_come() -> None:
    answer, _ = converse(says(JUDGEMENT, size=10, pause=0.4), silence_seconds=1.0)
    assert (answer.outcome, answer.text) == ("answered", JUDGEMENT)


def test_signs_of_life_may_come_before_a_reply_for_as_long_as_silence() -> None:
    assert converse(keeps_alive(0.5, JUDGEMENT), silence_seconds=5.0)[0].outcome == "answered"


def test_a_reply_at_the_limit_of_tokens_is_cut_off_with_its_text() -> None:
    answer, _ = converse(says('{"judgment":"CON', finish="length"))
    assert (answer.outcome, answer.text) == ("cut_off", '{"judgment":"CON')


def test_an_answering_call_at_the_limit_of_tokens_is_cut_off_with_its_text() -> None:
    answer, _ = converse(calls((SCHEMA_NAME, '{"judgment":"CON'), finish="length"), talk=a_talk(Shelf()))
    assert (answer.outcome, answer.text) == ("cut_off", '{"judgment":"CON')


def test_broken_json_reaches_the_caller_as_it_was_sent() -> None:
    answer, _ = converse(calls((SCHEMA_NAME, '{"judgment":"CON')), talk=a_talk(Shelf()))
    assert (answer.outcome, answer.text) == ("answered", '{"judgment":"CON')


def test_an_empty_reply_is_asked_for_again_once() -> None:
    answer, script = converse(says(""), says(JUDGEMENT))
    assert answer.outcome == "answered"
    assert "empty" in str(script.requests[1]["messages"][-1]["content"])


def test_two_empty_replies_end_as_failed() -> None:
    answer, script = converse(says(""))
    assert (answer.outcome, answer.text) == ("failed", None)
    assert len(script.requests) == 2


@pytest.mark.parametrize("act", [refuses("I will not."), says("", finish="content_filter")])
def test_a_refusal_is_its_own_outcome(act: Act) -> None:
    answer, script = converse(act)
    assert answer.outcome == "refused"
    assert len(script.requests) == 1


@pytest.mark.parametrize(
    ("arguments", "seen"),
    [('{"path":', '{"path":'), ("[1]", [1]), ('"a.py"', "a.py"), ("", {}), ("null", None)],
)
def test_bad_arguments_are_the_tools_to_answer(arguments: str, seen: object) -> None:
    shelf = Shelf()
    answer, script = converse(calls(("read", arguments)), calls((SCHEMA_NAME, JUDGEMENT)), talk=a_talk(shelf))
    assert answer.outcome == "answered"
    assert shelf.asked == [("read", seen)]
    sent_back = script.requests[1]["messages"][-2]["tool_calls"][0]["function"]["arguments"]
    assert isinstance(json.loads(sent_back), dict)


def test_an_unknown_tool_is_answered_with_an_error() -> None:
    answer, script = converse(
        calls(("rm", '{"path":"/"}')), calls((SCHEMA_NAME, JUDGEMENT)), talk=a_talk(Shelf())
    )
    assert answer.outcome == "answered"
    assert script.requests[1]["messages"][-1]["content"].startswith("error: ")


def test_the_name_of_a_tool_is_not_sent_back_at_any_length() -> None:
    events: list[Event] = []
    shelf = Shelf()
    answer, script = converse(
        calls(("x" * 100_000, "{}")), calls((SCHEMA_NAME, JUDGEMENT)), talk=a_talk(shelf), events=events
    )
    assert answer.outcome == "answered"
    assert shelf.asked == [("x" * 200, {})]
    assert len(json.dumps(script.requests[1])) < 10_000
    assert {len(event.data["tool"]) for event in events if event.name is EventName.TOOL_CALLED} == {200}


def test_a_tool_call_where_there_are_no_tools_is_answered_with_an_error() -> None:
    answer, script = converse(calls(("read", "{}")), says(JUDGEMENT))
    assert answer.outcome == "answered"
    assert "no tools" in script.requests[1]["messages"][-1]["content"]


def test_endless_tool_calls_end_with_a_last_request_to_answer() -> None:
    shelf = Shelf()
    answer, script = converse(calls(("read", '{"path":"a.py"}')), talk=a_talk(shelf, max_turns=3))
    assert (answer.outcome, answer.text) == ("failed", None)
    assert len(script.requests) == 5
    assert len(shelf.asked) == 3
    assert "now" in str(script.requests[3]["messages"][-1]["content"])
    assert script.requests[4]["tool_choice"]["function"]["name"] == SCHEMA_NAME
    assert "not called" in str(script.requests[4]["messages"][-1]["content"])


def test_who_is_cut_short_answers_and_the_answer_names_what_was_wanted() -> None:
    read = calls(("read", '{"path":"a.py"}'))
    answer, _ = converse(read, read, calls((SCHEMA_NAME, JUDGEMENT)), talk=a_talk(Shelf(), max_turns=1))
    assert (answer.outcome, answer.text) == ("answered", JUDGEMENT)
    assert re.fullmatch(r"cut short after 1 round and [\d,]+ tokens; it wanted read", answer.detail)


def test_a_bounded_conversation_is_told_what_is_left_and_ends_before_it_is_spent() -> None:
    shelf = Shelf({"a.py": "x" * 3_000})
    talk = replace(a_talk(shelf, max_turns=20), max_tokens=10_000)
    answer, script = converse(calls(("read", '{"path":"a.py"}')), talk=talk)
    told = [str(request["messages"][-1]["content"]) for request in script.requests[1:]]
    assert re.fullmatch(r"\(end of round 1; left: 19 rounds, [\d,]+ tokens; each round sends .*\)", told[0])
    assert 2 < len(script.requests) < 10
    assert "no answer: cut short" in answer.detail


def test_who_answers_at_the_last_request_has_answered() -> None:
    read = calls(("read", '{"path":"a.py"}'))
    answer, _ = converse(read, read, calls((SCHEMA_NAME, JUDGEMENT)), talk=a_talk(Shelf(), max_turns=2))
    assert (answer.outcome, answer.text) == ("answered", JUDGEMENT)


def test_a_huge_reply_is_cut_off() -> None:
    limits = CallLimits(max_reply_chars=10_000)
    answer, _ = converse(says("x" * 200_000, size=5000), limits=limits)
    assert answer.outcome == "cut_off"
    assert answer.text is not None
    assert 10_000 < len(answer.text) < 30_000


@pytest.mark.parametrize("line", ["data: {nonsense", "data: []", "data: 3", 'data: {"choices": "x"}'])
def test_a_stream_of_nonsense_ends_as_failed(line: str) -> None:
    def act(exchange: Exchange) -> None:
        exchange.start_stream()
        exchange.send_line(line)

    answer, _ = converse(act)
    assert answer.outcome == "failed"


def test_a_page_in_place_of_a_reply_ends_as_failed() -> None:
    def act(exchange: Exchange) -> None:
        exchange.send_response(200)
        exchange.send_header("Content-Type", "text/html")
        exchange.send_header("Content-Length", "13")
        exchange.end_headers()
        exchange.wfile.write(b"<html></html>")

    answer, _ = converse(act)
    assert answer.outcome == "failed"


def test_text_that_no_encoding_carries_is_sent_and_read() -> None:
    shelf = Shelf({"a.py": "x = '\ud800'"})
    answer, _ = converse(
        calls(("read", '{"path":"a.py"}')), says("half \ud83d done"), talk=a_talk(shelf, task="\udfff")
    )
    assert answer.outcome == "answered"
    assert answer.text is not None
    assert answer.text.encode()


def test_secrets_do_not_leave_in_prompts_or_in_results_of_tools() -> None:
    key = "AKIA" + "IOSFODNN7QX3MPLE"
    talk = a_talk(Shelf({"a.py": f"key = '{key}'\n"}), task=f"Look at {key}.")
    _, script = converse(calls(("read", '{"path":"a.py"}')), says(JUDGEMENT), talk=talk)
    sent = json.dumps(script.requests)
    assert key not in sent
    assert sent.count("REDACTED_token_0") == 3


def test_events_tell_who_works_with_which_tool_and_what_it_cost() -> None:
    events: list[Event] = []
    used = {"prompt_tokens": 1_000, "completion_tokens": 500, "total_tokens": 1_500}
    asks, answers = calls(("read", json.dumps({"path": "x" * 500}))), says(JUDGEMENT)
    converse(stating(used, asks), stating(used, answers), talk=a_talk(Shelf()), events=events)
    assert [event.name for event in events] == [
        EventName.AGENT_STARTED,
        EventName.USAGE_UPDATED,
        EventName.TOOL_CALLED,
        EventName.USAGE_UPDATED,
    ]
    assert events[0].data["model"] == "tiny"
    assert {event.data["agent"] for event in events} == {"verifier"}
    assert events[2].data["tool"] == "read"
    assert len(events[2].data["args"]["path"]) == 200
    assert events[3].data["input_tokens"] == 2_000


def test_no_more_requests_than_allowed_are_under_way() -> None:
    async def many(url: str) -> list[Answer]:
        mind = a_mind(a_choice(url), limits=CallLimits(at_once=2))
        return await asyncio.gather(*(answer_of(mind, a_talk(task=str(number))) for number in range(6)))

    with serving(says(JUDGEMENT, size=10, pause=0.05)) as (url, script):
        answers = asyncio.run(many(url))
    assert {answer.outcome for answer in answers} == {"answered"}
    # Each reply takes five pauses; two at a time leave a gap after each pair.
    assert script.times[4] - script.times[0] > 0.3


def test_no_key_is_shown_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AFFIDAVIT_API_KEY", "very-secret")
    monkeypatch.setenv("OPENAI_API_KEY", "not-for-others")
    events: list[Event] = []
    answer, script = converse(fails(401, "bad key"), events=events)
    assert script.headers[0]["authorization"] == "Bearer very-secret"
    assert "very-secret" not in f"{answer} {events}"


def test_minds_that_are_kept_open_can_be_used_before_and_after() -> None:
    async def run(url: str) -> list[str]:
        mind = a_mind(a_choice(url))
        outcomes = [(await answer_of(mind, a_talk())).outcome]
        async with kept_open([mind]):
            outcomes += [(await answer_of(mind, a_talk())).outcome for _ in range(2)]
        return [*outcomes, (await answer_of(mind, a_talk())).outcome]

    with serving(says(JUDGEMENT)) as (url, _):
        assert asyncio.run(run(url)) == ["answered"] * 4
