import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from affidavit.errors import InputError
from affidavit.minds.conversation_log import FILE_NAME, ConversationLog, LogMode
from affidavit.minds.ledger import Ledger, SpendingLimit
from affidavit.ports import Talk
from affidavit.records.report import Answer
from model_server import Act, calls, fails, says, serving
from talks import JUDGEMENT, SCHEMA_NAME, Shelf, a_choice, a_mind, a_talk, answer_of

NOWHERE = "http://127.0.0.1:9/v1"
ACTS = (calls(("read", '{"path":"a.py"}')), calls((SCHEMA_NAME, JUDGEMENT)))


def record(
    run: Path, *acts: Act, talk: Talk | None = None, mode: LogMode = LogMode.RECORD
) -> tuple[Answer, int]:
    with serving(*acts) as (url, script):
        mind = a_mind(a_choice(url), log=ConversationLog(run, mode))
        answer = asyncio.run(answer_of(mind, talk or a_talk(Shelf())))
    return answer, len(script.requests)


def replay(run: Path, talk: Talk | None = None, **options: Any) -> Answer:
    mind = a_mind(a_choice(NOWHERE), log=ConversationLog(run, LogMode.REPLAY), **options)
    return asyncio.run(answer_of(mind, talk or a_talk(Shelf())))


def test_a_recorded_conversation_is_repeated_with_no_model(tmp_path: Path) -> None:
    recorded, _ = record(tmp_path, *ACTS)
    assert recorded.outcome == "answered"
    assert replay(tmp_path) == recorded


def test_a_replay_costs_nothing_of_the_budget(tmp_path: Path) -> None:
    record(tmp_path, *ACTS)
    assert replay(tmp_path, ledger=Ledger(SpendingLimit(tokens=0))).outcome == "answered"


def test_a_set_reasoning_effort_is_part_of_the_request(tmp_path: Path) -> None:
    record(tmp_path, *ACTS)
    assert '"reasoning":' not in (tmp_path / FILE_NAME).read_text()
    mind = a_mind(a_choice(NOWHERE, reasoning="low"), log=ConversationLog(tmp_path, LogMode.REPLAY))
    assert asyncio.run(answer_of(mind, a_talk(Shelf()))).outcome == "failed"


def test_an_exchange_that_was_not_recorded_is_said_and_not_asked_for(tmp_path: Path) -> None:
    record(tmp_path, *ACTS)
    answer = replay(tmp_path, a_talk(Shelf(), task="Something else."))
    assert answer.outcome == "failed"
    assert "recorded run has no such exchange" in answer.detail


def test_a_tool_that_answers_differently_is_another_conversation(tmp_path: Path) -> None:
    record(tmp_path, *ACTS)
    assert replay(tmp_path, a_talk(Shelf({"a.py": "x = 2"}))).outcome == "failed"


def test_resuming_asks_only_for_what_is_missing(tmp_path: Path) -> None:
    record(tmp_path, *ACTS)
    log = tmp_path / FILE_NAME
    first, second = log.read_text().splitlines()
    log.write_text(first + "\n" + second[: len(second) // 2])
    answer, requests = record(tmp_path, ACTS[1], mode=LogMode.RESUME)
    assert (answer.outcome, requests) == ("answered", 1)
    assert replay(tmp_path).text == JUDGEMENT


def test_resuming_with_nothing_recorded_asks_for_everything(tmp_path: Path) -> None:
    answer, requests = record(tmp_path / "new", *ACTS, mode=LogMode.RESUME)
    assert (answer.outcome, requests) == ("answered", 2)


def test_a_recorded_failure_is_replayed_as_it_was_and_resumed_anew(tmp_path: Path) -> None:
    failed, _ = record(tmp_path, fails(401))
    assert replay(tmp_path) == failed
    answer, _ = record(tmp_path, *ACTS, mode=LogMode.RESUME)
    assert answer.outcome == "answered"


def test_the_same_question_asked_twice_has_two_answers(tmp_path: Path) -> None:
    async def twice(log: ConversationLog, url: str) -> list[str | None]:
        mind = a_mind(a_choice(url), log=log)
        return [(await answer_of(mind, a_talk())).text for _ in range(2)]

    with serving(says("one"), says("two")) as (url, _):
        recorded = asyncio.run(twice(ConversationLog(tmp_path, LogMode.RECORD), url))
    assert recorded == ["one", "two"]
    assert asyncio.run(twice(ConversationLog(tmp_path, LogMode.REPLAY), NOWHERE)) == recorded


def test_recording_over_a_recorded_run_is_refused(tmp_path: Path) -> None:
    record(tmp_path, *ACTS)
    with pytest.raises(InputError, match="--resume"):
        ConversationLog(tmp_path, LogMode.RECORD)


def test_replaying_a_run_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no recorded run"):
        ConversationLog(tmp_path / "none", LogMode.REPLAY)


@pytest.mark.parametrize(
    "line", ["", "{", "[]", "null", '{"version": 1}', '{"version": 99, "key": "k"}', "\udcff"]
)
def test_lines_that_are_no_exchange_are_passed_over(tmp_path: Path, line: str) -> None:
    record(tmp_path, *ACTS)
    log = tmp_path / FILE_NAME
    log.write_bytes(line.encode("utf-8", "surrogateescape") + b"\n" + log.read_bytes())
    assert replay(tmp_path).outcome == "answered"


def test_a_changed_exchange_is_said_to_be_unreadable(tmp_path: Path) -> None:
    record(tmp_path, *ACTS)
    log = tmp_path / FILE_NAME
    lines = [json.loads(line) | {"reply": {"parts": 3}} for line in log.read_text().splitlines()]
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    answer = replay(tmp_path)
    assert answer.outcome == "failed"
    assert "cannot be read" in answer.detail


def test_the_log_holds_no_key_no_secret_and_is_the_users_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AFFIDAVIT_API_KEY", "very-secret")
    secret = "AKIA" + "IOSFODNN7QX3MPLE"
    record(tmp_path, *ACTS, talk=a_talk(Shelf({"a.py": secret}), task=secret))
    log = tmp_path / FILE_NAME
    assert "very-secret" not in log.read_text()
    assert secret not in log.read_text()
    assert "127.0.0.1" not in log.read_text()
    assert log.stat().st_mode & 0o077 == 0


def test_many_talks_at_once_leave_whole_lines(tmp_path: Path) -> None:
    async def many(url: str) -> None:
        mind = a_mind(a_choice(url), log=ConversationLog(tmp_path, LogMode.RECORD))
        await asyncio.gather(*(answer_of(mind, a_talk(task=str(number))) for number in range(10)))

    with serving(says(JUDGEMENT)) as (url, _):
        asyncio.run(many(url))
    assert len([json.loads(line) for line in (tmp_path / FILE_NAME).read_text().splitlines()]) == 10
