"""Run a command, and end all that it started when it is over. This file runs alone, without the package.

Processes that leave their session, or whose parent ends, become children of this one where the system can do
that (Linux). It ends them all on SIGTERM, and when its own parent is gone.
"""

import ctypes
import os
import signal
import sys
import threading
import time
from pathlib import Path

SUBREAPER, PARENT_DEATH = 36, 1
"""PR_SET_CHILD_SUBREAPER and PR_SET_PDEATHSIG of prctl."""
LOOK_SECONDS = 0.5
KILLED = 128


def main(command: list[str]) -> int:
    """Run the command, end all processes that it left running, and return its exit code."""
    parent = os.getppid()
    signal.signal(signal.SIGTERM, lambda *_: _end_and_exit())
    _prctl(SUBREAPER, 1)
    _prctl(PARENT_DEATH, signal.SIGTERM)
    pid = os.posix_spawn(command[0], command, os.environ)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    code = _wait_for(pid)
    _end_all()
    return code


def _prctl(what: int, value: int) -> None:
    try:
        ctypes.CDLL(None).prctl(what, value, 0, 0, 0)
    except (OSError, AttributeError):
        return


def _end_with(parent: int) -> None:
    """Watch for a new parent, where the system sends no signal when the old one ends."""
    while os.getppid() == parent:
        time.sleep(LOOK_SECONDS)
    _end_and_exit()


def _wait_for(wanted: int) -> int:
    while True:
        pid, status = os.waitpid(-1, 0)
        if pid == wanted:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else KILLED - code


def _end_and_exit() -> None:
    _end_all()
    os._exit(KILLED + signal.SIGTERM)


def _end_all() -> None:
    """End one generation after the other: orphans become our children."""
    while children := _children():
        for pid in children:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        for pid in children:
            try:
                os.waitpid(pid, 0)
            except ChildProcessError:
                continue


def _children() -> list[int]:
    try:
        listed = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
    except OSError:
        return []
    return [int(pid) for pid in listed.split()]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
