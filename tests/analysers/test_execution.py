"""Programs that are missing, that crash, hang or flood, and what they can see of the machine."""

import asyncio
import errno
import gc
import os
import signal
import time
import warnings
from pathlib import Path

import pytest

from affidavit.analysers.engine.execution import (
    Limits,
    find_executable,
    isolated_environment,
    network_guard,
    read_version,
    run_program,
)


@pytest.fixture
def script(tmp_path):
    """Write an executable shell script."""

    def write(text: str, name: str = "program", folder: Path = tmp_path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        place = folder / name
        place.write_text(f"#!/bin/sh\n{text}\n")
        place.chmod(0o755)
        return place

    return write


def run(program, tmp_path, *arguments, **limits):
    scratch = tmp_path / "scratch"
    scratch.mkdir(exist_ok=True)
    return asyncio.run(
        run_program(
            [str(program), *arguments],
            folder=scratch,
            environment=isolated_environment(scratch),
            limits=Limits(**{"timeout_seconds": 20, **limits}),
        )
    )


def test_an_analyser_is_found_beside_the_interpreter():
    found = find_executable("ruff", reviewed_folder=None, search_path="")
    assert found is not None
    assert found.name == "ruff"


def test_a_program_inside_the_reviewed_repository_is_never_run(script, tmp_path):
    inside = script("true", "strange-linter", tmp_path / "repo" / "bin")
    outside = script("true", "strange-linter", tmp_path / "tools")
    path = os.pathsep.join([str(inside.parent), str(outside.parent)])
    assert find_executable("strange-linter", reviewed_folder=tmp_path / "repo", search_path=path) == outside


def test_a_link_into_the_reviewed_repository_is_never_run(script, tmp_path):
    inside = script("true", "strange-linter", tmp_path / "repo" / "bin")
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "strange-linter").symlink_to(inside)
    found = find_executable("strange-linter", reviewed_folder=tmp_path / "repo", search_path=str(tools))
    assert found is None


def test_a_relative_folder_on_the_path_is_skipped(script, tmp_path):
    script("true", "strange-linter", tmp_path)
    relative = os.path.relpath(tmp_path)
    assert find_executable("strange-linter", reviewed_folder=None, search_path=f"{relative}:.:") is None


def test_a_program_sees_nothing_of_our_environment(script, tmp_path):
    os.environ["AFFIDAVIT_TEST_SECRET"] = "hidden"
    try:
        outcome = run(script("env; pwd"), tmp_path)
    finally:
        del os.environ["AFFIDAVIT_TEST_SECRET"]
    printed = outcome.output.decode()
    assert "hidden" not in printed
    assert f"HOME={tmp_path / 'scratch'}" in printed


def test_a_crash_is_an_exit_code_with_the_last_words(script, tmp_path):
    outcome = run(script("echo broken >&2; exit 7"), tmp_path)
    assert (outcome.state, outcome.exit_code, outcome.last_words) == ("exited", 7, "broken")


@pytest.fixture
def pipe(tmp_path):
    """A named pipe: programs keep it open for as long as they live, and hand it on to their children."""
    place = tmp_path / "pipe"
    os.mkfifo(place)
    return place


def is_held(pipe: Path) -> bool:
    """Whether a program has the pipe open."""
    try:
        os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise
        return False
    return True


def becomes(pipe: Path, *, held: bool) -> bool:
    """Wait until a program has the pipe open, or until all who had it are gone."""
    deadline = time.monotonic() + 60
    while is_held(pipe) is not held and time.monotonic() < deadline:
        time.sleep(0.01)
    return is_held(pipe) is held


def test_a_program_that_hangs_is_ended_with_its_children(script, tmp_path, pipe):
    outcome = run(script(f"exec 3<>{pipe}\nsleep 600 & sleep 600"), tmp_path, timeout_seconds=1)
    assert outcome.state == "timed_out"
    assert becomes(pipe, held=False)


def test_a_program_that_leaves_a_child_behind_does_not_leave_it_running(script, tmp_path, pipe):
    run(script(f"exec 3<>{pipe}\nsleep 600 >/dev/null 2>&1 & exit 0"), tmp_path)
    assert becomes(pipe, held=False)


@pytest.mark.parametrize("stream", ["", ">&2"])
def test_a_program_that_floods_is_ended(script, tmp_path, stream):
    outcome = run(script(f"yes flooding {stream}"), tmp_path, output_mb=1)
    assert outcome.state == "flooded"
    assert len(outcome.output) + len(outcome.errors) < 5_000_000


