"""Reviews that a forge's deliveries ask for, and that are posted there: once, by a process of its own."""

import json
import re
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest

from delivering import Content, Delivering, delivering, posted, tokens_of, variables
from forge_http import Asked as Request
from forge_http import Fault, RefusedError
from github_server import GitHubServer
from service_process import Client, serving, working

MARK = re.compile(r"<!-- affidavit[^>]*-->")
FORGES = ("github", "gitlab")


@dataclass(frozen=True)
class Posting:
    """A server that posts, and the review that a delivery of one of its forges began."""

    client: Client
    forge: Delivering
    review_id: str
    log: Path


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Posting]]:
    """One server that both forges tell, each of the request that was opened there."""
    folder = tmp_path_factory.mktemp("posting")
    with (
        delivering(folder / "forges") as forges,
        serving(folder / "data", "--post-for", "default", environment=variables(forges)) as (client, service),
    ):
        told = {}
        for name, forge in forges.items():
            answer = forge.deliver(client, forge.told("opened"), "first")
            assert (answer.status, answer.json["state"]) == (202, "queued"), answer.text
            told[name] = Posting(client, forge, answer.json["review_id"], service.log)
        yield told


@pytest.fixture(params=FORGES)
def posting(begun: dict[str, Posting], request: pytest.FixtureRequest) -> Posting:
    return begun[request.param]


def test_what_a_delivery_began_is_reviewed_and_posted(posting: Posting) -> None:
    assert posting.client.finished(posting.review_id)["status"] == "completed"
    assert posted(posting.client, posting.review_id)["state"] == "posted"
    assert any("price_in" in body for body in posting.forge.written)


def test_only_the_process_that_posts_has_the_token_that_writes(posting: Posting) -> None:
    posted(posting.client, posting.review_id)
    server = posting.forge.server
    assert tokens_of(server, writing=True) == {"ghs_app"}
    begin = next(index for index, one in enumerate(server.asked) if one.token == "ghs_app")
    assert {one.token for one in server.asked[:begin]} == {"read"}
    assert {*server.git_tokens} == {"read"}


def test_a_delivery_that_comes_again_starts_nothing(posting: Posting) -> None:
    client, forge = posting.client, posting.forge
    posted(client, posting.review_id)
    before, known = forge.written, reviews_of(posting)
    assert forge.deliver(client, forge.told("opened"), "first").json["state"] == "delivered before"
    assert forge.written == before
    again = forge.deliver(client, forge.told("reopened"), "second").json
    assert again["review_id"] in known
    assert reviews_of(posting) == known


def reviews_of(posting: Posting) -> set[str]:
    """The reviews of the request that the service knows."""
    listed = posting.client.get(f"/api/review?repository={posting.forge.server.address.repository}").json
    return {one["review_id"] for one in listed["reviews"]}


def test_posting_again_repeats_nothing(posting: Posting) -> None:
    client, review_id = posting.client, posting.review_id
    number = posted(client, review_id)["number"]
    before = posting.forge.written
    asked = client.post(f"/api/review/{review_id}/post")
    assert (asked.status, asked.json["state"]) == (202, "waiting")
    assert posted(client, review_id, number + 1)["state"] == "posted"
    assert posting.forge.written == before


def test_what_people_call_wrong_on_the_forge_is_a_label(posting: Posting) -> None:
    client, review_id = posting.client, posting.review_id
    number = posted(client, review_id)["number"]
    posting.forge.dislike()
    client.post(f"/api/review/{review_id}/post")
    posted(client, review_id, number + 1)
    (label,) = client.get(f"/api/review/{review_id}/labels").json["labels"]
    assert (label["label"], label["by"]) == ("wrong", f"mel on {posting.forge.server.host.name}")


