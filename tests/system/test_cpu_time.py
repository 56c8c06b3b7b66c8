"""A limit counts the work of a child, and not the time in which the machine works for others."""

import subprocess
import sys
import time

import pytest

from affidavit.system.child_process import cpu_seconds, ended_after, is_over, own_cpu_seconds


@pytest.mark.parametrize(
    ("passed", "used", "over"),
    [
        (9.0, 9.0, False),
        (11.0, 10.5, True),
        (11.0, 3.0, False),
        (60.0, 3.0, False),
        (101.0, 3.0, True),
        (11.0, 0.0, True),
        (11.0, None, True),
    ],
)
def test_a_child_that_is_held_up_by_others_has_more_time(
    passed: float, used: float | None, over: bool
) -> None:
    assert is_over(10.0, passed, used) is over


def test_the_work_of_a_process_and_of_its_group_is_known() -> None:
    code = "import time\nwhile time.process_time() < 0.3: pass\nprint('done', flush=True)\ntime.sleep(60)"
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, start_new_session=True)
    try:
        assert child.stdout is not None
        child.stdout.readline()
        own, group = own_cpu_seconds(child.pid), cpu_seconds(child.pid)
    finally:
        child.kill()
        child.communicate()
    assert own is not None
    assert group is not None
    assert 0.2 <= own <= group + 0.05
    assert own_cpu_seconds(2**22 + 1) is None


def test_one_who_only_waits_is_ended_at_its_limit() -> None:
    child = subprocess.Popen(["sleep", "60"])
    started = time.monotonic()
    with child, ended_after(0.3, lambda: own_cpu_seconds(child.pid), child.kill) as late:
        child.wait()
    assert late.is_set()
    assert time.monotonic() - started < 20


def test_one_who_ends_in_time_was_not_late() -> None:
    with subprocess.Popen(["true"]) as child, ended_after(30, lambda: None, child.kill) as late:
        child.wait()
    assert not late.is_set()


def test_the_time_of_a_program_in_a_session_of_its_own_counts() -> None:
    code = "import os, time; os.setsid()\nwhile time.process_time() < 1: pass"
    starting = ["/bin/sh", "-c", '"$@"; true', "sh", sys.executable, "-c", code]
    most = 0.0
    with subprocess.Popen(starting, process_group=0) as child:
        while most < 0.5 and child.poll() is None:
            most = max(most, cpu_seconds(child.pid) or 0)
            time.sleep(0.05)
    assert most >= 0.5
