"""How much work a child has done: from its process group to CPU seconds, and whether its time is over."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

PROC = Path("/proc")
PATIENCE = 10.0
"""So many times its limit may pass on the clock for a child that works whenever it is let."""
IDLE_SHARE = 0.02
"""Who has used less of the time than this was not held up by others: it waits for something."""
LOOK_SECONDS = 0.25
# Of what stands behind the name in /proc/PID/stat.
_GROUP, _USER, _SYSTEM, _USER_OF_CHILDREN, _SYSTEM_OF_CHILDREN = 2, 11, 12, 13, 14


def cpu_seconds(group: int) -> float | None:
    """What the processes of a group have used, with those that ended; None where nobody can know."""
    if not PROC.is_dir():
        return None
    ticks, is_known = 0, False
    for entry in PROC.iterdir():
        fields = _fields(entry) if entry.name.isdigit() else ()
        if len(fields) > _SYSTEM_OF_CHILDREN and int(fields[_GROUP]) == group:
            is_known = True
            ticks += sum(int(fields[at]) for at in (_USER, _SYSTEM, _USER_OF_CHILDREN, _SYSTEM_OF_CHILDREN))
    return ticks / os.sysconf("SC_CLK_TCK") if is_known else None


def own_cpu_seconds(pid: int) -> float | None:
    """What one process has used; None where nobody can know."""
    fields = _fields(PROC / str(pid))
    if len(fields) <= _SYSTEM:
        return None
    return (int(fields[_USER]) + int(fields[_SYSTEM])) / os.sysconf("SC_CLK_TCK")


def _fields(process: Path) -> tuple[str, ...]:
    try:
        # The name stands in brackets and may hold anything.
        return tuple((process / "stat").read_text(errors="replace").rpartition(")")[2].split())
    except OSError:
        return ()


def is_over(limit: float, passed: float, used: float | None) -> bool:
    """Whether a child has had its time.

    A limit counts the work of the child. On a busy machine the clock runs on while it waits for its turn, so
    one that works has as much again, several times; one that only waits has not.
    """
    if passed < limit:
        return False
    return used is None or used >= limit or passed >= PATIENCE * limit or used < IDLE_SHARE * passed


@contextmanager
def ended_after(
    limit: float, used: Callable[[], float | None], end: Callable[[], None]
) -> Iterator[threading.Event]:
    """Call `end` when the time is over; the event says whether that was so."""
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