def test_a_dismissal_lifts_the_gate_at_once_where_it_is_by_somebody_who_may(posting: Posting) -> None:
    client, forge, review_id = posting.client, posting.forge, posting.review_id
    posted(client, review_id)
    report = client.get(f"/api/review/{review_id}/report").json
    found = next(one for one in report["candidates"] if "price_in" in one["finding"]["message"])
    command = f"/affidavit dismiss {found['fingerprint']} callers are changed in another request"
    number = posted(client, review_id)["number"]
    # The author's word lifts nothing: it is listed, by whoever posts.
    event, content = forge.commented("ada", command)
    listed = forge.deliver(client, content, "by its author", event=event).json
    assert (listed["state"], listed["review_id"]) == ("answered", review_id)
    assert posted(client, review_id, number + 1)["state"] == "posted"
    event, content = forge.commented("mel", command)
    lifted = forge.deliver(client, content, "by a maintainer", event=event).json
    assert (lifted["state"], lifted["review_id"] != review_id) == ("queued", True)
    client.finished(lifted["review_id"])
    report = client.get(f"/api/review/{lifted['review_id']}/report").json
    withheld = [one["withheld"] for one in report["candidates"] if one["withheld"]]
    assert "dismissed" in {one["code"] for one in withheld}
    assert posted(client, lifted["review_id"])["state"] == "posted"


def test_a_question_on_the_forge_is_answered_without_a_new_review(posting: Posting) -> None:
    client, forge = posting.client, posting.forge
    posted(client, posting.review_id)
    known = reviews_of(posting)
    event, content = forge.commented("mel", "/affidavit explain please")
    answered = forge.deliver(client, content, "a question", event=event).json
    assert answered["state"] == "answered"
    assert posted(client, answered["review_id"])["state"] == "posted"
    assert reviews_of(posting) == known


def test_a_forge_that_refuses_is_asked_again(begun: dict[str, Posting]) -> None:
    client, forge, review_id = begun["github"].client, begun["github"].forge, begun["github"].review_id
    number = posted(client, review_id)["number"]
    broken = RefusedError(502, "not now")
    forge.server.faults.append(Fault(lambda one: forge.is_standing(one.path), broken, times=4))
    client.post(f"/api/review/{review_id}/post")
    waiting = why_it_waits(client, review_id)
    done = posted(client, review_id, number + 1)
    assert done["state"] == "posted"
    assert "not now" in waiting
    assert done["reason"] is None


