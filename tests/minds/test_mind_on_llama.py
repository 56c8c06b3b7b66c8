"""Minds on a real model server: llama.cpp with a model of random weights."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from affidavit.minds.conversation_log import ConversationLog, LogMode
from talks import SCHEMA, SCHEMA_NAME, Shelf, a_choice, a_mind, a_talk, answer_of

pytest.importorskip("xllamacpp")
pytest.importorskip("gguf")
SERVER = Path(__file__).with_name("llama_server.py")


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    command = [sys.executable, str(SERVER), str(tmp_path_factory.mktemp("model"))]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:"), "the server did not start"
        try:
            yield f"{address}/v1"
        finally:
            server.kill()


def test_an_answer_forced_into_a_schema_fits_it(llama: str) -> None:
    mind = a_mind(a_choice(llama, max_tokens=400, silence_seconds=30))
    answers = [asyncio.run(answer_of(mind, a_talk(task=f"Judge {number}."))) for number in range(3)]
    for answer in answers:
        assert answer.outcome == "answered"
        assert answer.text is not None
        value = json.loads(answer.text)
        assert value["judgment"] in SCHEMA["properties"]["judgment"]["enum"]
        assert len(value["reason"]) <= 40
        assert answer.usage.input_tokens > 10
        assert answer.usage.output_tokens > 10


def test_a_reply_that_reaches_its_limit_is_cut_off_with_its_text(llama: str) -> None:
    answer = asyncio.run(answer_of(a_mind(a_choice(llama, max_tokens=25, silence_seconds=30)), a_talk()))
    assert answer.outcome == "cut_off"
    assert answer.text is not None
    assert answer.text.startswith("{")
    assert answer.usage.output_tokens <= 25


def test_a_talk_with_tools_ends_in_a_stated_outcome(llama: str) -> None:
    mind = a_mind(a_choice(llama, max_tokens=400, silence_seconds=30))
    answer = asyncio.run(answer_of(mind, a_talk(Shelf(), max_turns=2)))
    assert answer.outcome in {"answered", "cut_off", "failed"}
    assert answer.text or answer.detail


def test_a_real_conversation_is_replayed_without_the_server(llama: str, tmp_path: Path) -> None:
    recorder = a_mind(a_choice(llama, max_tokens=400), log=ConversationLog(tmp_path, LogMode.RECORD))
    recorded = asyncio.run(answer_of(recorder, a_talk()))
    choice = a_choice("http://127.0.0.1:9/v1", max_tokens=400)
    player = a_mind(choice, log=ConversationLog(tmp_path, LogMode.REPLAY))
    assert asyncio.run(answer_of(player, a_talk())) == recorded
    assert SCHEMA_NAME in (tmp_path / "conversation.jsonl").read_text()


def test_several_talks_share_the_server(llama: str) -> None:
    async def several() -> list[str]:
        mind = a_mind(a_choice(llama, max_tokens=400, silence_seconds=30))
        talks = [answer_of(mind, a_talk(task=str(number))) for number in range(4)]
        return [answer.outcome for answer in await asyncio.gather(*talks)]

    assert asyncio.run(several()) == ["answered"] * 4
