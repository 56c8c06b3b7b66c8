"""Run a job behind bubblewrap: own namespaces, an allow-list of files, filtered kernel calls."""

import json
import os
import select
import signal
import subprocess
from contextlib import closing, suppress
from io import FileIO
from pathlib import Path

from affidavit.errors import OutsideError
from affidavit.records.program_runs import RunLimits, RunState
from affidavit.sandbox.job import ADDED, SIDE, SOURCE, WATCH, Ended, Job
from affidavit.sandbox.seccomp import filter_program
from affidavit.sandbox.supervision import is_over_memory, new_word, started_by, supervise
from affidavit.system.bubblewrap import bind, isolate

ANSWER_SECONDS = 20.0
END_SECONDS = 30.0
OWN_MEMORY = ("RssAnon:", "RssShmem:", "VmSwap:", "VmPTE:", "HugetlbPages:")
"""Memory that is there because of a process; pages of files can be taken back at any time.

What is swapped out, the tables of its pages and large pages of their own kind count nowhere else.
"""


class Namespace:
    """Everything inside: it is gone when its first process is gone, as the kernel waits for the others."""

    def __init__(self, pid: int, handle: int) -> None:
        self._inside = Path(f"/proc/{pid}/root/proc")
        self._handle = handle

    def excess(self, limits: RunLimits) -> RunState | None:
        """Which limit is passed, if any."""
        tasks, memory = self._taken()
        if tasks > limits.tasks:
            return "too_many_processes"
        return "out_of_memory" if is_over_memory(memory, limits) else None

    def _taken(self) -> tuple[int, int]:
        tasks = memory = 0
        with suppress(OSError):
            for place in self._inside.iterdir():
                if place.name.isdigit():
                    of_one = taken_by(place / "status")
                    tasks, memory = tasks + of_one[0], memory + of_one[1]
        return tasks, memory

    def end(self) -> None:
        """End the first process, and with it all; return when the last one is gone."""
        try:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)
            if not _is_gone(self._handle, END_SECONDS):
                raise OutsideError("a program that was run in the sandbox could not be ended")
        finally:
            os.close(self._handle)


def hold_namespace(process: subprocess.Popen[bytes], report: int) -> Namespace | None:
    """Take hold of what bubblewrap started, if it did; `report` is where it names the first process."""
    pid = _first_process(report)
    if pid is None:
        return None
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return None
    # Between the report and the handle the number may have gone to somebody else.
    if _parent_of(pid) != process.pid:
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


def _parent_of(pid: int) -> int | None:
    try:
        after_name = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2]
        return int(after_name.split()[1])
    except (OSError, ValueError, IndexError):
        return None


def taken_by(status: Path) -> tuple[int, int]:
    """Threads and bytes of one process."""
    tasks = memory = 0
    with suppress(OSError):
        for line in status.read_bytes().decode("ascii", "replace").splitlines():
            name, _, value = line.partition("\t")
            if name in OWN_MEMORY:
                memory += int(value.split()[0]) * 1024
            elif name == "Threads:":
                tasks = int(value)
    return tasks, memory


def _is_gone(handle: int, seconds: float) -> bool:
    return bool(select.select([handle], [], [], seconds)[0])


FILES = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/etc/mime.types")
OWN_FILES = Path(__file__).parent / "etc"
"""What programs look up of a machine that they all know: the name localhost, the user that they run as."""
HIDDEN = "/usr/local/etc"
"""Settings of the machine that lie among its programs."""
OUTSIDE = {"AFFIDAVIT_OUTSIDE": "1"}
"""What bubblewrap itself is given; a program that sees it sees the environment of another."""
NO_SHARED_ZEROS = ("--dev-bind", "/dev/full", "/dev/zero")
"""Zeros to be read, and none to be mapped: that would be memory which no process is seen to hold."""


class Bubblewrap:
    """Run jobs behind the program `bwrap`."""

    name = "bubblewrap"

    def __init__(self, program: Path) -> None:
        self.program = program

    def run(self, job: Job) -> Ended:
        """Run a job to its end or its first limit; nothing of it is left afterwards."""
        rules = filter_program()
        if rules is None:
            return Ended(
                "not_started", detail="no filter of kernel calls is known for this kind of processor"
            )
        ready = new_word()
        report, reported = os.pipe()
        with closing(FileIO(report)), closing(FileIO(_memory_file(rules))) as filtered:
            writer = FileIO(reported, "w")

            def hold(process: subprocess.Popen[bytes]) -> Namespace | None:
                writer.close()
                return hold_namespace(process, report)

            command = [
                str(self.program),
                *self.arguments(job, filter_fd=filtered.fileno(), report_fd=reported),
                "--",
                *started_by(job, ready),
            ]
            with closing(writer):
                return supervise(
                    command,
                    limits=job.limits,
                    ready=ready,
                    hold=hold,
                    pass_fds=(filtered.fileno(), reported),
                    environment=OUTSIDE,
                    stopped=job.stopped,
                )

    def arguments(self, job: Job, *, filter_fd: int, report_fd: int) -> list[str]:
        """Return the arguments for bubblewrap, wall by wall."""
        return [
            *isolate(),
            *_nothing_of_the_user(job),
            *_settings(),
            *_own_places(job),
            *NO_SHARED_ZEROS,
            *_given(job),
            # Where we are root outside, the settings of the kernel in /proc belong to the program's user.
            *("--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/"),
            *("--chdir", SIDE, "--seccomp", str(filter_fd), "--info-fd", str(report_fd)),
        ]


def _nothing_of_the_user(job: Job) -> list[str]:
    arguments = ["--clearenv"]
    for name, value in job.variables.items():
        arguments += ["--setenv", name, value]
    return arguments


def _settings() -> list[str]:
    """Show only those settings of the system that its programs cannot do without."""
    shown = [name for name in FILES if Path(name).exists()]
    arguments = bind(map(Path, shown))
    for own in sorted(OWN_FILES.iterdir()):
        if f"/etc/{own.name}" not in shown:
            arguments += ["--ro-bind", str(own), f"/etc/{own.name}"]
    if Path(HIDDEN).is_dir():
        arguments += ["--size", "4096", "--tmpfs", HIDDEN]
    return arguments


def _own_places(job: Job) -> list[str]:
    small = str(max(1, job.limits.disk_mb) * 1024 * 1024)
    return [
        *("--size", small, "--tmpfs", "/dev/shm"),  # noqa: S108 - the sandbox's own
        *("--size", small, "--perms", "1777", "--tmpfs", "/tmp"),  # noqa: S108 - the sandbox's own
        *("--size", str(job.disk_bytes), "--tmpfs", SIDE),
    ]


def _given(job: Job) -> list[str]:
    arguments = ["--ro-bind", str(job.source), SOURCE]
    if job.added is not None:
        arguments += ["--ro-bind", str(job.added), ADDED]
    if job.watch is not None:
        arguments += ["--ro-bind", str(job.watch), WATCH]
    return arguments + bind(job.mounts)


def _memory_file(content: bytes) -> int:
    handle = os.memfd_create("rules")
    os.write(handle, content)
    os.lseek(handle, 0, os.SEEK_SET)
    return handle
