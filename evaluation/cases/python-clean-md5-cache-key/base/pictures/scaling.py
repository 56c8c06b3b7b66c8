"""Scales pictures, or takes them from the cache."""

from collections.abc import Callable
from pathlib import Path

from pictures.cache import cache_path


def scaled(folder: Path, name: str, content: bytes, scale: Callable[[bytes], bytes]) -> bytes:
    place = cache_path(folder, name)
    if not place.exists():
        place.write_bytes(scale(content))
    return place.read_bytes()
