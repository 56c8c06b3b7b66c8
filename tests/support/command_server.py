"""A process that imports Affidavit once and runs each command in a fork of itself.

Most of the time of a short command goes into its imports and into the expressions that find secrets. A fork
is a process of its own all the same, with its own folder, variables, streams, signals and exit code. What is
about how Python starts needs a real start.
"""

import atexit
import gc
import importlib
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import IO, Any, NoReturn

ROOMS = ("cli", "context", "minds", "render", "reviewing", "store", "tools")
"""Whose modules many commands need, some of them imported only there where they are needed."""
NOT_FOR_IMPORT = "migrations"
STREAMS = (0, 1, 2)


class CommandServer:
    """Runs commands of this installation; several may run at once."""

    def __init__(self) -> None:
        self._control, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, __file__, str(theirs.fileno())]
            self._process = subprocess.Popen(command, pass_fds=[theirs.fileno()])

    def run(
        self, command: Sequence[str], cwd: Path, stdin: bytes, env: Mapping[str, str], timeout_seconds: float
    ) -> tuple[int, bytes, bytes]:
        """The exit code of a command, and what it wrote."""
        with ExitStack() as closing:
            streams = [closing.enter_context(tempfile.TemporaryFile()) for _ in STREAMS]
            streams[0].write(stdin)
            streams[0].seek(0)
            request = {"command": command, "cwd": str(cwd), "env": dict(env)}
            code = self._ask(request, streams, timeout_seconds)
            return code, _content(streams[1]), _content(streams[2])

    def _ask(self, request: dict[str, Any], streams: Sequence[IO[bytes]], timeout_seconds: float) -> int:
        ours, theirs = socket.socketpair()
        with ours, ours.makefile("r") as lines:
            with theirs:
                numbers = [theirs.fileno(), *(one.fileno() for one in streams)]
                socket.send_fds(self._control, [b"."], numbers)
            ours.sendall(json.dumps(request).encode() + b"\n")
            process = int(lines.readline())
            ours.settimeout(timeout_seconds)
            try:
                return int(lines.readline())
            except TimeoutError:
                os.kill(process, signal.SIGKILL)
                raise subprocess.TimeoutExpired(request["command"], timeout_seconds) from None

    def close(self) -> None:
        """Nobody asks any more."""
        self._control.close()
        self._process.wait(60)


@cache
def command_server() -> CommandServer:
    """The one of this process, from the first command to the end."""
    server = CommandServer()
    atexit.register(server.close)
    return server


def _content(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()


def _serve(control: socket.socket) -> None:
    """Returns only in a fork, which is to run what it was asked for; ends with whoever asks."""
    while True:
        said, numbers, _, _ = socket.recv_fds(control, 1, 1 + len(STREAMS))
        if not said:
            sys.exit()
        if os.fork() == 0:
            control.close()
            return _fork_and_tell(*numbers)
        for number in numbers:
            os.close(number)
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass


def _fork_and_tell(number: int, *streams: int) -> None:
    """Start another fork, in which this returns, and say how it ends."""
    with socket.socket(fileno=number) as answer:
        with answer.makefile("r") as lines:
            request = json.loads(lines.readline())
        process = os.fork()
        if process:
            answer.sendall(f"{process}\n".encode())
            _, status = os.waitpid(process, 0)
            answer.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
            os._exit(0)
    _become(request, streams)


def _become(request: dict[str, Any], streams: Sequence[int]) -> None:
    """Take over everything in which a command that was started here would differ from this process."""
    for number, stream in zip(STREAMS, streams, strict=True):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(request["cwd"])
    for name in os.environ.keys() - request["env"].keys():
        del os.environ[name]
    os.environ.update(request["env"])
    sys.argv = list(request["command"])
    sys.orig_argv = [sys.executable, *sys.argv]
    tempfile.tempdir = None
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _import_all(package: str) -> None:
    places = importlib.import_module(package).__path__
    for module in pkgutil.iter_modules(places, f"{package}."):
        if NOT_FOR_IMPORT in module.name:
            continue
        if module.ispkg:
            _import_all(module.name)
        else:
            importlib.import_module(module.name)


def _run_and_end(main: Callable[[], None]) -> NoReturn:
    """As Python ends, but for taking its objects apart one by one, which takes longer than most commands."""
    code = 0
    try:
        main()
    except SystemExit as ending:
        code = ending.code if isinstance(ending.code, int) else int(ending.code is not None)
    except BaseException:  # noqa: BLE001 - the outermost edge
        traceback.print_exc()
        code = 1
    threading._shutdown()
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        code = 120
    os._exit(code)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # what interrupts the tests ends them, and so this
    from affidavit.__main__ import main

    for room in ROOMS:
        _import_all(f"affidavit.{room}")
    from affidavit.redaction.text import redact_text

    redact_text("")  # compiles its expressions, which are the same for every text
    gc.collect()
    gc.freeze()
    with socket.socket(fileno=int(sys.argv[1])) as control:
        _serve(control)
    _run_and_end(main)
