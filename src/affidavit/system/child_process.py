"""Run a child process with limits on output and CPU time, and end its whole group."""

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL
from typing import Literal

PROC = Path("/proc")
PATIENCE = 10.0
"""A busy child may take this multiple of its limit in wall time."""
IDLE_SHARE = 0.02
"""A child that used a smaller share of the time is idle, not slowed down by others."""
LOOK_SECONDS = 0.25
# Places among the fields after the name in /proc/PID/stat.
_PARENT, _GROUP, _USER, _SYSTEM, _USER_OF_CHILDREN, _SYSTEM_OF_CHILDREN = 1, 2, 11, 12, 13, 14


def cpu_seconds(group: int) -> float | None:
    """Return the CPU time of a process group and what it started, ended ones included; None if unknown."""
    if not PROC.is_dir():
        return None
    found = {int(one.name): stat_of(one.name) for one in PROC.iterdir() if one.name.isdigit()}
    known = {pid: fields for pid, fields in found.items() if len(fields) > _SYSTEM_OF_CHILDREN}

    def belongs(pid: int) -> bool:
        # A sandbox puts its program into a session of its own.
        while (fields := known.get(pid)) and int(fields[_GROUP]) != group:
            pid = int(fields[_PARENT])
        return fields is not None

    counted = (_USER, _SYSTEM, _USER_OF_CHILDREN, _SYSTEM_OF_CHILDREN)
    ticks = [sum(int(known[pid][at]) for at in counted) for pid in known if belongs(pid)]
    return sum(ticks) / os.sysconf("SC_CLK_TCK") if ticks else None


def own_cpu_seconds(pid: int) -> float | None:
    fields = stat_of(pid)
    if len(fields) <= _SYSTEM:
        return None
    return (int(fields[_USER]) + int(fields[_SYSTEM])) / os.sysconf("SC_CLK_TCK")


def stat_of(pid: int | str) -> tuple[str, ...]:
    """Return the fields after the name in /proc/PID/stat; none if the process is gone."""
    try:
        # The name is in brackets and may have any characters.
        return tuple((PROC / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split())
    except OSError:
        return ()


def is_over(limit: float, passed: float, used: float | None) -> bool:
    """Check whether a child has used its time.

    The limit is for CPU time. On a busy machine a child waits for its turn, so a working child gets a
    multiple of the limit in wall time; an idle one does not.
    """
    if passed < limit:
        return False
    return used is None or used >= limit or passed >= PATIENCE * limit or used < IDLE_SHARE * passed


@contextmanager
def ended_after(
    limit: float, used: Callable[[], float | None], end: Callable[[], None]
) -> Iterator[threading.Event]:
    """Call `end` when the time is over; the event says whether that happened."""
    done, late = threading.Event(), threading.Event()
    started = time.monotonic()

    def watch() -> None:
        while not done.wait(min(LOOK_SECONDS, limit)):
            passed = time.monotonic() - started
            if passed >= limit and is_over(limit, passed, used()):
                late.set()
                end()
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield late
    finally:
        done.set()
        watcher.join()


OUTPUT, ERRORS = 1, 2
ASKED_SECONDS = 5
"""How long a child may take to end after SIGTERM."""
EndState = Literal["exited", "timed_out", "flooded"]


@dataclass(frozen=True)
class EndedProcess:
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
) -> EndedProcess:
    """Run a program in its own process group; raise OSError if it cannot be started.

    With `asked_to_end` it first gets SIGTERM and some time, to end processes that left the group.

    When this returns or raises, the group is ended and every pipe is closed, even where a process that left
    the group still holds the other end.
    """
    starting = asyncio.ensure_future(_start(command, folder, environment, max_bytes))
    try:
        await asyncio.wait([starting])
    except asyncio.CancelledError:
        # A child cannot be ended while it starts: asyncio would wait for pipes that it does not own yet.
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
    return EndedProcess(
        "flooded" if child.flooded else state,
        transport.get_returncode() or 0,
        bytes(child.kept[OUTPUT]),
        bytes(child.kept[ERRORS]),
    )


async def _is_over_in_time(child: "_Child", group: int, seconds: float) -> bool:
    """Wait for the end, as long as the CPU time allows."""
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
    # Closing earlier would take the exit code that asyncio's own watcher waits for.
    await child.exited.wait()
    transport.close()
    await child.closed.wait()


class _Child(asyncio.SubprocessProtocol):
    """Keeps the output of a child, and ends the child at the limit."""

    def __init__(self, max_bytes: int) -> None:
        self.kept = {OUTPUT: bytearray(), ERRORS: bytearray()}
        self.flooded = False
        self.exited = asyncio.Event()
        self.closed = asyncio.Event()
        """The child is gone and its pipes are closed."""
        self.over = asyncio.Event()
        """No more output can come, or none is wanted."""
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
