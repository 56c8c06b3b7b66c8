"""Sends files one after another and deletes those that arrived."""

from collections.abc import Callable, Iterable
from pathlib import Path

from transfer.link import Link
from transfer.sending import transfer


def archive(paths: Iterable[Path], connect: Callable[[], Link]) -> None:
    for path in paths:
        transfer(connect(), [path.read_bytes()])
        path.unlink()
