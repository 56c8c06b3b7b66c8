"""Reads amounts from a file, one on each line."""

from pathlib import Path


def read_amounts(path: Path) -> list[int]:
    return [int(line) for line in path.read_text().splitlines() if line.strip()]
