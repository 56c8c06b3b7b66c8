"""A database that is silent and not gone: connections stay open, and nothing is answered."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from subprocess import TimeoutExpired

import pytest

from cuttable import Cable, cable_to
from long_tests import IS_LONG
from service_process import WAIT_SECONDS, Answer, Client, Service, wait_until_up

pytestmark = pytest.mark.skipif(not IS_LONG, reason="a minute of waiting; see CONTRIBUTING.md")
READY = "/api/ready"
PATHS = ("/api/review", "/api/me")
END_SECONDS = 40.0
"""Far more than it takes on a slow machine, and less than forever."""
WHO = ("server", "worker")


@dataclass
class Silence:
    """Processes whose database became silent, and others that found it so."""

    ready: list[Answer] = field(default_factory=list)
    answers: dict[str, Answer] = field(default_factory=dict)
    again: Answer | None = None
    """Readiness after the database spoke again."""
    ended: dict[str, int | None] = field(default_factory=dict)
    server_log: str = ""
    waiting: int | None = None
    """How one ended that waited for it at its start."""
    waiting_log: str = ""


def _ended(service: Service) -> int | None:
    try:
        return service.end(END_SECONDS)
    except TimeoutExpired:
        return None


@pytest.fixture(scope="module")
def silence(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Silence]:
    pytest.importorskip("psycopg")
    url = request.getfixturevalue("postgres").new_store()
    folder = tmp_path_factory.mktemp("silent")
    silence = Silence()
    with ExitStack() as stack:
        cable, near = stack.enter_context(cable_to(url))

        def started(*command: str) -> Service:
            log = folder / f"{time.monotonic_ns()}.log"
            arguments = (*command, "--drain-seconds", "2", "--data", str(folder), "--database", near)
            service = Service(*arguments, log=log)
            stack.callback(service.close)
            return service

        server, worker = started("serve", "--port", "0"), started("worker")
        worker.said(r"works as (\S+)")
        client = Client(server.said(r"listens at (http://\S+)"))
        wait_until_up(client)
        _ask_in_silence(silence, cable, client)
        cable.silence()
        waiting = started("serve", "--port", "0", "--no-work")
        with ThreadPoolExecutor(max_workers=2) as ending:
            silence.ended = dict(zip(WHO, ending.map(_ended, (server, worker)), strict=True))
        silence.server_log = server.log.read_text()
        _end_while_waiting(silence, cable, waiting)
        yield silence


def _ask_in_silence(silence: Silence, cable: Cable, client: Client) -> None:
    with ThreadPoolExecutor(max_workers=8) as asking:
        # More than one connection is kept by then.
        list(asking.map(client.get, PATHS * 4))
        cable.silence()
        answers = asking.map(client.get, (READY,) * 4 + PATHS)
        *silence.ready, first, second, third = answers
    silence.answers = dict(zip(PATHS, (first, second, third), strict=True))
    cable.speak()
    wait_until_up(client)
    silence.again = client.get(READY)


def _end_while_waiting(silence: Silence, cable: Cable, service: Service) -> None:
    service.said(r"(waiting for the store)")
    before, until = cable.accepted, time.monotonic() + WAIT_SECONDS
    while cable.accepted == before and time.monotonic() < until:
        time.sleep(0.05)
    silence.waiting = _ended(service)
    silence.waiting_log = service.log.read_text()


def test_a_server_whose_database_is_silent_is_not_ready_and_says_so(silence: Silence) -> None:
    assert [one.status for one in silence.ready] == [503] * 4
    for answer in silence.ready:
        assert "the database does not answer" in answer.json["detail"]
        assert int(answer.headers["Retry-After"]) > 0


@pytest.mark.parametrize("path", PATHS)
def test_who_asks_while_the_database_is_silent_is_told_to_come_again(silence: Silence, path: str) -> None:
    answer = silence.answers[path]
    assert (answer.status, answer.headers["Content-Type"]) == (503, "application/problem+json")
    assert int(answer.headers["Retry-After"]) > 0


def test_a_server_whose_database_speaks_again_is_ready_again(silence: Silence) -> None:
    assert silence.again is not None
    assert silence.again.status == 200


@pytest.mark.parametrize("who", WHO)
def test_who_is_told_to_end_while_the_database_is_silent_ends(silence: Silence, who: str) -> None:
    assert silence.ended[who] == 0


def test_who_waits_at_its_start_ends_before_its_attempt_to_connect_is_over(silence: Silence) -> None:
    assert silence.waiting == 0
    assert "ended hard" in silence.waiting_log


def test_a_look_that_is_answered_after_everybody_has_gone_is_no_fault(silence: Silence) -> None:
    assert "never retrieved" not in silence.server_log
