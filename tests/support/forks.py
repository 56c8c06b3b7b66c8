"""Programs of this installation that start at once: forks of a process that has loaded all they need."""

import atexit
import json
import os
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import IO

from held_pipes import hold, locked

FORK_SERVER = Path(__file__).with_name("fork_server.py")
AS_PYTHON = Path(__file__).with_name("as_python.py")
SHARED_CACHE = "TESTS_SHARED_CACHE"
"""The variable with the folder of a test run, where all commands keep what analysers said."""
ROOMS = ("cli", "context", "forges", "mcp", "minds", "render", "reviewing", "service", "store", "tools")
"""Rooms whose modules many commands need, some of them imported only there where they are needed."""
IN_A_FORK = ("affidavit", "affidavit.service.child.spawner", "affidavit.service.work.poster")
"""Modules that are started as programs."""


class Fork:
    """A process that was made for us; like one of `subprocess`."""

    def __init__(self, answers: socket.socket) -> None:
        self._answers, self._said = answers, b""
        self.pid = self._number(None)
        self.returncode: int | None = None

    def _number(self, timeout: float | None) -> int:
        """The next that is said of it."""
        until = None if timeout is None else time.monotonic() + timeout
        while b"\n" not in self._said:
            left = None if until is None else max(0.0, until - time.monotonic())
            if not select.select([self._answers], [], [], left)[0]:
                raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0)
            said = self._answers.recv(100)
            assert said, "the process that makes forks is gone"
            self._said += said
        line, _, self._said = self._said.partition(b"\n")
        return int(line)

    def poll(self) -> int | None:
        """Its exit code, once it has ended."""
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code."""
        if self.returncode is None:
            self.returncode = self._number(timeout)
            self._answers.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Nothing is sent to one that has ended: its number may be another's."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class ForkServer:
    """The process that makes them: one for all workers of a test run, started by the first that needs it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._address = str(folder / "asked")
        self.python = folder / "python"
        """For whoever starts one: makes a fork where it is asked for such a module."""
        self.affidavit = folder / "affidavit"
        self._process: subprocess.Popen[bytes] | None = None
        folder.mkdir(exist_ok=True)
        with locked(folder):
            self._held = hold(folder / "held") or self._start()

    def _start(self) -> int:
        for name in ("held", "asked"):
            (self._folder / name).unlink(missing_ok=True)
        self._write_programs()
        os.mkfifo(self._folder / "held")
        reading = os.open(self._folder / "held", os.O_RDONLY | os.O_NONBLOCK)
        held = hold(self._folder / "held")
        assert held is not None
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(self._address)
            listener.listen(100)
            number = listener.fileno()
            command = [sys.executable, FORK_SERVER, str(number), *ROOMS]
            self._process = subprocess.Popen(command, pass_fds=[number], stdin=reading)
        os.close(reading)
        return held

    def _write_programs(self) -> None:
        begin = shlex.join([sys.executable, "-IS", str(AS_PYTHON), self._address])
        forked = " | ".join(f'"-m {name}"' for name in IN_A_FORK)
        either = f'case "$1 $2" in {forked}) exec {begin} "$@";; esac'
        _write_program(self.python, either, f'exec {shlex.quote(sys.executable)} "$@"')
        _write_program(self.affidavit, f'exec {begin} -m affidavit "$@"')

    def start(
        self,
        command: Sequence[str],
        files: Sequence[IO[bytes] | int],
        *,
        cwd: Path | str,
        env: Mapping[str, str],
        is_own_session: bool = False,
        python: Path | None = None,
    ) -> Fork:
        """A command with its standard streams; another Python for what it starts."""
        request = {
            "module": "affidavit",
            "command": list(command),
            "cwd": str(cwd),
            "env": dict(env),
            "numbers": list(range(len(files))),
            "is_own_session": is_own_session,
            "python": python and str(python),
        }
        asking = socket.socket(socket.AF_UNIX)
        asking.connect(self._address)
        socket.send_fds(asking, [b"."], [one if isinstance(one, int) else one.fileno() for one in files])
        asking.sendall(json.dumps(request).encode() + b"\n")
        return Fork(asking)

    def run(
        self, command: Sequence[str], cwd: Path, stdin: bytes, env: Mapping[str, str], timeout_seconds: float
    ) -> tuple[int, bytes, bytes]:
        """The exit code of a command, and what it wrote."""
        with ExitStack() as closing:
            streams = [closing.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
            streams[0].write(stdin)
            streams[0].seek(0)
            process = self.start(command, streams, cwd=cwd, env=env)
            try:
                code = process.wait(timeout_seconds)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                raise
            return code, content_of(streams[1]), content_of(streams[2])

    def close(self) -> None:
        """Hold it no longer; wait for its end if this worker started it."""
        os.close(self._held)
        if self._process:
            self._process.wait(60)


@cache
def forks() -> ForkServer:
    """The one of this test run, held from the first use to the end of this process."""
    shared = os.environ.get(SHARED_CACHE)
    server = ForkServer(Path(shared) / "forks" if shared else _own_folder())
    atexit.register(server.close)
    return server


def _own_folder() -> Path:
    folder = tempfile.mkdtemp(prefix="affidavit-forks-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _write_program(place: Path, *lines: str) -> None:
    place.write_text("\n".join(("#!/bin/sh", *lines, "")))
    place.chmod(0o700)


def content_of(file: IO[bytes]) -> bytes:
    """All that was written into a file."""
    file.seek(0)
    return file.read()
