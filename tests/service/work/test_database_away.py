"""A database that is away: who starts waits for it, who asks hears no more than that, logs stay JSON."""

import http.client
import json
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import TimeoutExpired

import pytest

from affidavit.events import now_iso
from affidavit.service.kept.postgresql import open_store
from affidavit.service.kept.records import WantedReview
from affidavit.service.kept.reviews import Reviews, Wanted
from affidavit.service.problems import AWAY
from commands import affidavit
from cuttable import Cable, cable_to
from postgres_server import USER
from service_process import DIFF, Answer, Client, Service, wait_until_up

REVIEW = "00000000-0000-4000-8000-000000000001"
HEALTH = "/api/health"
PATHS = ("/api/ready", "/api/review", "/api/me", f"/api/review/{REVIEW}/stream")
SERVE = ["serve", "--port", "0", "--no-work"]
WAITED = r"(waiting for the store)"


@dataclass
class Outage:
    """A server and a worker that were started while the database was away, and saw it go once more."""

    url: str
    purged: str
    ended: list[int]
    is_back: bool = False
    logs: list[Path] = field(default_factory=list)
    before: dict[str, Answer] = field(default_factory=dict)
    """What the server answered before it had ever reached its database."""
    refused: dict[str, Answer] = field(default_factory=dict)
    streamed: list[str] = field(default_factory=list)
    are_streams_open: list[bool] = field(default_factory=list)

    def lines(self) -> list[str]:
        return [line for log in self.logs for line in log.read_text().splitlines() if line.strip()]


def started(stack: ExitStack, folder: Path, near: str, *arguments: str) -> Service:
    service = Service(
        *arguments, "--data", str(folder), "--database", near, log=folder / f"{time.monotonic_ns()}.log"
    )
    stack.callback(service.close)
    return service


def _listen(client: Client, heard: list[str]) -> None:
    try:
        heard.extend(event.name for event in client.stream(REVIEW))
    except (OSError, http.client.HTTPException) as error:
        heard.append(repr(error))


@pytest.fixture(scope="module")
def outage(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Outage]:
    pytest.importorskip("psycopg")
    url = request.getfixturevalue("postgres").new_store()
    folder = tmp_path_factory.mktemp("away")
    with ExitStack() as stack:
        cable, near = stack.enter_context(cable_to(url))
        cable.cut()
        leaving, staying = (
            [started(stack, folder, near, *command) for command in (["worker"], SERVE)] for _ in range(2)
        )
        purged = affidavit("purge", "--older-than", "1d", "--database", near, cwd=folder, data=folder)
        for service in (*leaving, *staying):
            service.said(WAITED)
        outage = Outage(url, f"{purged.code}: {purged.err}", [_end(one) for one in leaving])
        outage.logs = [one.log for one in (*leaving, *staying)]
        waiting = Client(staying[-1].said(r'"address": "(http://[^"]+)"'))
        outage.before = {path: waiting.get(path) for path in (HEALTH, *PATHS, "/", "/openapi.json")}
        cable.mend()
        _go_on(outage, cable, *staying)
        yield outage


def _end(service: Service) -> int:
    try:
        return service.end(20)
    except TimeoutExpired:
        return -1


def _go_on(outage: Outage, cable: Cable, worker: Service, server: Service) -> None:
    worker.said(r"works as (\S+)")
    client = Client(server.said(r"listens at (http://\S+)"))
    wait_until_up(client)
    outage.is_back = True
    with open_store(outage.url) as store:
        request = WantedReview(source="diff", diff_text=DIFF)
        Reviews(store.database).add(Wanted(REVIEW, "default", now_iso(), "me", "key", request), again=False)
    listening = [
        threading.Thread(target=_listen, args=(client, outage.streamed), daemon=True) for _ in range(3)
    ]
    for one in listening:
        one.start()
    time.sleep(1.0)
    cable.cut()
    outage.refused = {path: client.get(path) for path in PATHS}
    time.sleep(1.0)
    outage.are_streams_open = [one.is_alive() for one in listening]
    cable.mend()
    wait_until_up(client)


def test_server_and_worker_that_start_without_their_database_wait_for_it(outage: Outage) -> None:
    assert outage.is_back


def test_a_server_that_waits_for_its_database_says_that_it_lives(outage: Outage) -> None:
    assert (outage.before[HEALTH].status, outage.before[HEALTH].json["status"]) == (200, "ok")


def test_a_server_that_waits_for_its_database_is_not_ready_and_says_why(outage: Outage) -> None:
    answer = outage.before["/api/ready"]
    assert (answer.status, answer.json["status"]) == (503, "degraded")
    assert "waits for its database" in answer.json["detail"]
    assert int(answer.headers["Retry-After"]) > 0


@pytest.mark.parametrize("path", [*PATHS[1:], "/", "/openapi.json"])
def test_a_server_that_waits_for_its_database_lets_nobody_in(outage: Outage, path: str) -> None:
    answer = outage.before[path]
    assert (answer.status, answer.headers["Content-Type"]) == (503, "application/problem+json")
    assert "waits for its database" in answer.json["detail"]
    assert int(answer.headers["Retry-After"]) > 0


def test_who_waits_for_its_database_at_the_start_ends_when_it_is_asked_to(outage: Outage) -> None:
    assert outage.ended == [0, 0]


def test_a_command_says_in_our_words_that_the_database_is_away(outage: Outage) -> None:
    assert outage.purged.startswith("2: ")
    assert "cannot be used" in outage.purged
    assert "bug" not in outage.purged


@pytest.mark.parametrize("path", PATHS)
def test_who_asks_while_the_database_is_away_hears_nothing_of_where_it_is(outage: Outage, path: str) -> None:
    answer = outage.refused[path]
    assert answer.status == 503
    assert int(answer.headers["Retry-After"]) > 0
    assert AWAY in answer.text
    for secret in (USER, "postgresql", "cable-", ".s.PGSQL", "test_"):
        assert secret not in answer.text


def test_every_line_of_the_logs_is_json_without_a_traceback(outage: Outage) -> None:
    for line in outage.lines():
        assert "Traceback" not in json.dumps(json.loads(line)), line


def test_what_the_log_says_again_and_again_has_one_line_until_it_says_how_often(outage: Outage) -> None:
    for log in outage.logs:
        told = [json.loads(line) for line in log.read_text().splitlines() if line.strip()]
        first = [one["event"] for one in told if one.get("logger") == "dbos" and "times" not in one]
        assert len(first) == len(set(first)), first


def test_what_we_say_of_a_database_that_is_away_has_one_line_until_it_says_how_often(outage: Outage) -> None:
    for log in outage.logs:
        told = [json.loads(line) for line in log.read_text().splitlines() if line.strip()]
        away = [one for one in told if one["event"] in (AWAY, WAITED.strip("()"))]
        first = [(one["event"], one["reason"]) for one in away if "times" not in one]
        assert first
        assert len(first) == len(set(first)), first


def test_streams_stay_open_while_the_database_is_away(outage: Outage) -> None:
    assert outage.are_streams_open == [True, True, True], outage.streamed
