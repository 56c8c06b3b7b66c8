"""Start a job's program, watch its limits, and end it with all that it started."""

import os
import platform
import re
import secrets
import selectors
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Protocol

from affidavit.records.program_runs import RunLimits, RunState
from affidavit.sandbox.job import (
    ADDED,
    ALTERED,
    AT_THE_END,
    DONE,
    FULL,
    MEGABYTE,
    SIDE,
    SOURCE,
    UNTOUCHED,
    WATCH,
    Ended,
    Job,
)

NAMESPACED_COUNT = (5, 14)
"""From this Linux on, processes are counted for each sandbox alone; before, with all of the user."""
# What cannot be copied ends the run before the program begins. A shell that lacks a limit goes on without it:
# tasks and memory are also watched from outside, by somebody whom a flood of processes must not keep waiting.
# A disk is full where it has no room for a few blocks or another file; who is ended by signal 25 wrote more
# than a file may hold. When a file was last read the kernel keeps, whoever reads it. What a shell says of a
# child that a signal ended is no output of the program.
SCRIPT = f"""
ready=$1 cpu=$2 blocks=$3 tasks=$4
shift 4
cp -RP {SOURCE}/. {SIDE}/ || exit 125
if [ -d {ADDED} ]; then cp -RP {ADDED}/. {SIDE}/ || exit 125; fi
mkdir -p "${{HOME:=/tmp/home}}" && cd {SIDE} || exit 125
ulimit -c 0 2>/dev/null
ulimit -t "$cpu" 2>/dev/null
ulimit -f "$blocks" 2>/dev/null
if [ "$tasks" -gt 0 ]; then ulimit -u "$tasks" 2>/dev/null || ulimit -p "$tasks" 2>/dev/null; fi
altered={WATCH}/{ALTERED} ended={WATCH}/{AT_THE_END}
if [ -f "$altered" ]; then xargs -0 touch -a -d @{UNTOUCHED} -- < "$altered" 2>/dev/null; fi
echo "$ready"
if [ ! -p "$ended" ]; then exec nice -n 10 "$@"; fi
exec 3>&2 2>/dev/null
( exec 2>&3 3>&-; exec nice -n 10 "$@" )
code=$?
{{
  PATH=/usr/bin:/bin
  cd {SIDE}
  if [ "$code" = 153 ]; then echo {FULL}; fi
  stat -f -c '%a %d' {SIDE} /tmp /dev/shm | while read -r blocks files; do
    if [ "$blocks" -lt 16 ] || [ "$files" -lt 1 ]; then echo {FULL}; fi
  done
  if [ -f "$altered" ]; then xargs -0 stat -c '%X %n' -- < "$altered" | grep '^{UNTOUCHED} '; fi
  echo {DONE}
}} > "$ended"
exit "$code"
"""


def started_by(job: Job, ready: str, kernel: str | None = None) -> list[str]:
    """The job's command behind the one that prepares for it; `ready` is printed just before it begins."""
    limits = job.limits
    blocks = job.disk_bytes // 512
    tasks = limits.tasks if counts_by_namespace(kernel or platform.release()) else 0
    return [
        "/bin/sh",
        "-c",
        SCRIPT,
        "sh",
        ready,
        str(limits.cpu_seconds),
        str(blocks),
        str(tasks),
        *job.command,
    ]


def counts_by_namespace(kernel: str) -> bool:
    """Whether a limit on processes means those of the sandbox alone."""
    found = re.match(r"(\d+)\.(\d+)", kernel)
    return found is not None and (int(found[1]), int(found[2])) >= NAMESPACED_COUNT


def is_over_memory(used_bytes: int, limits: RunLimits) -> bool:
    """Whether that is more than a run may take."""
    return used_bytes > limits.memory_mb * MEGABYTE


LOOK_SECONDS = 0.02
"""How often a run is looked at for what it takes."""
PREPARE_SECONDS = 60.0
"""How long the walls and the copy may take; the program's own time begins after that."""
MAX_WORDS = 600


class Grip(Protocol):
    """A hold on everything that runs inside."""

    def excess(self, limits: RunLimits) -> RunState | None:
        """Which limit is passed, if any."""

    def end(self) -> None:
        """End everything inside, and return when nothing of it is left."""


