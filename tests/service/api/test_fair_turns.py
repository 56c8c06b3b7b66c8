"""Whoever keeps a server busy with what takes a process delays nobody of another tenant."""

import asyncio
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from affidavit.service.api.access import FairTurns
from model_server import Exchange
from model_server import serving as model_serving
from repositories import Repo
from scripted_model import model
from service_process import DIFF, ONLY_RUFF, Client, make_token, operate, serving

CROWD = 6
QUESTION = "A question whose answer takes long"


class SlowToAnswer:
    """The scripted model, which waits with the answers to questions until it is told to go on."""

    def __init__(self) -> None:
        self._act = model(answer={"answer": "It starts at 1."})
        self.go_on = threading.Event()

    def __call__(self, exchange: Exchange) -> None:
        if QUESTION in str(exchange.body.get("messages")):
            self.go_on.wait(120)
        self._act(exchange)


@pytest.fixture
def tenants(tmp_path: Path) -> Iterator[tuple[SlowToAnswer, Client, Client]]:
    """A tenant with a crowd, and one that wants something once."""
    tokens = [make_token(tmp_path, name, "submit", tenant=name) for name in ("busy", "quiet")]
    slow = SlowToAnswer()
    with (
        model_serving(slow) as (address, _),
        serving(
            *(tmp_path, "--model", "openai:scripted", "--base-url", address),
            environment=ONLY_RUFF,
        ) as (client, _),
    ):
        yield slow, Client(client.url, tokens[0]), Client(client.url, tokens[1])


def test_a_tenants_crowd_of_questions_delays_no_process_of_another(
    tenants: tuple[SlowToAnswer, Client, Client], tmp_path: Path
) -> None:
    slow, busy, quiet = tenants
    Repo(tmp_path / "known").commit("Begin", {"a.py": "x = 1\n"})
    assert (
        operate(tmp_path, "repository", "add", "known", str(tmp_path / "known"), "--tenant", "quiet").code
        == 0
    )
    theirs, mine = busy.submit(diff_text=DIFF), quiet.submit(diff_text=DIFF)
    for client, review_id in ((busy, theirs), (quiet, mine)):
        assert client.finished(review_id)["status"] == "completed"
    report = busy.get(f"/api/review/{theirs}/report").json
    finding = next(one["id"] for one in report["candidates"] if one["finding"])
    place = f"/api/review/{theirs}/findings/{finding}/ask"
    try:
        with ThreadPoolExecutor(CROWD) as pool:
            asked = [pool.submit(busy.post, place, {"question": QUESTION}) for _ in range(CROWD)]
            time.sleep(2)
            began = time.monotonic()
            answers = {
                "file": quiet.get(f"/api/review/{mine}/file?path=app.py").status,
                "revisions": quiet.get("/api/repositories/known/revisions").status,
                "recheck": quiet.post(f"/api/review/{mine}/recheck").status,
            }
            lasted = time.monotonic() - began
            assert not any(one.done() for one in asked)
            slow.go_on.set()
            assert {one.result().status for one in asked} == {200}
    finally:
        slow.go_on.set()
    assert answers == {"file": 200, "revisions": 200, "recheck": 200}
    assert lasted < 60


def test_turns_go_round_between_callers_and_a_caller_who_gives_up_keeps_no_place() -> None:
    order: list[str] = []

    async def take(turns: FairTurns, caller: str) -> None:
        async with turns.of(caller):
            order.append(caller)
            await asyncio.sleep(0.01)

    async def run() -> None:
        turns = FairTurns(1, each=1)
        crowd = [asyncio.create_task(take(turns, "busy")) for _ in range(4)]
        await asyncio.sleep(0)
        crowd[3].cancel()
        await asyncio.gather(*crowd, take(turns, "quiet"), return_exceptions=True)
        await take(turns, "last")

    asyncio.run(run())
    assert order == ["busy", "quiet", "busy", "busy", "last"]
