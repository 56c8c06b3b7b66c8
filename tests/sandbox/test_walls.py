"""A sandbox is used only where each of its walls was seen to stand."""

from pathlib import Path

import pytest

from affidavit.records.program_runs import RunLimits
from affidavit.sandbox.bubblewrap import Bubblewrap
from affidavit.sandbox.choice import INSTALL, NAMESPACES, WALLS, judge, try_walls
from affidavit.sandbox.job import Ended, Job
from sandbox_walls import without_wall


def test_every_wall_of_the_sandbox_is_tried_and_stands(sandbox: Bubblewrap) -> None:
    walls = try_walls(sandbox)
    assert {wall.name for wall in walls} == set(WALLS)
    assert [wall.name for wall in walls if not wall.holds] == []


@pytest.mark.parametrize(
    ("gone", "wall"),
    [
        ("--unshare-net", "network"),
        ("--clearenv", "environment"),
        ("--unshare-pid", "processes"),
        ("--remount-ro", "writing"),
        ("--ro-bind", "writing"),
        ("--seccomp", "kernel"),
    ],
)
def test_a_sandbox_with_a_wall_missing_is_not_used_and_the_wall_is_named(
    sandbox: Bubblewrap, gone: str, wall: str
) -> None:
    choice = judge(without_wall(sandbox, gone))
    assert choice.sandbox is None
    assert wall in [one.name for one in choice.walls if not one.holds]
    # Who sees the processes of a busy machine as its own is ended before it can say which wall is missing.
    assert WALLS[wall] in choice.reason or all(not one.holds for one in choice.walls)


class Unlimited(Bubblewrap):
    """It forgets about limits."""

    def run(self, job: Job) -> Ended:
        seconds = job.limits.seconds
        free = RunLimits(seconds=seconds, tasks=10_000, disk_mb=4096, output_kb=100_000)
        return super().run(Job(job.command, job.source, variables=job.variables, limits=free))


def test_a_sandbox_that_keeps_to_no_limit_is_not_used(sandbox: Bubblewrap) -> None:
    missing = {wall.name for wall in try_walls(Unlimited(sandbox.program)) if not wall.holds}
    assert {"disk", "output", "memory"} <= missing


def test_where_there_is_no_sandbox_it_is_said_what_to_install() -> None:
    choice = judge(None)
    assert (choice.sandbox, choice.advice) == (None, INSTALL)


def test_a_program_that_does_not_start_is_no_sandbox(tmp_path: Path) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text(
        "#!/bin/sh\necho 'bwrap: Creating new namespace failed: Operation not permitted' >&2\nexit 1\n"
    )
    broken.chmod(0o755)
    choice = judge(Bubblewrap(broken))
    assert choice.sandbox is None
    assert "Creating new namespace failed" in choice.reason
    assert choice.advice == NAMESPACES


def test_a_program_that_is_gone_is_no_sandbox(tmp_path: Path) -> None:
    assert judge(Bubblewrap(tmp_path / "bwrap")).sandbox is None
