"""A container engine (podman, docker): a job in, the same in a container, and what became of it."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from affidavit.errors import SettingsError
from affidavit.records.program_runs import RunLimits, RunState
from affidavit.sandbox.job import ADDED, SIDE, SOURCE, WATCH, Ended, Job
from affidavit.sandbox.walls.supervision import Grip, new_word, started_by, supervise

ENGINES = ("podman", "docker")
FOR_THE_ENGINE = ("HOME", "PATH", "XDG_RUNTIME_DIR", "DOCKER_HOST", "DOCKER_CONTEXT", "CONTAINER_HOST")
"""What the engine's own command needs; nothing of it goes into the container."""
REMOVE_SECONDS = 30.0
USER = "1000:1000"


class Container:
    """A sandbox by an engine, in an image that the user named and that is there: none is fetched."""

    def __init__(self, engine: Path, image: str) -> None:
        self.engine = engine
        self.image = image

    @property
    def name(self) -> str:
        """What stands between a program and this machine."""
        return f"{self.engine.name}, image {self.image}"

    def run(self, job: Job) -> Ended:
        """Run a job to its end or its first limit; the container is removed afterwards."""
        ready = new_word()
        environment = {name: os.environ[name] for name in FOR_THE_ENGINE if name in os.environ}

        def hold(_process: subprocess.Popen[bytes]) -> Grip:
            return Held(self.engine, ready, environment)

        return supervise(
            self.command(job, ready),
            limits=job.limits,
            ready=ready,
            hold=hold,
            environment=environment,
            stopped=job.stopped,
        )

    def command(self, job: Job, ready: str) -> list[str]:
        """What the engine is told, wall by wall; the container's name is the word that says it is ready."""
        program, *arguments = started_by(job, ready)
        return [
            *(str(self.engine), "run", "--rm", "--name", ready, "--pull", "never", "--log-driver", "none"),
            *_apart(job),
            *_limited(job),
            *_mounts(job),
            *(part for name, value in job.variables.items() for part in ("--env", f"{name}={value}")),
            *("--workdir", "/", "--entrypoint", program, self.image, *arguments),
        ]


def _apart(job: Job) -> list[str]:
    return [
        *("--network", "bridge" if job.has_network else "none", "--ipc", "private", "--hostname", "sandbox"),
        *("--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--user", USER),
    ]


def _limited(job: Job) -> list[str]:
    limits = job.limits
    small = f"{max(1, limits.disk_mb)}m"
    memory = f"{limits.memory_mb}m"
    own = "rw,exec,nosuid,nodev,mode=1777"
    return [
        *("--pids-limit", str(limits.tasks), "--memory", memory, "--memory-swap", memory),
        *("--shm-size", small, "--tmpfs", f"/tmp:{own},size={small}"),  # noqa: S108 - the container's own
        *("--tmpfs", f"{SIDE}:{own},size={job.disk_bytes}"),
    ]


def _mounts(job: Job) -> list[str]:
    mounts = [(job.source, SOURCE, True)]
    if job.added is not None:
        mounts.append((job.added, ADDED, True))
    if job.watch is not None:
        mounts.append((job.watch, WATCH, True))
    mounts += [(place, str(place), True) for place in job.mounts]
    if job.writable is not None:
        mounts.append((job.writable, str(job.writable), False))
    return [part for mount in mounts for part in ("--mount", _mount(*mount))]


def _mount(place: Path, target: str, is_read_only: bool) -> str:
    if "," in str(place):
        raise SettingsError(f"{place}: a container engine cannot be given a folder with a comma in its name")
    return f"type=bind,source={place},target={target}" + (",readonly" if is_read_only else "")


class Held:
    """A hold on a container by its name; the engine itself keeps it to its memory and its processes."""

    def __init__(self, engine: Path, name: str, environment: Mapping[str, str]) -> None:
        self._command = [str(engine), "rm", "--force", name]
        self._environment = dict(environment)

    def excess(self, _limits: RunLimits) -> RunState | None:
        """Nothing to be watched from here."""
        return None

    def passed(self) -> RunState | None:
        """Nothing here ends a run by itself."""
        return None

    def end(self) -> None:
        """Remove the container with everything in it."""
        with suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(
                self._command, env=self._environment, capture_output=True, check=False, timeout=REMOVE_SECONDS
            )


def find_engine(search_path: str = "/usr/bin:/bin:/usr/local/bin") -> Path | None:
    """The engine that is installed, podman first: it needs no service that runs as root."""
    found = (shutil.which(name, path=search_path) for name in ENGINES)
    return next((Path(program) for program in found if program), None)
