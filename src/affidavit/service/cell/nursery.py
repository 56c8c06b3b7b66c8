"""A process that has loaded everything and knows no secret: it makes a copy of itself for each review."""

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from affidavit.errors import OutsideError

PASSED_ON = (
    "PATH",
    "LANG",
    "TZ",
    "TMPDIR",
    "AFFIDAVIT_CACHE",
    "PYTHONPATH",
    "PYTHONDONTWRITEBYTECODE",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
)
"""All that a cell knows of the service's environment: neither keys nor tokens nor the database."""
_BORN, _KILL = b"B", b"K"


def cell_environment(environment: Mapping[str, str], cache: Path) -> dict[str, str]:
    """The environment of a process that works on untrusted changes."""
    kept = {name: environment[name] for name in PASSED_ON if name in environment}
    return {**kept, "AFFIDAVIT_CACHE": str(cache), "HOME": str(cache)}


class Nursery:
    """Where cells come from; one for each worker."""

    def __init__(self, cache: Path, environment: Mapping[str, str]) -> None:
        self._lock = asyncio.Lock()
        cache.mkdir(parents=True, exist_ok=True)
        self._environment = cell_environment(environment, cache)
        self._born: set[int] = set()
        self._left: set[int] = set()
        """Cells of a nursery that died: nobody but this worker can end them."""
        self._process, self._control = self._start()

    def _start(self) -> tuple["subprocess.Popen[bytes]", socket.socket]:
        ours, theirs = socket.socketpair()
        with theirs:
            process = subprocess.Popen(
                [sys.executable, "-m", "affidavit.service.cell.nursery", str(theirs.fileno())],
                env=self._environment,
                pass_fds=[theirs.fileno()],
                # Not a folder in which a repository might be found.
                cwd="/",
                stdin=subprocess.DEVNULL,
                # The signals of a terminal are for the worker, which lets its reviews end.
                start_new_session=True,
            )
        return process, ours

    async def bear(self) -> tuple[socket.socket, int]:
        """A new cell: our end of the connection to it, and its number."""
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                async with self._lock:
                    number = await asyncio.to_thread(self._ask_for_one, theirs)
            except OSError as error:
                ours.close()
                raise OutsideError(f"no process can be made for a review: {error}", retryable=True) from error
        return ours, number

    def _ask_for_one(self, theirs: socket.socket) -> int:
        if self._process.poll() is not None:
            # Somebody killed it, perhaps the kernel for want of memory; its cells end with their reviews.
            self._control.close()
            self._left, self._born = self._left | self._born, set()
            self._process, self._control = self._start()
        socket.send_fds(self._control, [_BORN.ljust(9)], [theirs.fileno()])
        answer = self._control.recv(8)
        if len(answer) != 8:
            raise ConnectionError("the process that makes cells is gone")
        number = int.from_bytes(answer, "big")
        self._born.add(number)
        return number

    def kill(self, number: int) -> None:
        """End a cell and what it has started; one that has ended already is not there to be killed."""
        self._born.discard(number)
        with contextlib.suppress(OSError):
            if number in self._left:
                self._left.discard(number)
                os.killpg(number, signal.SIGKILL)
                return
            self._control.send(_KILL + number.to_bytes(8, "big"))

    def close(self) -> None:
        """End all cells."""
        self._control.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def main(control: socket.socket) -> None:
    """Make cells until the worker is gone, and then none is left."""
    # Loaded once, here: every cell has it from its birth.
    from affidavit.service.cell.life import live, warm  # noqa: PLC0415 - nobody else needs all of it

    warm()
    children: set[int] = set()
    while True:
        order, descriptors, _, _ = socket.recv_fds(control, 9, 1)
        _bury(children)
        if len(order) < 9:
            break
        if order[:1] == _KILL:
            _end(int.from_bytes(order[1:], "big"), children)
            continue
        child = os.fork()
        if child == 0:
            control.close()
            os.setsid()
            live(socket.socket(fileno=descriptors[0]))
        children.add(child)
        os.close(descriptors[0])
        control.send(child.to_bytes(8, "big"))
    for each in list(children):
        _end(each, children)
    # To take apart all that was loaded would take a second, for which the worker waits.
    os._exit(0)


def _bury(children: set[int]) -> None:
    for ended in _ended():
        children.discard(ended)


def _ended() -> Iterator[int]:
    with contextlib.suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG)[0]) != 0:
            yield found


def _end(child: int, children: set[int]) -> None:
    if child in children:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
