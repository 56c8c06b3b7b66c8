"""Programs of this installation that start at once: forks of a process that has loaded all they need."""

import atexit
import json
import os
import select
import shlex
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

FORK_SERVER = Path(__file__).with_name("fork_server.py")
AS_PYTHON = Path(__file__).with_name("as_python.py")
COMMANDS = ("cli", "context", "minds", "render", "reviewing", "store", "tools")
"""Rooms whose modules many commands need, some of them imported only there where they are needed."""
SERVICE = ("forges", "mcp", "service")
"""Rooms of what runs for long: servers, workers, and what they start."""
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
    """The process that makes them; several may run at once."""

    def __init__(self, *rooms: str) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="affidavit-forks-")
        self._address = str(Path(self._folder.name) / "asked")
        begin = shlex.join([sys.executable, "-IS", str(AS_PYTHON), self._address])
        forked = " | ".join(f'"-m {name}"' for name in IN_A_FORK)
        either = f'case "$1 $2" in {forked}) exec {begin} "$@";; esac'
        self.python = self._program("python", either, f'exec {shlex.quote(sys.executable)} "$@"')
        """For whoever starts one: makes a fork where it is asked for such a module."""
        self.affidavit = self._program("affidavit", f'exec {begin} -m affidavit "$@"')
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(self._address)
            listener.listen(100)
            number = listener.fileno()
            command = [sys.executable, FORK_SERVER, str(number), *rooms]
            self._process = subprocess.Popen(command, pass_fds=[number], stdin=subprocess.PIPE)

    def _program(self, name: str, *lines: str) -> Path:
        program = Path(self._folder.name) / name
        program.write_text("\n".join(("#!/bin/sh", *lines, "")))
        program.chmod(0o700)
        return program

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
            return code, _content(streams[1]), _content(streams[2])

    def close(self) -> None:
        """Nobody asks any more."""
        self._process.communicate(timeout=60)
        self._folder.cleanup()


@cache
def for_commands() -> ForkServer:
    """The one of this process for short commands, from the first to the end."""
    return _opened(*COMMANDS)


@cache
def for_service() -> ForkServer:
    """The one of this process for what runs for long."""
    return _opened(*COMMANDS, *SERVICE)


def _opened(*rooms: str) -> ForkServer:
    server = ForkServer(*rooms)
    atexit.register(server.close)
    return server


def _content(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()
