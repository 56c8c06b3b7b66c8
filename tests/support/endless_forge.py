"""A repository that has no end: git's protocol by hand, an object that goes on until somebody hangs up."""

import os
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HEAD = "a" * 40
PART = 30_000
SECONDS_BETWEEN_PARTS = 0.02
AT_MOST_PARTS = 500
"""Ten seconds: whoever has not hung up by then waits for the end."""


def _line(data: bytes) -> bytes:
    return f"{len(data) + 4:04x}".encode() + data


def _pack() -> Iterator[bytes]:
    """The beginning of a pack with one file of a gigabyte that cannot be made smaller."""
    size, first = 1 << 30, True
    head, kind = bytearray(), 3
    while size or first:
        low, size = (size & 15, size >> 4) if first else (size & 127, size >> 7)
        head.append((kind << 4 if first else 0) | low | (128 if size else 0))
        first = False
    yield b"PACK" + (2).to_bytes(4, "big") + (1).to_bytes(4, "big") + bytes(head)
    compress = zlib.compressobj(0)
    while True:
        yield compress.compress(os.urandom(PART))


@contextmanager
def endless_forge() -> Iterator[tuple[str, threading.Event]]:
    """Its address, and what is set as soon as whoever fetched has hung up before the end."""
    is_left = threading.Event()

    class Answering(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            return

        def do_GET(self) -> None:
            self._begin("advertisement")
            ref = f"{HEAD} refs/heads/main\0side-band-64k ofs-delta shallow\n".encode()
            self.wfile.write(_line(b"# service=git-upload-pack\n") + b"0000" + _line(ref) + b"0000")

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self._begin("result")
            try:
                self.wfile.write(_line(b"NAK\n"))
                for _, part in zip(range(AT_MOST_PARTS), _pack(), strict=False):
                    self.wfile.write(_line(b"\1" + part))
                    time.sleep(SECONDS_BETWEEN_PARTS)
            except OSError:
                is_left.set()

        def _begin(self, what: str) -> None:
            self.send_response(200)
            self.send_header("content-type", f"application/x-git-upload-pack-{what}")
            self.end_headers()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/endless.git", is_left
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
