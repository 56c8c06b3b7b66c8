"""Make temporary folders that do not outlive their run: one for each user, in it one for each run.

A run holds a lock on its folder for as long as it lives, however it dies. The next run removes the
folders without a lock: a killed run cannot clean up, and its folders hold copies of source.
"""

import atexit
import fcntl
import os
import shutil
import signal
import stat
import tempfile
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from affidavit.errors import OutsideError


class Closing(ABC):
    @abstractmethod
    def close(self) -> None:
        """Release everything; it cannot be used afterwards."""

    @contextmanager
    def closed_on_failure(self) -> Iterator[Self]:
        """Close it if the block fails; leave it open otherwise."""
        try:
            yield self
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


PRIVATE = 0o700
RUN_PREFIX = "run-"
ATTEMPTS = 20
"""How often a run makes a folder again after another run removed it."""


@dataclass(frozen=True)
class _RunFolder:
    folder: Path
    lock: int
    process: int


_runs: list[_RunFolder] = []
_starting = threading.Lock()


@contextmanager
def temporary_folder(prefix: str = "") -> Iterator[Path]:
    """Make a folder without links in its path, and remove it after use."""
    with tempfile.TemporaryDirectory(prefix=prefix, dir=run_folder(), ignore_cleanup_errors=True) as name:
        yield Path(name)


def run_folder() -> Path:
    """Return this process's private folder; make it on first use."""
    with _starting:
        # A forked child shares the lock of its parent, and must not delete the parent's folders.
        if not _runs or _runs[-1].process != os.getpid():
            _runs.append(_begin(user_folder()))
            atexit.register(end_run)
        return _runs[-1].folder


def end_run() -> None:
    """Remove the folder of this process."""
    with _starting:
        if not _runs or _runs[-1].process != os.getpid():
            return
        run = _runs.pop()
    with _undisturbed():
        _remove(run.folder)
        os.close(run.lock)
        with suppress(OSError):
            run.folder.parent.rmdir()


def user_folder() -> Path:
    # Analysers print paths without links, so ours must have none either.
    return Path(tempfile.gettempdir()).resolve() / f"affidavit-{os.getuid()}"


def remove_dead_runs(folder: Path) -> None:
    with suppress(OSError):
        for place in folder.iterdir():
            if place.name.startswith(RUN_PREFIX):
                _remove_if_dead(place)


def _begin(folder: Path) -> _RunFolder:
    for _ in range(ATTEMPTS):
        try:
            _make_private(folder)
            place = Path(tempfile.mkdtemp(prefix=RUN_PREFIX, dir=folder))
            lock = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except FileNotFoundError:
            # Another run removed the folder between two steps.
            continue
        except OSError as error:
            raise OutsideError(f"no temporary files can be written to {folder}: {error.strerror}") from error
        if _is_locked(lock, fcntl.LOCK_SH) and _is_still_there(place, lock):
            remove_dead_runs(folder)
            return _RunFolder(place, lock, os.getpid())
        os.close(lock)
    raise OutsideError(f"other runs keep removing what this one puts into {folder}: try again")


def _make_private(folder: Path) -> None:
    """Make the user's folder; refuse one of another owner."""
    with suppress(FileExistsError):
        folder.mkdir(PRIVATE)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise OutsideError(
            f"{folder} does not belong to you, and source would be written there: "
            "remove it, or name another folder for temporary files with TMPDIR"
        )
    if stat.S_IMODE(found.st_mode) != PRIVATE:
        folder.chmod(PRIVATE)


def _remove_if_dead(place: Path) -> None:
    try:
        lock = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return
    try:
        if _is_locked(lock, fcntl.LOCK_EX):
            _remove(place)
    finally:
        os.close(lock)


def _is_locked(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_still_there(place: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), place.lstat())
    except OSError:
        return False


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, onerror=_open_up_and_retry)


def _open_up_and_retry(function: Callable[..., object], path: str, _why: object) -> None:
    """Delete again after making the folder writable: a program may have locked it."""
    if function not in (os.unlink, os.rmdir, os.open, os.scandir, os.lstat):
        return
    with suppress(OSError):
        parent = Path(path).parent
        parent.chmod(PRIVATE)
        if function is os.unlink:
            Path(path).unlink()
            return
        Path(path).chmod(PRIVATE)
        shutil.rmtree(path, ignore_errors=True)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Block signals while cleaning up, or files would be left behind."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    wanted = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, wanted)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
