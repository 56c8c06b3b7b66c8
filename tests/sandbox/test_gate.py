"""What goes through the one socket of a sandbox that fetches."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from affidavit.sandbox.gate import Gate, opened_gate

HOST = "registry.test:443"


class Network:
    """A network in which every host answers with 1,000 bytes."""

    def __init__(self) -> None:
        self.reached: list[tuple[str, int]] = []

    def connect(self, address: tuple[str, int], _seconds: float) -> socket.socket:
        self.reached.append(address)
        ours, theirs = socket.socketpair()
        theirs.sendall(b"x" * 1000)
        theirs.close()
        return ours


@contextmanager
def asked(place: Path, network: Network, head: bytes, most: int = 10_000) -> Iterator[tuple[Gate, bytes]]:
    with (
        opened_gate(place / "s", {HOST}, most, network.connect) as gate,
        socket.socket(socket.AF_UNIX) as sock,
    ):
        sock.connect(str(place / "s"))
        sock.sendall(head)
        sock.shutdown(socket.SHUT_WR)
        answer = b""
        while data := sock.recv(4096):
            answer += data
        yield gate, answer


def test_a_registry_is_reached(tmp_path: Path) -> None:
    network = Network()
    with asked(tmp_path, network, b"CONNECT registry.test:443 HTTP/1.1\r\nhost: x\r\n\r\n") as (gate, answer):
        assert answer.endswith(b"\r\n\r\n" + b"x" * 1000)
        assert network.reached == [("registry.test", 443)]
        assert gate.refused == {}


@pytest.mark.parametrize(
    "head",
    [
        b"CONNECT elsewhere.test:443 HTTP/1.1\r\n\r\n",
        b"CONNECT registry.test:22 HTTP/1.1\r\n\r\n",
        b"CONNECT 127.0.0.1:443 HTTP/1.1\r\n\r\n",
        b"GET https://registry.test/ HTTP/1.1\r\n\r\n",
        b"GET http://registry.test:443/ HTTP/1.1\r\n\r\n",
        b"CONNECT registry.test:443\r\n\r\n",
        b"\x16\x03\x01",
    ],
)
def test_nothing_else_is_reached(tmp_path: Path, head: bytes) -> None:
    network = Network()
    with asked(tmp_path, network, head) as (_, answer):
        assert answer.startswith(b"HTTP/1.1 403 ")
        assert network.reached == []


def test_what_is_fetched_is_limited(tmp_path: Path) -> None:
    network = Network()
    with asked(tmp_path, network, b"CONNECT registry.test:443 HTTP/1.1\r\n\r\n", most=10) as (gate, answer):
        assert b"x" not in answer
        assert gate.is_used_up
