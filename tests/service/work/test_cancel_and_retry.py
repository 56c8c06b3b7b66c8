"""A review that ends before its time: cancelled at once, or failed with what is known; it can go on."""

import json
import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from model_server import Script
from model_server import serving as model_serving
from pausing_model import PausingModel
from service_process import ONLY_RUFF, Client, Service, other_diff, serving


@dataclass(frozen=True)
class Paused:
    """A server whose model waits in the middle of a review."""

    client: Client
    service: Service
    pausing: PausingModel
    script: Script

    def asked_for(self, schema: str) -> int:
        """How often the model was asked for something."""
        return sum(schema in str(request.get("tools")) for request in self.script.requests)


@pytest.fixture(scope="module")
def paused(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Paused]:
    pausing = PausingModel()
    with (
        model_serving(pausing) as (address, script),
        serving(
            tmp_path_factory.mktemp("paused"),
            *("--model", "openai:scripted", "--base-url", address),
            environment=ONLY_RUFF,
            # Its cells are found among its children.
            is_started=True,
        ) as (client, service),
    ):
        yield Paused(client, service, pausing, script)


def test_a_cancelled_review_ends_and_a_retried_one_does_not_plan_again(paused: Paused) -> None:
    client = paused.client
    paused.pausing.pause_at("reviewer")
    review_id = client.submit(diff_text=other_diff("cancel.txt"))
    assert paused.pausing.reached.wait(100)
    assert client.post(f"/api/review/{review_id}/again").status == 409
    assert client.post(f"/api/review/{review_id}/cancel").json["status"] == "cancelled"
    assert client.post(f"/api/review/{review_id}/cancel").status == 409
    last = list(client.stream(review_id))[-1]
    assert (last.name, last.data["by"]) == ("pipeline.cancelled", "local")
    assert client.get(f"/api/review/{review_id}").status == 202
    planned = paused.asked_for("review_plan")
    paused.pausing.go_on()
    assert client.post(f"/api/review/{review_id}/retry").status == 202
    assert client.finished(review_id)["status"] == "completed"
    assert paused.asked_for("review_plan") == planned
    names = [event.name for event in client.stream(review_id)]
    assert names[-1] == "pipeline.completed"
    assert 'affidavit_reviews_total{status="cancelled",verdict=""} 1.0' in client.get("/metrics").text
    assert client.ask("DELETE", f"/api/review/{review_id}").status == 204
    assert client.get(f"/api/review/{review_id}").status == 404


def test_a_stage_that_cannot_go_on_fails_the_review_with_what_is_known_and_is_retried_alone(
    paused: Paused,
) -> None:
    client = paused.client
    paused.pausing.pause_at("verifier")
    review_id = client.submit(diff_text=other_diff("fail.txt"))
    killed: set[int] = set()
    for _ in range(3):
        assert paused.pausing.reached.wait(100)
        paused.pausing.reached.clear()
        killed.add(kill_cell(paused.service, killed))
    summary = client.finished(review_id)
    assert (summary["status"], summary["stage"]) == ("failed", "verifier")
    assert "ended, 3 times at this stage" in summary["reason"]
    log = paused.service.log.read_text()
    assert "Traceback" not in log, log[-3000:]
    told = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    failed = next(one for one in told if one["event"] == "review fails")
    assert (failed["review"], failed["stage"]) == (review_id, "verifier")
    so_far = client.get(f"/api/review/{review_id}")
    assert so_far.status == 202
    last = list(client.stream(review_id))[-1]
    assert (last.name, last.data["stage"], last.data["reason"]) == (
        "pipeline.failed",
        "verifier",
        summary["reason"],
    )
    paused.pausing.go_on()
    before = [paused.asked_for(schema) for schema in ("review_plan", "review_result")]
    assert client.post(f"/api/review/{review_id}/retry").status == 202
    assert client.finished(review_id)["status"] == "completed"
    assert [paused.asked_for(schema) for schema in ("review_plan", "review_result")] == before
    events = list(client.stream(review_id))
    assert [event.number for event in events] == list(range(1, len(events) + 1))
    names = Counter(event.name for event in events)
    # Four cells have told this story, and it is told once.
    assert (names["pipeline.started"], names["agent.handoff"], names["finding.detected"]) == (1, 3, 1)


def kill_cell(service: Service, before: set[int]) -> int:
    """Kill the process that works on the one review that is under way, as a machine without memory does."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        cells = {
            cell
            for child in children_of(service.process.pid)
            for cell in children_of(child)
            if cell not in before
        }
        if cells:
            (cell,) = cells
            os.kill(cell, signal.SIGKILL)
            return cell
        time.sleep(0.05)
    raise AssertionError("there is no cell")


def children_of(process: int) -> list[int]:
    tasks = Path(f"/proc/{process}/task").glob("*/children")
    return [int(number) for task in tasks for number in task.read_text().split()]


def test_the_log_has_no_traceback_of_what_was_cancelled_or_failed_and_names_the_review(
    paused: Paused,
) -> None:
    client = paused.client
    paused.pausing.pause_at("planner")
    review_id = client.submit(diff_text=other_diff("log.txt"))
    assert paused.pausing.reached.wait(100)
    assert client.post(f"/api/review/{review_id}/cancel").status == 202
    paused.pausing.go_on()
    paused.pausing.pause_at("reviewer")
    deleted = client.submit(diff_text=other_diff("deleted.txt"))
    assert paused.pausing.reached.wait(100)
    assert client.ask("DELETE", f"/api/review/{deleted}").status == 204
    paused.pausing.go_on()
    time.sleep(2)
    log = paused.service.log.read_text()
    assert "Traceback" not in log, log[-3000:]
    assert '"level": "error"' not in log, log[-3000:]
    told = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    assert {one["review"] for one in told if one["event"] == "review begins"} >= {review_id}
    # What the engine says is written in the same form.
    assert [line for line in log.splitlines() if not line.startswith("{")] == []
