"""From any text to one object."""

import json
import time

import pytest
from contract_replies import finding, finding_1_0, reply, text

from affidavit.contract.reply_text import FoundObject, NothingFound, find_object
from affidavit.records.diagnostics import Reason

REPLY = reply(finding(), finding(id="F2"))


def test_a_plain_object_is_taken() -> None:
    assert find_object(text(REPLY)) == FoundObject(REPLY)


@pytest.mark.parametrize(
    "around",
    [
        "```json\n{}\n```",
        "```\n{}\n```\n",
        "Here is my review:\n\n{}\n\nI hope it helps.",
        'He said "no {{braces}}" in {{x}}, {{"half": and\n{}',
        "\ufeff  {}\n",
        '[1] and [{{"a": 1}}] came first. {} Then {{"b": [}}',
    ],
)
def test_the_object_is_found_in_fences_and_prose(around: str) -> None:
    wanted = text(REPLY)
    assert find_object(around.format(wanted)) == FoundObject(REPLY)


def test_the_same_object_twice_is_one() -> None:
    assert find_object(f"{text(REPLY)}\n\nAgain:\n{json.dumps(REPLY, indent=2)}") == FoundObject(REPLY)


@pytest.mark.parametrize(
    "second", [reply(), reply(finding(line=13)), reply(finding(line=True)), {"findings": []}]
)
def test_two_different_results_are_refused(second: object) -> None:
    found = find_object(f"{text(reply(finding(line=1)))} or rather {text(second)}")
    assert isinstance(found, NothingFound)
    assert found.code is Reason.INVALID_JSON
    assert "several" in found.detail


def test_a_result_followed_by_an_unfinished_other_one_is_refused() -> None:
    found = find_object(text(REPLY) + text(reply(finding(id="other")))[:-3])
    assert isinstance(found, NothingFound)


def test_a_result_quoted_inside_a_broken_one_does_not_stand_for_it() -> None:
    quoted = text(reply())
    broken = f'{{"schema_version": "1.1", "findings": [{{"message": "the code holds "{quoted}" here"}}]}}'
    found = find_object(broken)
    assert isinstance(found, NothingFound)
    assert found.code is Reason.INVALID_JSON


def test_a_result_quoted_inside_a_broken_wrapper_does_not_stand_for_it() -> None:
    broken = f'{{"answer": {{"findings": ["x" {text(reply())}]}}}}'
    assert isinstance(find_object(broken), NothingFound)


def test_a_result_quoted_inside_one_whose_first_key_has_no_colon_does_not_stand_for_it() -> None:
    assert isinstance(find_object(f'{{"findings" [{text(reply())}]}}'), NothingFound)


def test_a_reply_encoded_as_a_string_is_decoded_once() -> None:
    assert find_object(text(text(REPLY))) == FoundObject(REPLY, was_encoded=True)


@pytest.mark.parametrize("around", ["```json\n{}\n```", "```\r\n{}\r\n```", "~~~ json\n{}\n~~~\n"])
def test_an_encoded_reply_in_a_fence_is_decoded_once(around: str) -> None:
    assert find_object(around.format(text(text(REPLY)))) == FoundObject(REPLY, was_encoded=True)


def test_an_encoded_reply_in_a_fence_that_was_cut_off_is_truncated() -> None:
    encoded = text(text(REPLY))
    found = find_object(f"```json\n{encoded[: encoded.index('F2')]}")
    assert isinstance(found, FoundObject)
    assert (found.is_truncated, found.was_encoded, len(found.value["findings"])) == (True, True, 1)


def test_a_reply_encoded_twice_over_is_refused() -> None:
    assert isinstance(find_object(text(text(text(REPLY)))), NothingFound)


@pytest.mark.parametrize("value", [[], [REPLY], 1, 1.5, None, True])
def test_json_that_is_no_object_has_the_wrong_type(value: object) -> None:
    found = find_object(text(value))
    assert isinstance(found, NothingFound)
    assert found.code is Reason.INVALID_TYPE


@pytest.mark.parametrize(
    "bad", ["NaN", "Infinity", "-Infinity", "01", "1.", "'x'", "[1,]", "{,}", "[}", "tru"]
)
def test_values_outside_of_json_break_the_reply(bad: str) -> None:
    found = find_object(f'{{"findings": [], "meta": {{"x": {bad}}}}}')
    assert isinstance(found, NothingFound)
    assert found.code is Reason.INVALID_JSON


