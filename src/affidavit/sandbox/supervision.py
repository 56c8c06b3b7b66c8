"""Start a job's program, watch its limits, and end it with all that it started."""

import json
import os
import platform
import re
import select
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from shutil import disk_usage

from affidavit.errors import OutsideError
from affidavit.records.program_runs import RunLimits, RunState
from affidavit.sandbox.job import (
    ADDED,
    AT_THE_END,
    DONE,
    FULL,
    LISTED,
    MEGABYTE,
    SIDE,
    SOURCE,
    UNTOUCHED,
    WATCH,
    Ended,
    Job,
)
from affidavit.system.child_process import stat_of

NAMESPACED_COUNT = (5, 14)
"""Since this Linux, the process limit counts the processes of one sandbox, not all of the user's."""
# If copying fails, the run ends before the program begins. A shell that lacks a limit goes on without it:
# tasks and memory are also watched from outside. A disk is full if it lacks room for a few blocks or another
# file; signal 25 (exit code 153) means that a file became too large. The kernel keeps when a file was last
# read. The shell's message about a killed child is not output of the program.
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
listed={WATCH}/{LISTED} ended={WATCH}/{AT_THE_END}
if [ -f "$listed" ]; then xargs -0 touch -a -c -d @{UNTOUCHED} -- < "$listed" 2>/dev/null; fi
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
  if [ -f "$listed" ]; then xargs -0 stat -c '%X %n' -- < "$listed" | grep '^{UNTOUCHED} '; fi
  echo {DONE}
}} > "$ended"
exit "$code"
"""


def startup_command(job: Job, ready: str) -> list[str]:
    """Return the job's command behind the script that prepares for it and then prints `ready`."""
    version = re.match(r"(\d+)\.(\d+)", platform.release())
    counts = version is not None and (int(version[1]), int(version[2])) >= NAMESPACED_COUNT
    tasks = job.limits.tasks if counts else 0
    numbers = job.limits.cpu_seconds, job.disk_bytes // 512, tasks
    return ["/bin/sh", "-c", SCRIPT, "sh", ready, *map(str, numbers), *job.command]


ANSWER_SECONDS = 20.0
END_SECONDS = 30.0
PARENT = 1
"""The parent's place among the fields of a process."""
OWN_MEMORY = ("RssAnon:", "RssShmem:", "VmSwap:", "VmPTE:", "HugetlbPages:")
"""The memory of a process itself, also swapped out, in page tables and in huge pages."""


class Namespace:
    """All processes of a run: they end with the first one."""

    def __init__(self, pid: int, handle: int) -> None:
        self._inside = Path(f"/proc/{pid}/root/proc")
        self._handle = handle

    def excess(self, limits: RunLimits) -> RunState | None:
        """Return the limit that the processes pass, if any."""
        tasks = memory = 0
        with suppress(OSError):
            for place in self._inside.iterdir():
                if place.name.isdigit():
                    of_one = usage_of(place / "status")
                    tasks, memory = tasks + of_one[0], memory + of_one[1]
        if tasks > limits.tasks:
            return "too_many_processes"
        return "out_of_memory" if memory > limits.memory_mb * MEGABYTE else None

    def end(self) -> None:
        """End the first process, and with it all; return when the last one is gone."""
        try:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)
            if not select.select([self._handle], [], [], END_SECONDS)[0]:
                raise OutsideError("a program that was run in the sandbox could not be ended")
        finally:
            os.close(self._handle)


def hold_namespace(process: subprocess.Popen[bytes], report: int) -> Namespace | None:
    """Return the processes that bubblewrap started; it names the first one in its report."""
    pid = _first_process(report)
    if pid is None:
        return None
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return None
    # Between the report and the handle, another process may have got the number.
    if stat_of(pid)[PARENT : PARENT + 1] != (str(process.pid),):
        os.close(handle)
        return None
    return Namespace(pid, handle)


def _first_process(report: int) -> int | None:
    said = b""
    while select.select([report], [], [], ANSWER_SECONDS)[0]:
        data = os.read(report, 4096)
        if not data:
            break
        said += data
    try:
        return int(json.loads(said)["child-pid"])
    except (ValueError, KeyError, TypeError):
        return None


