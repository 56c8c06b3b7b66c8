"""Make folders and files that only the user can read, and measure folders."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def files_in(folder: Path) -> Iterator[Path]:
    for place, _, names in os.walk(folder):
        yield from (Path(place) / name for name in names)


def bytes_in(folder: Path) -> int:
    """Return the size of all files below; ignore those that vanish."""
    total = 0
    for file in files_in(folder):
        try:
            total += file.lstat().st_size
        except OSError:
            continue
    return total


def make_private_folder(folder: Path) -> None:
    """Make the folder and missing parents; a folder with files keeps its mode."""
    if folder.is_dir():
        if not any(folder.iterdir()):
            # A folder of another owner stays open: its files are closed one by one.
            with suppress(PermissionError):
                folder.chmod(0o700)
        return
    if not folder.parent.is_dir():
        make_private_folder(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)


def make_private_file(file: Path) -> None:
    """Make an empty file if there is none; close an existing one to others."""
    os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
    if file.stat().st_mode & 0o077:
        file.chmod(0o600)


def write_private_file(file: Path, text: str) -> None:
    """Write a file, whole or not at all; make its folder if missing."""
    make_private_folder(file.parent)
    descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=".new-")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as written:
            written.write(text)
        Path(name).replace(file)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
