"""Whatever a model server sends, a talk has an end and an outcome."""

import asyncio
import time

import pytest

from affidavit.records.report import Answer
from hostile_server import BEHAVIOURS
from model_server import Act, Script, serving
from talks import Shelf, a_choice, a_mind, a_talk, answer_of

SILENT = (
    "silence",
    "comments",
    "blank_lines",
    "empty_chunks",
    "empty_deltas",
    "empty_calls",
    "promises",
    "endless_promises",
    "a_byte_at_a_time_in_the_head",
    "a_byte_at_a_time_in_an_error",
    "a_byte_at_a_time_in_a_line",
)
FLOODS = (
    "endless_line",
    "endless_event",
    "endless_event_of_empty_lines_of_data",
    "endless_error",
    "endless_refusal",
    "endless_plain_reply",
    "endless_redirect",
    "gzip_bomb",
    "gzip_bomb_as_an_error",
    "deflate_bomb",
    "bomb_in_a_bomb",
    "gzip_with_nothing_in_it",
    "many_objects_in_an_event",
)


def converse(act: Act, silence_seconds: float = 30.0) -> tuple[Answer, Script]:
    with serving(act) as (url, script):
        mind = a_mind(a_choice(url, silence_seconds=silence_seconds))
        return asyncio.run(answer_of(mind, a_talk(Shelf(), max_turns=1))), script


@pytest.mark.parametrize("name", [name for name in BEHAVIOURS if name not in {*SILENT, *FLOODS}])
def test_a_talk_with_a_hostile_server_ends_without_an_answer(name: str) -> None:
    answer, script = converse(BEHAVIOURS[name])
    assert answer.outcome in {"failed", "cut_off", "timed_out"}
    assert answer.detail
    assert len(answer.detail) < 600
    assert len(script.requests) <= 4


@pytest.mark.parametrize("name", FLOODS)
def test_a_flood_is_read_up_to_a_limit_and_not_asked_for_again(name: str) -> None:
    answer, script = converse(BEHAVIOURS[name])
    assert (answer.outcome, len(script.requests)) == ("failed", 1)
    assert answer.detail.startswith("the server sent more ")


@pytest.mark.parametrize("name", SILENT)
def test_what_is_no_part_of_a_reply_is_silence(name: str) -> None:
    started = time.monotonic()
    answer, script = converse(BEHAVIOURS[name], silence_seconds=1.0)
    assert (answer.outcome, len(script.requests)) == ("timed_out", 1)
    assert time.monotonic() - started < 60
