"""Whoever keeps a server busy with what takes a process delays nobody of another tenant."""

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from affidavit.service.api.access import FairTurns
from repositories import Repo
from service_process import DIFF, ONLY_RUFF, Client, Service, make_token, operate, serving

CROWD, EACH = 6, 2


@pytest.fixture
def tenants(tmp_path: Path) -> Iterator[tuple[Service, Client, Client]]:
    """A tenant with a crowd, and one that wants something once."""
    tokens = [make_token(tmp_path, name, "submit", tenant=name) for name in ("busy", "quiet")]
    # Its child processes are found from outside.
    with serving(tmp_path, environment=ONLY_RUFF, is_started=True) as (client, service):
        yield service, Client(client.url, tokens[0]), Client(client.url, tokens[1])


def children_of(process: int) -> list[int]:
    tasks = Path(f"/proc/{process}/task").glob("*/children")
    return [int(one) for task in tasks for one in task.read_text().split()]


def is_stopped(process: int) -> bool:
    """Whether a process is there and held up."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "T"
    except (FileNotFoundError, ProcessLookupError):
        return False


def stop_children(service: Service) -> set[int]:
    """Hold up the processes of the crowd, as requests do that take long."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        found = {child for spawner in children_of(service.process.pid) for child in children_of(spawner)}
        for child in found:
            signal_to(child, signal.SIGSTOP)
        # One that has answered is killed, stopped or not.
        time.sleep(0.2)
        stopped = set(filter(is_stopped, found))
        if len(stopped) >= EACH:
            return stopped
    raise AssertionError("the crowd has no processes")


def signal_to(child: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(child, number)


def test_a_tenants_crowd_delays_no_process_of_another(
    tenants: tuple[Service, Client, Client], tmp_path: Path
) -> None:
    service, busy, quiet = tenants
    Repo(tmp_path / "known").commit("Begin", {"a.py": "x = 1\n"})
    assert (
        operate(tmp_path, "repository", "add", "known", str(tmp_path / "known"), "--tenant", "quiet").code
        == 0
    )
    theirs, mine = busy.submit(diff_text=DIFF), quiet.submit(diff_text=DIFF)
    for client, review_id in ((busy, theirs), (quiet, mine)):
        assert client.finished(review_id)["status"] == "completed"
    with ThreadPoolExecutor(CROWD) as pool:
        asked = [pool.submit(busy.post, f"/api/review/{theirs}/recheck") for _ in range(CROWD)]
        stopped = stop_children(service)
        waiting = [one for one in asked if not one.done()]
        try:
            began = time.monotonic()
            answers = {
                "file": quiet.get(f"/api/review/{mine}/file?path=app.py").status,
                "revisions": quiet.get("/api/repositories/known/revisions").status,
                "recheck": quiet.post(f"/api/review/{mine}/recheck").status,
            }
            lasted = time.monotonic() - began
            assert len(waiting) > EACH
            assert not any(one.done() for one in waiting)
        finally:
            for child in stopped:
                signal_to(child, signal.SIGCONT)
        assert {one.result().status for one in asked} == {200}
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
