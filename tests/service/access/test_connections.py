"""Requests whose bodies are not read to their end."""

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from delivering import SECRET
from service_process import Client, Service, make_token, serving

LONG = 20_000_000
UNKNOWN_SIGNATURE = f"X-Hub-Signature-256: sha256={'0' * 64}"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Client, Service, Path]]:
    """A server that wants tokens."""
    folder = tmp_path_factory.mktemp("connections")
    make_token(folder, "operator", "admin")
    environment = {"AFFIDAVIT_GITHUB_WEBHOOK_SECRET": SECRET}
    with serving(folder, "--no-work", "--require-token", environment=environment) as (client, service):
        yield client, service, folder


def connected(client: Client) -> socket.socket:
    host, port = client.url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=60)


def head(path: str, *more: str, length: int = LONG) -> bytes:
    """The head of a request with a long body."""
    lines = (f"POST {path} HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json", *more)
    return "\r\n".join((*lines, f"Content-Length: {length}", "", "")).encode()


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
