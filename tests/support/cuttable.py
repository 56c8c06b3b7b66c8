"""A way to a PostgreSQL server that can be cut and mended, as a cable."""

import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

SOCKET = ".s.PGSQL.5432"


class Cable:
    """Passes on what comes to a socket in `folder`, to the server whose socket is in another."""

    def __init__(self, server: Path) -> None:
        # A short path, since that of a socket is limited.
        self.folder = Path(tempfile.mkdtemp(prefix="cable-"))
        self._server = server / SOCKET
        self._lock = threading.Lock()
        self._ends: set[socket.socket] = set()
        self._passes = threading.Event()
        self._passes.set()
        self.accepted = 0
        """How many have connected."""
        self.mend()

    def mend(self) -> None:
        """From now on it can be connected to."""
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(self.folder / SOCKET))
        self._listening.listen(100)
        threading.Thread(target=self._accept, args=(self._listening,), daemon=True).start()

    def cut(self) -> int:
        """All connections are gone, and there is no new one; returns how many there were."""
        (self.folder / SOCKET).unlink()
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        with self._lock:
            ends = set(self._ends)
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        return len(ends) // 2

    def silence(self) -> None:
        """All connections stay, new ones are taken, and nothing more is passed on."""
        self._passes.clear()

    def speak(self) -> None:
        """What was held back is passed on, and all that follows."""
        self._passes.set()

    def _accept(self, listening: socket.socket) -> None:
        with suppress(OSError):
            while True:
                client, _ = listening.accept()
                self.accepted += 1
                server = socket.socket(socket.AF_UNIX)
                server.connect(str(self._server))
                for ends in ((client, server), (server, client)):
                    threading.Thread(target=self._pass_on, args=ends, daemon=True).start()

    def _pass_on(self, come: socket.socket, go: socket.socket) -> None:
        with self._lock:
            self._ends.add(come)
        with suppress(OSError):
            while data := come.recv(65536):
                self._passes.wait()
                go.sendall(data)
        with suppress(OSError):
            go.shutdown(socket.SHUT_RDWR)
        with self._lock:
            self._ends.discard(come)
        come.close()


@contextmanager
def cable_to(url: str) -> Iterator[tuple[Cable, str]]:
    """The cable, and the address of the same database at its near end."""
    _, _, rest = url.partition("host=")
    folder = rest.split("&")[0]
    cable = Cable(Path(folder))
    try:
        yield cable, url.replace(folder, str(cable.folder))
    finally:
        cable.speak()
        cable.cut()
        shutil.rmtree(cable.folder)