def test_memory_is_limited(script, tmp_path):
    outcome = run(script("ulimit -v"), tmp_path, memory_mb=512)
    assert outcome.output.decode().strip() == str(512 * 1024)


def test_a_program_that_cannot_be_started_is_an_outcome(tmp_path):
    place = tmp_path / "not-a-program"
    place.write_text("no header")
    assert run(place, tmp_path).exit_code in (126, 127)


def test_a_folder_that_is_gone_is_an_outcome(tmp_path):
    gone = tmp_path / "gone"
    outcome = asyncio.run(run_program(["/bin/true"], folder=gone, environment={}, limits=Limits()))
    assert outcome.state == "not_started"


@pytest.mark.skipif(not network_guard(), reason="this system does not let us take the network away")
def test_there_is_no_network(script, tmp_path):
    outcome = run(script("cat /proc/net/dev"), tmp_path)
    devices = [line.split(":")[0].strip() for line in outcome.output.decode().splitlines()[2:]]
    assert devices == ["lo"]


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("echo tool 1.2.3", "1.2.3"),
        ("echo no version", ""),
        ("exit 3", ""),
        ("echo 'v0.0.100 (abc)'", "0.0.100"),
    ],
)
def test_a_version_is_read_from_what_is_printed(script, tmp_path, text, version):
    assert asyncio.run(read_version(script(text), ["--version"], tmp_path)) == version


@pytest.mark.parametrize(
    ("text", "limits", "state"),
    [
        ("sleep 120", {"timeout_seconds": 5}, "timed_out"),
        ("yes flooding", {"output_mb": 1}, "flooded"),
        ("yes flooding >&2", {"output_mb": 1}, "flooded"),
    ],
)
def test_a_process_that_left_the_group_holds_no_pipe_of_ours_open(script, tmp_path, text, limits, state):
    escaped = tmp_path / "escaped.pid"
    leaving = f"setsid sh -c 'echo $$ >{escaped}.part; mv {escaped}.part {escaped}; exec sleep 120' &"
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        outcome = run(script(f"{leaving}\nuntil [ -e {escaped} ]; do :; done\n{text}"), tmp_path, **limits)
        gc.collect()
    # It lives on and holds its end: nobody waited for it. It would fail here if it were gone.
    os.kill(int(escaped.read_text()), signal.SIGKILL)
    assert outcome.state == state
    assert [str(warning.message) for warning in told] == []


def test_a_run_that_is_cancelled_leaves_no_program_and_no_pipe(script, tmp_path, pipe):
    async def stopped() -> None:
        program = script(f"exec 3<>{pipe}\nsleep 600 & sleep 600")
        running = asyncio.create_task(
            run_program([str(program)], folder=tmp_path, environment={"PATH": "/bin"}, limits=Limits())
        )
        assert await asyncio.to_thread(becomes, pipe, held=True)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        asyncio.run(stopped())
        gc.collect()
    assert [str(warning.message) for warning in told] == []
    assert becomes(pipe, held=False)


def test_a_run_can_be_cancelled_at_every_step_of_its_start(script, tmp_path, pipe):
    program = script(f"exec 3<>{pipe}\nsleep 600 & sleep 600")

    async def stopped(steps: int) -> bool:
        running = asyncio.create_task(
            run_program([str(program)], folder=tmp_path, environment={"PATH": "/bin"}, limits=Limits())
        )
        for _ in range(steps):
            await asyncio.sleep(0)
        running.cancel()
        await asyncio.wait([running], timeout=60)
        return running.done() and running.cancelled()

    assert [steps for steps in range(25) if not asyncio.run(stopped(steps))] == []
    assert becomes(pipe, held=False)


def test_the_exit_code_of_a_program_that_is_ended_is_left_to_the_watcher(script, tmp_path, caplog):
    flooding = script("yes flooding")

    async def flood() -> list[int]:
        runs = (
            run_program(
                [str(flooding)],
                folder=tmp_path,
                environment={"PATH": "/usr/bin:/bin"},
                limits=Limits(timeout_seconds=60, output_mb=1),
            )
            for _ in range(24)
        )
        return [outcome.exit_code for outcome in await asyncio.gather(*runs)]

    assert asyncio.run(flood()) == [-signal.SIGKILL] * 24
    assert caplog.messages == []
