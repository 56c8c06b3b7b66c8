"""Callers who send half a request: they get no memory, no place and no lines in the log for long."""

import resource
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from delivering import SECRET
from service_process import Client, Service, make_token, serving

FILES, FLOOD = 256, 400
LONG = 20_000_000
PIECES, PIECE = 80, b"x" * 100_000
HALF = b"GET /api/ready HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: "

UNKNOWN_SIGNATURE = f"X-Hub-Signature-256: sha256={'0' * 64}"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Client, Service, Path]]:
    """A server that wants tokens and may open few files, as under a tight `ulimit -n`."""
    folder = tmp_path_factory.mktemp("connections")
    make_token(folder, "operator", "admin")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    environment = {"AFFIDAVIT_GITHUB_WEBHOOK_SECRET": SECRET}
    with ExitStack() as stack:
        resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, hard))
        try:
            options = ("--no-work", "--require-token")
            started = serving(folder, *options, environment=environment, is_started=True)
            client, service = stack.enter_context(started)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        yield client, service, folder


def connected(client: Client, address: str = "") -> socket.socket:
    """A connection, from another address of this machine where one is named."""
    host, port = client.url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=60, source_address=(address, 0))


def head(path: str, *more: str, length: int = LONG) -> bytes:
    """The head of a request with a long body."""
    lines = (f"POST {path} HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json", *more)
    return "\r\n".join((*lines, f"Content-Length: {length}", "", "")).encode()


def seconds_until_closed(raw: socket.socket, said: list[bytes]) -> float:
    """How long a connection lasts on which a byte is sent now and then; and what was answered."""
    began = time.monotonic()
    raw.settimeout(0.5)
    while time.monotonic() < began + 60:
        try:
            raw.sendall(b"x")
            answer = raw.recv(1_000)
        except TimeoutError:
            continue
        except OSError:
            break
        if not answer:
            break
        said.append(answer)
    return time.monotonic() - began


@pytest.mark.parametrize("part", ["headers", "body"])
def test_many_unfinished_requests_keep_nobody_from_an_answer_and_are_one_line_in_the_log(
    served: tuple[Client, Service, Path], part: str
) -> None:
    client, service, _ = served
    before = service.log.stat().st_size
    begun = HALF if part == "headers" else head("/api/webhook/github", UNKNOWN_SIGNATURE) + b"{"
    with ExitStack() as stack:
        for _ in range(FLOOD):
            stack.enter_context(connected(client)).sendall(begun)
        began = time.monotonic()
        assert client.get("/api/ready").status == 200
        assert time.monotonic() - began < 5
        time.sleep(2)
    written = service.log.read_bytes()[before:].decode()
    assert "too many connections" in service.log.read_text()
    assert len(written.splitlines()) <= 2, written[:3_000]


def test_headers_and_bodies_have_a_time_limit(served: tuple[Client, Service, Path]) -> None:
    client, _, folder = served
    token = make_token(folder, "slow", "submit")
    started = [HALF, head("/api/review", f"Authorization: Bearer {token}")]
    said: list[list[bytes]] = [[], []]
    lasted: dict[int, float] = {}

    def watch(number: int) -> None:
        with connected(client) as raw:
            raw.sendall(started[number])
            lasted[number] = seconds_until_closed(raw, said[number])

    threads = [threading.Thread(target=watch, args=(number,)) for number in (0, 1)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert 5 < lasted[0] < 20
    assert 10 < lasted[1] < 50
    assert b" 408 " in b"".join(said[1])


@pytest.mark.parametrize("who", ["nobody", "unknown", "reader", "unsigned", "forged"])
def test_whoever_may_not_is_refused_before_the_body_is_read(
    served: tuple[Client, Service, Path], who: str
) -> None:
    client, _, folder = served
    path, more, status = {
        "nobody": ("/api/review", (), 401),
        "unknown": ("/api/estimate", ("Authorization: Bearer aff_nobody",), 401),
        "reader": ("/api/review", (f"Authorization: Bearer {make_token(folder, 'eve', 'read')}",), 403),
        "unsigned": ("/api/webhook/github", (), 401),
        "forged": ("/api/webhook/github", ("X-Hub-Signature-256: sha256=none",), 401),
    }[who]
    with connected(client) as raw:
        raw.settimeout(8)
        raw.sendall(head(path, *more) + b"{")
        assert raw.recv(12) == f"HTTP/1.1 {status}".encode()


def resident_bytes(service: Service) -> int:
    status = Path(f"/proc/{service.process.pid}/status").read_text()
    return next(int(line.split()[1]) * 1_024 for line in status.splitlines() if line.startswith("VmRSS"))


def test_large_bodies_are_read_in_turns(served: tuple[Client, Service, Path]) -> None:
    client, service, folder = served
    token = make_token(folder, "large", "submit")
    begun = threading.Event()
    answers: list[bytes] = []

    def send() -> None:
        with connected(client) as raw:
            raw.sendall(head("/api/review", f"Authorization: Bearer {token}", length=PIECES * len(PIECE)))
            for _ in range(PIECES - 1):
                raw.sendall(PIECE)
            begun.wait()
            raw.sendall(PIECE)
            answers.append(raw.recv(12))

    before = resident_bytes(service)
    threads = [threading.Thread(target=send) for _ in range(12)]
    for one in threads:
        one.start()
    time.sleep(4)
    grown = resident_bytes(service) - before
    begun.set()
    for one in threads:
        one.join()
    assert answers == [b"HTTP/1.1 400"] * 12
    assert grown < 50_000_000


def test_large_deliveries_that_nobody_signed_keep_no_users_body_waiting(
    served: tuple[Client, Service, Path],
) -> None:
    client, _, folder = served
    user = Client(client.url, make_token(folder, "user", "submit"))
    with ExitStack() as stack:
        for number in range(8):
            forged = stack.enter_context(connected(client, f"127.0.0.{2 + number // 2}"))
            forged.sendall(head("/api/webhook/github", UNKNOWN_SIGNATURE) + 4 * PIECE)
        time.sleep(1)
        began = time.monotonic()
        assert user.ask("POST", "/api/review", 4 * PIECE).status == 400
        assert time.monotonic() - began < 10


def test_who_hangs_up_in_the_middle_of_a_body_leaves_no_traceback(
    served: tuple[Client, Service, Path],
) -> None:
    client, service, _ = served
    before = len(service.log.read_text())
    for path in ("/api/webhook/github", "/api/review"):
        with connected(client) as raw:
            raw.sendall(head(path, UNKNOWN_SIGNATURE) + b"{")
            time.sleep(0.3)
    assert client.get("/api/ready").status == 200
    assert "Traceback" not in service.log.read_text()[before:]
