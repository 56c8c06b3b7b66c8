"""Let a sandbox without network reach the named hosts, and nothing else, through one Unix socket."""

import re
import socket
import socketserver
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from affidavit.sandbox.relay import pass_both_ways

MAX_HEAD = 8192
IDLE_SECONDS = 60.0
CONNECT = re.compile(rb"CONNECT ([\w.-]{1,253}:\d{1,5}) HTTP/1\.[01]\r\n")
MAX_REFUSED = 20
Connect = Callable[[tuple[str, int], float], socket.socket]


class Gate:
    """The hosts that may be reached, as `host:port`, and those that were refused."""

    def __init__(self, hosts: Collection[str], most_bytes: int, connect: Connect) -> None:
        self.refused: dict[str, None] = {}
        self.is_used_up = False
        self._hosts = frozenset(hosts)
        self._left = most_bytes
        self._connect = connect
        self._lock = threading.Lock()

    def serve(self, asking: socket.socket) -> None:
        """Answer one connection: names are looked up here, never in the sandbox."""
        asking.settimeout(IDLE_SECONDS)
        head = b""
        while b"\r\n\r\n" not in head and len(head) < MAX_HEAD and (data := asking.recv(MAX_HEAD)):
            head += data
        asked = CONNECT.match(head)
        name = asked[1].decode("ascii").lower() if asked else ""
        if name not in self._hosts:
            self.refused |= {name: None} if name and len(self.refused) < MAX_REFUSED else {}
            asking.sendall(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n")
            return
        host, _, port = name.partition(":")
        try:
            outside = self._connect((host, int(port)), IDLE_SECONDS)
        except OSError:
            asking.sendall(b"HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n")
            return
        with outside:
            outside.settimeout(IDLE_SECONDS)
            asking.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            pass_both_ways(outside, asking, self._count)

    def _count(self, size: int) -> None:
        with self._lock:
            self._left -= size
            self.is_used_up = self.is_used_up or self._left < 0
        if self.is_used_up:
            raise OSError("too much was fetched")


@contextmanager
def opened_gate(
    place: Path, hosts: Collection[str], most_bytes: int, connect: Connect = socket.create_connection
) -> Iterator[Gate]:
    """Listen on a Unix socket at `place` until the end."""
    gate = Gate(hosts, most_bytes, connect)

    class Inwards(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            try:
                gate.serve(self.request)
            except OSError:
                # The sandbox ended the connection.
                return

    class Server(socketserver.ThreadingUnixStreamServer):
        daemon_threads = True
        block_on_close = False
        request_queue_size = 128

    with Server(str(place), Inwards) as server:
        place.chmod(0o666)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield gate
        finally:
            server.shutdown()
