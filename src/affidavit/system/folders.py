"""What a folder holds: a folder in, all of its files or their bytes out."""

import os
from collections.abc import Iterator
from pathlib import Path


def files_in(folder: Path) -> Iterator[Path]:
    """All files below."""
    for place, _, names in os.walk(folder):
        yield from (Path(place) / name for name in names)


def bytes_in(folder: Path) -> int:
    """The bytes of all files below; what vanishes meanwhile counts for nothing."""
    total = 0
    for file in files_in(folder):
        try:
            total += file.lstat().st_size
        except OSError:
            continue
    return total