def new_word() -> str:
    """A word that nothing inside can know before it is printed."""
    return f"affidavit-ready-{secrets.token_hex(12)}"


def supervise(
    command: Sequence[str],
    *,
    limits: RunLimits,
    ready: str,
    hold: Callable[[subprocess.Popen[bytes]], Grip | None],
    pass_fds: Sequence[int] = (),
    environment: Mapping[str, str] | None = None,
    stopped: threading.Event | None = None,
) -> Ended:
    """Run a command to its end or its first limit; when this returns or raises, nothing of it is left."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=dict(environment or {}),
            cwd="/",
            start_new_session=True,
            pass_fds=pass_fds,
        )
    except OSError as error:
        return Ended("not_started", detail=f"{command[0]}: {error.strerror}")
    with process:
        run = _Run(process, limits, ready, stopped)
        grip: Grip | None = None
        try:
            grip = hold(process)
            run.follow(grip)
        finally:
            if grip is not None:
                grip.end()
            with suppress(ProcessLookupError):
                process.kill()
            process.wait()
        run.drain()
    return run.ended()


class _Run:
    """One run as it goes on."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        limits: RunLimits,
        ready: str,
        stopped: threading.Event | None,
    ) -> None:
        if process.stdout is None:
            raise ValueError("the process was started without a pipe")
        self._process = process
        self._limits = limits
        self._stopped = stopped
        self._ready = ready.encode() + b"\n"
        self._pipe = process.stdout.fileno()
        self._kept = bytearray()
        self._is_ready = False
        self._state: RunState = "exited"
        self._started = time.monotonic()
        os.set_blocking(self._pipe, False)

    def follow(self, grip: Grip | None) -> None:
        """Look after the run until it ends or passes a limit."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._pipe, selectors.EVENT_READ)
            while self._process.poll() is None:
                if selector.select(LOOK_SECONDS) and not self._read():
                    selector.unregister(self._pipe)
                    self._wait(grip)
                    return
                if self._is_over(grip):
                    return

    def _wait(self, grip: Grip | None) -> None:
        """The outputs are closed, which does not end a program."""
        while self._process.poll() is None and not self._is_over(grip):
            time.sleep(LOOK_SECONDS)

    def _is_over(self, grip: Grip | None) -> bool:
        passed = self._passed(grip)
        if passed is not None:
            self._state = passed
        return passed is not None

    def _passed(self, grip: Grip | None) -> RunState | None:
        if self._stopped is not None and self._stopped.is_set():
            return "timed_out"
        if time.monotonic() - self._started > (self._limits.seconds if self._is_ready else PREPARE_SECONDS):
            return "timed_out"
        if len(self._kept) > self._limits.output_kb * 1024:
            return "flooded"
        # Before it is ready, what is seen from here may still be the machine itself.
        return grip.excess(self._limits) if grip and self._is_ready else None

    def _read(self) -> bool:
        """Take what there is; False at its end."""
        with suppress(BlockingIOError):
            data = os.read(self._pipe, 65536)
            self._kept += data
            if not self._is_ready and self._ready in self._kept:
                self._is_ready = True
                self._started = time.monotonic()
                del self._kept[: self._kept.index(self._ready) + len(self._ready)]
            return bool(data)
        return True

    def drain(self) -> None:
        """Read what is left: nobody is there any more who could write."""
        while len(self._kept) <= self._limits.output_kb * 1024 and self._has_more():
            pass

    def _has_more(self) -> bool:
        before = len(self._kept), self._is_ready
        return self._read() and before != (len(self._kept), self._is_ready)

    def ended(self) -> Ended:
        """What became of it."""
        duration = round((time.monotonic() - self._started) * 1000)
        if not self._is_ready:
            words = self._kept.decode("utf-8", "replace").strip()[-MAX_WORDS:]
            return Ended(
                "not_started", detail=words or "the sandbox ended without a word", duration_ms=duration
            )
        output = bytes(self._kept[: self._limits.output_kb * 1024])
        state = "flooded" if len(self._kept) > len(output) and self._state == "exited" else self._state
        code = self._process.returncode if state == "exited" else None
        return Ended(state, code, output, duration)
