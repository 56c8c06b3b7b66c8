"""What a container engine is told, as a list of arguments: no engine is at hand here."""

from itertools import pairwise
from pathlib import Path

import pytest

from affidavit.errors import SettingsError
from affidavit.records.program_runs import RunLimits
from affidavit.sandbox.job import Job
from affidavit.sandbox.walls.container import Container, find_engine


@pytest.fixture
def job(tmp_path: Path) -> Job:
    (tmp_path / "source").mkdir()
    return Job(
        ("python", "a.py"),
        tmp_path / "source",
        mounts=(Path("/opt/environment"),),
        variables={"LANG": "C.UTF-8"},
        limits=RunLimits(memory_mb=100, tasks=7, disk_mb=3),
    )


def pairs(command: list[str]) -> list[tuple[str, str]]:
    return list(pairwise(command))


@pytest.mark.parametrize(
    "wall",
    [
        ("--network", "none"),
        ("--cap-drop", "ALL"),
        ("--security-opt", "no-new-privileges"),
        ("--user", "1000:1000"),
        ("--pids-limit", "7"),
        ("--memory", "100m"),
        ("--memory-swap", "100m"),
        ("--pull", "never"),
        ("--ipc", "private"),
        ("--env", "LANG=C.UTF-8"),
        ("--mount", "type=bind,source=/opt/environment,target=/opt/environment,readonly"),
        ("--name", "word"),
    ],
)
def test_each_wall_is_asked_for(job: Job, wall: tuple[str, str]) -> None:
    assert wall in pairs(Container(Path("/usr/bin/podman"), "python:3.12").command(job, "word"))


def test_the_container_cannot_write_its_own_files_and_works_in_a_sized_copy(job: Job) -> None:
    command = Container(Path("/usr/bin/docker"), "python:3.12").command(job, "word")
    assert "--read-only" in command
    assert ("--mount", f"type=bind,source={job.source},target=/affidavit/source,readonly") in pairs(command)
    sized = [value for name, value in pairs(command) if name == "--tmpfs"]
    assert [value.split(":")[0] for value in sized] == ["/tmp", "/side"]
    assert all("size=" in value and "nosuid" in value for value in sized)


def test_the_image_comes_after_the_engine_s_options_and_before_the_program(job: Job) -> None:
    command = Container(Path("/usr/bin/docker"), "python:3.12").command(job, "word")
    assert command[: command.index("run") + 1] == ["/usr/bin/docker", "run"]
    assert ("--entrypoint", "/bin/sh") in pairs(command)
    assert command[command.index("python:3.12") + 1] == "-c"
    assert command[-2:] == ["python", "a.py"]


def test_only_an_environment_is_made_with_the_network_and_writes_one_folder(tmp_path: Path) -> None:
    job = Job(("true",), tmp_path, writable=Path("/made"), has_network=True)
    command = Container(Path("/usr/bin/docker"), "image").command(job, "word")
    assert ("--network", "bridge") in pairs(command)
    assert ("--mount", "type=bind,source=/made,target=/made") in pairs(command)


def test_a_folder_whose_name_would_be_read_as_options_is_refused(tmp_path: Path) -> None:
    job = Job(("true",), tmp_path, mounts=(Path("/a,readonly=false"),))
    with pytest.raises(SettingsError, match="comma"):
        Container(Path("/usr/bin/docker"), "image").command(job, "word")


def test_podman_is_taken_before_docker(tmp_path: Path) -> None:
    for name in ("docker", "podman"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    assert find_engine(str(tmp_path)) == tmp_path / "podman"


def test_an_engine_that_fails_ran_nothing_and_its_container_is_removed(job: Job, tmp_path: Path) -> None:
    engine = tmp_path / "podman"
    engine.write_text(f'#!/bin/sh\necho "$1" >> {tmp_path}/calls\necho no such image >&2\nexit 125\n')
    engine.chmod(0o755)
    ended = Container(engine, "image").run(Job(job.command, job.source))
    assert (ended.state, ended.detail) == ("not_started", "no such image")
    assert (tmp_path / "calls").read_text().split() == ["run", "rm"]