def usage_of(status: Path) -> tuple[int, int]:
    """Return the threads and bytes of one process."""
    tasks = memory = 0
    with suppress(OSError):
        for line in status.read_bytes().decode("ascii", "replace").splitlines():
            name, _, value = line.partition("\t")
            if name in OWN_MEMORY:
                memory += int(value.split()[0]) * 1024
            elif name == "Threads:":
                tasks = int(value)
    return tasks, memory


LOOK_SECONDS = 0.02
"""How often the limits of a run are checked."""
PREPARE_SECONDS = 60.0
"""Time for setup and the copy; the program's own time begins after that."""
MAX_WORDS = 600
SPARED_DISK_BYTES = 1024 * MEGABYTE
"""What a job that writes to the machine's disk leaves free."""
OUTSIDE = {"AFFIDAVIT_OUTSIDE": "1"}
"""The environment of bubblewrap itself; a program that sees it sees the environment of another."""


def supervise(command: Sequence[str], job: Job, ready: str, pass_fds: tuple[int, int], report: int) -> Ended:
    """Run a command to its end or its first limit; when this returns or raises, it has ended.

    `pass_fds` are the filter of kernel calls and the end of a pipe to which bubblewrap writes its report.
    """
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=OUTSIDE,
            cwd="/",
            start_new_session=True,
            pass_fds=pass_fds,
        )
    except OSError as error:
        return Ended("not_started", detail=f"{command[0]}: {error.strerror}")
    finally:
        os.close(pass_fds[1])
    with process:
        run = _Run(process, job, ready)
        namespace: Namespace | None = None
        try:
            namespace = hold_namespace(process, report)
            run.follow(namespace)
        finally:
            if namespace is not None:
                namespace.end()
            with suppress(ProcessLookupError):
                process.kill()
            process.wait()
        run.drain()
    return run.ended()


class _Run:
    """One run: what it printed so far, and whether it passed a limit."""

    def __init__(self, process: subprocess.Popen[bytes], job: Job, ready: str) -> None:
        if process.stdout is None:
            raise ValueError("the process was started without a pipe")
        self._process = process
        self._limits = job.limits
        self._stopped = job.stopped
        self._kept_at = job.kept
        self._ready = ready.encode() + b"\n"
        self._pipe = process.stdout.fileno()
        self._kept = bytearray()
        self._is_ready = False
        self._state: RunState = "exited"
        self._started = time.monotonic()
        os.set_blocking(self._pipe, False)

    def follow(self, namespace: Namespace | None) -> None:
        """Read what the run prints until it ends or passes a limit."""
        is_open = True
        while self._process.poll() is None and not self._passes_limit(namespace):
            if is_open and select.select([self._pipe], [], [], LOOK_SECONDS)[0]:
                is_open = self._read()
            elif not is_open:
                # A program that closed its outputs may still run.
                time.sleep(LOOK_SECONDS)

    def _passes_limit(self, namespace: Namespace | None) -> bool:
        passed: RunState | None = None
        is_stopped = self._stopped is not None and self._stopped.is_set()
        seconds = self._limits.seconds if self._is_ready else PREPARE_SECONDS
        if is_stopped or time.monotonic() - self._started > seconds:
            passed = "timed_out"
        elif len(self._kept) > self._limits.output_kb * 1024:
            passed = "flooded"
        elif self._kept_at and disk_usage(self._kept_at).free < SPARED_DISK_BYTES:
            passed = "out_of_disk"
        elif namespace and self._is_ready:
            # Until it is ready, this process may still see the machine itself.
            passed = namespace.excess(self._limits)
        self._state = passed or self._state
        return passed is not None

    def _read(self) -> bool:
        """Read what there is; return False at the end."""
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
        """Read the rest; no process can write any more."""
        size = -1
        while size != len(self._kept) <= self._limits.output_kb * 1024:
            size = len(self._kept)
            self._read()

    def ended(self) -> Ended:
        """Return how it ended."""
        duration = round((time.monotonic() - self._started) * 1000)
        if not self._is_ready:
            words = self._kept.decode("utf-8", "replace").strip()[-MAX_WORDS:]
            return Ended(
                "not_started", detail=words or "the sandbox ended without any output", duration_ms=duration
            )
        output = bytes(self._kept[: self._limits.output_kb * 1024])
        state = "flooded" if len(self._kept) > len(output) and self._state == "exited" else self._state
        code = self._process.returncode if state == "exited" else None
        return Ended(state, code, output, duration)
