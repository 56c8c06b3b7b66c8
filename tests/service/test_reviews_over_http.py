"""A server process with a scripted model: what a user does with it from the first request to the last."""

from collections.abc import Iterator

import pytest

from model_server import Script
from model_server import serving as model_serving
from scripted_model import model
from service_process import DIFF, Client, other_diff, serving


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Client, Script]]:
    """A server with a model, and what the model was asked."""
    folder = tmp_path_factory.mktemp("service")
    with (
        model_serving(model(answer={"answer": "It starts at 1."})) as (address, script),
        serving(folder, "--model", "openai:scripted", "--base-url", address) as (client, _),
    ):
        yield client, script


@pytest.fixture(scope="module")
def client(asked: tuple[Client, Script]) -> Client:
    return asked[0]


@pytest.fixture(scope="module")
def done(client: Client) -> str:
    """A review that is completed."""
    review_id = client.submit(diff_text=DIFF, title="Sum by hand")
    assert client.finished(review_id)["status"] == "completed"
    return review_id


def test_the_stream_tells_the_whole_story_in_the_words_of_the_contract(client: Client, done: str) -> None:
    events = list(client.stream(done))
    assert [event.number for event in events] == list(range(1, len(events) + 1))
    assert events[0].name == "pipeline.started"
    assert events[0].data["review_id"] == done
    assert events[-1].name == "pipeline.completed"
    assert {"review_id", "verdict", "duration_ms", "timestamp"} <= events[-1].data.keys()
    names = {event.name for event in events}
    assert {"agent.started", "tool.called", "agent.handoff", "finding.detected", "finding.verified"} <= names
    handoffs = [(event.data["from"], event.data["to"]) for event in events if event.name == "agent.handoff"]
    assert handoffs == [("planner", "reviewer"), ("reviewer", "verifier"), ("verifier", "reporter")]
    verified = next(event for event in events if event.name == "finding.verified")
    assert {"title", "status", "confidence", "timestamp"} <= verified.data.keys()


def test_a_stream_that_is_joined_again_goes_on_after_the_last_event(client: Client, done: str) -> None:
    whole = [event.number for event in client.stream(done)]
    assert [event.number for event in client.stream(done, last=5)] == whole[5:]


def test_the_verdict_is_the_contracts(client: Client, done: str) -> None:
    answer = client.get(f"/api/review/{done}")
    assert answer.status == 200
    assert answer.json["verdict"] == "request_changes"
    (finding,) = [finding for file in answer.json["files"] for finding in file["findings"]]
    assert finding["verification_status"] == "verified"
    assert answer.json["stats"]["total_findings"] == 1
    assert answer.json == client.get(f"/api/review/{done}/report/verdict").json


def test_the_same_change_is_one_review_unless_another_is_asked_for(client: Client, done: str) -> None:
    same = client.post("/api/review", {"diff_text": DIFF, "title": "Sum by hand"})
    assert (same.status, same.json["review_id"], same.json["is_new"]) == (200, done, False)
    other = client.post("/api/review", {"diff_text": DIFF, "title": "Sum by hand", "again": True})
    assert other.status == 202
    assert other.json["review_id"] != done
    assert client.finished(other.json["review_id"])["status"] == "completed"


def test_a_key_of_the_caller_names_one_request(client: Client) -> None:
    first = client.post("/api/review", {"diff_text": other_diff("a.txt")}, Idempotency_Key="one")
    second = client.post("/api/review", {"diff_text": other_diff("b.txt")}, Idempotency_Key="one")
    assert (first.status, second.status) == (202, 200)
    assert first.json["review_id"] == second.json["review_id"]
    assert client.finished(first.json["review_id"])["status"] == "completed"


def test_a_question_about_a_finding_is_answered(asked: tuple[Client, Script], done: str) -> None:
    client, script = asked
    report = client.get(f"/api/review/{done}/report").json
    finding = next(one["id"] for one in report["candidates"] if one["finding"])
    before = len(script.requests)
    answer = client.post(f"/api/review/{done}/findings/{finding}/ask", {"question": "Why?"})
    assert len(script.requests) > before
    assert (answer.status, answer.json["answer"]) == (200, "It starts at 1.")


def test_an_estimate_asks_no_model(asked: tuple[Client, Script]) -> None:
    client, script = asked
    before = len(script.requests)
    answer = client.post("/api/estimate", {"diff_text": other_diff("estimate.txt")})
    assert answer.status == 200
    assert {"planner", "specialist", "verifier"} <= {role["role"] for role in answer.json["roles"]}
    assert len(script.requests) == before


def test_a_report_is_proven_again(client: Client, done: str) -> None:
    answer = client.post(f"/api/review/{done}/recheck")
    assert answer.status == 200
    assert answer.json["holds"] is True, answer.text


def test_a_label_is_kept_and_taken_back(client: Client, done: str) -> None:
    report = client.get(f"/api/review/{done}/report").json
    finding = next(one["id"] for one in report["candidates"] if one["finding"])
    path = f"/api/review/{done}/findings/{finding}/label"
    assert client.ask("PUT", path, {"label": "valid", "why": "it is"}).json["label"] == "valid"
    assert client.get(f"/api/review/{done}/labels").json["labels"][0]["by"] == "local"
    assert client.ask("DELETE", path).status == 204
    assert client.get(f"/api/review/{done}/labels").json["labels"] == []


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({}, 422, "there is nothing to review"),
        ({"diff_text": DIFF, "github_url": "https://github.com/a/b/pull/1"}, 422, "exclude each other"),
        ({"diff_text": ""}, 422, "nothing to review"),
        ({"diff_text": "hello"}, 422, "diff"),
        ({"diff_text": DIFF, "options": {"severity_threshold": "huge"}}, 422, "huge"),
        ({"diff_text": DIFF, "colour": "red"}, 422, "colour"),
        ({"repository": "unknown", "base": "a", "head": "b"}, 422, "no repository"),
        ({"repository": "unknown"}, 422, "go together"),
        (b"{", 400, "JSON"),
    ],
)
def test_what_cannot_be_reviewed_is_refused_before_it_is_queued(
    client: Client, body: object, status: int, words: str
) -> None:
    before = len(client.get("/api/review?limit=100").json["reviews"])
    answer = client.post("/api/review", body)
    assert (answer.status, answer.headers["Content-Type"]) == (status, "application/problem+json")
    assert words in answer.text
    assert len(client.get("/api/review?limit=100").json["reviews"]) == before
