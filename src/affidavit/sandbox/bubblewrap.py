"""Run jobs behind bubblewrap: own namespaces, an allow-list of files, filtered kernel calls."""

import os
import secrets
from contextlib import closing
from io import FileIO
from pathlib import Path

from affidavit.sandbox.job import ADDED, SIDE, SOURCE, WATCH, Ended, Job
from affidavit.sandbox.seccomp import filter_program
from affidavit.sandbox.supervision import startup_command, supervise
from affidavit.system.bubblewrap import bind, isolate

FILES = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/etc/mime.types")
OWN_FILES = Path(__file__).parent / "etc"
"""Files with the name localhost and the user that programs run as."""
JAVA = "java-*"
"""Settings of a JDK in /etc, which its own folder links to."""
HIDDEN = "/usr/local/etc"
"""Settings of the machine among its programs."""
NO_SHARED_ZEROS = ("--dev-bind", "/dev/full", "/dev/zero")
"""Replace /dev/zero, because mapping it gives memory that counts for no process."""


class Bubblewrap:
    """Run jobs behind the program `bwrap`."""

    name = "bubblewrap"

    def __init__(self, program: Path) -> None:
        self.program = program

    def run(self, job: Job) -> Ended:
        """Run a job to its end or its first limit; leave nothing of it behind."""
        rules = filter_program()
        if rules is None:
            return Ended(
                "not_started", detail="no filter of kernel calls is known for this kind of processor"
            )
        ready = f"affidavit-ready-{secrets.token_hex(12)}"  # nothing inside can know it before it is printed
        report, reported = os.pipe()
        with closing(FileIO(report)), closing(FileIO(_memory_file(rules))) as filtered:
            command = [
                str(self.program),
                *self.arguments(job, filter_fd=filtered.fileno(), report_fd=reported),
                "--",
                *startup_command(job, ready),
            ]
            return supervise(command, job, ready, (filtered.fileno(), reported), report)

    def arguments(self, job: Job, *, filter_fd: int, report_fd: int) -> list[str]:
        """Return the arguments for bubblewrap, wall by wall."""
        return [
            *isolate(),
            *_nothing_of_the_user(job),
            *_settings(),
            *_own_places(job),
            *NO_SHARED_ZEROS,
            *_given(job),
            # If we are root outside, the kernel's settings in /proc belong to the program's user.
            *("--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/"),
            *("--chdir", SIDE, "--seccomp", str(filter_fd), "--info-fd", str(report_fd)),
        ]


def _nothing_of_the_user(job: Job) -> list[str]:
    arguments = ["--clearenv"]
    for name, value in job.variables.items():
        arguments += ["--setenv", name, value]
    return arguments


def _settings() -> list[str]:
    """Show only the system settings that its programs need."""
    shown = [name for name in FILES if Path(name).exists()] + [str(one) for one in Path("/etc").glob(JAVA)]
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
    kept = bind([job.kept], writable=True) if job.kept else []
    return arguments + bind(job.mounts) + kept


def _memory_file(content: bytes) -> int:
    handle = os.memfd_create("rules")
    os.write(handle, content)
    os.lseek(handle, 0, os.SEEK_SET)
    return handle
