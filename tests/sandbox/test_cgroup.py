"""A control group for each run: what is written to the kernel's files, and a run in a real group."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from affidavit.records.runs.run import RunLimits
from affidavit.sandbox.job import Ended
from affidavit.sandbox.walls.bubblewrap import Bubblewrap
from affidavit.sandbox.walls.cgroup import VARIABLE, Group, delegated_group

UNIFIED = ("/sys/fs/cgroup/unified", "/sys/fs/cgroup")


@pytest.fixture
def imitation(tmp_path: Path) -> Path:
    """Files as the kernel shows them in a group that is delegated."""
    folder = tmp_path / "delegated"
    folder.mkdir()
    (folder / "cgroup.procs").touch()
    (folder / "cgroup.subtree_control").write_text("memory pids")
    return folder


@pytest.fixture
def real() -> Iterator[Path]:
    """An empty group of the kernel's; it may lack the controllers, and still holds processes."""
    top = next((Path(name) for name in UNIFIED if (Path(name) / "cgroup.kill").parent.is_dir()), None)
    folder = top / f"affidavit-test-{os.getpid()}" if top and (top / "cgroup.procs").is_file() else None
    try:
        if folder is None:
            pytest.skip("there are no control groups of the second version here")
        folder.mkdir()
    except OSError as error:
        pytest.skip(f"no control group can be made here: {error.strerror}")
    yield folder
    folder.rmdir()


def test_only_a_group_that_the_user_names_and_that_has_both_controllers_counts(imitation: Path) -> None:
    assert delegated_group({}) is None
    assert delegated_group({VARIABLE: str(imitation / "elsewhere")}) is None
    assert delegated_group({VARIABLE: str(imitation)}) == imitation


def test_limits_are_written_before_anything_runs_in_it(imitation: Path) -> None:
    group = Group(imitation, RunLimits(memory_mb=64, tasks=10))
    assert (group.folder / "memory.max").read_text() == str(64 * 1024 * 1024)
    assert (group.folder / "memory.swap.max").read_text() == "0"
    assert (group.folder / "pids.max").read_text() == "14"
    command = group.joined_by(["bwrap", "--", "true"])
    assert command[-4:] == [str(group.folder), "bwrap", "--", "true"]


@pytest.mark.parametrize(
    ("file", "text", "state"),
    [
        ("memory.events", "low 0\noom 1\noom_kill 1\n", "out_of_memory"),
        ("pids.events", "max 3\n", "too_many_processes"),
        ("pids.events", "max 0\n", None),
    ],
)
def test_what_the_kernel_enforced_is_read_from_its_events(
    imitation: Path, file: str, text: str, state: str | None
) -> None:
    group = Group(imitation, RunLimits())
    (group.folder / file).write_text(text)
    assert group.passed() == state


def test_a_program_runs_in_its_group_and_the_group_is_gone_afterwards(
    real: Path, sandbox: Bubblewrap, run: Callable[..., Ended]
) -> None:
    seen = "import os; os.system('sleep 60 &'); print(open('/proc/self/cgroup').read())"
    ended = run(Bubblewrap(sandbox.program, real), seen)
    assert (ended.state, ended.exit_code) == ("exited", 0), ended.detail
    assert [path for path in real.iterdir() if path.is_dir()] == []
