"""Limits on waiting reviews and requests; each refusal says what to do and affects no other tenant."""

import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

import pytest

from affidavit.service.api.access import Pace
from affidavit.service.kept.postgresql import open_store
from affidavit.service.kept.reviews import Reviews
from affidavit.service.metrics import render_metrics
from affidavit.service.problems import Refusal
from posting_flow import ALL_BUT_RUFF
from service_process import Answer, Client, make_token, other_diff, serving, working

QUEUED, PACE = 8, 200


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("limits")


@pytest.fixture(scope="module")
def tenants(folder: Path) -> Iterator[dict[str, Client]]:
    """Clients of tenants of a server with narrow limits that does no reviews itself."""
    names = ("busy", "quiet", "hasty", "patient", "crowd")
    tokens = {name: make_token(folder, name, "submit", tenant=name) for name in names}
    limits = ("--queued-per-tenant", str(QUEUED), "--requests-per-minute", str(PACE))
    with serving(folder, "--require-token", "--no-work", *limits) as (client, _):
        yield {"nobody": client, **{name: Client(client.url, token) for name, token in tokens.items()}}


def test_what_waits_is_limited_for_each_tenant_alone(tenants: dict[str, Client]) -> None:
    for number in range(QUEUED):
        tenants["busy"].submit(diff_text=other_diff(f"{number}.txt"))
    refused = tenants["busy"].post("/api/review", {"diff_text": other_diff("more.txt")})
    assert (refused.status, refused.headers["Retry-After"]) == (429, "60")
    assert "wait already" in refused.json["detail"]
    assert "some of them are done" in refused.json["advice"]
    # What is there already is no new review, and answers.
    first = tenants["busy"].post("/api/review", {"diff_text": other_diff("0.txt")})
    assert (first.status, first.json["is_new"]) == (200, False)
    # What ended waits anew when it is retried, so that it takes a place.
    assert tenants["busy"].post(f"/api/review/{first.json['review_id']}/cancel").status == 202
    tenants["busy"].submit(diff_text=other_diff("in-its-place.txt"))
    assert tenants["busy"].post(f"/api/review/{first.json['review_id']}/retry").status == 429
    assert tenants["quiet"].submit(diff_text=other_diff("first.txt"))


def test_as_many_wait_as_may_however_many_are_asked_for_at_once(tenants: dict[str, Client]) -> None:
    def ask(number: int) -> int:
        return tenants["crowd"].post("/api/review", {"diff_text": other_diff(f"{number}.txt")}).status

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(ask, range(20)))
    assert (answers.count(202), answers.count(429)) == (QUEUED, 20 - QUEUED)


def test_a_new_review_is_had_by_each_of_those_who_ask_for_one_at_once(tenants: dict[str, Client]) -> None:
    asked = {"diff_text": other_diff("again.txt"), "again": True}
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: tenants["patient"].post("/api/review", asked), range(4)))
    assert [one.status for one in answers] == [202] * 4
    assert len({one.json["review_id"] for one in answers}) == 4


def test_a_tenants_hundred_reviews_do_not_starve_anothers_first(
    folder: Path, tenants: dict[str, Client]
) -> None:
    for number in range(QUEUED):
        # As many as may wait, also where another test has them waiting already.
        tenants["busy"].post("/api/review", {"diff_text": other_diff(f"{number}.txt")})
    mine = tenants["quiet"].submit(diff_text=other_diff("first.txt"))
    one_at_a_time = ("--reviews-at-once", "1", "--reviews-at-once-per-tenant", "1")
    quick = {"AFFIDAVIT_ANALYSERS_OFF": ALL_BUT_RUFF}
    told = ("--metrics-port", "0")
    with working(folder, *one_at_a_time, *told, environment=quick) as worker, open_store(folder) as store:
        reviews = Reviews(store.database)
        until = time.monotonic() + 100
        while True:
            review = reviews.find(mine, "quiet")
            assert review is not None
            if review.is_finished:
                break
            assert time.monotonic() < until
            time.sleep(0.1)
        assert reviews.counts().get(("busy", "queued"), 0) > 0
        # The worker has no server, and tells of itself.
        address = worker.said(r"Metrics at (http://\S+)")
        with urllib.request.urlopen(address, timeout=30) as answer:
            assert b'affidavit_reviews_total{status="completed"' in answer.read()


def test_requests_are_limited_by_token_and_unknown_tokens_by_address(tenants: dict[str, Client]) -> None:
    last = _until_refused(lambda _: tenants["hasty"])
    assert last.status == 429
    assert 1 <= int(last.headers["Retry-After"]) <= 60
    assert tenants["patient"].get("/api/me").status == 200
    # A new token each time is no new caller.
    assert _until_refused(lambda _: Client(tenants["nobody"].url, uuid4().hex)).status == 429
    assert tenants["patient"].get("/api/me").status == 200


def _until_refused(client: Callable[[int], Client]) -> Answer:
    for number in range(2 * PACE):
        answer = client(number).get("/api/me")
        if answer.status == 429:
            return answer
    return answer


def test_what_is_open_is_told_as_none_where_nothing_is() -> None:
    text, _ = render_metrics({("busy", "queued"): 2}, ["default", "busy"])
    told = {line for line in text.decode().splitlines() if line.startswith("affidavit_reviews_open{")}
    assert told == {
        'affidavit_reviews_open{status="queued",tenant="default"} 0.0',
        'affidavit_reviews_open{status="running",tenant="default"} 0.0',
        'affidavit_reviews_open{status="queued",tenant="busy"} 2.0',
        'affidavit_reviews_open{status="running",tenant="busy"} 0.0',
    }


def test_a_bucket_fills_evenly_and_whoever_is_unknown_longest_is_forgotten() -> None:
    now = [0.0]
    pace = Pace(60, lambda: now[0])
    for _ in range(60):
        pace.take("one")
    with pytest.raises(Refusal, match="more than 60 requests a minute"):
        pace.take("one")
    pace.take("two")
    now[0] = 2.0
    pace.take("one")
    pace.take("one")
    with pytest.raises(Refusal) as refused:
        pace.take("one")
    assert (refused.value.status_code, refused.value.headers) == (429, {"Retry-After": "1"})
