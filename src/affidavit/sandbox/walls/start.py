"""The first command inside a sandbox: it makes the copy, sets limits, says that it is ready, and leaves.

Where somebody watches, it stays, and says at the end what only it can see from there: whether a disk is full,
and which of the altered files nobody has read.
"""

import platform
import re

from affidavit.records.runs.run import RunLimits
from affidavit.sandbox.job import (
    ADDED,
    ALTERED,
    AT_THE_END,
    DONE,
    FULL,
    MEGABYTE,
    SIDE,
    SOURCE,
    UNTOUCHED,
    WATCH,
    Job,
)

NAMESPACED_COUNT = (5, 14)
"""From this Linux on, processes are counted for each sandbox alone; before, with all of the user."""
# What cannot be copied ends the run before the program begins. A shell that lacks a limit goes on without it:
# tasks and memory are also watched from outside, by somebody whom a flood of processes must not keep waiting.
# A disk is full where it has no room for a few blocks or another file; who is ended by signal 25 wrote more
# than a file may hold. When a file was last read the kernel keeps, whoever reads it. What a shell says of a
# child that a signal ended is no output of the program.
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
altered={WATCH}/{ALTERED} ended={WATCH}/{AT_THE_END}
if [ -f "$altered" ]; then xargs -0 touch -a -d @{UNTOUCHED} -- < "$altered" 2>/dev/null; fi
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
  if [ -f "$altered" ]; then xargs -0 stat -c '%X %n' -- < "$altered" | grep '^{UNTOUCHED} '; fi
  echo {DONE}
}} > "$ended"
exit "$code"
"""


def started_by(job: Job, ready: str, kernel: str | None = None) -> list[str]:
    """The job's command behind the one that prepares for it; `ready` is printed just before it begins."""
    limits = job.limits
    blocks = job.disk_bytes // 512
    tasks = limits.tasks if counts_by_namespace(kernel or platform.release()) else 0
    return [
        "/bin/sh",
        "-c",
        SCRIPT,
        "sh",
        ready,
        str(limits.cpu_seconds),
        str(blocks),
        str(tasks),
        *job.command,
    ]


def counts_by_namespace(kernel: str) -> bool:
    """Whether a limit on processes means those of the sandbox alone."""
    found = re.match(r"(\d+)\.(\d+)", kernel)
    return found is not None and (int(found[1]), int(found[2])) >= NAMESPACED_COUNT


def is_over_memory(used_bytes: int, limits: RunLimits) -> bool:
    """Whether that is more than a run may take."""
    return used_bytes > limits.memory_mb * MEGABYTE
