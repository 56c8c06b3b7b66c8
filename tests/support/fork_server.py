"""A process that imports Affidavit once and makes a fork of itself for each program that is wanted.

Most of the time of a short program goes into its imports and into the expressions that find secrets. A fork
is a process of its own all the same, with its own folder, variables, files, signals and exit code. What is
about how Python starts needs a real start.
"""

import atexit
import fcntl
import gc
import importlib
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from commands import environment_of
from repositories import Repo

NOT_FOR_IMPORT = "migrations"
MOST_FILES = 32
"""That a program is given."""
KEEPS_ANSWERS = type(cache(len))
HIGH = 400
"""Numbers of files that no program is given."""


class Running(NamedTuple):
    """A fork that runs a program."""

    process: int
    ended: int
    """A file that can be read once the process has ended."""
    asked: socket.socket
    """The connection of whoever asked for it."""


def _serve(listener: socket.socket) -> dict[str, Any]:
    """What a fork is asked to be; returns only there. Ends when nobody holds the other end of its input."""
    running: list[Running] = []
    while True:
        heard = (file for one in running for file in (one.ended, one.asked))
        ready = select.select([listener, sys.stdin, *heard], [], [])[0]
        # A byte is from one more holder.
        if sys.stdin in ready and not os.read(sys.stdin.fileno(), 100):
            _end(running)
        for one in [one for one in running if one.asked in ready]:
            # Nobody wants to know any more.
            _kill(one)
        for one in [one for one in running if one.ended in ready]:
            _bury(one)
            running.remove(one)
        if listener in ready and (request := _fork(listener, running)):
            return request


def _fork(listener: socket.socket, running: list[Running]) -> dict[str, Any] | None:
    """Make the fork that is asked for; return what it is asked to be there, and nothing here."""
    asked, _ = listener.accept()
    _, files, _, _ = socket.recv_fds(asked, 1, MOST_FILES)
    with asked.makefile("r") as lines:
        request: dict[str, Any] | None = json.loads(lines.readline() or "null")
    process = os.fork() if request else None
    if request and process == 0:
        for one in running:
            os.close(one.ended)
            one.asked.close()
        asked.close()
        listener.close()
        _become(request, files)
        return request
    for file in files:
        os.close(file)
    if process:
        running.append(Running(process, os.pidfd_open(process), asked))
        _tell(asked, process)
    else:
        asked.close()
    return None


def _bury(one: Running) -> None:
    """Say how a fork has ended."""
    os.close(one.ended)
    _, status = os.waitpid(one.process, 0)
    _tell(one.asked, os.waitstatus_to_exitcode(status))
    one.asked.close()


def _tell(asked: socket.socket, number: int) -> None:
    with suppress(OSError):
        asked.sendall(f"{number}\n".encode())


def _kill(one: Running) -> None:
    with suppress(ProcessLookupError):
        os.kill(one.process, signal.SIGKILL)


def _end(running: Sequence[Running]) -> NoReturn:
    """Whoever measures a test run counts the time of those that were waited for."""
    signal.alarm(5)
    for one in running:
        _kill(one)
        _bury(one)
    os._exit(0)


def _become(request: dict[str, Any], files: Sequence[int]) -> None:
    """Take over everything in which a program that was started would differ from this process."""
    if request["is_own_session"]:
        os.setsid()
    moved = [fcntl.fcntl(file, fcntl.F_DUPFD, HIGH) for file in files]
    for file in files:
        os.close(file)
    for number, file in zip(request["numbers"], moved, strict=True):
        os.dup2(file, number)
        os.close(file)
    os.chdir(request["cwd"])
    for name in os.environ.keys() - request["env"].keys():
        del os.environ[name]
    os.environ.update(request["env"])
    sys.argv = list(request["command"])
    sys.orig_argv = [sys.executable, *sys.argv]
    sys.executable = request["python"] or sys.executable
    tempfile.tempdir = None
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def _import_all(package: str) -> None:
    places = importlib.import_module(package).__path__
    for module in pkgutil.iter_modules(places, f"{package}."):
        if NOT_FOR_IMPORT in module.name:
            continue
        if module.ispkg:
            _import_all(module.name)
        else:
            importlib.import_module(module.name)


def _warm_up(main: Callable[[], object]) -> None:
    """Review a small change: no fork has to compile expressions or load grammars of its own then."""
    with tempfile.TemporaryDirectory(prefix="affidavit-warm-") as folder:
        repo = Repo(Path(folder) / "repo")
        repo.commit("One", {"a.py": "import os\n"})
        repo.commit("Two", {"a.py": "import os\n\nprint(os.sep, missing)\n"})
        own = environment_of(Path(folder) / "data", {"TERM": "dumb"})
        given, at, argv = dict(os.environ), Path.cwd(), sys.argv
        os.environ.clear()
        os.environ.update(own)
        os.chdir(repo.path)
        sys.argv = ["affidavit", "review", "HEAD"]
        with (
            Path(os.devnull).open("w") as nowhere,
            redirect_stdout(nowhere),
            redirect_stderr(nowhere),
            suppress(SystemExit),
        ):
            main()
        os.environ.clear()
        os.environ.update(given)
        os.chdir(at)
        sys.argv = argv
    _forget_answers()


def _forget_answers() -> None:
    """Clear what was remembered of this machine: a fork may have other variables."""
    ours = [module for name, module in sys.modules.items() if name.startswith("affidavit.")]
    for one in {id(value): value for module in ours for value in vars(module).values()}.values():
        if isinstance(one, KEEPS_ANSWERS) and not one.__module__.endswith(".grammars"):
            one.cache_clear()


def _run_and_end(main: Callable[[], object]) -> NoReturn:
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


def _run_module(name: str) -> None:
    """As `python -m` does."""
    sys.modules.pop(name, None)
    runpy.run_module(name, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    # What ends the tests ends this, too, by what it hears of them; until then it looks after its forks.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    from affidavit.__main__ import main

    for room in sys.argv[2:]:
        _import_all(f"affidavit.{room}")
    _warm_up(main)
    assert threading.active_count() == 1, threading.enumerate()
    gc.collect()
    gc.freeze()
    with socket.socket(fileno=int(sys.argv[1])) as listener:
        wanted = _serve(listener)
    _run_and_end(main if wanted["module"] == "affidavit" else lambda: _run_module(wanted["module"]))
