"""What holds for every command."""

import asyncio
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from affidavit import __version__
from affidavit.cli.command_line import pass_on_as_interrupt
from commands import AFFIDAVIT, affidavit
from repositories import Repo


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_the_version_is_printed(tmp_path: Path, flag: str) -> None:
    assert affidavit(flag, cwd=tmp_path).out == f"affidavit {__version__}\n"


def test_the_version_is_printed_without_loading_the_rest(tmp_path: Path) -> None:
    done = affidavit("--version", cwd=tmp_path, env={"PYTHONPROFILEIMPORTTIME": "1"})
    loaded = {line.rpartition("|")[2].strip() for line in done.err.splitlines()}
    assert not {"click", "pydantic", "rich", "tree_sitter", "asyncio"} & loaded


@pytest.mark.parametrize("command", ["review", "context", "recheck", "parse", "ask", "doctor", "ignore"])
def test_every_command_explains_itself(tmp_path: Path, command: str) -> None:
    done = affidavit(command, "--help", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Usage: affidavit {command}")


def test_an_unknown_command_is_a_clear_line(tmp_path: Path) -> None:
    done = affidavit("reveiw", cwd=tmp_path)
    assert done.code == 2
    assert "No such command 'reveiw'" in done.err


@pytest.mark.parametrize("form", ["report", "terminal"])
def test_a_closed_pipe_is_neither_a_traceback_nor_a_gate_that_was_not_passed(repo: Repo, form: str) -> None:
    repo.commit("base", {"a.py": "a = 1\n"})
    repo.write({"a.py": "a = b\n" * 200})
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [AFFIDAVIT, "review", "--no-store", "--fail-on", "never", "--format", form],
        cwd=repo.path,
        stdout=write,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(write)
    assert b"Traceback" not in done.stderr
    assert done.returncode == 2


def test_a_review_that_is_told_to_end_leaves_no_folder_behind(repo: Repo, tmp_path: Path) -> None:
    repo.commit("base", {f"m{n}.py": "import os\n" * 200 for n in range(300)})
    repo.write({"m1.py": "a = b\n"})
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    process = subprocess.Popen(
        [AFFIDAVIT, "review", "--no-store", "--no-cache"],
        cwd=repo.path,
        env={**os.environ, "TMPDIR": str(scratch)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 30
    while not list(scratch.iterdir()) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=60) in (0, 1, 130)
    assert list(scratch.iterdir()) == []


def test_a_signal_to_end_lets_what_is_under_way_clean_up() -> None:
    seen = []

    async def work() -> None:
        signal.raise_signal(signal.SIGTERM)
        seen.append("the line that ran is finished")
        try:
            await asyncio.Event().wait()
        finally:
            seen.append("cleaned up")

    before = signal.signal(signal.SIGTERM, pass_on_as_interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            asyncio.run(work())
    finally:
        signal.signal(signal.SIGTERM, before)
    assert seen == ["the line that ran is finished", "cleaned up"]


def test_a_signal_to_end_is_heard_where_interrupts_are_ignored() -> None:
    """As in what a shell runs in the background."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with pytest.raises(KeyboardInterrupt):
            pass_on_as_interrupt(signal.SIGTERM, None)
    finally:
        signal.signal(signal.SIGINT, before)


def test_the_doctor_names_what_is_here_and_how_to_get_the_rest(tmp_path: Path) -> None:
    done = affidavit("doctor", cwd=tmp_path)
    assert done.code == 0
    for name in ("git", "analyser ruff", "analyser ty", "store", "model"):
        assert name in done.out
