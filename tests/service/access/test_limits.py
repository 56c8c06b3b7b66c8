"""What a server takes on: reviews, money, requests; each refusal says what to do, and hits nobody else."""

import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import select

from affidavit.events import now_iso
from affidavit.service.api.access import Pace
from affidavit.service.kept.access import Access
from affidavit.service.kept.progress import NewExchanges, ReviewProgress, Spent
from affidavit.service.kept.reviews import Reviews
from affidavit.service.metrics import render_metrics
from affidavit.service.problems import Refusal
from affidavit.store.open import open_store
from affidavit.store.tables import SPENDING
from posting_flow import ALL_BUT_RUFF
from service_process import DIFF, Answer, Asked, Client, make_token, operate, other_diff, serving, working

QUEUED, PACE = 8, 200


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("limits")


@pytest.fixture(scope="module")
def tenants(folder: Path) -> Iterator[dict[str, Client]]:
    """Clients of tenants of a server with narrow limits that does no reviews itself."""
    names = ("busy", "quiet", "rich", "hasty", "patient", "crowd")
    tokens = {name: make_token(folder, name, "submit", tenant=name) for name in names}
    limits = ("--queued-per-tenant", str(QUEUED), "--usd-per-day", "2", "--requests-per-minute", str(PACE))
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


def exchange(day: str, usd: float) -> NewExchanges:
    return NewExchanges([("key", "{}")], Spent("rich", day, usd, 100))


def test_money_is_limited_by_tenant_and_day(folder: Path, tenants: dict[str, Client]) -> None:
    first = tenants["rich"].submit(diff_text=other_diff("rich.txt"))
    with open_store(folder) as store:
        reviews, progress = Reviews(store.database), ReviewProgress(store.database)
        assert reviews.begin(first, "somebody", "2026-01-01")
        today = datetime.now(UTC).date().isoformat()
        for day in ("2020-01-01", today):
            assert progress.add(
                first, "somebody", [], NewExchanges([("key", "{}")], Spent("rich", day, 1.5, 100))
            )
        assert tenants["rich"].post("/api/review", {"diff_text": other_diff("2.txt")}).status == 202
        assert progress.add(
            first, "somebody", [], NewExchanges([("key", "{}")], Spent("rich", today, 0.5, 100))
        )
        refused = tenants["rich"].post("/api/review", {"diff_text": other_diff("3.txt")})
    known = tenants["rich"].post("/api/review", {"diff_text": other_diff("2.txt")})
    assert (known.status, known.json["is_new"]) == (200, False)
    assert tenants["rich"].post(f"/api/review/{known.json['review_id']}/cancel").status == 202
    assert tenants["rich"].post(f"/api/review/{known.json['review_id']}/retry").status == 402
    assert refused.status == 402
    assert "2.00 of 2.00 US dollars today" in refused.json["detail"]
    assert "tomorrow" in refused.json["advice"]
    assert tenants["patient"].post("/api/review", {"diff_text": other_diff("3.txt")}).status == 202


def test_questions_are_paid_from_the_days_money_and_refused_when_it_is_spent(asked: Asked) -> None:
    client = Client(asked.client.url, make_token(asked.folder, "me", "submit", tenant="curious"))
    review_id = client.submit(diff_text=DIFF)
    assert client.finished(review_id)["status"] == "completed"
    report = client.get(f"/api/review/{review_id}/report").json
    finding = next(one["id"] for one in report["candidates"] if one["finding"])
    place = f"/api/review/{review_id}/findings/{finding}/ask"
    counted = select(SPENDING.c.calls).where(SPENDING.c.tenant == "curious")
    with open_store(asked.folder) as store:
        Access(store.database).set_tenant("curious", now_iso(), {"usd_per_day": 2.0})
        with store.database.transaction() as connection:
            before = connection.execute(counted).scalar_one()
        assert client.post(place, {"question": "Why?"}).status == 200
        with store.database.transaction() as connection:
            assert connection.execute(counted).scalar_one() > before
        today = datetime.now(UTC).date().isoformat()
        ReviewProgress(store.database).spend(Spent("curious", today, 2.0, 0, 0))
    requests = len(asked.script.requests)
    assert client.post(place, {"question": "Why?"}).status == 402
    assert len(asked.script.requests) == requests


def test_the_operator_gives_a_tenant_limits_of_its_own(folder: Path, tenants: dict[str, Client]) -> None:
    own = ("tenant", "set", "own", "--queued-per-tenant", "1")
    assert operate(folder, *own, "--usd-per-day", "7.5").code == 0
    assert "own  7.5 US dollars a day, 1 reviews waiting" in operate(folder, "tenant", "list").out
    client = Client(tenants["nobody"].url, make_token(folder, "own", "submit", tenant="own"))
    assert client.post("/api/review", {"diff_text": other_diff("1.txt")}).status == 202
    assert client.post("/api/review", {"diff_text": other_diff("2.txt")}).status == 429
    assert operate(folder, "tenant", "set", "own").code == 2
    assert operate(folder, "tenant", "set", "own", "--usual").code == 0
    assert "own  as all" in operate(folder, "tenant", "list").out
    assert client.post("/api/review", {"diff_text": other_diff("2.txt")}).status == 202


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
    assert (refused.value.status, refused.value.headers) == (429, {"Retry-After": "1"})
