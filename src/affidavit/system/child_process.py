"""A program as a child of ours: its output collected and bounded, its whole group ended, its pipes closed."""

import asyncio
import os
import signal
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL
from typing import Literal

from affidavit.system.cpu_time import LOOK_SECONDS, cpu_seconds, is_over

OUTPUT, ERRORS = 1, 2
ASKED_SECONDS = 5
"""So long somebody who is asked to end may take."""
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
    max_bytes: int,
    asked_to_end: bool = False,
) -> Ended:
    """Run a program in a process group of its own; an `OSError` says that it could not be started.

    One that is asked to end (SIGTERM) has a moment for it: it knows of processes that left the group.

    When this returns or raises, the group is ended and every pipe is closed, even where a process that left
    the group still holds the other end.
    """
    starting = asyncio.ensure_future(_start(command, folder, environment, max_bytes))
    try:
        await asyncio.wait([starting])
    except asyncio.CancelledError:
        # A child that is half started cannot be ended: asyncio would wait for pipes that are not its own yet.
        await asyncio.wait([starting])
        if not starting.cancelled() and starting.exception() is None:
            await _end(*starting.result(), asked=asked_to_end)
        raise
    transport, child = starting.result()
    state: EndState = "exited"
    try:
        if not await _is_over_in_time(child, transport.get_pid(), seconds):
            state = "timed_out"
    finally:
        await _end(transport, child, asked=asked_to_end)
    return Ended(
        "flooded" if child.flooded else state,
        transport.get_returncode() or 0,
        bytes(child.kept[OUTPUT]),
        bytes(child.kept[ERRORS]),
    )


async def _is_over_in_time(child: "_Child", group: int, seconds: float) -> bool:
    """Wait for the end, as long as the work may take; what others use of the machine does not count."""
    started = time.monotonic()
    wait = seconds
    while True:
        try:
            async with asyncio.timeout(wait):
                await child.over.wait()
            return True
        except TimeoutError:
            used = await asyncio.to_thread(cpu_seconds, group)
            if is_over(seconds, time.monotonic() - started, used):
                return False
            wait = LOOK_SECONDS * 4


async def _start(
    command: Sequence[str | bytes], folder: Path, environment: Mapping[str, str], max_bytes: int
) -> tuple[asyncio.SubprocessTransport, "_Child"]:
    return await asyncio.get_running_loop().subprocess_exec(
        lambda: _Child(max_bytes),
        *command,
        cwd=folder,
        env=dict(environment),
        stdin=DEVNULL,
        start_new_session=True,
    )


async def _end(transport: asyncio.SubprocessTransport, child: "_Child", *, asked: bool) -> None:
    if asked and not child.exited.is_set():
        with suppress(ProcessLookupError, PermissionError, TimeoutError):
            os.kill(transport.get_pid(), signal.SIGTERM)
            async with asyncio.timeout(ASKED_SECONDS):
                await child.exited.wait()
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(transport.get_pid(), signal.SIGKILL)
    # To close earlier would ask the system for the exit code that asyncio's own watcher waits for.
    await child.exited.wait()
    transport.close()
    await child.closed.wait()


class _Child(asyncio.SubprocessProtocol):
    """Keeps what a child prints; at the limit it ends the child instead."""

    def __init__(self, max_bytes: int) -> None:
        self.kept = {OUTPUT: bytearray(), ERRORS: bytearray()}
        self.flooded = False
        self.exited = asyncio.Event()
        self.closed = asyncio.Event()
        """The child is gone and its pipes are closed."""
        self.over = asyncio.Event()
        """Nothing more is to come, or nothing more is wanted."""
        self._most_bytes = max_bytes

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if self.flooded:
            return
        self.kept[fd] += data
        if len(self.kept[fd]) > self._most_bytes:
            self.flooded = True
            self.over.set()

    def process_exited(self) -> None:
        self.exited.set()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the protocol's own signature
        self.closed.set()
        self.over.set()
