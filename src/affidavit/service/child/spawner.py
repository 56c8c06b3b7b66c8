"""Fork a child process for each review from one process that has loaded everything and has no keys."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from affidavit.errors import OutsideError
from affidavit.sandbox.registries import without_credentials
from affidavit.service.child.channel import MAX_LINE, Channel, Served

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
    "AFFIDAVIT_ENVIRONMENT",
)
"""The variables that a child inherits: no keys, no tokens, no database."""
_SPAWN = 0
_ORDER_BYTES = 8


class Spawner:
    """Makes the child processes of one worker."""

    def __init__(self, cache: Path, environment: Mapping[str, str]) -> None:
        self._lock = asyncio.Lock()
        cache.mkdir(parents=True, exist_ok=True)
        kept = {name: environment[name] for name in PASSED_ON if name in environment}
        kept |= without_credentials(environment)
        self._environment = {**kept, "AFFIDAVIT_CACHE": str(cache), "HOME": str(cache)}
        self._process, self._control = self._start()

    def _start(self) -> tuple["subprocess.Popen[bytes]", socket.socket]:
        ours, theirs = socket.socketpair()
        with theirs:
            process = subprocess.Popen(
                [sys.executable, "-m", "affidavit.service.child.spawner", str(theirs.fileno())],
                env=self._environment,
                pass_fds=[theirs.fileno()],
                # A folder in which git cannot find a repository.
                cwd="/",
                stdin=subprocess.DEVNULL,
                # Signals of the terminal are for the worker, which lets its reviews end.
                start_new_session=True,
            )
        return process, ours

    @asynccontextmanager
    async def child(
        self, cache: Path, calls: Mapping[str, Served], tells: Mapping[str, Served]
    ) -> AsyncIterator[Channel]:
        """Start a child that uses this cache folder; answer its calls; kill it at the end."""
        connection, number = await self.spawn()
        reader, writer = await asyncio.open_connection(sock=connection, limit=MAX_LINE)
        channel = Channel(reader, writer)
        serving = asyncio.create_task(channel.serve(calls, tells))
        try:
            await channel.call("use", cache=str(cache))
            yield channel
        finally:
            self.kill(number)
            await channel.close()
            serving.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await serving

    async def spawn(self) -> tuple[socket.socket, int]:
        """Make a child; return our end of the connection and the number of its process."""
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                async with self._lock:
                    return ours, await asyncio.to_thread(self._order_child, theirs)
            except OSError as error:
                ours.close()
                raise OutsideError(f"cannot start a process for a review: {error}", retryable=True) from error

    def _order_child(self, theirs: socket.socket) -> int:
        if self._process.poll() is not None:
            # Killed, perhaps by the kernel for lack of memory.
            self._control.close()
            self._process, self._control = self._start()
        socket.send_fds(self._control, [_SPAWN.to_bytes(_ORDER_BYTES)], [theirs.fileno()])
        answer = self._control.recv(_ORDER_BYTES)
        if len(answer) != _ORDER_BYTES:
            raise ConnectionError("the process that starts children has ended")
        return int.from_bytes(answer)

    def kill(self, number: int) -> None:
        """Kill a child and the processes in its group, and have it reaped."""
        # It may have no group of its own yet. Its number is not reused before it is reaped.
        for kill in (os.killpg, os.kill):
            with suppress(ProcessLookupError):
                kill(number, signal.SIGKILL)
        with suppress(OSError):
            self._control.send(number.to_bytes(_ORDER_BYTES))

    def close(self) -> None:
        """Kill all children."""
        self._control.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def main(control: socket.socket) -> None:
    """Fork and reap children until the worker ends; then kill the rest."""
    # Loaded once, before the forks.
    from affidavit.service.child.process import run, warm_up  # noqa: PLC0415 - slow, and only needed here

    warm_up()
    children: set[int] = set()
    while True:
        order, descriptors, _, _ = socket.recv_fds(control, _ORDER_BYTES, 1)
        if len(order) < _ORDER_BYTES:
            break
        if (number := int.from_bytes(order)) != _SPAWN:
            _reap(number, children)
            continue
        child = os.fork()
        if child == 0:
            control.close()
            os.setsid()
            run(socket.socket(fileno=descriptors[0]))
        children.add(child)
        os.close(descriptors[0])
        control.send(child.to_bytes(_ORDER_BYTES))
    for each in children:
        with suppress(ProcessLookupError):
            os.killpg(each, signal.SIGKILL)
    # A normal exit takes a second, for which the worker waits.
    os._exit(0)


def _reap(child: int, children: set[int]) -> None:
    if child in children:
        children.discard(child)
        os.waitpid(child, 0)


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
