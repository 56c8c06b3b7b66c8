"""Imports a folder; the caller rolls back where this raises."""

from pathlib import Path

from imports.reader import read_amounts


def import_folder(folder: Path) -> int:
    total = 0
    for path in sorted(folder.glob("*.txt")):
        total += sum(read_amounts(path))
    return total
