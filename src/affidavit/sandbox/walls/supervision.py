"""A command with a grip on all that it starts, to its certain end: its output, and how it ended."""

import os
import secrets
import selectors
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Protocol

from affidavit.records.runs.run import RunLimits, RunState
from affidavit.sandbox.job import Ended

LOOK_SECONDS = 0.02
"""How often a run is looked at for what it takes."""
PREPARE_SECONDS = 60.0
"""How long the walls and the copy may take; the program's own time begins after that."""
MAX_WORDS = 600


class Grip(Protocol):
    """A hold on everything that runs inside."""

    def excess(self, limits: RunLimits) -> RunState | None:
        """Which limit is passed, if any."""

    def passed(self) -> RunState | None:
        """Which limit has ended it already, if the kernel enforces one."""

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
    hold: Callable[[subprocess.Popen[bytes]], Grip],
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
            run.settle(grip)
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

    def follow(self, grip: Grip) -> None:
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

    def settle(self, grip: Grip) -> None:
        """Who was ended by the kernel did not end by itself."""
        if self._state == "exited" and self._is_ready and self._process.returncode:
            self._state = grip.passed() or "exited"

    def _wait(self, grip: Grip) -> None:
        """The outputs are closed, which does not end a program."""
        while self._process.poll() is None and not self._is_over(grip):
            time.sleep(LOOK_SECONDS)

    def _is_over(self, grip: Grip) -> bool:
        passed = self._passed(grip)
        if passed is not None:
            self._state = passed
        return passed is not None

    def _passed(self, grip: Grip) -> RunState | None:
        if self._stopped is not None and self._stopped.is_set():
            return "timed_out"
        if time.monotonic() - self._started > (self._limits.seconds if self._is_ready else PREPARE_SECONDS):
            return "timed_out"
        if len(self._kept) > self._limits.output_kb * 1024:
            return "flooded"
        # Before it is ready, what is seen from here may still be the machine itself.
        return grip.excess(self._limits) if self._is_ready else None

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
