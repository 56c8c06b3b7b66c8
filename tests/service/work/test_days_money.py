"""The day's money of a tenant: all its reviews pay from it, however many wait or run, and it is a limit."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from affidavit.config.settings import Settings
from affidavit.events import now_iso
from affidavit.reviewing.models import ledger_of
from affidavit.service.kept.access import Access
from affidavit.service.kept.progress import ReviewProgress
from affidavit.store.open import open_store
from model_server import Script, stating
from model_server import serving as model_serving
from posting_flow import ALL_BUT_RUFF
from scripted_model import model
from service_process import Client, make_token, other_diff, serving

A_CALL_USD = 1.0
USAGE = {"prompt_tokens": 1_000_000, "completion_tokens": 0, "total_tokens": 1_000_000}
REVIEWS, AT_ONCE, MOST_USD = 6, 2, 8.0
CALLS_OF_A_REVIEW_AT_ONCE = 6


class Place:
    """A server whose model costs a dollar a call, and what a tenant asks of it."""

    def __init__(self, client: Client, script: Script, folder: Path) -> None:
        self.client, self.script, self.folder = client, script, folder

    def allow(self, usd: float) -> None:
        with open_store(self.folder) as store:
            Access(store.database).set_tenant("te", now_iso(), {"usd_per_day": usd})

    def spent(self) -> float:
        with open_store(self.folder) as store:
            return ReviewProgress(store.database).spent_usd("te", datetime.now(UTC).date().isoformat())


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("money")
    token = make_token(folder, "te", "submit", tenant="te")
    with (
        model_serving(stating(USAGE, model())) as (address, script),
        serving(
            folder,
            *("--require-token", "--reviews-at-once", str(AT_ONCE), "--base-url", address),
            *("--model", "openai:scripted", "--prices-usd-per-million", "scripted=1/1/1"),
            token=token,
            environment={"AFFIDAVIT_ANALYSERS_OFF": ALL_BUT_RUFF},
        ) as (client, _),
    ):
        yield Place(client, script, folder)


@dataclass(frozen=True)
class Ended:
    """What reviews came to that were asked for at the same moment, and what they had cost then."""

    reviews: list[dict[str, Any]]
    spent_usd: float
    calls: int


@pytest.fixture(scope="module")
def ended(place: Place) -> Ended:
    """Six reviews, with money for one of them."""
    place.allow(MOST_USD)
    with ThreadPoolExecutor(REVIEWS) as pool:
        ids = list(
            pool.map(
                lambda number: place.client.submit(diff_text=other_diff(f"{number}.txt")), range(REVIEWS)
            )
        )
    reviews = [place.client.finished(one) for one in ids]
    return Ended(reviews, place.spent(), len(place.script.requests))


def test_reviews_that_were_asked_for_at_once_spend_the_days_money_once(ended: Ended) -> None:
    assert len(ended.reviews) == REVIEWS
    in_flight = AT_ONCE * CALLS_OF_A_REVIEW_AT_ONCE * A_CALL_USD
    assert MOST_USD <= ended.spent_usd <= MOST_USD + in_flight
    assert ended.calls * A_CALL_USD == pytest.approx(ended.spent_usd, abs=0.1)


def test_a_review_that_finds_no_money_left_fails_with_what_to_do_and_is_retried_when_there_is_some(
    place: Place, ended: Ended
) -> None:
    failed = [one for one in ended.reviews if one["status"] == "failed"]
    assert failed
    for one in failed:
        assert one["stage"] == "open"
        assert "of 8.00 US dollars today; retry it tomorrow (UTC)" in one["reason"]
    retry = f"/api/review/{failed[0]['review_id']}/retry"
    assert place.client.post(retry).status == 402
    place.allow(1000.0)
    assert place.client.post(retry).status == 202
    assert place.client.finished(failed[0]["review_id"])["status"] == "completed"


def test_a_review_that_runs_when_the_money_is_spent_says_that_it_is_incomplete(
    place: Place, ended: Ended
) -> None:
    # Begun with money for its first call, and no more: whoever asks next finds none.
    place.allow(place.spent() + A_CALL_USD / 2)
    review_id = place.client.submit(diff_text=other_diff("alone.txt"))
    assert place.client.finished(review_id)["status"] == "completed"
    report = place.client.get(f"/api/review/{review_id}/report").json
    assert report["incomplete"]
    assert report["verdict"] != "approve"


@pytest.mark.parametrize(
    ("own", "left", "usd"),
    [(None, None, None), (2.0, None, 2.0), (None, 0.5, 0.5), (2.0, 0.5, 0.5), (0.1, 0.5, 0.1)],
)
def test_a_review_gets_at_most_what_is_left(own: float | None, left: float | None, usd: float | None) -> None:
    assert ledger_of(Settings(budget_usd=own), left).budget.usd == usd