@pytest.mark.parametrize(
    "bad",
    [
        '{"findings": [1], "findings": []}',
        '{"findings": [], "meta": "\\ud800"}',
        '{"findings": [], "meta": "\ud800"}',
        '{"findings": [], "meta": "a\nb"}',
        '{"findings": [], "meta": ' + "9" * 5000 + "}",
        '{"findings": ' + "[" * 300 + "]" * 300 + "}",
        'x [{"findings": []}]',
        "",
        "No findings.",
        "{}{}",
        '"',
        '"\\',
    ],
)
def test_what_cannot_be_read_for_certain_is_refused(bad: str) -> None:
    assert isinstance(find_object(bad), NothingFound)


def test_whole_findings_of_a_reply_that_was_cut_off_are_found() -> None:
    whole = text(REPLY)
    cut = whole[: whole.index('"F2"') + 10]
    found = find_object(cut)
    assert isinstance(found, FoundObject)
    assert found.is_truncated
    assert found.value == reply(finding())
    assert found.unfinished == cut[cut.index('{"id": "F2"') :]


def test_a_last_finding_with_every_field_but_no_end_is_unfinished() -> None:
    whole = text(reply(finding_1_0(), finding_1_0(id="F2"), schema_version="1.0"))
    found = find_object(whole[:-3])
    assert isinstance(found, FoundObject)
    assert found.value["findings"] == [finding_1_0()]
    assert json.loads(f"{found.unfinished}}}") == finding_1_0(id="F2")


def test_a_finding_is_whole_as_soon_as_it_is_closed() -> None:
    found = find_object(text(REPLY)[:-2])
    assert isinstance(found, FoundObject)
    assert found.value == REPLY
    assert (found.is_truncated, found.unfinished) == (True, None)


@pytest.mark.parametrize(
    "tail", ["-", "1", "1.", "1.5e", "1e+", "t", "nul", '"a', '"a\\', '"a\\u12', '"a"', "[", "{"]
)
def test_an_element_that_may_go_on_is_unfinished(tail: str) -> None:
    found = find_object('{"findings": [{"id": 1}, ' + tail)
    assert isinstance(found, FoundObject)
    assert found.value == {"findings": [{"id": 1}]}
    assert found.unfinished == tail


@pytest.mark.parametrize(
    "tail", ["", ",", ", ", "]", "],", '], "meta', '], "meta"', '], "meta":', '], "meta": {"a": 1']
)
def test_nothing_is_unfinished_between_findings_or_behind_them(tail: str) -> None:
    found = find_object('{"findings": [{"id": 1}' + tail)
    assert isinstance(found, FoundObject)
    assert found.value == {"findings": [{"id": 1}]}
    assert (found.is_truncated, found.unfinished) == (True, None)


def test_only_the_findings_at_the_top_are_counted() -> None:
    found = find_object('{"meta": {"findings": [{"id": 1}, {"id')
    assert isinstance(found, FoundObject)
    assert (found.value, found.unfinished) == ({}, None)


def test_another_list_at_the_top_holds_no_findings() -> None:
    found = find_object('{"schema_version": "1.1", "notes": [{"id": 1}, {"id')
    assert isinstance(found, FoundObject)
    assert (found.value, found.unfinished) == ({"schema_version": "1.1"}, None)


def test_a_list_of_results_that_was_cut_off_is_refused_as_a_whole_one_is() -> None:
    found = find_object(f"Here: [{text(REPLY)[:-3]}")
    assert isinstance(found, NothingFound)
    assert found.code is Reason.INVALID_JSON


def test_a_fence_closed_behind_a_cut_reply_changes_nothing() -> None:
    found = find_object("```json\n" + text(REPLY)[:-2] + "\n```\n")
    assert isinstance(found, FoundObject)
    assert found.is_truncated


def test_an_encoded_reply_that_was_cut_off_is_truncated() -> None:
    found = find_object(text(text(REPLY))[:-1])
    assert found == FoundObject(REPLY, is_truncated=True, was_encoded=True)


def test_a_lone_surrogate_in_an_unfinished_finding_can_be_written_again() -> None:
    found = find_object('{"findings": [{"id": 1}, {"id": "\ud800')
    assert isinstance(found, FoundObject)
    assert found.unfinished == '{"id": "\\ud800'


@pytest.mark.parametrize(
    "garbage",
    [
        "[" * 5_000_000,
        "{" * 5_000_000,
        '{"a":' * 200_000,
        'x{"findings' * 100_000,
        '"findings"' + '{"' * 300_000,
        '"findings"' + '{"a":' * 100_000,
        '"findings"' + "[{" * 1_000_000,
        '{"findings":["' + "\\n" * 1_000_000,
        '{"findings":[' + "{}," * 100_000,
        '"' + '\\"' * 1_000_000,
        '"' * 2_000_000,
        '{"findings":[' + "9" * 2_000_000,
    ],
    ids=range(12),
)
def test_garbage_is_refused_or_read_in_linear_time(garbage: str) -> None:
    began = time.process_time()
    find_object(garbage)
    assert time.process_time() - began < 5
