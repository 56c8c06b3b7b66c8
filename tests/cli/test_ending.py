"""However a command ends, it leaves no copies of source behind and says whose turn it is to act."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from affidavit.cli.command_line import exit_code_of_interrupt, pass_on_as_interrupt
from commands import AFFIDAVIT, affidavit
from repositories import Repo

IN_ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
"""A locale without letters outside ASCII, also for Python, which would take UTF-8 in spite of it."""


@pytest.mark.parametrize("form", ["report", "terminal"])
def test_a_closed_pipe_loses_no_other_output_and_keeps_the_exit_code_of_the_gate(
    repo: Repo, tmp_path: Path, form: str
) -> None:
    repo.commit("base", {"a.py": "a = 1\n"})
    repo.write({"a.py": "a = b\n" * 30})
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [AFFIDAVIT, "review", "--data", tmp_path, "--format", form, "--format", f"sarif={tmp_path}/a.sarif"],
        cwd=repo.path,
        stdout=write,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (1, b"")
    assert "F821" in (tmp_path / "a.sarif").read_text()
    assert affidavit("history", "--data", tmp_path, cwd=repo.path).code == 0


@pytest.mark.parametrize(
    "arguments", [("review", "--no-store"), ("review", "--no-store", "--format", "sarif"), ("--version",)]
)
def test_a_full_disk_behind_the_output_is_no_fault_of_affidavit(
    repo: Repo, arguments: tuple[str, ...]
) -> None:
    repo.commit("base", {"a.py": "a = 1\n"})
    repo.write({"a.py": "a = b\n"})
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [AFFIDAVIT, *arguments], cwd=repo.path, stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 2
    assert done.stderr.decode() == "affidavit: the output cannot be written: No space left on device\n"


def test_a_full_disk_behind_the_output_costs_no_file(repo: Repo, tmp_path: Path) -> None:
    repo.commit("base", {"a.py": "a = 1\n"})
    repo.write({"a.py": "a = b\n"})
    formats = ("--format", "terminal", "--format", f"sarif={tmp_path}/a.sarif")
    with Path("/dev/full").open("wb") as full:
        subprocess.run([AFFIDAVIT, "review", "--no-store", *formats], cwd=repo.path, stdout=full, check=False)
    assert "F821" in (tmp_path / "a.sarif").read_text()


def test_a_log_that_is_full_does_not_cost_the_review(repo: Repo) -> None:
    repo.commit("base", {"a.py": "a = 1\n"})
    repo.write({"a.py": "a = b\n", "affidavit.toml": "nits = true\n"})
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [AFFIDAVIT, "review", "--no-store"],
            cwd=repo.path,
            stdout=subprocess.PIPE,
            stderr=full,
            check=False,
        )
    assert done.returncode == 1
    assert b"`b` is not defined" in done.stdout


def test_a_closed_standard_output_is_like_one_that_nobody_reads(repo: Repo) -> None:
    repo.commit("base", {"a.py": "a = 1\n"})
    repo.write({"a.py": "a = b\n"})
    command = f"exec {AFFIDAVIT} review --no-store >&-"
    done = subprocess.run(["/bin/sh", "-c", command], cwd=repo.path, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (1, b"")


def test_names_outside_ascii_are_reviewed_in_a_locale_that_has_no_such_letters(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "Größe")
    repo.commit("base", {"ä.py": "a = 1\n"})
    repo.write({"ä.py": "a = undefd\n", "ü/é.py": "b = undefd\n"})
    done = affidavit("review", "--repo", repo.path, "--title", "größer", cwd=tmp_path, env=IN_ASCII)
    assert (done.code, done.err) == (1, "")
    assert "\\xe4.py:1" in done.out


def test_a_mistyped_name_outside_ascii_is_said_in_a_locale_that_has_no_such_letters(tmp_path: Path) -> None:
    done = affidavit("ignore", "ä", "--why", "ö", cwd=tmp_path, env=IN_ASCII)
    assert done.code == 2
    assert done.err.startswith("affidavit: '\\xe4' is not a fingerprint")


def test_words_that_are_no_utf8_are_kept_as_escapes(repo: Repo) -> None:
    repo.commit("base", {"a.py": "a = 1\n"})
    repo.write({"a.py": "a = 2\n"})
    bad = os.fsdecode(b"\xff")
    done = affidavit("review", "--title", bad, cwd=repo.path)
    assert (done.code, done.err) == (0, "")
    assert "\\udcff" in done.out


def begin_review(
    repo: Repo, scratch: Path, *, ignoring: str = "", errors: int = subprocess.PIPE
) -> subprocess.Popen[bytes]:
    """A review that has begun to write copies of the source."""
    repo.commit("base", {f"m{n}.py": "import os\n" * 200 for n in range(100)})
    repo.write({"m1.py": "a = b\n"})
    scratch.mkdir()
    shield = f"trap '' {ignoring}; " if ignoring else ""
    command = f"{shield}exec {AFFIDAVIT} review --no-store --no-cache"
    process = subprocess.Popen(
        ["/bin/sh", "-c", command],
        cwd=repo.path,
        env={**os.environ, "TMPDIR": str(scratch)},
        stdout=subprocess.DEVNULL,
        stderr=errors,
    )
    deadline = time.monotonic() + 60
    while not list(scratch.glob("*/*/analyser-*/code/*")) and time.monotonic() < deadline:
        assert process.poll() is None
        time.sleep(0.005)
    return process


def heard(process: subprocess.Popen[bytes], seconds: float = 120) -> bytes:
    """What a review says until its end; one that does not end is ended, and its test has failed."""
    try:
        return process.communicate(timeout=seconds)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)]
)
def test_a_review_that_is_told_to_end_leaves_no_folder_behind(
    repo: Repo, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    process = begin_review(repo, tmp_path / "scratch")
    process.send_signal(number)
    said = heard(process)
    assert (process.returncode, said.strip()) == (code, b"affidavit: stopped")
    assert list((tmp_path / "scratch").iterdir()) == []


def test_a_review_that_is_told_to_end_twice_leaves_no_folder_behind(repo: Repo, tmp_path: Path) -> None:
    process = begin_review(repo, tmp_path / "scratch")
    for _ in range(4):
        process.send_signal(signal.SIGTERM)
        time.sleep(0.02)
    heard(process)
    assert process.returncode == 143
    assert list((tmp_path / "scratch").iterdir()) == []


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_request_to_end_is_heard_where_interrupts_are_ignored(
    repo: Repo, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    """As in what a shell runs in the background."""
    process = begin_review(repo, tmp_path / "scratch", ignoring="INT")
    process.send_signal(signal.SIGINT)
    process.send_signal(number)
    heard(process)
    assert process.returncode == code
    assert list((tmp_path / "scratch").iterdir()) == []


def test_a_review_outlives_its_terminal_where_the_user_asked_for_that(repo: Repo, tmp_path: Path) -> None:
    """As `nohup` does."""
    process = begin_review(repo, tmp_path / "scratch", ignoring="HUP")
    process.send_signal(signal.SIGHUP)
    heard(process, 240)
    assert process.returncode == 1


def test_the_next_review_removes_what_a_killed_one_left(repo: Repo, tmp_path: Path) -> None:
    process = begin_review(repo, tmp_path / "scratch")
    process.kill()
    process.communicate()
    assert list((tmp_path / "scratch").iterdir()) != []
    repo.git("checkout", "-q", ".")
    repo.write({"new.txt": "a\n"})
    affidavit("review", "--no-store", cwd=repo.path, env={"TMPDIR": str(tmp_path / "scratch")})
    assert list((tmp_path / "scratch").iterdir()) == []


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
    assert exit_code_of_interrupt() == 143


def test_a_request_to_end_that_is_repeated_strikes_nothing_that_cleans_up() -> None:
    """In a process of its own: what was received stays received."""
    program = """
import asyncio, signal
from affidavit.cli.command_line import listen_for_the_end

async def work():
    signal.raise_signal(signal.SIGTERM)
    try:
        await asyncio.Event().wait()
    finally:
        for _ in range(3):
            signal.raise_signal(signal.SIGTERM)
        await asyncio.sleep(0)
        print("cleaned up", flush=True)

listen_for_the_end()
try:
    asyncio.run(work())
except KeyboardInterrupt:
    print("interrupted")
"""
    for shield in ("", "trap '' INT; "):
        done = subprocess.run(
            ["/bin/sh", "-c", f'{shield}exec "$0" -c "$1"', sys.executable, program],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.stdout, done.stderr) == ("cleaned up\ninterrupted\n", "")


def test_a_terminal_that_is_gone_does_not_change_how_a_review_ends(repo: Repo, tmp_path: Path) -> None:
    """What is said then cannot be written any more."""
    main, terminal = os.openpty()
    process = begin_review(repo, tmp_path / "scratch", errors=terminal)
    os.close(terminal)
    os.close(main)
    process.send_signal(signal.SIGHUP)
    assert process.wait(timeout=120) == 129
    assert list((tmp_path / "scratch").iterdir()) == []
