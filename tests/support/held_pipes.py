"""Pipes with a name: what workers share ends when none of them holds its pipe any more."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep the other workers out of a folder."""
    with (folder / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def hold(pipe: Path) -> int | None:
    """Open the writing end of a pipe and write a byte; None if nobody reads the other end."""
    try:
        held = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        os.write(held, b".")
    except OSError:
        return None
    return held
