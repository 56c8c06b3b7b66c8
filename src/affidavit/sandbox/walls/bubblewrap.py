"""Bubblewrap: a job in, the same behind namespaces with an allow-list of files, and what became of it."""

import os
import subprocess
from contextlib import closing, nullcontext
from io import FileIO
from pathlib import Path

from affidavit.sandbox.job import ADDED, SIDE, SOURCE, WATCH, Ended, Job
from affidavit.sandbox.walls.cgroup import Group, Grouped
from affidavit.sandbox.walls.namespace import hold_namespace
from affidavit.sandbox.walls.seccomp import filter_program
from affidavit.sandbox.walls.start import started_by
from affidavit.sandbox.walls.supervision import Grip, new_word, supervise
from affidavit.system.bubblewrap import show_system

FILES = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/etc/mime.types")
FOR_NETWORK = (
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/nsswitch.conf",
    "/etc/ssl",
    "/etc/pki",
    "/etc/ca-certificates",
)
OWN_FILES = Path(__file__).parent / "etc"
"""What programs look up of a machine that they all know: the name localhost, the user that they run as."""
HIDDEN = ("/usr/local/etc",)
"""Settings of the machine that lie among its programs."""
OUTSIDE = {"AFFIDAVIT_OUTSIDE": "1"}
"""What bubblewrap itself is given; a program that sees it sees the environment of another."""
NO_SHARED_ZEROS = ("--dev-bind", "/dev/full", "/dev/zero")
"""Zeros to be read, and none to be mapped: that would be memory which no process is seen to hold."""
USER = "1000"


class Bubblewrap:
    """A sandbox by the program `bwrap`."""

    def __init__(self, program: Path, group: Path | None = None) -> None:
        self.program = program
        self.group = group
        """A control group that is delegated to us; None: limits are watched from outside."""

    @property
    def name(self) -> str:
        """What stands between a program and this machine."""
        return "bubblewrap with a control group" if self.group else "bubblewrap"

    def run(self, job: Job) -> Ended:
        """Run a job to its end or its first limit; nothing of it is left afterwards."""
        rules = filter_program(shares_memory=self.group is not None)
        if rules is None:
            return Ended(
                "not_started", detail="no filter of kernel calls is known for this kind of processor"
            )
        ready = new_word()
        report, reported = os.pipe()
        with closing(FileIO(report)), closing(FileIO(_memory_file(rules))) as filtered:
            writer = FileIO(reported, "w")
            group = Group(self.group, job.limits) if self.group else None

            def hold(process: subprocess.Popen[bytes]) -> Grip:
                writer.close()
                grip = hold_namespace(process, report)
                return Grouped(grip, group) if group else grip

            command = [
                str(self.program),
                *self.arguments(job, filter_fd=filtered.fileno(), report_fd=reported),
                "--",
                *started_by(job, ready),
            ]
            with closing(writer), group or nullcontext():
                return supervise(
                    group.joined_by(command) if group else command,
                    limits=job.limits,
                    ready=ready,
                    hold=hold,
                    pass_fds=(filtered.fileno(), reported),
                    environment=OUTSIDE,
                    stopped=job.stopped,
                )

    def arguments(self, job: Job, *, filter_fd: int, report_fd: int) -> list[str]:
        """What bubblewrap is told, wall by wall."""
        return [
            *_apart(job),
            *_nothing_of_the_user(job),
            *_system(job),
            *_own_places(job),
            *(() if self.group else NO_SHARED_ZEROS),
            *_given(job),
            # Where we are root outside, the settings of the kernel in /proc belong to the program's user.
            *("--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/"),
            *("--chdir", SIDE, "--seccomp", str(filter_fd), "--info-fd", str(report_fd)),
        ]


def _apart(job: Job) -> list[str]:
    """Namespaces of its own, no way to make further ones, no rights, and no life beyond ours."""
    network = [] if job.has_network else ["--unshare-net"]
    return [
        *(
            "--unshare-user",
            "--unshare-ipc",
            "--unshare-pid",
            "--unshare-uts",
            "--unshare-cgroup-try",
            *network,
        ),
        *("--disable-userns", "--uid", USER, "--gid", USER, "--hostname", "sandbox"),
        *("--cap-drop", "ALL", "--die-with-parent", "--new-session"),
    ]


def _nothing_of_the_user(job: Job) -> list[str]:
    arguments = ["--clearenv"]
    for name, value in job.variables.items():
        arguments += ["--setenv", name, value]
    return arguments


def _system(job: Job) -> list[str]:
    """The system's libraries and programs, and of its settings what those cannot do without."""
    arguments = show_system()
    for name in (*FILES, *(FOR_NETWORK if job.has_network else ())):
        if Path(name).exists():
            arguments += ["--ro-bind", name, name]
    for own in sorted(OWN_FILES.iterdir()):
        if f"/etc/{own.name}" not in arguments:
            arguments += ["--ro-bind", str(own), f"/etc/{own.name}"]
    for name in HIDDEN:
        if Path(name).is_dir():
            arguments += ["--size", "4096", "--tmpfs", name]
    return arguments


def _own_places(job: Job) -> list[str]:
    small = str(max(1, job.limits.disk_mb) * 1024 * 1024)
    return [
        *("--proc", "/proc", "--dev", "/dev"),
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
    for place in job.mounts:
        arguments += ["--ro-bind", str(place), str(place)]
    if job.writable is not None:
        arguments += ["--bind", str(job.writable), str(job.writable)]
    return arguments


def _memory_file(content: bytes) -> int:
    handle = os.memfd_create("rules")
    os.write(handle, content)
    os.lseek(handle, 0, os.SEEK_SET)
    return handle
