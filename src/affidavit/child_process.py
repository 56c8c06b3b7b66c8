"""A program as a child of ours: its output collected and bounded, its whole group ended, its pipes closed."""

import asyncio
import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL
from typing import Literal, cast

OUTPUT, ERRORS = 1, 2
EndState = Literal["exited", "timed_out", "flooded"]


@dataclass(frozen=True)
class Ended:
    """What a child left behind."""

    state: EndState
    exit_code: int
    output: bytes
    errors: bytes


async def run_child(
    command: Sequence[str | bytes],
    *,
    folder: Path,
    environment: Mapping[str, str],
    seconds: float,
    most_bytes: int,
) -> Ended:
    """Run a program in a process group of its own; an `OSError` says that it could not be started.

    When this returns or raises, the group is ended and every pipe is closed, even where a process that left
    the group still holds the other end.
    """
    loop = asyncio.get_running_loop()
    transport, child = await loop.subprocess_exec(
        lambda: _Child(most_bytes),
        *command,
        cwd=folder,
        env=dict(environment),
        stdin=DEVNULL,
        start_new_session=True,
    )
    state: EndState = "exited"
    try:
        async with asyncio.timeout(seconds):
            await child.closed.wait()
    except TimeoutError:
        state = "timed_out"
    finally:
        _end(transport)
        await child.closed.wait()
    return Ended(
        "flooded" if child.flooded else state,
        transport.get_returncode() or 0,
        bytes(child.kept[OUTPUT]),
        bytes(child.kept[ERRORS]),
    )


class _Child(asyncio.SubprocessProtocol):
    """Keeps what a child prints; at the limit it ends the child instead."""

    def __init__(self, most_bytes: int) -> None:
        self.kept = {OUTPUT: bytearray(), ERRORS: bytearray()}
        self.flooded = False
        # Set when the child is gone and its pipes are closed.
        self.closed = asyncio.Event()
        self._most_bytes = most_bytes

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.SubprocessTransport", transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if self.flooded:
            return
        self.kept[fd] += data
        if len(self.kept[fd]) > self._most_bytes:
            self.flooded = True
            _end(self._transport)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the protocol's own signature
        self.closed.set()


def _end(transport: asyncio.SubprocessTransport) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(transport.get_pid(), signal.SIGKILL)
    transport.close()
