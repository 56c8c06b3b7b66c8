"""One object in a reply of the planner, the verifier or the reporter, whatever stands around it."""

import json

import pytest

from affidavit.contract.reply_text import object_with_key

ANSWER = {"judgment": "CONFIRMED", "reason": "`{x}` is not closed"}
TEXT = json.dumps(ANSWER)


@pytest.mark.parametrize(
    "reply",
    [
        TEXT,
        f"\n{TEXT}\n",
        f"```json\n{TEXT}\n```",
        f"I read `{{x}}` and {{}}.\n{TEXT}\nSo {{y}} it is.",
        f'The map {{"a": 1}} is empty: {TEXT}',
        f"{TEXT} Once more: {TEXT}",
        f"if (a) {{ return {{ b }} }} {TEXT}",
    ],
)
def test_the_object_is_found_in_prose_with_braces(reply: str) -> None:
    assert object_with_key(reply, "judgment") == ANSWER


@pytest.mark.parametrize(
    "reply",
    [
        None,
        "",
        "no object",
        "[1]",
        "null",
        '{"other": 1} {"another": 2}',
        TEXT[:-1],
        f'{TEXT} or {{"judgment": "REFUTED"}}',
        '{"judgment": CONFIRMED, "said": {"judgment": "REFUTED"}}',
        '{"judgment": "CONFIRMED", "judgment": "REFUTED"}',
        '{"judgment": "CONFIRMED", "quote": "' + TEXT,
    ],
)
def test_what_is_not_clear_is_not_taken(reply: str | None) -> None:
    assert object_with_key(reply, "judgment") is None


def test_an_object_without_the_key_is_taken_where_it_is_the_whole_reply() -> None:
    assert object_with_key('{"worth": "nit"}', "judgment") == {"worth": "nit"}


def test_nesting_without_end_is_no_object() -> None:
    assert object_with_key('{"a": ' * 100_000 + "1" + "}" * 100_000, "a") is None
