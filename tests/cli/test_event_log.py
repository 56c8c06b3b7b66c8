"""The events of a review in a file, as programs follow them."""

import json
from pathlib import Path

import pytest

from affidavit.cli.progress import kept_events
from affidavit.errors import SettingsError
from affidavit.events import Event, EventName, event, ignore_events
from commands import affidavit
from repositories import Repo

FULL = Path("/dev/full")


def test_a_review_writes_its_events_in_order_one_a_line(repo: Repo) -> None:
    repo.commit("base", {"app.py": "def total(items):\n    return sum(items)\n"})
    repo.commit("head", {"app.py": "def total(items):\n    result = sum(items)\n    return reslt\n"})
    done = affidavit(
        "review", "HEAD", "--quiet", "--format", "report", "--events", "events.jsonl", cwd=repo.path
    )
    report = json.loads(done.out)
    told = [json.loads(line) for line in (repo.path / "events.jsonl").read_text().splitlines()]
    assert (told[0]["type"], told[-1]["type"]) == ("pipeline.started", "pipeline.completed")
    assert told[-1]["data"]["review_id"] == report["id"]
    assert [one["data"]["to"] for one in told if one["type"] == "agent.handoff"] == [
        "reviewer",
        "verifier",
        "reporter",
    ]
    assert "warning" in {one["data"]["severity"] for one in told if one["type"] == "finding.detected"}
    assert all(one["timestamp"] == one["data"]["timestamp"] != "" for one in told)


def test_a_place_that_cannot_be_written_is_said_before_the_review(tmp_path: Path) -> None:
    with (
        pytest.raises(SettingsError, match="--events: .*cannot be written"),
        kept_events(tmp_path / "none" / "events.jsonl", ignore_events),
    ):
        pass


@pytest.mark.parametrize(
    "named",
    [("--format", "report=out", "--events", "./out"), ("--format", "report=out", "--format", "html=out")],
)
def test_two_outputs_in_one_file_are_refused_before_the_review(repo: Repo, named: tuple[str, ...]) -> None:
    repo.commit("base", {"app.py": "x = 1\n"})
    done = affidavit("review", "HEAD", *named, cwd=repo.path)
    assert (done.code, done.out) == (2, "")
    assert "--format: out is named twice" in done.err


def test_without_a_file_nobody_is_put_between() -> None:
    with kept_events(None, ignore_events) as emit:
        assert emit is ignore_events


@pytest.mark.skipif(not FULL.exists(), reason="there is no full device here")
def test_a_disk_that_is_full_ends_the_file_and_not_the_review(capsys: pytest.CaptureFixture[str]) -> None:
    heard: list[Event] = []
    with kept_events(FULL, heard.append) as emit:
        emit(event(EventName.PIPELINE_STARTED))
        emit(event(EventName.PIPELINE_COMPLETED))
    assert len(heard) == 2
    assert "not all events were written to /dev/full: No space left on device" in capsys.readouterr().err


def test_both_the_file_and_the_listener_get_every_event(tmp_path: Path) -> None:
    heard: list[Event] = []
    with kept_events(tmp_path / "events.jsonl", heard.append) as emit:
        emit(event(EventName.PIPELINE_STARTED, review_id="r\ud800"))
        assert json.loads((tmp_path / "events.jsonl").read_text())["type"] == "pipeline.started"
    assert [one.name for one in heard] == [EventName.PIPELINE_STARTED]
