"""Temporary folders do not outlive their run, and nobody else can read them."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

HOLDING = """
import sys
from affidavit.system.temporary import temporary_folder
with temporary_folder("work-") as folder:
    (folder / "source.py").write_text("secret")
    print(folder, flush=True)
    sys.stdin.read()
"""
ENDING = "from affidavit.system.temporary import run_folder\nprint(run_folder(), flush=True)\n"


@contextmanager
def started(program: str, scratch: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """A process that has said where its folder is."""
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        env={**os.environ, "TMPDIR": str(scratch)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield process, Path(process.stdout.readline().rstrip("\n"))
    finally:
        process.kill()
        process.communicate()


def run(program: str, scratch: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "TMPDIR": str(scratch)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_run_that_ends_leaves_nothing_behind(tmp_path: Path) -> None:
    done = run(ENDING, tmp_path)
    assert Path(done.stdout.strip()).is_relative_to(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_there_is_one_folder_for_the_user_that_nobody_else_can_read(tmp_path: Path) -> None:
    with started(HOLDING, tmp_path) as (_, first), started(HOLDING, tmp_path) as (_, second):
        assert first.parents[1] == second.parents[1] == tmp_path / f"affidavit-{os.getuid()}"
        assert first.parent != second.parent
        assert [place.stat().st_mode & 0o777 for place in (first.parents[1], first.parent)] == [0o700, 0o700]


def test_a_killed_run_s_folder_is_removed_by_the_next_one(tmp_path: Path) -> None:
    with started(HOLDING, tmp_path) as (process, folder):
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert (folder / "source.py").exists()
    run(ENDING, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_living_run_s_folder_is_left_alone(tmp_path: Path) -> None:
    with started(HOLDING, tmp_path) as (_, folder):
        run(ENDING, tmp_path)
        assert (folder / "source.py").read_text() == "secret"


@pytest.mark.skipif(os.getuid() == 0, reason="root may delete anywhere")
def test_a_folder_in_which_nothing_may_be_deleted_is_removed_all_the_same(tmp_path: Path) -> None:
    with started(HOLDING, tmp_path) as (process, folder):
        (folder / "locked" / "inner").mkdir(parents=True)
        (folder / "locked" / "inner" / "file").write_text("secret")
        (folder / "locked" / "inner").chmod(0o500)
        (folder / "locked").chmod(0o500)
        process.send_signal(signal.SIGKILL)
        process.wait()
    run(ENDING, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_links_in_a_dead_run_s_folder_are_not_followed(tmp_path: Path) -> None:
    scratch, mine = tmp_path / "scratch", tmp_path / "mine"
    scratch.mkdir()
    mine.mkdir()
    (mine / "kept").write_text("kept")
    with started(HOLDING, scratch) as (process, folder):
        (folder / "link").symlink_to(mine)
        (folder.parents[1] / "run-link").symlink_to(mine)
        process.send_signal(signal.SIGKILL)
        process.wait()
    run(ENDING, scratch)
    assert (mine / "kept").read_text() == "kept"
    assert not folder.exists()


def test_many_runs_that_start_and_end_at_once_do_not_take_each_other_s_folders(tmp_path: Path) -> None:
    program = """
from affidavit.system.temporary import end_run, temporary_folder
for _ in range(40):
    with temporary_folder() as folder:
        (folder / "file").write_text("x")
        assert (folder / "file").read_text() == "x"
    end_run()
"""
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", program],
            env={**os.environ, "TMPDIR": str(tmp_path)},
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    ended = [(one.communicate()[1], one.returncode) for one in runs]
    assert ended == [("", 0)] * 4
    assert list(tmp_path.iterdir()) == []


def test_somebody_else_s_folder_of_that_name_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / f"affidavit-{os.getuid()}").symlink_to(tmp_path / "elsewhere")
    done = run(ENDING, tmp_path)
    assert "does not belong to you" in done.stderr
    assert "TMPDIR" in done.stderr
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_folder_that_others_may_read_is_closed_to_them(tmp_path: Path) -> None:
    mine = tmp_path / f"affidavit-{os.getuid()}"
    mine.mkdir()
    mine.chmod(0o755)
    with started(HOLDING, tmp_path):
        assert mine.stat().st_mode & 0o777 == 0o700
