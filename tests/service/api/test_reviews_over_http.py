"""A server process with a scripted model: what a user does with it from the first request to the last."""

from random import Random
from string import ascii_letters, digits

import pytest

from service_process import DIFF, Asked, Client, other_diff

ADDED = """diff --git a/added.py b/added.py
new file mode 100644
--- /dev/null
+++ b/added.py
@@ -0,0 +1,1 @@
+TOKEN = "{token}"
"""
ODD_IDS = ("-1", "x", "1e3", " ", "99999", "9" * 39, "9" * 5_000, "\u0665", "1.5", "13.0", "1_3", "+2")


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


@pytest.mark.parametrize("odd", ODD_IDS)
def test_an_id_that_the_review_never_gave_begins_the_story_anew(client: Client, done: str, odd: str) -> None:
    whole = [event.number for event in client.stream(done)]
    sent = odd.encode().decode("latin-1")
    assert [event.number for event in client.stream(done, last=sent)] == whole


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


def test_a_review_is_asked_for_again_by_its_id_and_then_is_the_answer(client: Client) -> None:
    body = {"diff_text": other_diff("again.txt"), "title": "Once", "options": {"include_style": False}}
    first = client.submit(**body)
    assert client.finished(first)["status"] == "completed"
    second = client.post(f"/api/review/{first}/again")
    assert (second.status, second.json["is_new"]) == (202, True)
    fresh = second.json["review_id"]
    assert second.headers["Location"] == f"/api/review/{fresh}"
    assert fresh != first
    done = client.finished(fresh)
    assert (done["status"], done["title"]) == ("completed", "Once")
    # Asked with the same options, the new one answers whoever asks from now on.
    assert client.post("/api/review", body).json["review_id"] == fresh
    assert client.get(f"/api/review/{first}").status == 200


def test_an_estimate_asks_no_model(asked: Asked) -> None:
    client, script = asked.client, asked.script
    before = len(script.requests)
    answer = client.post("/api/estimate", {"diff_text": other_diff("estimate.txt")})
    assert answer.status == 200
    assert {"planner", "specialist", "verifier"} <= {role["role"] for role in answer.json["roles"]}
    assert len(script.requests) == before


def test_a_token_of_the_diff_is_in_the_kept_report_alone(client: Client) -> None:
    token = "ghp" + "_" + "".join(Random(5).choices(ascii_letters + digits, k=36))
    review_id = client.submit(diff_text=other_diff("token.txt") + ADDED.format(token=token), title=token)
    assert client.finished(review_id)["status"] == "completed"
    for path in ("/report", "/report/html", "/report/markdown", "/report/terminal"):
        answer = client.get(f"/api/review/{review_id}{path}")
        assert (answer.status, token in answer.text) == (200, False), path
    kept = client.get(f"/api/review/{review_id}/report/report?download=true")
    assert token in kept.text
    assert "not redacted" in kept.json["notice"]
    assert client.post(f"/api/review/{review_id}/recheck").json["holds"] is True


def test_a_report_is_proven_again(client: Client, done: str) -> None:
    answer = client.post(f"/api/review/{done}/recheck")
    assert answer.status == 200
    assert answer.json["holds"] is True, answer.text


def test_one_finding_is_proven_again_by_itself(client: Client, done: str) -> None:
    report = client.get(f"/api/review/{done}/report").json
    finding = next(one["id"] for one in report["candidates"] if one["finding"] and not one["withheld"])
    answer = client.post(f"/api/review/{done}/findings/{finding}/recheck")
    assert answer.json["holds"] is True, answer.text
    # The change that it speaks of, and its own quote; no verdict, and nothing of the other findings.
    assert [(one["kind"], one["finding"]) for one in answer.json["proofs"]] == [
        ("change", ""),
        ("quote", finding),
    ]


@pytest.mark.parametrize(
    ("title", "shown"), [("", "app.py and 1 more file"), ("What I typed", "What I typed")]
)
def test_a_pasted_diff_is_called_by_its_files_where_nobody_named_it(
    client: Client, title: str, shown: str
) -> None:
    review_id = client.submit(diff_text=other_diff("named.txt"), title=title)
    assert client.get(f"/api/review/{review_id}/summary").json["title"] == shown
    client.post(f"/api/review/{review_id}/cancel")


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
        ({}, 422, "body: there is nothing to review"),
        ({"diff_text": DIFF, "github_url": "https://github.com/a/b/pull/1"}, 422, "exclude each other"),
        ({"diff_text": ""}, 422, "nothing to review"),
        ({"diff_text": "hello"}, 422, "diff"),
        ({"diff_text": DIFF, "options": {"severity_threshold": "huge"}}, 422, "huge"),
        ({"diff_text": DIFF, "colour": "red"}, 422, "colour"),
        ({"repository": "unknown", "base": "a", "head": "b"}, 422, "no repository"),
        ({"repository": "unknown"}, 422, "go together"),
        ({"diff_text": "\ud800"}, 422, "half a character"),
        ({"diff_text": DIFF, "options": {"focus_areas": ["\udfff"]}}, 422, "half a character"),
        ({"diff_text": DIFF, "\ud800": 1}, 422, "half a character"),
        ({"github_url": "https://[::1/a"}, 422, "not a valid address"),
        ({"gitlab_url": "https://[foo]/a"}, 422, "not a valid address"),
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
    assert client.post("/api/estimate", body).status == status
    assert len(client.get("/api/review?limit=100").json["reviews"]) == before
