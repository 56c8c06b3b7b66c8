"""A line between a browser and a server that a test cuts and mends."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Line:
    """Hands bytes on in both directions, until it is cut."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._is_whole = True
        self._ends: set[socket.socket] = set()
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listening.getsockname()[1]}"

    def cut(self) -> None:
        """In mid-sentence: whoever talks or calls hears nothing more."""
        with self._lock:
            self._is_whole = False
            ends, self._ends = self._ends, set()
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        self._is_whole = True

    def close(self) -> None:
        self._listening.close()
        self.cut()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                caller, _ = self._listening.accept()
                with self._lock:
                    if not self._is_whole:
                        caller.close()
                        continue
                    called = socket.create_connection(("127.0.0.1", self._port))
                    self._ends |= {caller, called}
                for source, target in ((caller, called), (called, caller)):
                    threading.Thread(target=_hand_on, args=(source, target), daemon=True).start()


def _hand_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65_536):
            target.sendall(data)
    for end in (source, target):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
    source.close()


@contextmanager
def line_to(url: str) -> Iterator[Line]:
    """A line to the server at an address."""
    line = Line(int(url.rpartition(":")[2]))
    yield line
    line.close()