def why_it_waits(client: Client, review_id: str) -> str:
    """What is said between two tries."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        found = client.get(f"/api/review/{review_id}/post").json
        if found["state"] != "waiting" or found["reason"]:
            return str(found["reason"])
        time.sleep(0.05)
    raise AssertionError(f"nothing is said: {found}")


def test_an_answer_of_a_shape_that_no_forge_gives_is_said_in_one_line(begun: dict[str, Posting]) -> None:
    client, forge, review_id = begun["gitlab"].client, begun["gitlab"].forge, begun["gitlab"].review_id
    number = posted(client, review_id)["number"]
    with forge.server.failing(Fault(lambda one: one.path.endswith("/approvals"), answer=[{}])):
        client.post(f"/api/review/{review_id}/post")
        failed = posted(client, review_id, number + 1)
    assert failed["state"] == "failed"
    assert re.search(r"GitLab at \S+ did not answer GET /\S+/approvals with an object", failed["reason"])
    for line in begun["gitlab"].log.read_text().splitlines():
        assert "Traceback" not in json.loads(line).get("exception", ""), line


def test_what_a_forge_refuses_for_good_is_said(posting: Posting) -> None:
    client, review_id = posting.client, posting.review_id
    number = posted(client, review_id)["number"]
    with posting.forge.locked():
        client.post(f"/api/review/{review_id}/post")
        failed = posted(client, review_id, number + 1)
    assert failed["state"] == "failed"
    assert "is locked" in failed["reason"]


def test_a_killed_worker_posts_nothing_twice(tmp_path: Path) -> None:
    reached, go_on = threading.Event(), threading.Event()

    def holds(one: Request) -> bool:
        if one.method == "POST" and "graphql" not in one.path and not reached.is_set():
            reached.set()
            go_on.wait(60)
        return False

    with delivering(tmp_path / "forges") as forges:
        github = forges["github"]
        github.server.faults.append(Fault(holds))
        how = {"environment": variables(forges)}
        options = ("--post-for", "default", "--dead-after-seconds", "60")
        data = tmp_path / "data"
        with (
            serving(data, "--no-work", *options, **how) as (client, _),
            working(data, *options, **how) as first,
        ):
            review_id = github.deliver(client, github.told("opened"), "one").json["review_id"]
            assert reached.wait(90)
            first.kill()
            go_on.set()
            with working(data, *options, **how):
                assert posted(client, review_id)["state"] == "posted"
        server = github.server
        assert isinstance(server, GitHubServer)
        assert len([one for one in server.comments if MARK.search(one["body"])]) == 1
        places = [(one["path"], one["line"]) for one in server.inline]
        assert len(places) == len(set(places))
        assert places


@pytest.fixture(scope="module")
def idle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Client, dict[str, Delivering]]]:
    """A server that both forges tell, and that does no reviews: what is queued there stays queued."""
    folder = tmp_path_factory.mktemp("idle")
    with (
        delivering(folder / "forges") as forges,
        serving(folder / "data", "--no-work", environment=variables(forges)) as (client, _),
    ):
        yield client, forges


@pytest.mark.parametrize("name", FORGES)
def test_a_push_ends_the_review_of_what_was_there_before(
    idle: tuple[Client, dict[str, Delivering]], name: str
) -> None:
    client, forge = idle[0], idle[1][name]
    first_head = forge.server.head
    first = forge.deliver(client, forge.told("opened"), "1").json["review_id"]
    assert client.get(f"/api/review/{first}/post").status == 404
    refused = client.post(f"/api/review/{first}/post")
    assert (refused.status, "--post-for" in refused.text) == (403, True)
    head = forge.push()
    draft = forge.deliver(client, forge.told("pushed", is_draft=True), "2")
    assert draft.json["state"] == "nothing to do"
    pushed = forge.deliver(client, forge.told("pushed"), "3").json
    assert pushed["cancelled"] == [first]
    assert client.get(f"/api/review/{first}/summary").json["status"] == "cancelled"
    assert client.get(f"/api/review/{pushed['review_id']}/summary").json["head"] == head
    # Deliveries overtake each other: one of before the push ends nothing, and starts nothing.
    late = forge.deliver(client, forge.told("pushed", head=first_head), "late").json
    assert (late["review_id"], late["cancelled"]) == (pushed["review_id"], [])


@pytest.mark.parametrize("name", FORGES)
def test_only_what_matters_starts_or_ends_a_review(
    idle: tuple[Client, dict[str, Delivering]], name: str
) -> None:
    client, forge = idle[0], idle[1][name]
    for number, content in enumerate(forge.without_matter):
        assert forge.deliver(client, content, f"{number}").json["state"] == "nothing to do", content
    other = forge.deliver(client, forge.told("opened"), "other", event="Push Hook")
    assert other.json["state"] == "nothing to do"
    draft = forge.deliver(client, forge.told("opened", is_draft=True), "draft")
    assert draft.json["state"] == "nothing to do"
    review_id = forge.deliver(client, forge.told("readied"), "readied").json["review_id"]
    forge.stand(is_draft=True)
    drafted = forge.deliver(client, forge.told("drafted", is_draft=True), "drafted").json
    assert (drafted["state"], drafted["cancelled"]) == ("cancelled", [review_id])
    forge.stand()
    again = forge.deliver(client, forge.told("readied"), "readied again").json
    forge.stand(is_open=False)
    closed = forge.deliver(client, forge.told("closed"), "closed").json
    assert (closed["state"], closed["cancelled"]) == ("cancelled", [again["review_id"]])
    forge.stand()


@pytest.mark.parametrize("name", FORGES)
def test_deliveries_that_come_late_neither_end_nor_begin_what_the_request_no_longer_asks_for(
    idle: tuple[Client, dict[str, Delivering]], name: str
) -> None:
    client, forge = idle[0], idle[1][name]
    review_id = forge.deliver(client, forge.told("reopened"), "reopened").json["review_id"]
    for told in ("closed", "drafted"):
        late = forge.deliver(client, forge.told(told, is_draft=told == "drafted"), f"late {told}").json
        assert (late["state"], late["cancelled"]) == ("nothing to do", [])
    assert client.get(f"/api/review/{review_id}/summary").json["status"] == "queued"
    forge.stand(is_open=False)
    assert forge.deliver(client, forge.told("closed"), "closed at last").json["cancelled"] == [review_id]
    assert forge.deliver(client, forge.told("pushed"), "late push").json["state"] == "nothing to do"
    forge.stand()


@pytest.mark.parametrize("name", FORGES)
def test_a_push_that_the_forge_itself_does_not_show_yet_is_reviewed(
    idle: tuple[Client, dict[str, Delivering]], name: str
) -> None:
    client, forge = idle[0], idle[1][name]
    old = forge.server.head
    first = forge.deliver(client, forge.told("reopened"), "before a push").json["review_id"]
    pushed = forge.deliver(client, forge.told("pushed", head="f" * 40, before=old), "early").json
    assert pushed["cancelled"] == [first]
    assert client.get(f"/api/review/{pushed['review_id']}/summary").json["head"] == "f" * 40


@pytest.mark.parametrize("name", FORGES)
def test_what_a_forge_that_cannot_be_asked_says_of_an_end_is_believed(
    idle: tuple[Client, dict[str, Delivering]], name: str
) -> None:
    client, forge = idle[0], idle[1][name]
    review_id = forge.deliver(client, forge.told("reopened"), "before the outage").json["review_id"]
    gone = RefusedError(404, "Not Found")
    forge.server.faults.append(Fault(lambda one: one.path.endswith(("/pulls/7", "/merge_requests/7")), gone))
    assert forge.deliver(client, forge.told("closed"), "in the outage").json["cancelled"] == [review_id]


@pytest.mark.parametrize("name", FORGES)
def test_a_delivery_that_failed_here_may_come_again_and_a_forged_one_is_not_read(
    idle: tuple[Client, dict[str, Delivering]], name: str
) -> None:
    client, forge = idle[0], idle[1][name]
    forged = forge.deliver(client, forge.told("reopened"), "forged", secret="another")
    assert (forged.status, "not that of this webhook" in forged.text) == (401, True)
    gone = RefusedError(404, "Not Found")
    forge.server.faults.append(Fault(lambda one: one.path.endswith(("/pulls/7", "/merge_requests/7")), gone))
    assert forge.deliver(client, forge.told("reopened"), "5").status == 502
    # What failed here is delivered again by people or by the forge, and is not lost then.
    assert forge.deliver(client, forge.told("reopened"), "5").json["state"] == "queued"
    refused = forge.deliver(client, {"anything": 1}, "forged", secret="")
    assert refused.status == 401


@pytest.mark.parametrize("name", FORGES)
def test_a_dismissal_that_is_delivered_at_once_and_replayed_under_other_names_starts_one_review(
    idle: tuple[Client, dict[str, Delivering]], name: str
) -> None:
    client, forge = idle[0], idle[1][name]
    first = forge.deliver(client, forge.told("reopened"), "before a dismissal").json["review_id"]
    known = {one["review_id"] for one in client.get("/api/review?limit=100").json["reviews"]}
    event, content = forge.commented("mel", f"/affidavit dismiss {'a' * 16} not a problem here")

    def deliver(number: int) -> Content:
        done = forge.deliver(client, content, "dismissed", event=event, named=f"name {number}")
        assert done.status == 202, done.text
        return cast("Content", done.json)

    with ThreadPoolExecutor(5) as pool:
        at_once = list(pool.map(deliver, range(5)))
    replayed = [deliver(number) for number in range(5, 10)]
    new = {one["review_id"] for one in client.get("/api/review?limit=100").json["reviews"]} - known
    (review_id,) = new
    assert {one["review_id"] for one in at_once if one["state"] == "queued"} == new
    assert {one["state"] for one in replayed} == {"delivered before"}
    assert client.get(f"/api/review/{review_id}/summary").json["status"] == "queued"
    assert client.get(f"/api/review/{first}/summary").json["status"] == "cancelled"
