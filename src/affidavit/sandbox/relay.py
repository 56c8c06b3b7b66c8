"""Pass bytes between two sockets; inside a sandbox, give a command a proxy that leads to a Unix socket.

The sandbox's Python runs the text of this module, so it needs nothing but the standard library.
"""

import contextlib
import os
import socket
import socketserver
import subprocess
import sys
import threading
from collections.abc import Callable

PIECE = 65536


def pass_both_ways(
    first: socket.socket, second: socket.socket, count: Callable[[int], None] = lambda _: None
) -> None:
    """Pass bytes until both sides have ended; `count` is told of each piece and may raise OSError."""
    other = threading.Thread(target=_pass_on, args=(second, first, count), daemon=True)
    other.start()
    _pass_on(first, second, count)
    other.join()


def _pass_on(source: socket.socket, target: socket.socket, count: Callable[[int], None]) -> None:
    try:
        while data := source.recv(PIECE):
            count(len(data))
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        for one in (source, target):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


class _Outwards(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        with socket.socket(socket.AF_UNIX) as outside:
            outside.connect(sys.argv[1])
            pass_both_ways(self.request, outside)


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 128


def run_with_proxy(command: list[str]) -> int:
    """Run a command that finds the proxy in its environment; return its exit code."""
    with _Server(("127.0.0.1", 0), _Outwards) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        proxy = f"http://127.0.0.1:{server.server_address[1]}"
        named = dict.fromkeys(("HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"), proxy)
        return subprocess.call(command, env={**os.environ, **named})


if __name__ == "__main__":
    sys.exit(run_with_proxy(sys.argv[2:]))
