"""Scaled pictures on disk; only this service writes here."""

from pathlib import Path


def cache_path(folder: Path, name: str) -> Path:
    return folder / f"{name}.webp"
